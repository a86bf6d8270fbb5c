#include "base/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct encoder {
	FILE *out;
	/** Bytes that wait for the rest of their group of three. */
	uint8_t rest[3];
	size_t n_rest;
};

static void write_group(FILE *out, const uint8_t bytes[static 3])
{
	uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

	for (int shift = 18; shift >= 0; shift -= 6)
		putc_unlocked(digits[bits >> shift & 63], out);
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t n)
{
	struct encoder *e = cookie;

	for (size_t i = 0; i < n; i++) {
		e->rest[e->n_rest++] = (uint8_t)bytes[i];
		if (e->n_rest == sizeof(e->rest)) {
			write_group(e->out, e->rest);
			e->n_rest = 0;
		}
	}
	return (ssize_t)n;
}

/* Two characters hold one byte, three hold two; '=' fills the group. */
static void write_rest(struct encoder *e)
{
	if (!e->n_rest)
		return;
	uint32_t bits =
		(uint32_t)e->rest[0] << 16 | (e->n_rest > 1 ? (uint32_t)e->rest[1] << 8 : 0);

	putc_unlocked(digits[bits >> 18], e->out);
	putc_unlocked(digits[bits >> 12 & 63], e->out);
	putc_unlocked(e->n_rest > 1 ? digits[bits >> 6 & 63] : '=', e->out);
	putc_unlocked('=', e->out);
}

static int finish(void *cookie)
{
	struct encoder *e = cookie;

	write_rest(e);
	free(e);
	return 0;
}

FILE *base_base64_open(FILE *out)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->out = out;
	FILE *stream = fopencookie(
		e, "w", (cookie_io_functions_t){ .write = write_bytes, .close = finish });
	if (!stream)
		free(e);
	return stream;
}
