/**
 * @file Records: their header, and their bodies decoded by the tables of parse/record_defs.h.
 *
 * A record is a view into the input; a decoded body borrows its strings and arrays from there.
 */
#ifndef PD_PARSE_RECORD_H
#define PD_PARSE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/cursor.h"
#include "base/error.h"
#include "parse/record_defs.h"

/** Bits of the record header's misc. The meaning of bits 12 to 15 depends on the type. */
enum {
	PD_MISC_CPUMODE_MASK = 7,
	PD_MISC_KERNEL = 1,
	PD_MISC_USER = 2,
	PD_MISC_HYPERVISOR = 3,
	PD_MISC_GUEST_KERNEL = 4,
	PD_MISC_GUEST_USER = 5,
	PD_MISC_MMAP_DATA = 1 << 13,
	PD_MISC_COMM_EXEC = 1 << 13,
	PD_MISC_FORK_EXEC = 1 << 13,
	PD_MISC_MMAP_BUILD_ID = 1 << 14,
	PD_MISC_BUILD_ID_SIZE = 1 << 15,
	PD_MISC_LOST_SAMPLES_BPF = 1 << 15,
};

/** Record types as they are on the wire. */
enum pd_record_type {
#define PD_RECORD_ENUM(name, type, misc, member, fields, has_sid) PD_RECORD_##name = type,
	PD_RECORDS(PD_RECORD_ENUM)
#undef PD_RECORD_ENUM
	/** Kernel records are below this, those of the perf tool from here on. */
	PD_RECORD_FIRST_TOOL = 64,
};

enum { PD_RECORD_HEADER_BYTES = 8 };

/** A string in the input. Ends with a NUL that len does not count. */
struct pd_str {
	const char *s;
	size_t len;
};

/** Bytes, or n elements, in the input: in the file's byte order and not necessarily aligned. */
struct pd_view {
	const uint8_t *data;
	/** Of one element, in bytes. */
	uint32_t elem_size;
	uint64_t n;
};

/** The next @p n elements at @p c; none, and overrun, if there are fewer. */
static inline struct pd_view pd_view_take(struct pd_cursor *c, uint32_t elem_size, uint64_t n)
{
	struct pd_view view = { .elem_size = elem_size };

	if (n > pd_cursor_left(c) / elem_size) {
		c->overrun = true;
		return view;
	}
	view.n = n;
	view.data = pd_cursor_bytes(c, n * elem_size);
	return view;
}

/** Types of decoded fields, by kind. */
typedef uint8_t pd_field_u8;
typedef uint16_t pd_field_u16;
typedef uint32_t pd_field_u32;
typedef uint64_t pd_field_u64;
typedef struct pd_str pd_field_str;
typedef const uint8_t *pd_field_tag;
typedef struct pd_build_id pd_field_build_id;
typedef struct pd_view pd_field_u64s;
typedef struct pd_view pd_field_pairs;
typedef struct pd_view pd_field_bytes;

/** A decoded body; the record's layout says which member. */
union pd_body {
#define PD_FIELD_MEMBER(T, kind, name, format, meaning) pd_field_##kind name;
#define PD_RECORD_MEMBER(name, type, misc, member, fields, has_sid) \
	struct pd_##member { \
		fields(PD_FIELD_MEMBER, ) \
	} member;
	PD_RECORDS(PD_RECORD_MEMBER)
#undef PD_RECORD_MEMBER
#undef PD_FIELD_MEMBER
};

enum pd_field_kind {
	PD_KIND_u8,
	PD_KIND_u16,
	PD_KIND_u32,
	PD_KIND_u64,
	PD_KIND_str,
	PD_KIND_tag,
	PD_KIND_build_id,
	PD_KIND_u64s,
	PD_KIND_pairs,
	PD_KIND_bytes,
};

enum pd_field_format { PD_FMT_DEC, PD_FMT_HEX, PD_FMT_TIME, PD_FMT_STR };

struct pd_field {
	const char *name;
	/** Of the decoded value in union pd_body, bytes. */
	uint16_t offset;
	uint8_t kind;
	uint8_t format;
	const char *meaning;
};

/** How one type of record (or one variant of a type) is laid out. */
struct pd_layout {
	const char *name;
	uint32_t type;
	/** Header misc bit that selects it; 0: the usual layout. */
	uint16_t misc;
	bool has_sid;
	const struct pd_field *fields;
	size_t n_fields;
};

/** One record of the input, not decoded. Borrowed from the input. */
struct pd_record {
	uint32_t type;
	uint16_t misc;
	/** Of the record with its header, bytes. */
	uint16_t size;
	/** The record's first byte, 8 before its body. */
	const uint8_t *bytes;
	/** In the file; a record that was compressed has the offset of the compressed one. */
	uint64_t offset;
	/** ns on the recording's clock; PD_NO_TIME if it carries none. */
	uint64_t time;
	/** What the bytes are in if they were compressed, else NULL; see parse/chunk.h. */
	struct pd_chunk *chunk;
};

#define PD_NO_TIME UINT64_MAX

/** The layout of that type and misc, or NULL for a type that is not known. */
const struct pd_layout *pd_layout_find(uint32_t type, uint16_t misc);

/** The layouts as a list, for tests and documentation. */
const struct pd_layout *pd_layouts(size_t *n_ret);

/**
 * Decode the body of @p rec, of a known type, without its last @p sid_bytes. Strings and arrays in
 * @p ret are borrowed from the record. On failure @p wrong_ret says what is wrong (static storage)
 * and the result is false.
 */
bool pd_record_decode(const struct pd_record *rec, size_t sid_bytes, bool swap, union pd_body *ret,
	const char **wrong_ret) pd_must_check;

#endif
