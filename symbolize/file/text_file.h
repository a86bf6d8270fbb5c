/**
 * @file Reading text files as a whole: kallsyms, lists of modules, maps of generated code. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_TEXT_FILE_H
#define PD_SYMBOLIZE_FILE_TEXT_FILE_H

#include "symbolize/file/image.h"

/**
 * The bytes of the regular file @p path and a NUL, *len_ret without it; free with free(). NULL, and
 * @p failure_ret says why, if it cannot be read. What is behind 256 MiB is left out.
 */
struct pd_error *sym_text_file_read(const char *path, char **ret, size_t *len_ret,
	struct sym_failure *failure_ret) pd_must_check;

/** The same of an open file, read to its end. */
struct pd_error *sym_text_file_read_fd(int fd, char **ret, size_t *len_ret) pd_must_check;

/** The line at @p *rest, its newline made a NUL, and *rest moved behind it; NULL at the end. */
char *sym_text_line(char **rest);

/** Read hexadecimal digits from @p p on; returns what follows them. 0 if there are none. */
char *sym_text_hex(char *p, uint64_t *ret);

#endif
