#include "symbolize/file/text_file.h"

#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"

/*
 * Upper limit in bytes; a kallsyms file has about 10 MiB. Files in /proc report size 0, so they are
 * read to their end.
 */
enum { MAX_FILE_SIZE = 256 * 1024 * 1024, READ_SIZE = 1024 * 1024 };

struct pd_error *sym_text_file_read_fd(int fd, char **ret, size_t *len_ret)
{
	PD_VEC(char) text = { 0 };
	ssize_t got = 1;

	while (got > 0 && text.n < MAX_FILE_SIZE) {
		if (!pd_vec_reserve(&text, text.n + READ_SIZE + 1)) {
			pd_vec_deinit(&text);
			return &pd_enomem;
		}
		got = read(fd, text.data + text.n, READ_SIZE);
		if (got > 0)
			text.n += (size_t)got;
	}
	text.data[text.n] = '\0';
	*ret = text.data;
	*len_ret = text.n;
	return NULL;
}

struct pd_error *sym_text_file_read(const char *path, struct sym_deps *deps, char **ret,
	size_t *len_ret, struct sym_failure *failure_ret)
{
	_cleanup_close_ int fd = sym_open_regular(path, deps, failure_ret);

	*ret = NULL;
	*len_ret = 0;
	return fd < 0 ? NULL : sym_text_file_read_fd(fd, ret, len_ret);
}

char *sym_text_line(char **rest)
{
	char *line = *rest;

	if (!*line)
		return NULL;
	char *end = strchrnul(line, '\n');
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

char *sym_text_hex(char *p, uint64_t *ret)
{
	uint64_t value = 0;

	for (;; p++) {
		unsigned digit = (unsigned char)*p - '0';
		unsigned letter = ((unsigned char)*p | 0x20) - 'a';

		if (digit > 9)
			digit = letter <= 5 ? letter + 10 : 16;
		if (digit > 15)
			break;
		value = value << 4 | digit;
	}
	*ret = value;
	return p;
}
