/**
 * @file How the parts of a dump are printed: text or JSON.
 */
#ifndef PD_INSPECT_DUMP_PRINTER_H
#define PD_INSPECT_DUMP_PRINTER_H

#include <pdconv/vec.h>
#include <pdconv/walk.h>

#include "inspect/dump.h"
#include "base/json.h"

/** What is known of a part before its fields: a record, an attr, a feature, the file header. */
struct inspect_dump_part {
	const char *type;
	/** Of a feature; else NULL. */
	const char *feature;
	/** Whose event it is; NULL if that is not known or nobody's. */
	const char *event;
	/** Which file of a directory it is in; NULL: the recording itself. */
	const char *path;
	/** All of it. */
	struct pd_view bytes;
	/** In that file; of what was compressed, the offset of the record that holds it. */
	uint64_t offset;
	/** Bytes behind it that belong to it. */
	uint64_t outside_size;
	uint16_t misc;
	bool has_misc;
	bool is_compressed;
};

/** One step on the way to a value: a struct, or an element of a list. */
struct inspect_dump_step {
	const char *name;
	bool is_list;
	/** Of a list: elements so far. */
	uint64_t n;
};

/** What does not decode. Texts in static storage. */
struct inspect_dump_damage {
	/** NULL: the whole. */
	const char *field;
	const char *message;
};

struct inspect_dump_printer {
	const struct inspect_dump_opts *opts;
	FILE *out;
	/** Give it to a walk between begin and end. */
	struct pd_visitor visitor;
	struct pd_json json;
	const struct inspect_dump_part *part;
	PD_VEC(struct inspect_dump_step) steps;
	/** Something stands on the line already. */
	bool needs_space;
	/** What of the part is shown as a hex view below its line. */
	PD_VEC(struct pd_value) views;
	/** Of the part. */
	PD_VEC(struct inspect_dump_damage) damages;
};

void inspect_dump_printer_init(
	struct inspect_dump_printer *printer, const struct inspect_dump_opts *opts, FILE *out);
void inspect_dump_printer_deinit(struct inspect_dump_printer *printer);

void inspect_dump_begin(struct inspect_dump_printer *printer, const struct inspect_dump_part *part);
void inspect_dump_end(struct inspect_dump_printer *printer);

#endif
