/**
 * @file How untrusted text is shown: which characters as they are, what in place of the others, and
 * how many columns of a terminal all of it takes.
 *
 * Names in recordings and binaries come from elsewhere. Shown as they are, some characters could
 * control the terminal or the browser, hide parts of the output, or make one name look like
 * another. An escape is shown in their place: "\x1b" for ASCII and for bytes that are not UTF-8,
 * "\u202e" and "\U000e0001" for other characters. This file is the only place that decides.
 */
#ifndef PD_BASE_PRINTABLE_H
#define PD_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest escape, with its NUL. */
enum { PD_ESCAPE_SIZE = sizeof("\\U0010ffff") };

/** Whether @p character is shown as it is. */
bool base_is_printable(uint32_t character);

/** Number of bytes at the start of the @p len bytes of @p text that are printable ASCII. */
size_t base_printable_run(const char *text, size_t len);

/**
 * Find out how the character at @p text is shown; @p len bytes may be read, at least 1. Returns its
 * length in bytes. *@p escape is what is shown in its place, or "" if it is shown as it is.
 */
size_t base_printable_next(const char *text, size_t len, char escape[static PD_ESCAPE_SIZE]);

/**
 * Return the columns that a terminal of UTF-8 needs for what base_text_write() writes for the first
 * @p len bytes of @p text: two for wide characters, none for combining ones, and those of the
 * escape for characters that are not printable. Thread-safe.
 */
size_t base_columns_n(const char *text, size_t len);

/** Columns of the NUL-terminated @p text. */
size_t base_columns(const char *text);

/**
 * Return the number of bytes at the start of @p text that fit @p columns. Combining characters
 * stay with the character before them.
 */
size_t base_columns_prefix(const char *text, size_t columns);

/** Leave out the middle of @p text to fit @p width columns. Allocated; NULL: no memory. */
char *base_columns_cut(const char *text, size_t width);

#endif
