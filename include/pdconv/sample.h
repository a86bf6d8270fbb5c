/**
 * @file SAMPLE records, and the sample id trailer (SID) of other records.
 *
 * The attr of its event determines the fields of a sample. pd_plan_compile() compiles the attr to a
 * plan, a short list of steps, so that decoding does not test bits for each sample.
 */
#ifndef PDCONV_SAMPLE_H
#define PDCONV_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/decls.h>
#include <pdconv/bitfield.h>
#include <pdconv/record.h>
#include <pdconv/sample_defs.h>

PD_DECLS_BEGIN

/** PERF_SAMPLE_*: bit numbers in attr.sample_type. */
enum pd_sample_bit {
#define PD_SAMPLE_BIT_ENUM(bit, name, ...) PD_SAMPLE_##name = bit,
	PD_SAMPLE_FIELDS(PD_SAMPLE_BIT_ENUM)
#undef PD_SAMPLE_BIT_ENUM
};

/** PERF_FORMAT_*: bits of attr.read_format. */
enum {
	PD_READ_TIME_ENABLED = 1 << 0,
	PD_READ_TIME_RUNNING = 1 << 1,
	PD_READ_ID = 1 << 2,
	PD_READ_GROUP = 1 << 3,
	PD_READ_LOST = 1 << 4,
};

/** PERF_SAMPLE_BRANCH_*: bits of attr.branch_sample_type that pdconv tests. */
enum {
	PD_BRANCH_ANY = 1 << 3,
	PD_BRANCH_CALL_STACK = 1 << 11,
	PD_BRANCH_HW_INDEX = 1 << 17,
	PD_BRANCH_COUNTERS = 1 << 19,
};

/** Layouts of sample fields. */
enum pd_sample_kind {
	PD_SAMPLE_KIND_U64,
	PD_SAMPLE_KIND_U32_PAIR,
	PD_SAMPLE_KIND_READ,
	PD_SAMPLE_KIND_CALLCHAIN,
	PD_SAMPLE_KIND_RAW,
	PD_SAMPLE_KIND_BRANCH_STACK,
	PD_SAMPLE_KIND_REGS_USER,
	PD_SAMPLE_KIND_STACK_USER,
	PD_SAMPLE_KIND_REGS_INTR,
	PD_SAMPLE_KIND_AUX,
};

/** PERF_SAMPLE_REGS_ABI_*: values of pd_regs.abi. */
enum { PD_REGS_ABI_NONE = 0, PD_REGS_ABI_32 = 1, PD_REGS_ABI_64 = 2 };

/** Sampled registers. */
struct pd_regs {
	/** PD_REGS_ABI_*: register width of the sampled task. */
	uint64_t abi;
	/** Bitmap of the sampled registers, in perf's numbering (asm/perf_regs.h of the kernel). */
	uint64_t mask;
	/** A u64 for each bit in @ref mask, in ascending bit order. */
	struct pd_view values;
};

/** Get the value of register @p reg in perf's numbering. False if it was not sampled. */
PD_INLINE bool pd_regs_get(const struct pd_regs *regs, unsigned reg, uint64_t *ret)
{
	uint64_t i;

	if (reg >= 64 || !(regs->mask >> reg & 1))
		return false;
	i = (uint64_t)__builtin_popcountll(regs->mask & (((uint64_t)1 << reg) - 1));
	if (i >= regs->values.n)
		return false;
	*ret = pd_view_u64(&regs->values, i);
	return true;
}

/** Copied user stack. */
struct pd_stack {
	/** Bytes that were copied, from the stack pointer upwards. */
	struct pd_view bytes;
	/** Bytes that the record reserves for the copy, from bytes.data on; at least bytes.n. */
	uint64_t reserved;
	/** Number of bytes that the kernel copied. */
	uint64_t dyn_size;
};

/** Branch stack. */
struct pd_branches {
	/** Entries of 24 bytes, newest first, for pd_branch_get(). */
	struct pd_view entries;
	/** A u64 with counter values for each entry, or empty. */
	struct pd_view counters;
	/** Low-level index of the newest entry in the hardware's branch buffer. */
	uint64_t hw_idx;
	/** hw_idx is absent: the event does not request it, or the kernel had no branch data. */
	bool lacks_hw_idx;
	/** The layout has counters, even if the record ends before the last of them. */
	bool has_counters;
};

/** Decoded entry of a branch stack. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	/** Bit-fields in little-endian layout: see pd_bitfields_branch_flags. */
	uint64_t flags;
};

/** Decoded sample. Views are borrowed from the record. Fields that the event lacks are zero. */
struct pd_sample {
	uint64_t id;
	uint64_t ip;
	/** pid and tid must be adjacent: they are decoded as a pair, like cpu and cpu_reserved. */
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t addr;
	uint64_t stream_id;
	uint32_t cpu;
	uint32_t cpu_reserved;
	/** Period of the sample; if it has none, the fixed period of the attr; otherwise 1. */
	uint64_t period;
	/** Counter values in the layout of attr.read_format, for pd_read_decode(). */
	struct pd_view read;
	/** A u64 for each entry: addresses, each group preceded by a context marker. */
	struct pd_view callchain;
	struct pd_view raw;
	struct pd_branches branch_stack;
	struct pd_regs regs_user;
	struct pd_stack stack_user;
	uint64_t weight;
	uint64_t data_src;
	uint64_t transaction;
	struct pd_regs regs_intr;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	struct pd_view aux;
};

/** Decoded sample id trailer of a record that is not a sample. Absent fields are zero. */
struct pd_sid {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	uint32_t cpu_reserved;
};

/**
 * PERF_CONTEXT_*: context markers in call chains. All values from PD_CONTEXT_MIN on are markers.
 */
#define PD_CONTEXT_HV ((uint64_t)-32)
#define PD_CONTEXT_KERNEL ((uint64_t)-128)
#define PD_CONTEXT_USER ((uint64_t)-512)
#define PD_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PD_CONTEXT_GUEST ((uint64_t)-2048)
#define PD_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PD_CONTEXT_GUEST_USER ((uint64_t)-2560)
#define PD_CONTEXT_MIN ((uint64_t)-4095)

/** Row of pdconv/sample_defs.h: a field of samples. */
struct pd_sample_field {
	const char *name;
	/** Name of the member of struct pd_sample; of a pair, the first one. */
	const char *member;
	/** Bit number in attr.sample_type. */
	uint8_t bit;
	/** An enum pd_sample_kind. */
	uint8_t kind;
	/** An enum pd_field_format. */
	uint8_t format;
	/** The field is in the sample id trailer too. */
	bool in_sid;
	/** Offset of the member in struct pd_sample, in bytes. */
	uint16_t offset;
	/** Offset of the member in struct pd_sid, in bytes, if @ref in_sid. */
	uint16_t sid_offset;
	/** Bit-fields of the integer, or NULL. */
	const struct pd_bitfields *bitfields;
	const char *meaning;
};

/** Step of a plan: decodes one field. */
struct pd_plan_step {
	/** An enum pd_sample_kind. */
	uint8_t kind;
	/** Row of the field in pdconv/sample_defs.h. */
	uint8_t field;
	/** Offset of the member in struct pd_sample, or pd_sid for trailers, in bytes. */
	uint16_t offset;
};

enum { PD_PLAN_MAX_STEPS = 32, PD_PLAN_MAX_SID = 6 };

/** Position of a field that is absent. */
#define PD_PLAN_ABSENT UINT16_MAX

/**
 * Instructions for decoding the samples and trailers of one event. It owns nothing and may be
 * copied.
 */
struct pd_plan {
	struct pd_plan_step steps[PD_PLAN_MAX_STEPS];
	uint8_t n_steps;
	struct pd_plan_step sid_steps[PD_PLAN_MAX_SID];
	uint8_t n_sid_steps;
	/** Size of the trailer, in bytes; 0 without sample_id_all. */
	uint16_t sid_bytes;
	/**
	 * Offset of the time in a sample from the start of its header, in bytes, or PD_PLAN_ABSENT.
	 */
	uint16_t sample_time_at;
	/** Offset of the event instance's id in a sample, counted in the same way. */
	uint16_t sample_id_at;
	/**
	 * Distance of the time in a trailer from the end of the record, in bytes, or
	 * PD_PLAN_ABSENT.
	 */
	uint16_t sid_time_from_end;
	/**
	 * Distance of the id in a trailer from the end of the record, in bytes, or PD_PLAN_ABSENT.
	 */
	uint16_t sid_id_from_end;
	bool has_branch_stack;
	/** sample_type has unknown bits: samples end with fields that are not decoded. */
	bool has_opaque_tail;
	/** Period of samples that do not contain one. */
	uint64_t fixed_period;
	uint64_t read_format;
	uint64_t regs_user_mask;
	uint64_t regs_intr_mask;
	uint64_t branch_sample_type;
};

/** Compile the plan for samples of an event with @p attr. */
void pd_plan_compile(const struct pd_attr *attr, struct pd_plan *ret);

enum pd_sample_result {
	PD_SAMPLE_OK,
	/** Decoded, but bytes are left: the layout may differ from the attr. */
	PD_SAMPLE_LEFTOVER,
	/** The record ends inside a field. */
	PD_SAMPLE_SHORT,
};

/**
 * Decode @p rec, a SAMPLE, to @p ret. If it is PD_SAMPLE_SHORT, @p ret holds the fields before the
 * truncated one, whose name is @p field_ret (static storage).
 */
enum pd_sample_result pd_sample_decode(const struct pd_plan *plan, const struct pd_record *rec,
	struct pd_sample *ret, const char **field_ret) pd_must_check;

/** Row of the field that @p step decodes. Static storage. */
const struct pd_sample_field *pd_plan_field(const struct pd_plan_step *step);

/**
 * Decode the field of @p step at @p c to @p to, the member of struct pd_sample or pd_sid. Check
 * c->overrun.
 */
void pd_plan_follow(
	const struct pd_plan *plan, const struct pd_plan_step *step, struct pd_cursor *c, void *to);

/** Take the counter values at @p c, which have the layout @p read_format. Check c->overrun. */
struct pd_view pd_read_take(struct pd_cursor *c, uint64_t read_format);

/**
 * Move @p c from the start of the field of @p step to its end, in a record that was decoded to
 * @p sample. The decoded sample is needed because a branch stack's layout may differ from the attr,
 * which only decoding the whole record shows.
 */
void pd_sample_skip(const struct pd_plan *plan, const struct pd_plan_step *step,
	const struct pd_sample *sample, struct pd_cursor *c);

/** Decode branch @p i, which must be less than @p branches->entries.n. Branch 0 is the newest. */
struct pd_branch pd_branch_get(const struct pd_branches *branches, uint64_t i);

/**
 * Append a SAMPLE with header misc @p misc, in the byte order of @p out. Views in @p sample may
 * have any byte order. False, with nothing appended, if the record would exceed 65535 bytes. Out of
 * memory: sets out->failed.
 */
bool pd_sample_encode(const struct pd_plan *plan, uint16_t misc, const struct pd_sample *sample,
	struct pd_bytes *out) pd_must_check;

/** Append a trailer in the byte order of @p out; nothing if the plan has none. */
void pd_sid_encode(const struct pd_plan *plan, const struct pd_sid *sid, struct pd_bytes *out);

/** Decode the trailer of @p rec. All zero if the plan or the record has none. */
struct pd_sid pd_sid_decode(const struct pd_plan *plan, const struct pd_record *rec);

PD_DECLS_END

#endif
