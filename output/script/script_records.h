/**
 * @file Records other than samples in the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_RECORDS_H
#define PD_OUTPUT_SCRIPT_SCRIPT_RECORDS_H

#include <stdio.h>

#include <pdconv/record.h>

/** Write the recorded string @p text up to its first NUL as base_text_write() does. */
void script_write_str(FILE *out, const struct pd_str *text);
/**
 * Write @p len bytes of @p text as base_text_write() does, and @p to for each character @p from.
 */
void script_write_replaced(FILE *out, const char *text, size_t len, char from, const char *to);

/**
 * Return the text of a record other than a sample, like `perf script`. See prof_request.note_text.
 */
char *script_note_text(const struct pd_record *rec, const union pd_body *body);

#endif
