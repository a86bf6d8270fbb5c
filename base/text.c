#include "base/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/printable.h"
#include "base/memstream.h"

void base_text_write_n(FILE *out, const char *text, size_t len)
{
	char escape[PD_ESCAPE_SIZE];

	for (size_t at = 0; at < len;) {
		size_t n = base_printable_run(text + at, len - at);

		fwrite_unlocked(text + at, 1, n, out);
		at += n;
		if (at == len)
			return;
		n = base_printable_next(text + at, len - at, escape);
		if (*escape)
			fputs_unlocked(escape, out);
		else
			fwrite_unlocked(text + at, 1, n, out);
		at += n;
	}
}

void base_text_write(FILE *out, const char *text)
{
	base_text_write_n(out, text, strlen(text));
}

void base_text_write_message(FILE *out, const char *text)
{
	bool is_long = base_columns(text) > PD_MESSAGE_COLUMNS;
	_cleanup_free_ char *cut = is_long ? base_columns_cut(text, PD_MESSAGE_COLUMNS) : NULL;

	base_text_write(out, cut ? cut : is_long ? "..." : text);
}

char *base_text_dup(const char *text, size_t len, size_t *len_ret)
{
	char *copy = NULL;

	if (base_printable_run(text, len) == len) {
		*len_ret = len;
		return strndup(text, len);
	}
	FILE *out = base_memstream_open(&copy, len_ret);
	if (!out)
		return NULL;
	base_text_write_n(out, text, len);
	return base_memstream_close(out, &copy) ? copy : NULL;
}

size_t base_text_copy_folded(char *to, const char *text, size_t len, char for_space)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\'')
			continue;
		if (text[i] == ';')
			to[n++] = ':';
		else
			to[n++] = text[i] == ' ' ? for_space : text[i];
	}
	return n;
}

const char *base_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void base_text_write_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=@%:,./";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}
