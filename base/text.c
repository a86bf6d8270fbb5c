#include "base/text.h"

#include <string.h>

size_t pd_text_control(const char *text, size_t len)
{
	const unsigned char *c = (const unsigned char *)text;

	if (c[0] < 0x20 || c[0] == 0x7f)
		return 1;
	/* U+0080 to U+009F: terminals may take them for escape sequences. */
	return c[0] == 0xc2 && len > 1 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

static void write_escaped(FILE *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "\\x%02x", (unsigned char)text[i]);
}

void pd_text_write(FILE *out, const char *text)
{
	for (;;) {
		size_t n = 0, control = 0;

		while (text[n] && !(control = pd_text_control(text + n, 2)))
			n++;
		fwrite_unlocked(text, 1, n, out);
		if (!text[n])
			return;
		write_escaped(out, text + n, control);
		text += n + control;
	}
}

void pd_hex_write(FILE *out, uint64_t number, size_t width)
{
	static const char digits[] = "0123456789abcdef";
	char buf[16];
	size_t at = sizeof(buf);

	do {
		buf[--at] = digits[number & 15];
		number >>= 4;
	} while (number);
	while (sizeof(buf) - at < width)
		buf[--at] = ' ';
	fwrite_unlocked(buf + at, 1, sizeof(buf) - at, out);
}

const char *pd_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void pd_text_write_word(FILE *out, const char *word)
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
