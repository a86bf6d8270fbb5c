/**
 * @file Writing text from untrusted input to a terminal.
 */
#ifndef PD_BASE_TEXT_H
#define PD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Write @p text with control characters as "\xNN". Bytes of UTF-8 are unchanged. */
void pd_text_write(FILE *out, const char *text);

/** Return the file name in @p path without its folders; @p path itself if it ends with a slash. */
const char *pd_base_name(const char *path);

/** Write @p number in hexadecimal, padded with spaces to @p width (at most 16), as %*lx does. */
void pd_hex_write(FILE *out, uint64_t number, size_t width);

#endif
