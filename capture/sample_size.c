#include "capture/sampling.h"

#include <pdconv/group_read.h>
#include <pdconv/sample.h>

#include "base/array.h"

/* Words that a field of each kind has at least. */
static const uint8_t words[] = {
	[PD_SAMPLE_KIND_U64] = 1,
	[PD_SAMPLE_KIND_U32_PAIR] = 1,
	[PD_SAMPLE_KIND_READ] = 0,
	[PD_SAMPLE_KIND_CALLCHAIN] = 1,
	[PD_SAMPLE_KIND_RAW] = 1,
	[PD_SAMPLE_KIND_BRANCH_STACK] = 1,
	[PD_SAMPLE_KIND_REGS_USER] = 1,
	[PD_SAMPLE_KIND_STACK_USER] = 2,
	[PD_SAMPLE_KIND_REGS_INTR] = 1,
	[PD_SAMPLE_KIND_AUX] = 1,
};

static const struct {
	uint8_t bit;
	uint8_t kind;
} fields[] = {
#define SIZE_ROW(bit, name, kind, ...) { bit, PD_SAMPLE_KIND_##kind },
	PD_SAMPLE_FIELDS(SIZE_ROW)
};

static size_t read_bytes(uint64_t format, size_t n_events)
{
	size_t times = !!(format & PD_READ_TIME_ENABLED) + !!(format & PD_READ_TIME_RUNNING);
	size_t values = pd_read_value_bytes(format);

	return 8 * times + (format & PD_READ_GROUP ? 8 + n_events * values : values);
}

/* Bytes of the field beyond those of words[]. */
static size_t variable_bytes(const struct pd_attr *attr, uint8_t kind, size_t n_events)
{
	switch (kind) {
	case PD_SAMPLE_KIND_READ:
		return read_bytes(attr->read_format, n_events);
	case PD_SAMPLE_KIND_BRANCH_STACK:
		return attr->branch_sample_type & PD_BRANCH_HW_INDEX ? 8 : 0;
	case PD_SAMPLE_KIND_REGS_USER:
		return 8 * (size_t)__builtin_popcountll(attr->sample_regs_user);
	case PD_SAMPLE_KIND_STACK_USER:
		return attr->sample_stack_user;
	case PD_SAMPLE_KIND_REGS_INTR:
		return 8 * (size_t)__builtin_popcountll(attr->sample_regs_intr);
	default:
		return 0;
	}
}

size_t cap_sample_bytes(const struct pd_attr *attr, size_t n_events)
{
	/* The kernel shortens the stack so that the size of the record fits 16 bits. */
	enum { MOST = UINT16_MAX & ~7 };
	size_t n = PD_RECORD_HEADER_BYTES;

	for (size_t i = 0; i < PD_ARRAY_LEN(fields); i++) {
		if (attr->sample_type >> fields[i].bit & 1)
			n += 8 * (size_t)words[fields[i].kind] +
			     variable_bytes(attr, fields[i].kind, n_events);
	}
	return n < MOST ? n : MOST;
}
