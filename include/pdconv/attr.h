/**
 * @file perf_event_attr: which event is counted and what its samples contain.
 *
 * The struct has grown with the kernel from 64 bytes. Fields that a smaller attr lacks are decoded
 * as zero; fields that are newer than pdconv/attr_defs.h are skipped.
 */
#ifndef PDCONV_ATTR_H
#define PDCONV_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr_defs.h>
#include <pdconv/decls.h>
#include <pdconv/layout.h>
#include <pdconv/structs.h>
#include <pdconv/bitfield.h>

PD_DECLS_BEGIN

/**
 * Sizes in bytes: of the first version, with all fields of pdconv/attr_defs.h, and the largest that
 * kernels accept, a page (perf_copy_attr() in kernel/events/core.c).
 */
enum { PD_ATTR_MIN_BYTES = 64, PD_ATTR_KNOWN_BYTES = 144, PD_ATTR_MAX_BYTES = 4096 };

/** PERF_TYPE_*: values of pd_attr.type. Larger values are numbers of PMUs. */
enum {
	PD_TYPE_HARDWARE = 0,
	PD_TYPE_SOFTWARE = 1,
	PD_TYPE_TRACEPOINT = 2,
	PD_TYPE_HW_CACHE = 3,
	PD_TYPE_RAW = 4,
	PD_TYPE_BREAKPOINT = 5,
};

/** Row of PD_ATTR_FIELDS: a field of perf_event_attr. */
struct pd_attr_field {
	const char *name;
	/** Offset within perf_event_attr, in bytes. */
	uint16_t wire_offset;
	/** Size in bytes: 2, 4 or 8. */
	uint16_t wire_size;
	/** Offset of the member in struct pd_attr, in bytes. */
	uint16_t offset;
	/** An enum pd_field_format. */
	uint8_t format;
	/** Names of its bits, or NULL. */
	const struct pd_bit_names *names;
	const char *meaning;
};

/** All fields in wire order. Static storage. */
const struct pd_attr_field *pd_attr_fields(size_t *n_ret);

/** Value of @p field in @p attr. */
uint64_t pd_attr_field_get(const struct pd_attr_field *field, const struct pd_attr *attr);

/** Whether @p flag, a flag of one bit, is set. */
PD_INLINE bool pd_attr_has(const struct pd_attr *attr, enum pd_attr_flag flag)
{
	return attr->flags >> flag & 1;
}

/** Precision that was requested for instruction pointers: 0 arbitrary skid, to 3 no skid. */
PD_INLINE unsigned pd_attr_precise_ip(const struct pd_attr *attr)
{
	return (unsigned)(attr->flags >> PD_ATTR_precise_ip & 3);
}

/** Largest perf_event_attr.sample_stack_user, in bytes: a multiple of 8 that fits 16 bits. */
enum { PD_STACK_USER_MAX = 65528 };

/** Event of PD_TYPE_HW_CACHE: PERF_COUNT_HW_CACHE_*, PERF_COUNT_HW_CACHE_OP_* and _RESULT_*. */
struct pd_cache_event {
	uint8_t cache;
	uint8_t op;
	uint8_t result;
};

/** Split the config of an attr of PD_TYPE_HW_CACHE. */
PD_INLINE struct pd_cache_event pd_attr_cache(const struct pd_attr *attr)
{
	struct pd_cache_event ret;

	ret.cache = (uint8_t)attr->config;
	ret.op = (uint8_t)(attr->config >> 8);
	ret.result = (uint8_t)(attr->config >> 16);
	return ret;
}

/**
 * Number of the PMU that counts the event: its type, or for generic events of a hybrid machine the
 * upper half of its config (PERF_PMU_TYPE_SHIFT). 0: the default PMU for hardware events.
 */
uint32_t pd_attr_pmu(const struct pd_attr *attr);

/**
 * Decode the attr at the start of @p bytes. Its flags are returned in little-endian bit positions
 * whatever the byte order of the input. Returns its size in bytes, which its size field says, or 0
 * if that size is invalid or @p bytes are fewer.
 */
size_t pd_attr_decode(const struct pd_view *bytes, struct pd_attr *ret);

/**
 * Append @p attr in the byte order of @p out, with @p attr->size bytes, or PD_ATTR_MIN_BYTES if
 * that is 0. Fields that are newer than pdconv/attr_defs.h are zero. Out of memory: sets
 * out->failed.
 */
void pd_attr_encode(const struct pd_attr *attr, struct pd_bytes *out);

/**
 * Byteswap the attr in @p bytes to @p ret, which has room for as many bytes. Fields that are newer
 * than pdconv/attr_defs.h are taken for u64 words. An attr whose size is invalid is copied
 * unchanged.
 */
void pd_attr_byteswap(const struct pd_view *bytes, uint8_t *ret);

/**
 * Append the attr in @p bytes in the byte order of @p out, byteswapped as by pd_attr_byteswap() if
 * that differs. Out of memory: sets out->failed.
 */
void pd_attr_transcode(const struct pd_view *bytes, struct pd_bytes *out);

/**
 * Unit of the event's period: "nanoseconds" for clock events, otherwise "count". Static storage.
 */
const char *pd_attr_unit(const struct pd_attr *attr);

PD_DECLS_END

#endif
