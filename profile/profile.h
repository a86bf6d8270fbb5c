/**
 * @file The profile: what a recording says, in no format's terms.
 *
 * Everything distinct is there once and has a number: strings, binaries, frames, stacks, threads,
 * events; a sample is a combination of such numbers with a count and a sum of periods. Nothing
 * before the profile knows output formats, nothing after it knows perf.data.
 */
#ifndef PD_PROFILE_PROFILE_H
#define PD_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/intern.h"
#include "profile/filter_defs.h"
#include "profile/field_defs.h"
#include "profile/ids.h"
#include "profile/tag_defs.h"
#include "base/unwind_end.h"

/** Samples and the sum of their periods. */
struct prof_value {
	uint64_t samples;
	uint64_t period;
};

struct prof_binary {
	/** String: as recorded. */
	struct prof_string_id name;
	struct pd_build_id build_id;
	/** That is of the file that was found: the recording tells none. */
	bool is_id_found;
	bool is_kernel;
	/** Code that a program made while it ran. */
	bool is_generated;
	/** It is a file at all, not anonymous memory or the like. */
	bool has_image;
	/** The file was found, or for the kernel its symbols: frames hold vaddrs, else file offsets. */
	bool is_found;
	/** Of the kernel: there are files and lines. */
	bool has_lines;
	/** String: why it was not found, "" if it was or was never asked for. */
	struct prof_string_id why;
	/** The file in use is of another build than the recorded one; its functions are marked. */
	bool is_mismatched;
	/** Of its code: where the executable segment is (vaddr or file offset), and where in the file. */
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	/** Of the walks that ended in it, by reason. Periods of all events are added up. */
	struct prof_value ends[PD_N_UNWIND_ENDS];
};

/** A file that was tried for a binary; only if that is asked for. */
struct prof_attempt {
	/** PROF_NONE if the binary has no frames. */
	struct prof_binary_id binary;
	/** It was tried as the debug file, not as the binary itself. */
	bool is_debug;
	/** It was used. */
	bool is_taken;
	/** String: where it was looked for, "build-id cache" for example. */
	struct prof_string_id search_path;
	/** String. */
	struct prof_string_id path;
	/** String: why it was not used, or by what it was recognised. */
	struct prof_string_id why;
};

/** A binary that was mapped and has no frames; only if that is asked for. */
struct prof_unused {
	/** String: as recorded. */
	struct prof_string_id name;
	struct pd_build_id build_id;
};

/** Flags of a frame. */
enum {
	/** Found through the frame pointer where there was no call frame information. */
	PROF_FRAME_BY_FP = 1,
	/** Taken from the call chain that the kernel recorded, where the walk came to its end. */
	PROF_FRAME_JOINED = 2,
	/** No frame but a mark at the root: the stack goes on beyond what was recorded of it. */
	PROF_FRAME_TRUNCATED = 4,
	/** No frame but a mark: what follows is from the stack of a neighbouring sample. */
	PROF_FRAME_STITCHED = 8,
};

/** A place in a binary. Its bytes are its identity. */
struct prof_frame {
	/**
	 * Address inside the instruction: vaddr, file offset, kernel or process address. 0 for what
	 * lies nowhere in a call chain that the kernel recorded.
	 */
	uint64_t addr;
	/** Binary, or PROF_NONE if nothing is mapped there. */
	struct prof_binary_id binary;
	uint32_t flags;
};

/** Offsets of a frame's address, in bytes; only if requested. */
struct prof_frame_offset {
	/** From the start of its file. */
	uint64_t in_file;
	/** From the start of the symbol that covers it. */
	uint64_t in_symbol;
	bool has_file;
	bool has_symbol;
};

/** Its bytes are its identity. */
struct prof_function {
	/** Strings: as a person reads it; as the linker knows it; source file or "". */
	struct prof_string_id name;
	struct prof_string_id linkage;
	struct prof_string_id file;
	/** Line of its declaration; 0: not known. */
	uint32_t start_line;
	/** PROF_NONE or the binary. */
	struct prof_binary_id binary;
};

struct prof_line {
	struct prof_function_id function;
	/** 0: not known. */
	uint32_t line;
};

/** The functions at a frame: inlined ones first. n 0: it has no name. */
struct prof_lines {
	uint32_t first;
	uint32_t n;
};

/** Its bytes are its identity. */
struct prof_thread {
	uint32_t pid;
	uint32_t tid;
	/** String. */
	struct prof_string_id comm;
};

enum prof_tag {
#define PROF_TAG_ENUM(name, ...) PROF_TAG_##name,
	PROF_TAGS(PROF_TAG_ENUM)
#undef PROF_TAG_ENUM
		PROF_N_TAGS,
};

/** What tells samples apart further, if it is asked for. Its bytes are its identity. */
struct prof_tags {
	/** ns; PD_NO_TIME: not asked for, or not sampled. */
	uint64_t time;
	/** PROF_NONE: as above. */
	uint32_t cpu;
	/** String; 0: as above. */
	struct prof_string_id cgroup;
	/** String: which of several inputs it is from; 0: there is one only. */
	struct prof_string_id input;
	/** Labels that its recording gives every sample; PROF_NONE: it gives none. */
	struct prof_labels_id labels;
};

/** Its bytes are its identity. */
struct prof_sample {
	struct prof_stack_id stack;
	struct prof_thread_id thread;
	struct prof_event_id event;
	/** enum pd_unwind_end of its user part; PD_N_UNWIND_ENDS if it was not unwound here. */
	uint32_t end;
	/** PROF_NONE: it has none. */
	struct prof_tags_id tags;
};

/** The SAMPLE record of the recording that something came from. */
struct prof_key {
	/** As those of struct pd_record. */
	uint64_t offset;
	uint32_t part;
	uint32_t ordinal;
};

/** One sample by itself. */
struct prof_row {
	/** Of several rows, if it holds the counter values of several events. */
	struct prof_key key;
	/** ns; PD_NO_TIME if it was not sampled. */
	uint64_t time;
	uint64_t period;
	/** The sample whose values it is part of. */
	struct prof_sample_id sample;
	/** PROF_NONE if it was not sampled. */
	uint32_t cpu;
	/** Where each frame of its stack was in the process. */
	struct prof_pcs_id pcs;
	/**
	 * PROF_NONE: nothing was unwound. The user part of the stack as CALLCHAIN has it:
	 * addresses inside the instructions, with PD_CONTEXT_USER before the first, and again before
	 * each that is not a caller's but where a signal came.
	 */
	struct prof_pcs_id chain;
	/** String: the fields of a tracepoint, else "". */
	struct prof_string_id trace;
};

/** A branch that was taken. */
struct prof_branch {
	uint64_t from;
	uint64_t to;
	/** Parts as in pdconv/bitfield_defs.h. */
	uint64_t flags;
	/** Frames that stand for both ends. */
	struct prof_frame_id from_frame;
	struct prof_frame_id to_frame;
};

/** What one sample says beside what its row has: the parts that were asked for, else zero. */
struct prof_detail {
	uint64_t addr;
	uint64_t weight;
	uint64_t data_src;
	uint64_t phys_addr;
	uint64_t data_page_size;
	uint64_t code_page_size;
	/** The frame that stands for addr. */
	struct prof_frame_id addr_frame;
	/** Bytes: u64 each, the ABI, the mask and the values; struct prof_branch; as they are. */
	struct prof_bytes_id regs_user;
	struct prof_bytes_id regs_intr;
	struct prof_bytes_id branches;
	struct prof_bytes_id raw;
};

/** Something that happened between samples, told in one line of text. */
struct prof_note {
	/** ns; 0 if not recorded. */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	/** It happened before the sample of this row. */
	uint32_t row;
	/** PROF_NONE if it belongs to no event. */
	struct prof_event_id event;
	/** String: name of the thread at that time. */
	struct prof_string_id comm;
	/** String: what happened, as prof_request.write_note wrote it. */
	struct prof_string_id text;
};

enum prof_field {
#define PROF_FIELD_ENUM(name) PROF_FIELD_##name,
	PROF_FIELDS(PROF_FIELD_ENUM)
#undef PROF_FIELD_ENUM
		PROF_N_FIELDS,
};

/** The bit of a field in prof_event.fields and prof_request.details. */
#define PROF_FIELD_BIT(name) ((uint32_t)1 << PROF_FIELD_##name)

/** What a kind of event is called in perf_event_open(2). */
enum prof_event_kind {
#define PROF_EVENT_KIND_ENUM(name) PROF_EVENT_##name,
	PROF_EVENT_KINDS(PROF_EVENT_KIND_ENUM)
#undef PROF_EVENT_KIND_ENUM
		PROF_N_EVENT_KINDS,
};

/** The name of a field: that of its bit in perf_event_attr.sample_type. Static storage. */
const char *prof_field_name(enum prof_field field);

struct prof_event {
	/** Strings. */
	struct prof_string_id name;
	struct prof_string_id unit;
	enum prof_event_kind kind;
	/** What its samples have: a bit for each enum prof_field. */
	uint32_t fields;
	/** A page-fault event: the data address is one that the program may have a name for. */
	bool is_page_fault;
	/** Raw data of its samples was written by a BPF program. */
	bool is_bpf_output;
	/** It counts nothing: it is there for the records that come with it. */
	bool is_dummy;
	/** Stacks were recorded, not only where execution was. */
	bool has_stacks;
	/** Bytes of the stack that were captured at most; 0: none. */
	uint32_t stack_bytes;
	/** It was asked for. */
	bool is_wanted;
	/** Of its unit, by which it was to be sampled; 0: that was not fixed. */
	uint64_t sample_period;
	struct prof_value total;
};

/** Why a sample of the input is in no output. */
enum prof_skip {
	PROF_SKIP_DAMAGED,
	PROF_SKIP_UNKNOWN_EVENT,
	/** It holds counter values, and none of them differs from that of the sample before. */
	PROF_SKIP_NOTHING_COUNTED,
	PROF_N_SKIPS,
};

/** What a sample that is fine may be left out for: it was not asked for. */
enum prof_filter_kind {
#define PROF_FILTER_ENUM(name, option) PROF_FILTER_##name,
	PROF_FILTERS(PROF_FILTER_ENUM)
#undef PROF_FILTER_ENUM
		PROF_N_FILTERS,
};

/** How samples came by their user stacks. */
enum prof_stack_source {
	/** Unwound here from registers and stack bytes. */
	PROF_STACK_UNWOUND,
	/** The call chain that the kernel recorded, at once or when it returned to user space. */
	PROF_STACK_RECORDED,
	/** The calls that the processor kept in its branch records. */
	PROF_STACK_BRANCHES,
	/** No user part, or none was recorded. */
	PROF_STACK_NONE,
	PROF_N_STACK_SOURCES,
};

struct prof_stats {
	/** SAMPLE records read; one with the counter values of a group is one for each that moved. */
	uint64_t n_samples;
	uint64_t skipped[PROF_N_SKIPS];
	uint64_t filtered[PROF_N_FILTERS];
	uint64_t sources[PROF_N_STACK_SOURCES];
	/** Records and samples that the recorder lost. */
	uint64_t n_lost_records;
	uint64_t n_lost_samples;
	uint64_t n_throttled;
	uint64_t n_late_records;
	uint64_t n_unknown_records;
	uint64_t n_frames;
	uint64_t n_fp_frames;
	/** Stacks that were cut and have been completed to the root from neighbouring samples. */
	uint64_t n_stitched;
	uint64_t first_ns;
	uint64_t last_ns;
};

/** About the recording; strings, "" if not known. */
struct prof_about {
	struct prof_string_id host;
	struct prof_string_id kernel_release;
	struct prof_string_id arch;
	struct prof_string_id perf_version;
	struct prof_string_id command;
	/** ns since 1970 at first_ns; 0: the recording does not tell. */
	uint64_t start_ns;
	/** What the format has asked to have written of it. */
	struct prof_string_id description;
};

/** All members are for reading by those who do not build it. */
struct profile {
	/** String 0 is "". */
	struct pd_intern strings;
	PD_VEC(struct prof_binary) binaries;
	/** By binary, in their order. */
	PD_VEC(struct prof_attempt) attempts;
	PD_VEC(struct prof_unused) unused;
	/** struct prof_frame, and what is there once it has been named. */
	struct pd_intern frames;
	PD_VEC(struct prof_lines) frame_lines;
	PD_VEC(struct prof_frame_offset) frame_offsets;
	PD_VEC(struct prof_line) lines;
	/** struct prof_function. */
	struct pd_intern functions;
	/** Arrays of struct prof_frame_id, leaf first. */
	struct pd_intern stacks;
	/** struct prof_thread. */
	struct pd_intern threads;
	/** struct prof_tags. */
	struct pd_intern tags;
	/** Lists of strings: a key, its value, the next key ... */
	struct pd_intern labels;
	PD_VEC(struct prof_event) events;
	/** Distinct ones, and how often each occurred. */
	PD_VEC(struct prof_sample) samples;
	PD_VEC(struct prof_value) values;
	/**
	 * To find samples: of each stack, the first sample that has it (its number + 1; 0: none), which
	 * mostly is the only one; all others are in a set, and their numbers beside it.
	 */
	PD_VEC(uint32_t) first_samples;
	struct pd_intern other_samples;
	PD_VEC(struct prof_sample_id) other_ids;
	/** Single samples in the order in which they were complete, by time but for call chains that
	 * came later; and arrays of process addresses; only if they are asked for. */
	PD_VEC(struct prof_row) rows;
	struct pd_intern pcs;
	/** SAMPLE records that are in no row because no counter had moved; only if they are asked for. */
	PD_VEC(struct prof_key) uncounted;
	/** One for each row, except for the last rows if these have none. Only if requested. */
	PD_VEC(struct prof_detail) details;
	/** Byte strings that details refer to, in the byte order of this machine. */
	struct pd_intern bytes;
	/** In the order of the recording. Only if requested. */
	PD_VEC(struct prof_note) notes;
	/** Of the recording; NULL if it is not known. */
	const struct pd_arch *arch;
	struct prof_stats stats;
	struct prof_about about;
};

/* Interning identifies these by their bytes, which must not include padding. */
_Static_assert(sizeof(struct prof_frame) == 16 && sizeof(struct prof_function) == 20 &&
		       sizeof(struct prof_thread) == 12 && sizeof(struct prof_tags) == 24 &&
		       sizeof(struct prof_sample) == 20,
	"structs that are interned have no padding");

struct pd_error *profile_create(struct profile **ret) pd_must_check;
void profile_destroy(struct profile *profile);

/** Make room for @p n samples that have a stack each. Errors: no memory. */
struct pd_error *profile_expect(struct profile *profile, size_t n) pd_must_check;

/** Count one more occurrence of @p sample, whose id is stored in @p id_ret unless that is NULL. Errors: no memory. */
struct pd_error *profile_add_sample(struct profile *profile, const struct prof_sample *sample,
	uint64_t period, struct prof_sample_id *id_ret) pd_must_check;

/** Count @p value occurrences of @p sample; otherwise like profile_add_sample(). */
struct pd_error *profile_add_samples(struct profile *profile, const struct prof_sample *sample,
	const struct prof_value *value, struct prof_sample_id *id_ret) pd_must_check;

/** Samples that are no longer in a profile. */
struct prof_samples {
	PD_VEC(struct prof_sample) samples;
	PD_VEC(struct prof_value) values;
};

/** Take all samples out of @p profile, whose events have none then. */
struct prof_samples profile_take_samples(struct profile *profile);
void prof_samples_deinit(struct prof_samples *samples);

/**
 * The functions named profile_add_*() below copy what they add and return its id: that of the equal one if
 * there is one already, or one that refers to nothing (see prof_is_none()) if there is no memory.
 */

/** Add the NUL-terminated @p text. NULL counts as "". */
static inline struct prof_string_id profile_add_string(struct profile *profile, const char *text)
{
	return (struct prof_string_id){ pd_intern_str(&profile->strings, text) };
}

/** Add a string of @p len bytes. */
static inline struct prof_string_id profile_add_string_n(
	struct profile *profile, const char *text, size_t len)
{
	return (struct prof_string_id){ pd_intern_add(&profile->strings, text, len) };
}

static inline const char *profile_string(const struct profile *profile, struct prof_string_id id)
{
	return pd_intern_bytes(&profile->strings, id.i);
}

/** Length of a string in bytes, without the NUL that ends it. */
static inline uint32_t profile_string_len(const struct profile *profile, struct prof_string_id id)
{
	return pd_intern_len(&profile->strings, id.i);
}

/** Append a binary; every call makes a new one. */
static inline struct prof_binary_id profile_add_binary(
	struct profile *profile, const struct prof_binary *binary)
{
	if (!pd_vec_push(&profile->binaries, *binary))
		return prof_no_binary();
	return (struct prof_binary_id){ (uint32_t)profile->binaries.n - 1 };
}

static inline const struct prof_binary *profile_binary(
	const struct profile *profile, struct prof_binary_id id)
{
	return &profile->binaries.data[id.i];
}

static inline struct prof_frame_id profile_add_frame(
	struct profile *profile, const struct prof_frame *frame)
{
	return (struct prof_frame_id){ pd_intern_add(&profile->frames, frame, sizeof(*frame)) };
}

/** The id of a frame equal to @p frame; it refers to nothing if there is none. */
static inline struct prof_frame_id profile_find_frame(
	const struct profile *profile, const struct prof_frame *frame)
{
	return (struct prof_frame_id){ pd_intern_find(&profile->frames, frame, sizeof(*frame)) };
}

static inline const struct prof_frame *profile_frame(
	const struct profile *profile, struct prof_frame_id id)
{
	return pd_intern_bytes(&profile->frames, id.i);
}

/** The functions at a frame, innermost first. NULL, and *n_ret is 0, if the frame has no name. */
static inline const struct prof_line *profile_frame_lines(
	const struct profile *profile, struct prof_frame_id id, uint32_t *n_ret)
{
	*n_ret = id.i < profile->frame_lines.n ? profile->frame_lines.data[id.i].n : 0;
	return *n_ret ? &profile->lines.data[profile->frame_lines.data[id.i].first] : NULL;
}

static inline struct prof_function_id profile_add_function(
	struct profile *profile, const struct prof_function *function)
{
	return (struct prof_function_id){ pd_intern_add(
		&profile->functions, function, sizeof(*function)) };
}

static inline const struct prof_function *profile_function(
	const struct profile *profile, struct prof_function_id id)
{
	return pd_intern_bytes(&profile->functions, id.i);
}

/** Add a stack of @p n frames, leaf first. */
static inline struct prof_stack_id profile_add_stack(
	struct profile *profile, const struct prof_frame_id *frames, size_t n)
{
	return (struct prof_stack_id){ pd_intern_add(
		&profile->stacks, frames, n * sizeof(*frames)) };
}

/** The frames of a stack, leaf first. */
static inline const struct prof_frame_id *profile_stack(
	const struct profile *profile, struct prof_stack_id id, uint32_t *n_ret)
{
	*n_ret = pd_intern_len(&profile->stacks, id.i) / sizeof(struct prof_frame_id);
	return pd_intern_bytes(&profile->stacks, id.i);
}

static inline struct prof_thread_id profile_add_thread(
	struct profile *profile, const struct prof_thread *thread)
{
	return (struct prof_thread_id){ pd_intern_add(&profile->threads, thread, sizeof(*thread)) };
}

static inline const struct prof_thread *profile_thread(
	const struct profile *profile, struct prof_thread_id id)
{
	return pd_intern_bytes(&profile->threads, id.i);
}

static inline struct prof_tags_id profile_add_tags(
	struct profile *profile, const struct prof_tags *tags)
{
	return (struct prof_tags_id){ pd_intern_add(&profile->tags, tags, sizeof(*tags)) };
}

/** NULL if @p id refers to nothing. */
static inline const struct prof_tags *profile_tags(
	const struct profile *profile, struct prof_tags_id id)
{
	return prof_is_none(id) ? NULL : pd_intern_bytes(&profile->tags, id.i);
}

/** Add labels: @p n strings, a key and its value in turn. */
static inline struct prof_labels_id profile_add_labels(
	struct profile *profile, const struct prof_string_id *labels, size_t n)
{
	return (struct prof_labels_id){ pd_intern_add(
		&profile->labels, labels, n * sizeof(*labels)) };
}

/** Labels as profile_add_labels() takes them. */
static inline const struct prof_string_id *profile_labels(
	const struct profile *profile, struct prof_labels_id id, uint32_t *n_ret)
{
	*n_ret = pd_intern_len(&profile->labels, id.i) / sizeof(struct prof_string_id);
	return pd_intern_bytes(&profile->labels, id.i);
}

/** Append an event; every call makes a new one. */
static inline struct prof_event_id profile_add_event(
	struct profile *profile, const struct prof_event *event)
{
	if (!pd_vec_push(&profile->events, *event))
		return prof_no_event();
	return (struct prof_event_id){ (uint32_t)profile->events.n - 1 };
}

static inline const struct prof_event *profile_event(
	const struct profile *profile, struct prof_event_id id)
{
	return &profile->events.data[id.i];
}

static inline const struct prof_sample *profile_sample(
	const struct profile *profile, struct prof_sample_id id)
{
	return &profile->samples.data[id.i];
}

/** How often a sample occurred, and the sum of its periods. */
static inline const struct prof_value *profile_value(
	const struct profile *profile, struct prof_sample_id id)
{
	return &profile->values.data[id.i];
}

/** Add an array of @p n process addresses. */
static inline struct prof_pcs_id profile_add_pcs(
	struct profile *profile, const uint64_t *pcs, size_t n)
{
	return (struct prof_pcs_id){ pd_intern_add(&profile->pcs, pcs, n * sizeof(*pcs)) };
}

static inline const uint64_t *profile_pcs(
	const struct profile *profile, struct prof_pcs_id id, uint32_t *n_ret)
{
	*n_ret = pd_intern_len(&profile->pcs, id.i) / sizeof(uint64_t);
	return pd_intern_bytes(&profile->pcs, id.i);
}

/** Add @p size bytes that a detail refers to. */
static inline struct prof_bytes_id profile_add_bytes(
	struct profile *profile, const void *bytes, size_t size)
{
	return (struct prof_bytes_id){ pd_intern_add(&profile->bytes, bytes, size) };
}

/** The bytes, aligned to 8 and followed by a NUL. */
static inline const void *profile_bytes(
	const struct profile *profile, struct prof_bytes_id id, uint32_t *size_ret)
{
	*size_ret = pd_intern_len(&profile->bytes, id.i);
	return pd_intern_bytes(&profile->bytes, id.i);
}

/** What a frame without a name is shown as: "[libfoo.so]" or "[unknown]", to @p buf. */
const char *profile_unnamed(
	const struct profile *profile, const struct prof_frame *frame, char *buf, size_t size);

/** Return the name of @p filter: "pid". Static storage. */
const char *profile_filter_name(enum prof_filter_kind filter);

/** Samples that were not asked for. */
uint64_t profile_n_filtered(const struct profile *profile);

/** Samples that are in the profile and those that were left out make up those that were read. */
bool profile_is_conserved(const struct profile *profile);

#endif
