#include "base/text.h"

#include <string.h>

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

void pd_text_write(FILE *out, const char *text)
{
	while (*text) {
		size_t n = 0;

		while (text[n] && !is_control((unsigned char)text[n]))
			n++;
		fwrite_unlocked(text, 1, n, out);
		text += n;
		if (*text)
			fprintf(out, "\\x%02x", (unsigned char)*text++);
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
