#include "parquet/thrift.h"

#include <string.h>

#include "base/leb.h"

/* A field header has the distance from the last id if it is less than this. */
enum { SHORT_IDS = 16 };
/* A list header has the number of elements if it is less than this. */
enum { SHORT_LIST = 15 };

static void field(struct pq_thrift *thrift, unsigned id, enum pq_thrift_type type)
{
	if (!id)
		return;
	unsigned *last = &thrift->last[thrift->depth - 1];
	unsigned distance = id - *last;

	*last = id;
	if (distance < SHORT_IDS) {
		pd_bytes_u8(thrift->out, (uint8_t)(distance << 4 | type));
		return;
	}
	pd_bytes_u8(thrift->out, (uint8_t)type);
	base_bytes_zigzag(thrift->out, id);
}

void pq_thrift_struct(struct pq_thrift *thrift, unsigned id)
{
	field(thrift, id, PQ_THRIFT_STRUCT);
	thrift->last[thrift->depth++] = 0;
}

void pq_thrift_end(struct pq_thrift *thrift)
{
	thrift->depth--;
	pd_bytes_u8(thrift->out, 0);
}

void pq_thrift_empty(struct pq_thrift *thrift, unsigned id)
{
	pq_thrift_struct(thrift, id);
	pq_thrift_end(thrift);
}

void pq_thrift_encoded(struct pq_thrift *thrift, unsigned id, const uint8_t *bytes, size_t n)
{
	field(thrift, id, PQ_THRIFT_STRUCT);
	pd_bytes_put(thrift->out, bytes, n);
}

void pq_thrift_list(struct pq_thrift *thrift, unsigned id, enum pq_thrift_type type, size_t n)
{
	field(thrift, id, PQ_THRIFT_LIST);
	pd_bytes_u8(thrift->out, (uint8_t)((n < SHORT_LIST ? n : SHORT_LIST) << 4 | type));
	if (n >= SHORT_LIST)
		base_bytes_uleb(thrift->out, n);
}

void pq_thrift_bool(struct pq_thrift *thrift, unsigned id, bool value)
{
	enum pq_thrift_type type = value ? PQ_THRIFT_TRUE : PQ_THRIFT_FALSE;

	/* The header of a field is its value. */
	field(thrift, id, type);
	if (!id)
		pd_bytes_u8(thrift->out, (uint8_t)type);
}

void pq_thrift_byte(struct pq_thrift *thrift, unsigned id, int8_t value)
{
	field(thrift, id, PQ_THRIFT_BYTE);
	pd_bytes_u8(thrift->out, (uint8_t)value);
}

void pq_thrift_i32(struct pq_thrift *thrift, unsigned id, int32_t value)
{
	field(thrift, id, PQ_THRIFT_I32);
	base_bytes_zigzag(thrift->out, value);
}

void pq_thrift_i64(struct pq_thrift *thrift, unsigned id, int64_t value)
{
	field(thrift, id, PQ_THRIFT_I64);
	base_bytes_zigzag(thrift->out, value);
}

void pq_thrift_binary(struct pq_thrift *thrift, unsigned id, const void *bytes, size_t n)
{
	field(thrift, id, PQ_THRIFT_BINARY);
	base_bytes_uleb(thrift->out, n);
	pd_bytes_put(thrift->out, bytes, n);
}

void pq_thrift_string(struct pq_thrift *thrift, unsigned id, const char *text)
{
	pq_thrift_binary(thrift, id, text, strlen(text));
}
