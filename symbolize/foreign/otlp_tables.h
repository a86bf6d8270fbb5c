/**
 * @file Tables of the dictionary of a profile of OpenTelemetry, from untrusted input. Private to
 * symbolize/foreign/.
 *
 * Entries are not decoded before they are needed, and borrow the bytes of the profile.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_OTLP_TABLES_H
#define PD_SYMBOLIZE_FOREIGN_OTLP_TABLES_H

#include <pdconv/vec.h>

#include "base/otlp_field_defs.h"
#include "base/protobuf.h"
#include "symbolize/foreign/asked.h"

/** Numbers of fields: SYM_OTLP_LOCATION_LINES is 3. */
enum {
#define SYM_OTLP_NUMBER(message, field, number, ...) SYM_OTLP_##message##_##field = (number),
	OTLP_FIELDS(SYM_OTLP_NUMBER)
#undef SYM_OTLP_NUMBER
};

/** Tables that are read, by the numbers of their fields. */
enum sym_otlp_table {
	SYM_OTLP_MAPPINGS = SYM_OTLP_DICTIONARY_MAPPINGS,
	SYM_OTLP_LOCATIONS = SYM_OTLP_DICTIONARY_LOCATIONS,
	SYM_OTLP_FUNCTIONS = SYM_OTLP_DICTIONARY_FUNCTIONS,
	SYM_OTLP_STRINGS = SYM_OTLP_DICTIONARY_STRINGS,
	SYM_OTLP_ATTRIBUTES = SYM_OTLP_DICTIONARY_ATTRIBUTES,
	SYM_OTLP_N_TABLES,
};

/** Build id that an attribute is. Its text is borrowed; NULL: it is another attribute. */
struct sym_otlp_id {
	const char *text;
	size_t len;
	/** It is not one of ELF files. */
	bool is_other;
};

struct sym_otlp_tables {
	const char *path;
	const uint8_t *bytes;
	size_t len;
	/** Where the field of each entry of a table begins. The size of profiles is limited. */
	struct {
		PD_VEC(uint32_t) starts;
	} tables[SYM_OTLP_N_TABLES];
	/** Build ids by the index of their attribute. Mappings may share them. */
	PD_VEC(struct sym_otlp_id) ids;
};

/** Numbers of a message, by the numbers of their fields; 0: there is none. */
struct sym_otlp_numbers {
	uint64_t of[9];
};

/** Find the entries of a profile. Deinit in any case. Errors: FORMAT, NOMEM. */
struct pd_error *sym_otlp_tables_init(struct sym_otlp_tables *t, const char *path,
	const uint8_t *bytes, size_t len) pd_must_check;
void sym_otlp_tables_deinit(struct sym_otlp_tables *t);

/** The fields of the profile. */
static inline struct base_proto sym_otlp_fields(const struct sym_otlp_tables *t)
{
	return (struct base_proto){ .at = t->bytes, .end = t->bytes + t->len };
}

static inline bool sym_otlp_is_dictionary(const struct base_proto_field *field)
{
	return field->number == SYM_OTLP_DATA_DICTIONARY && field->type == BASE_PROTO_LEN;
}

static inline bool sym_otlp_is_in(const struct base_proto_field *field, enum sym_otlp_table table)
{
	return field->number == table && field->type == BASE_PROTO_LEN;
}

/**
 * Call @p fn for each field of the dictionary, of which the profile may have several parts.
 * Errors: those of @p fn.
 */
struct pd_error *sym_otlp_each(const struct sym_otlp_tables *t,
	struct pd_error *(*fn)(void *ctx, const struct base_proto_field *field),
	void *ctx) pd_must_check;

static inline size_t sym_otlp_count(const struct sym_otlp_tables *t, enum sym_otlp_table table)
{
	return t->tables[table].starts.n;
}

/** Get an entry of a table. It is empty if there is none of that index. */
struct base_proto_field sym_otlp_entry(
	const struct sym_otlp_tables *t, enum sym_otlp_table table, uint64_t index);

/** Decode the numbers of a message, all of whose fields are valid after that. Errors: FORMAT. */
struct pd_error *sym_otlp_decode(const struct sym_otlp_tables *t,
	const struct base_proto_field *message, struct sym_otlp_numbers *ret) pd_must_check;

/** Decode a mapping and its build id. Errors: FORMAT. */
struct pd_error *sym_otlp_mapping(const struct sym_otlp_tables *t, uint64_t index,
	struct sym_asked_module *ret) pd_must_check;

#endif
