/**
 * @file Records: their headers, and their bodies decoded by the tables of pdconv/record_defs.h.
 *
 * A record is a view of the input. A decoded body borrows its strings and arrays from the record.
 * The members of the bodies are in pdconv/structs.h and in the manual page
 * libpdconv-structs(3).
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
#include <pdconv/structs.h>

PD_DECLS_BEGIN

/** Bits of pd_mmap2.prot, which is PROT_* of Linux. */
enum pd_prot { PD_PROT_READ = 1, PD_PROT_WRITE = 2, PD_PROT_EXEC = 4 };

/** Bits of pd_mmap2.flags, which is MAP_* of Linux. */
enum pd_map_flag { PD_MAP_FLAG_SHARED = 1, PD_MAP_FLAG_HUGETLB = 0x40000 };

/**
 * PERF_RECORD_MISC_*: bits of the record header's misc. The meaning of bits 12 to 15 depends on the
 * type.
 */
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

/** PERF_AUX_FLAG_*: bits of pd_aux.flags. */
enum {
	PD_AUX_TRUNCATED = 1 << 0,
	PD_AUX_OVERWRITE = 1 << 1,
	PD_AUX_PARTIAL = 1 << 2,
	PD_AUX_COLLISION = 1 << 3,
	PD_AUX_PMU_FORMAT_MASK = 0xff00,
};

/**
 * Values of pd_ksymbol.ksym_type, a bit of pd_ksymbol.flags, and values of pd_bpf_event.event_type.
 */
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

/** Record types on the wire. */
enum pd_record_type {
#define PD_RECORD_ENUM(name, type, misc, member, fields, has_sid) PD_RECORD_##name = type,
	PD_RECORDS(PD_RECORD_ENUM)
#undef PD_RECORD_ENUM
	/** First type of records that perf tools write. Smaller types are written by the kernel. */
	PD_RECORD_FIRST_TOOL = 64,
};

/** Size of struct perf_event_header, in bytes. */
enum { PD_RECORD_HEADER_BYTES = 8 };

/** Decoded body of a record. The type of the record selects the member. */
union pd_body {
#define PD_RECORD_MEMBER(name, type, misc, member, fields, has_sid) struct pd_##member member;
	PD_RECORDS(PD_RECORD_MEMBER)
#undef PD_RECORD_MEMBER
};

/** Record of the input, not decoded. Borrowed from the input: see pd_reader_next(). */
struct pd_record {
	uint32_t type;
	/** Size of the record including its header, in bytes. */
	uint32_t size;
	uint16_t misc;
	/** The record was in a compressed record; @ref offset is that record's. */
	bool is_unpacked;
	/** Integers in the record are in the opposite of the host byte order. */
	bool swap;
	/** Source of the record: see pd_file_part_path(). */
	uint32_t part;
	/** Number of records before this one in the same compressed record; otherwise 0. */
	uint32_t ordinal;
	/** First byte of the header. */
	const uint8_t *bytes;
	/** Size of the payload that follows an AUXTRACE or TRACING_DATA record, in bytes. */
	uint64_t outside_size;
	/** Offset within its part, in bytes. */
	uint64_t offset;
	/** Time in ns on the recording's clock; PD_NO_TIME if the record has none. */
	uint64_t time;
	/** Buffer that holds the bytes, or NULL if the input is mapped. Private. */
	struct pd_chunk *chunk;
};

/**
 * Take a reference to @p rec. The returned record, and data that was decoded from either, stays
 * valid until pd_record_release(), even after further reads and without the reader, as long as the
 * file is open. No bytes are copied. Keep and release records on the thread that reads.
 */
struct pd_record pd_record_keep(const struct pd_record *rec);
/** Release a record of pd_record_keep() and empty it. An empty record is ignored. */
void pd_record_release(struct pd_record *kept);

/** Payload that follows @p rec and is not included in its size. Valid as long as @p rec. */
PD_INLINE struct pd_view pd_record_outside(const struct pd_record *rec)
{
	struct pd_view view;

	view.data = rec->bytes + rec->size;
	view.elem_size = 1;
	view.swap = rec->swap;
	view.n = rec->outside_size;
	return view;
}

/** Cursor over the body of @p rec, which follows its header, trailer included. */
PD_INLINE struct pd_cursor pd_record_body(const struct pd_record *rec)
{
	return pd_cursor_init(
		rec->bytes + PD_RECORD_HEADER_BYTES, rec->size - PD_RECORD_HEADER_BYTES, rec->swap);
}

/** Time of a record that has none. */
#define PD_NO_TIME UINT64_MAX
/**
 * From this value on, times are serial numbers of the samples that `perf record --off-cpu` writes
 * at its end.
 */
#define PD_FIRST_FAKE_TIME 0xffffffff00000000U

/** Find the layout of records with @p type and @p misc. NULL for an unknown type. */
const struct pd_layout *pd_layout_find(uint32_t type, uint16_t misc);

/** Name of a record type, e.g. "MMAP2"; NULL for an unknown type. Static storage. */
const char *pd_record_name(uint32_t type);

/** Layouts of all records, for tests and documentation. */
const struct pd_layout *const *pd_layouts(size_t *n_ret);

/**
 * Decode the body of @p rec without its trailer of @p sid_bytes bytes; pd_events_decode() knows
 * that size. Strings and arrays in @p ret are borrowed from the record. False, with a description
 * in @p wrong_ret (static storage), if the record is invalid or its type is unknown.
 */
bool pd_record_decode(const struct pd_record *rec, size_t sid_bytes, union pd_body *ret,
	const char **wrong_ret) pd_must_check;

/**
 * Decode the 24 bytes of the build id in a BUILD_ID record with header @p misc. Its length is byte
 * 20 if PD_MISC_BUILD_ID_SIZE is set; otherwise trailing groups of four zero bytes are taken for
 * padding.
 */
struct pd_build_id pd_build_id_decode(const uint8_t bytes[24], uint16_t misc);

/**
 * Append a record header without its size, which pd_record_end() fills in. Returns the offset of
 * the header in @p out.
 */
size_t pd_record_begin(uint32_t type, uint16_t misc, struct pd_bytes *out);

/**
 * Complete the record that begins at @p start: pad it to a multiple of 8 bytes and fill in its
 * size. False, with the record removed, if it would exceed 65535 bytes.
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
