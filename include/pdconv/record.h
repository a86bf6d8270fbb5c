/**
 * @file Records: their header, and their bodies decoded by the tables of pdconv/record_defs.h.
 *
 * A record is a view into the input; a decoded body borrows its strings and arrays from there.
 */
#ifndef PDCONV_RECORD_H
#define PDCONV_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/layout.h>
#include <pdconv/record_defs.h>

PD_DECLS_BEGIN

/** Bits of the record header's misc. The meaning of bits 12 to 15 depends on the type. */
enum {
	PD_MISC_CPUMODE_MASK = 7,
	PD_MISC_KERNEL = 1,
	PD_MISC_USER = 2,
	PD_MISC_HYPERVISOR = 3,
	PD_MISC_GUEST_KERNEL = 4,
	PD_MISC_GUEST_USER = 5,
	PD_MISC_PROC_MAP_PARSE_TIMEOUT = 1 << 12,
	PD_MISC_MMAP_DATA = 1 << 13,
	PD_MISC_COMM_EXEC = 1 << 13,
	PD_MISC_FORK_EXEC = 1 << 13,
	PD_MISC_SWITCH_OUT = 1 << 13,
	PD_MISC_EXACT_IP = 1 << 14,
	PD_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	PD_MISC_MMAP_BUILD_ID = 1 << 14,
	PD_MISC_BUILD_ID_SIZE = 1 << 15,
	PD_MISC_LOST_SAMPLES_BPF = 1 << 15,
};

/** Bits of pd_aux.flags. */
enum {
	PD_AUX_TRUNCATED = 1 << 0,
	PD_AUX_OVERWRITE = 1 << 1,
	PD_AUX_PARTIAL = 1 << 2,
	PD_AUX_COLLISION = 1 << 3,
	PD_AUX_PMU_FORMAT_MASK = 0xff00,
};

/** Values of pd_ksymbol.ksym_type, a bit of its flags, and values of pd_bpf_event.event_type. */
enum {
	PD_KSYMBOL_BPF = 1,
	PD_KSYMBOL_OUT_OF_LINE = 2,
	PD_KSYMBOL_UNREGISTER = 1 << 0,
	PD_BPF_PROG_LOAD = 1,
	PD_BPF_PROG_UNLOAD = 2,
};

/** Values of pd_event_update.update_type. */
enum {
	PD_EVENT_UPDATE_UNIT = 0,
	PD_EVENT_UPDATE_SCALE = 1,
	PD_EVENT_UPDATE_NAME = 2,
	PD_EVENT_UPDATE_CPUS = 3,
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

PD_RECORD_STRUCTS(PD_DECLARE_STRUCT)

/*
 * Of records without a body the structs are empty: no bytes in C, one in C++, which does no harm.
 */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wextern-c-compat"
#endif
#define PD_DECLARE_RECORD(name, type, misc, member, fields, has_sid) \
	PD_DECLARE_STRUCT(member, fields)
PD_RECORDS(PD_DECLARE_RECORD)
#undef PD_DECLARE_RECORD
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/** A decoded body; the record's layout says which member. */
union pd_body {
#define PD_RECORD_MEMBER(name, type, misc, member, fields, has_sid) struct pd_##member member;
	PD_RECORDS(PD_RECORD_MEMBER)
#undef PD_RECORD_MEMBER
};

/** One record of the input, not decoded. Borrowed from the input: see pd_reader_next. */
struct pd_record {
	uint32_t type;
	/** Of the record with its header, bytes. */
	uint32_t size;
	uint16_t misc;
	/** It was in a compressed record, whose offset it has. */
	bool is_unpacked;
	/** Integers in the record are in the opposite of the host byte order. */
	bool swap;
	/** Of pd_file.parts. */
	uint32_t part;
	/** Of those that were in one compressed record, how many came before; else 0. */
	uint32_t ordinal;
	/** The record's first byte, 8 before its body. */
	const uint8_t *bytes;
	/** Bytes behind the record that belong to it: of AUXTRACE and TRACING_DATA. */
	uint64_t outside_size;
	/** In its part, bytes. */
	uint64_t offset;
	/** ns on the recording's clock; PD_NO_TIME if it carries none. */
	uint64_t time;
	/** What the bytes are in if they are not mapped, else NULL. Private. */
	struct pd_chunk *chunk;
};

/**
 * A copy of @p rec that stays valid, as does what was decoded from either, until it is released: as
 * long as the file is open, but beyond the next call of pd_reader_next, and without the reader. No
 * bytes are copied. Keep and release on the thread that reads.
 */
struct pd_record pd_record_keep(const struct pd_record *rec);
/** Let go of what was kept, and leave it empty; an empty one is fine. */
void pd_record_release(struct pd_record *kept);

/** The payload that is not covered by the size of @p rec; it lives as long as that. */
static inline struct pd_view pd_record_outside(const struct pd_record *rec)
{
	struct pd_view view;

	view.data = rec->bytes + rec->size;
	view.elem_size = 1;
	view.swap = rec->swap;
	view.n = rec->outside_size;
	return view;
}

/** Cursor over the body of @p rec, which follows its header, trailer included. */
static inline struct pd_cursor pd_record_body(const struct pd_record *rec)
{
	return pd_cursor_init(
		rec->bytes + PD_RECORD_HEADER_BYTES, rec->size - PD_RECORD_HEADER_BYTES, rec->swap);
}

#define PD_NO_TIME UINT64_MAX
/** From here on times only count the samples of `perf record --off-cpu`, made when it ended. */
#define PD_FIRST_FAKE_TIME 0xffffffff00000000U

/** The layout of that type and misc, or NULL for a type that is not known. */
const struct pd_layout *pd_layout_find(uint32_t type, uint16_t misc);

/** "MMAP2"; NULL for a type that is not known. Static storage. */
const char *pd_record_name(uint32_t type);

/** All layouts of records, for tests and documentation. */
const struct pd_layout *const *pd_layouts(size_t *n_ret);

/**
 * Decode the body of @p rec without its last @p sid_bytes: see pd_events_decode, which knows how
 * many these are. Strings and arrays in @p ret are borrowed from the record. On failure, and if the
 * type is not known, @p wrong_ret says what is wrong (static storage) and the result is false.
 */
bool pd_record_decode(const struct pd_record *rec, size_t sid_bytes, union pd_body *ret,
	const char **wrong_ret) pd_must_check;

/**
 * The build id in the 24 bytes of a BUILD_ID with header @p misc. Its length is in them where
 * misc says so; else trailing groups of four zeros are padding.
 */
struct pd_build_id pd_build_id_decode(const uint8_t bytes[24], uint16_t misc);

/** Append a header, whose size pd_record_end fills in; where it begins in @p out. */
size_t pd_record_begin(uint32_t type, uint16_t misc, struct pd_bytes *out);

/**
 * The record that begins at @p start is complete: pad it to 8 and fill in its size. False if it is
 * larger than a record can be; then it is taken back.
 */
bool pd_record_end(size_t start, struct pd_bytes *out) pd_must_check;

/**
 * Append a record: header, @p body by @p layout, zeros up to a multiple of 8, then @p sid_bytes of
 * @p sid as they are, in the byte order of @p out. Views in @p body may have any byte order. False,
 * with nothing appended, if the record would exceed 65535 bytes. Out of memory: sets out->failed.
 */
bool pd_record_encode(const struct pd_layout *layout, uint16_t misc, const union pd_body *body,
	const void *sid, size_t sid_bytes, struct pd_bytes *out) pd_must_check;

PD_DECLS_END

#endif
