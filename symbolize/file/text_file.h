/**
 * @file Text files read as a whole: kallsyms, lists of modules, maps of generated code. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_TEXT_FILE_H
#define PD_SYMBOLIZE_FILE_TEXT_FILE_H

#include "symbolize/file/image.h"

/**
 * Read the regular file @p path, and append a NUL that *len_ret does not count. It may be one that
 * the kernel makes, such as /proc/kallsyms. Free *ret with free(). *ret is NULL, and @p failure_ret
 * has the reason, if it cannot be read. Only whole lines within the first PD_LIMIT_TEXT_FILE_BYTES
 * are read; that there are more is added to access.trouble. Errors: NOMEM.
 */
struct pd_error *sym_text_file_read(const char *path, struct sym_access access, char **ret,
	size_t *len_ret, struct sym_failure *failure_ret) pd_must_check;

/** Like sym_text_file_read(), but from the open descriptor @p fd. @p path is used in messages. */
struct pd_error *sym_text_file_read_fd(int fd, const char *path, struct sym_access access,
	char **ret, size_t *len_ret, struct sym_failure *failure_ret) pd_must_check;

/**
 * Get the line at *rest, with a NUL in place of its newline, and advance *rest to the next one.
 * Returns NULL at the end.
 */
char *sym_text_line(char **rest);

/**
 * Parse the hexadecimal digits at @p p into @p ret, which is 0 if there are none. Returns the first
 * character after them.
 */
char *sym_text_hex(char *p, uint64_t *ret);

#endif
