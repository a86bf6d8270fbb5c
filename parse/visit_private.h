/**
 * @file State and functions shared by parse/visit.c and parse/visit_sample.c.
 */
#ifndef PD_PARSE_VISIT_PRIVATE_H
#define PD_PARSE_VISIT_PRIVATE_H

#include <pdconv/visitor.h>

/** Bytes that are visited, and the visitor. */
struct pd_visit {
	struct pd_cursor c;
	const uint8_t *base;
	struct pd_layout_env env;
	const struct pd_visitor *visitor;
};

void pd_visit_enter(const struct pd_visit *w, const char *name, bool is_list);
void pd_visit_leave(const struct pd_visit *w);
/** Visit a value whose bytes are those from @p from to the cursor. */
void pd_visit_value(const struct pd_visit *w, const uint8_t *from, struct pd_value value);
void pd_visit_number(const struct pd_visit *w, const uint8_t *from, const char *name,
	enum pd_field_format format, uint64_t number);
void pd_visit_bytes(const struct pd_visit *w, const char *name, struct pd_view bytes);
/** Visit the bytes after the last field as "rest", unless all are zero, which is padding. */
void pd_visit_rest(struct pd_visit *w);
/** Report that the field at @p from cannot be decoded, and visit the bytes from there on. */
void pd_visit_damage(
	struct pd_visit *w, const uint8_t *from, const char *name, const char *message);

/** Visit the fields of a SAMPLE, of a trailer, and of a READ record without its trailer. */
void pd_visit_sample(struct pd_visit *w, const struct pd_record *rec, const struct pd_plan *plan);
void pd_visit_sample_id(struct pd_visit *w, const struct pd_plan *plan);
void pd_visit_read_record(struct pd_visit *w, const struct pd_plan *plan);

#endif
