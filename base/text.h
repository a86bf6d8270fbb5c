/**
 * @file Writing text from untrusted input for people.
 */
#ifndef PD_BASE_TEXT_H
#define PD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/**
 * Write @p text for people. Characters that are not printable (base/printable.h) are written as
 * escapes, the others unchanged.
 */
void base_text_write(FILE *out, const char *text);
/** Like base_text_write(), for @p len bytes. */
void base_text_write_n(FILE *out, const char *text, size_t len);

/** Columns of a message, at most: enough for long paths, and a dozen lines of a terminal. */
enum { PD_MESSAGE_COLUMNS = 1000 };

/** Like base_text_write(), but leave out the middle of a text of more than PD_MESSAGE_COLUMNS. */
void base_text_write_message(FILE *out, const char *text);

/**
 * Return what base_text_write_n() writes, with a NUL after it; *@p len_ret: its length without the
 * NUL. Allocated; NULL: no memory.
 */
char *base_text_dup(const char *text, size_t len, size_t *len_ret);

/** Write @p word as a shell takes it: in single quotes unless all of its characters are plain. */
void base_text_write_word(FILE *out, const char *word);

/** Whether @p text begins with @p prefix. */
static inline bool base_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/** Return the file name in @p path without its folders; @p path itself if it ends with a slash. */
const char *base_file_name(const char *path);

/**
 * Copy @p len bytes of a name to @p to without what has a meaning in folded stacks: ';' separates
 * names and becomes ':', spaces become @p for_space, and quotes are dropped because
 * stackcollapse-perf.pl drops them. Return the number of bytes that were copied.
 */
size_t base_text_copy_folded(char *to, const char *text, size_t len, char for_space);

#endif
