/**
 * @file Columns of a terminal that texts take.
 */
#ifndef PD_BASE_COLUMNS_H
#define PD_BASE_COLUMNS_H

#include <stddef.h>

/**
 * Return the columns that a terminal of UTF-8 needs for what pd_text_write() writes for the first
 * @p len bytes of @p text: two for wide characters, none for combining ones, and those of the
 * escape for characters that are not printable. Thread-safe.
 */
size_t pd_columns_n(const char *text, size_t len);

/** Columns of the NUL-terminated @p text. */
size_t pd_columns(const char *text);

/**
 * Return the number of bytes at the start of @p text that fit @p columns. Combining characters
 * stay with the character before them.
 */
size_t pd_columns_prefix(const char *text, size_t columns);

/** Leave out the middle of @p text to fit @p width columns. Allocated; NULL: no memory. */
char *pd_columns_cut(const char *text, size_t width);

#endif
