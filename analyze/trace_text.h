/**
 * @file Fields in the text of a tracepoint: prof_row.trace, "name=value name=value".
 */
#ifndef PD_ANALYZE_TRACE_TEXT_H
#define PD_ANALYZE_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** A field. Texts are borrowed, and do not end with a NUL. */
struct ana_trace_field {
	const char *name;
	const char *value;
	size_t name_len;
	size_t value_len;
};

/**
 * Read the next field at *at, and move *at to the one after that. False at the end. A value ends
 * with the text, or before a space and a name; a string may contain such a name itself.
 */
bool ana_trace_next(const char **at, struct ana_trace_field *ret);

/** Find the first field called @p name, @p name_len bytes. False if @p text has none. */
bool ana_trace_find(
	const char *text, const char *name, size_t name_len, struct ana_trace_field *ret);

#endif
