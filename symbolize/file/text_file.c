#include "symbolize/file/text_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "base/system/huge.h"
#include "base/limit.h"

/*
 * Upper limit in bytes; a kallsyms file has about 10 MiB. Files in /proc report size 0, so they are
 * read to their end.
 */
enum { MAX_FILE_SIZE = PD_LIMIT_TEXT_FILE_BYTES, READ_SIZE = 1024 * 1024 };

/* Read once. Returns the number of bytes, 0 at the end, or -1 and sets errno. */
static ssize_t read_some(int fd, char *to)
{
	ssize_t got;

	do
		got = read(fd, to, READ_SIZE);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Number of bytes to allocate for a file of the size that it reports. */
static size_t first_size(int fd)
{
	struct stat st;
	bool is_known = fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= MAX_FILE_SIZE;

	/* There is room for the read that finds the end. */
	return (is_known ? (size_t)st.st_size : 0) + READ_SIZE + 1;
}

/* Leave out the rest of a text that is too long, and the line that is cut. */
static void cut(const char *path, struct sym_access access, char *text, size_t *len)
{
	char *newline = memrchr(text, '\n', MAX_FILE_SIZE);

	sym_trouble_add_limit(access.trouble, path, PD_LIMIT_ID_TEXT_FILE_BYTES);
	*len = newline ? (size_t)(newline + 1 - text) : 0;
}

struct pd_error *sym_text_file_read_fd(int fd, const char *path, struct sym_access access,
	char **ret, size_t *len_ret, struct sym_failure *failure_ret)
{
	PD_VEC(char) text = { .cap = first_size(fd) };
	ssize_t got = 1;

	*ret = NULL;
	*len_ret = 0;
	text.data = base_huge_alloc(text.cap);
	if (!text.data)
		return &pd_enomem;
	while (got > 0 && text.n <= MAX_FILE_SIZE) {
		if (!pd_vec_reserve(&text, text.n + READ_SIZE + 1)) {
			pd_vec_deinit(&text);
			return &pd_enomem;
		}
		got = read_some(fd, text.data + text.n);
		if (got > 0)
			text.n += (size_t)got;
	}
	/* A part of kallsyms or of a map would give code the names of functions before it. */
	if (got < 0) {
		sym_open_failed(path, access, errno, failure_ret);
		pd_vec_deinit(&text);
		return NULL;
	}
	if (text.n > MAX_FILE_SIZE)
		cut(path, access, text.data, &text.n);
	text.data[text.n] = '\0';
	*ret = text.data;
	*len_ret = text.n;
	return NULL;
}

struct pd_error *sym_text_file_read(const char *path, struct sym_access access, char **ret,
	size_t *len_ret, struct sym_failure *failure_ret)
{
	access.is_kernel_expected = true;
	_cleanup_close_ int fd = sym_open_regular(path, access, failure_ret);

	*ret = NULL;
	*len_ret = 0;
	return fd < 0 ? NULL : sym_text_file_read_fd(fd, path, access, ret, len_ret, failure_ret);
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
	/* clang-format off */
	/* Values of the digits plus 1. */
	static const uint8_t digits[UCHAR_MAX + 1] = {
		['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		['A'] = 11, 12, 13, 14, 15, 16,
		['a'] = 11, 12, 13, 14, 15, 16,
	};
	/* clang-format on */
	uint64_t value = 0;
	uint8_t digit;

	for (; (digit = digits[(unsigned char)*p]); p++)
		value = value << 4 | (digit - 1u);
	*ret = value;
	return p;
}
