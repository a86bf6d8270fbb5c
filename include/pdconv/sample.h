/**
 * @file SAMPLE records, and the sample id trailer (SID) of other records.
 *
 * What a sample holds is decided by its event's attr. That is compiled once into a plan, a short
 * list of steps, which the decoder follows without testing bits.
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

/** Bits of attr.sample_type. */
enum pd_sample_bit {
#define PD_SAMPLE_BIT_ENUM(bit, name, ...) PD_SAMPLE_##name = bit,
	PD_SAMPLE_FIELDS(PD_SAMPLE_BIT_ENUM)
#undef PD_SAMPLE_BIT_ENUM
};

/** Bits of attr.read_format. */
enum {
	PD_READ_TIME_ENABLED = 1 << 0,
	PD_READ_TIME_RUNNING = 1 << 1,
	PD_READ_ID = 1 << 2,
	PD_READ_GROUP = 1 << 3,
	PD_READ_LOST = 1 << 4,
};

/** Bits of attr.branch_sample_type: what the branches are of, and what changes the layout. */
enum {
	PD_BRANCH_CALL_STACK = 1 << 11,
	PD_BRANCH_HW_INDEX = 1 << 17,
	PD_BRANCH_COUNTERS = 1 << 19,
};

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

/** Values of pd_regs.abi. */
enum { PD_REGS_ABI_NONE = 0, PD_REGS_ABI_32 = 1, PD_REGS_ABI_64 = 2 };

struct pd_regs {
	/** PD_REGS_ABI_*: of the task that was sampled. */
	uint64_t abi;
	/** Which registers, perf's numbering; values in ascending bit order, a u64 each. */
	uint64_t mask;
	struct pd_view values;
};

/** The value of register @p reg, perf's numbering; false if it was not taken. */
static inline bool pd_regs_get(const struct pd_regs *regs, unsigned reg, uint64_t *ret)
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

struct pd_stack {
	/** Bytes that were copied, from the stack pointer upwards. */
	struct pd_view bytes;
	/** Bytes that were asked for and reserved; they all are behind bytes.data. */
	uint64_t reserved;
	/** What the kernel says was copied. */
	uint64_t dyn_size;
};

struct pd_branches {
	/** 24 bytes each: from, to, flags; newest first. */
	struct pd_view entries;
	/** u64 each, or none. */
	struct pd_view counters;
	uint64_t hw_idx;
	/** There is no hw_idx: the event does not ask for it, or the kernel had no branch data. */
	bool lacks_hw_idx;
};

/** One of them. */
struct pd_branch {
	uint64_t from;
	uint64_t to;
	/** Parts as in pdconv/bitfield_defs.h, where a little-endian machine has them. */
	uint64_t flags;
};

/** A decoded sample. Views are borrowed from the record. What the event lacks is zero. */
struct pd_sample {
	uint64_t id;
	uint64_t ip;
	/** A pair on the wire, as are cpu and cpu_reserved. */
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t addr;
	uint64_t stream_id;
	uint32_t cpu;
	uint32_t cpu_reserved;
	/** From the sample, else the attr's fixed period, else 1. */
	uint64_t period;
	/** The counter values as attr.read_format lays them out: for pd_read_decode. */
	struct pd_view read;
	/** u64 each: addresses, and context markers before those that they are about. */
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

/** The trailer of a record that is no sample. What is absent is zero. */
struct pd_sid {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	uint32_t cpu_reserved;
};

/** Context markers in call chains: PERF_CONTEXT_*. All values from PD_CONTEXT_MIN on are markers.
 */
#define PD_CONTEXT_HV ((uint64_t)-32)
#define PD_CONTEXT_KERNEL ((uint64_t)-128)
#define PD_CONTEXT_USER ((uint64_t)-512)
#define PD_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PD_CONTEXT_GUEST ((uint64_t)-2048)
#define PD_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PD_CONTEXT_GUEST_USER ((uint64_t)-2560)
#define PD_CONTEXT_MIN ((uint64_t)-4095)

/** A row of pdconv/sample_defs.h. */
struct pd_sample_field {
	const char *name;
	/** Of struct pd_sample; of pairs the first. */
	const char *member;
	uint8_t bit;
	uint8_t kind;
	uint8_t format;
	bool in_sid;
	/** Of the member in struct pd_sample, and in struct pd_sid, bytes. */
	uint16_t offset;
	uint16_t sid_offset;
	/** What the integer is made of, or NULL. */
	const struct pd_bitfields *bitfields;
	const char *meaning;
};

struct pd_plan_step {
	uint8_t kind;
	/** Row of the field. */
	uint8_t field;
	/** Of the member in struct pd_sample (or pd_sid), bytes. */
	uint16_t offset;
};

enum { PD_PLAN_MAX_STEPS = 32, PD_PLAN_MAX_SID = 6 };

/** Positions below are bytes; this means "not there". */
#define PD_PLAN_ABSENT UINT16_MAX

/** How to read the samples and trailers of one event. A value: copy it freely. */
struct pd_plan {
	struct pd_plan_step steps[PD_PLAN_MAX_STEPS];
	uint8_t n_steps;
	struct pd_plan_step sid_steps[PD_PLAN_MAX_SID];
	uint8_t n_sid_steps;
	/** Length of the trailer, 0 without sample_id_all. */
	uint16_t sid_bytes;
	/** Of the time in a sample, from its header's first byte. */
	uint16_t sample_time_at;
	/** Of the event instance's id in a sample, from its header's first byte. */
	uint16_t sample_id_at;
	/** Of the same in other records, from the record's end backwards. */
	uint16_t sid_time_from_end;
	uint16_t sid_id_from_end;
	bool has_branch_stack;
	/** sample_type has bits that we do not know: samples have a tail that is not decoded. */
	bool has_opaque_tail;
	uint64_t fixed_period;
	uint64_t read_format;
	uint64_t regs_user_mask;
	uint64_t regs_intr_mask;
	uint64_t branch_sample_type;
};

void pd_plan_compile(const struct pd_attr *attr, struct pd_plan *ret);

enum pd_sample_result {
	PD_SAMPLE_OK,
	/** Decoded, but bytes are left over: the layout may not be what we think. */
	PD_SAMPLE_LEFTOVER,
	/** It ends inside a field. */
	PD_SAMPLE_SHORT,
};

/**
 * Decode the SAMPLE @p rec. With PD_SAMPLE_SHORT @p field_ret is the name of the field that is cut
 * (static storage); fields before it are in @p ret.
 */
enum pd_sample_result pd_sample_decode(const struct pd_plan *plan, const struct pd_record *rec,
	struct pd_sample *ret, const char **field_ret) pd_must_check;

/** The row of a step. */
const struct pd_sample_field *pd_plan_field(const struct pd_plan_step *step);

/** Decode what one step stands for, at @p c, to @p to, a member of pd_sample or pd_sid. */
void pd_plan_follow(
	const struct pd_plan *plan, const struct pd_plan_step *step, struct pd_cursor *c, void *to);

/** The counter values at @p c, as read_format lays them out; look at c->overrun. */
struct pd_view pd_read_take(struct pd_cursor *c, uint64_t read_format);

/**
 * Move @p c, which stands at the field of @p step in a record that was decoded to @p sample, behind
 * it. A branch stack may be laid out otherwise than its event says, which only the whole record
 * shows.
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

/** Append a trailer; nothing if the plan has none. */
void pd_sid_encode(const struct pd_plan *plan, const struct pd_sid *sid, struct pd_bytes *out);

/** The trailer of @p rec; all zero if the plan or the record has none. */
struct pd_sid pd_sid_decode(const struct pd_plan *plan, const struct pd_record *rec);

PD_DECLS_END

#endif
