/**
 * @file Writing text from untrusted input to a terminal.
 */
#ifndef PD_BASE_TEXT_H
#define PD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * Return the length of the control character at @p text, of which @p len bytes may be read: 1 in
 * ASCII, 2 for U+0080 to U+009F in UTF-8, 0 if it is none.
 */
size_t pd_text_control(const char *text, size_t len);

/** Write @p text with control characters as "\xNN". Other bytes are unchanged. */
void pd_text_write(FILE *out, const char *text);

/** Write @p word as a shell takes it: in single quotes unless all of its characters are plain. */
void pd_text_write_word(FILE *out, const char *word);

/** Return the file name in @p path without its folders; @p path itself if it ends with a slash. */
const char *pd_base_name(const char *path);

/** Write @p number in hexadecimal, padded with spaces to @p width (at most 16), as %*lx does. */
void pd_hex_write(FILE *out, uint64_t number, size_t width);

#endif
