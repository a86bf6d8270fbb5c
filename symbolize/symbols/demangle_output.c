/* Text that demanglers write. */
#include <string.h>

#include "symbolize/symbols/demangle_private.h"

void sym_output_add(struct sym_output *out, const char *text, size_t len)
{
	if (len > sizeof(out->text) - out->len) {
		out->is_too_long = true;
		longjmp(out->too_long, 1);
	}
	/* The text of nothing may be NULL, as libiberty passes for an empty identifier of Rust. */
	if (!len)
		return;
	memcpy(out->text + out->len, text, len);
	out->len += len;
}

void sym_output_text(struct sym_output *out, const char *text)
{
	sym_output_add(out, text, strlen(text));
}

void sym_output_char(struct sym_output *out, char c)
{
	sym_output_add(out, &c, 1);
}

bool sym_output_code(struct sym_output *out, unsigned long code)
{
	bool is_surrogate = code >= 0xd800 && code < 0xe000;

	if (code < ' ' || code == 0x7f || code > 0x10ffff || is_surrogate)
		return false;
	if (code < 0x80) {
		sym_output_char(out, (char)code);
		return true;
	}
	/* The first byte begins with a one for each byte, the others have 6 bits each. */
	int n_more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	sym_output_char(out, (char)((0xf00 >> (n_more + 1)) | (code >> (6 * n_more))));
	while (n_more--)
		sym_output_char(out, (char)(0x80 | ((code >> (6 * n_more)) & 0x3f)));
	return true;
}

int sym_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}
