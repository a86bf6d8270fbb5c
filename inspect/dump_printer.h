/**
 * @file Prints the parts of a dump as text or as JSON.
 */
#ifndef PD_INSPECT_DUMP_PRINTER_H
#define PD_INSPECT_DUMP_PRINTER_H

#include <pdconv/vec.h>
#include <pdconv/visitor.h>

#include "inspect/recording_dump.h"
#include "base/json.h"

/** One part of a dump (a record, an attr, a feature or the file header), apart from its fields. */
struct inspect_dump_part {
	const char *type;
	/** Name of the feature; NULL for other parts. */
	const char *feature;
	/** Name of the event that it belongs to; NULL if there is none or it is unknown. */
	const char *event;
	/** The file of a directory recording that it is in; NULL: the recording is one file. */
	const char *path;
	/** The whole part, with its header. */
	struct pd_view bytes;
	/** Offset in that file; for compressed parts, the offset of the record that holds them. */
	uint64_t offset;
	/** Bytes after the part that belong to it, as the trace data after AUXTRACE. */
	uint64_t outside_size;
	uint16_t misc;
	bool has_misc;
	bool is_compressed;
};

/** One level of nesting above a value: a struct, or an element of a list. */
struct inspect_dump_step {
	const char *name;
	bool is_list;
	/** Number of list elements so far. */
	uint64_t n;
};

/** A field that could not be decoded. Strings have static storage. */
struct inspect_dump_damage {
	/** NULL: the whole part. */
	const char *field;
	const char *message;
};

struct inspect_dump_printer {
	const struct inspect_dump_opts *opts;
	FILE *out;
	/** To be passed to a visit of the part, between begin and end. */
	struct pd_visitor visitor;
	struct base_json json;
	const struct inspect_dump_part *part;
	PD_VEC(struct inspect_dump_step) steps;
	/** The line is not empty. */
	bool needs_space;
	/** Values of the part that get a hex dump below its line. */
	PD_VEC(struct pd_value) views;
	/** Damaged fields of the part. */
	PD_VEC(struct inspect_dump_damage) damages;
};

void inspect_dump_printer_init(
	struct inspect_dump_printer *printer, const struct inspect_dump_opts *opts, FILE *out);
void inspect_dump_printer_deinit(struct inspect_dump_printer *printer);

void inspect_dump_begin(struct inspect_dump_printer *printer, const struct inspect_dump_part *part);
void inspect_dump_end(struct inspect_dump_printer *printer);

#endif
