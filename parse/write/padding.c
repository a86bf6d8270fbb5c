#include "parse/write/padding.h"

#include <pdconv/record.h>

#include "base/array.h"
#include "base/integer.h"
#include "parse/simpleperf.h"

/* Types without padding, in addition to all of simpleperf. perf 7.2 accepts any size of these. */
static const uint32_t unpadded[] = {
	/* The data follows the 12 bytes of old versions of perf. */
	PD_RECORD_TRACING_DATA,
	/* perf takes bytes after the last field of some features for the next one. */
	PD_RECORD_FEATURE,
	/* Zeros are not valid in a zstd stream. */
	PD_RECORD_COMPRESSED,
};

size_t parse_padding_bytes(uint32_t type, size_t size)
{
	size_t padding = -size % 8;

	if (!padding || type >= PD_SIMPLEPERF_FIRST_RECORD)
		return 0;
	for (size_t i = 0; i < PD_ARRAY_LEN(unpadded); i++) {
		if (unpadded[i] == type)
			return 0;
	}
	return padding;
}

bool parse_padding_fits(uint32_t type, size_t size)
{
	size_t padding = parse_padding_bytes(type, size);

	return !padding || size + padding <= UINT16_MAX;
}

void parse_padding_put(uint32_t type, const uint8_t *record, size_t size, struct pd_bytes *out)
{
	enum { TYPE_BYTES = 4, SIZE_AT = 6 };
	size_t padding = parse_padding_bytes(type, size);
	size_t start = out->buf.n;

	pd_bytes_u32(out, type);
	pd_bytes_put(out, record + TYPE_BYTES, size - TYPE_BYTES);
	pd_bytes_zeros(out, padding);
	if (padding && !out->failed)
		base_store_uint(out->buf.data + start + SIZE_AT, 2, out->swap, size + padding);
}
