/**
 * @file The profile: the model between perf.data and the output formats.
 *
 * Every distinct string, binary, frame, stack, thread and event is stored once and has an id (see
 * profile/ids.h); profile/parts.h says what each of them is. A sample is a combination of such ids
 * with a count and a sum of periods. The code that builds a profile knows no output format, and the
 * formats know nothing of perf.data.
 */
#ifndef PD_PROFILE_PROFILE_H
#define PD_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/containers/intern.h"
#include "base/io/spill.h"
#include "profile/ids.h"
#include "profile/interval.h"
#include "profile/mapping.h"
#include "profile/parts.h"
#include "profile/profile_stats.h"
#include "profile/sample_index.h"
#include "profile/sample_rows.h"
#include "profile/time_ledger.h"

/** A profile. Only resolve/ and profile/ write its members; all others read them. */
struct profile {
	/** Strings, each followed by a NUL. String 0 is "". */
	struct base_intern strings;
	PD_VEC(struct prof_binary) binaries;
	/** Attempts in the order of their binaries. */
	PD_VEC(struct prof_attempt) attempts;
	PD_VEC(struct prof_unused) unused;
	PD_VEC(struct prof_companion) companions;
	/** Run times of processes. Entries may be repeated in merged profiles. */
	PD_VEC(struct prof_runtime_use) runtimes;
	/**
	 * struct prof_frame. frame_lines and frame_offsets are indexed by frame id, and empty
	 * before naming.
	 */
	struct base_intern frames;
	PD_VEC(struct prof_lines) frame_lines;
	PD_VEC(struct prof_frame_offset) frame_offsets;
	PD_VEC(struct prof_line) lines;
	/** struct prof_code, and the functions there by code id. Only if requested. */
	struct base_intern code;
	PD_VEC(struct prof_lines) code_lines;
	/** struct prof_function. */
	struct base_intern functions;
	/**
	 * Labels that distinguish functions of one name, by function id: prof_function_label().
	 * "" for other functions. Empty if no function has a label.
	 */
	PD_VEC(struct prof_string_id) function_labels;
	/**
	 * Names by function id in the form that patterns of functions have, such as those of
	 * profile/scaffolding_defs.h, if names are in another form. Only if requested; "" for names
	 * that have this form.
	 */
	PD_VEC(struct prof_string_id) pattern_names;
	/** Arrays of struct prof_frame_id, leaf first. */
	struct base_intern stacks;
	/**
	 * Stacks of one frame: stack id + 1, or 0 if it is not known, indexed by frame. Without
	 * call chains these are all stacks.
	 */
	PD_VEC(uint32_t) single_stacks;
	/** struct prof_thread. */
	struct base_intern threads;
	/** Processes by ascending pid, each once. */
	PD_VEC(struct prof_process) processes;
	/** struct prof_tags. */
	struct base_intern tags;
	/** Arrays of struct prof_string_id: a key and its value in turn. */
	struct base_intern labels;
	PD_VEC(struct prof_event) events;
	/**
	 * Samples, and how often each occurred. Both are indexed by sample id. Those without times
	 * are distinct.
	 */
	PD_VEC(struct prof_sample) samples;
	PD_VEC(struct prof_value) values;
	/**
	 * Times in ns, by sample id, of samples that are kept apart by their times. PD_NO_TIME for
	 * other samples; those at the end may have none. Only if requested.
	 */
	PD_VEC(uint64_t) times;
	/**
	 * Index of samples without times. first_samples holds for each stack the id + 1 of the
	 * first sample that has it (0 if there is none): most stacks have one sample, so this is
	 * faster than hashing. Further samples with the same stack are in other_samples.
	 */
	PD_VEC(uint32_t) first_samples;
	struct prof_sample_index other_samples;
	/**
	 * Single samples, only if requested. Many of them are in a temporary file, like those of
	 * uncounted and details. They are ordered by the time when they were complete:
	 * by sample time, except for samples whose user call chain was recorded later.
	 */
	PD_SPILL_VEC(struct prof_row) rows;
	/** Origins of the rows, by row. Only if requested. */
	PD_SPILL_VEC(struct prof_origin) origins;
	/** Arrays of process addresses, as u64. */
	struct base_intern pcs;
	/** SAMPLE records without a row because no counter had advanced. Only if requested. */
	PD_SPILL_VEC(struct prof_key) uncounted;
	/** Details by row. Rows at the end may have none. Only if requested. */
	PD_SPILL_VEC(struct prof_detail) details;
	/** struct prof_edge, and their counts by edge id. Only if requested. */
	struct base_intern edges;
	PD_VEC(struct prof_edge_count) edge_counts;
	/**
	 * Waits by the switches of the scheduler. Only if requested and if most ends were recorded.
	 */
	PD_VEC(struct prof_wait) waits;
	/** Where time went, a ledger for each recording. Only if requested. */
	PD_VEC(struct prof_ledger) ledgers;
	PD_VEC(struct prof_ledger_thread) ledger_threads;
	PD_VEC(struct prof_ledger_cpu) ledger_cpus;
	PD_VEC(struct prof_ledger_waker) ledger_wakers;
	/** Times from one event to another. Only if requested. */
	PD_VEC(struct prof_interval_kind) interval_kinds;
	PD_SPILL_VEC(struct prof_interval) intervals;
	PD_SPILL_VEC(struct prof_ledger_delay) ledger_delays;
	/** States of threads in the order of their lives. Only if requested. */
	PD_SPILL_VEC(struct prof_ledger_phase) ledger_phases;
	/** All changes of state of the threads of the ledgers. Only if requested. */
	PD_SPILL_VEC(struct prof_ledger_change) ledger_changes;
	/** Critical paths, and their steps. Only if requested. */
	PD_VEC(struct prof_path) paths;
	PD_VEC(struct prof_path_step) path_steps;
	/** Byte strings of details, in the byte order of this machine. */
	struct base_intern bytes;
	/** Mappings in the order of the recording. Only if requested. */
	PD_VEC(struct prof_mapping) mappings;
	/** Notes in the order of the recording. Only if requested. */
	PD_VEC(struct prof_note) notes;
	/**
	 * Texts of notes, each followed by a NUL. They are not among the strings, so that one
	 * thread can add notes while another one adds samples.
	 */
	struct base_intern note_texts;
	/** Texts of rows of tracepoints, likewise. Text 0 is "". */
	struct base_intern trace_texts;
	/**
	 * Processor package of each CPU, by CPU number; PROF_NONE if the CPU was offline. Empty if
	 * the recording does not describe the CPUs.
	 */
	PD_VEC(uint32_t) sockets;
	/** Architecture of the recording; NULL if not known. */
	const struct pd_arch *arch;
	struct prof_stats stats;
	struct prof_about about;
	/** Memory that interned bytes are in if the profile was stored; owned; or NULL. */
	void *storage;
	/** Account that counts distinct samples, or NULL, and the bytes that it counts. */
	struct base_account *account;
	size_t charged;
};

/* Interning identifies these by their bytes, which must not include padding. */
_Static_assert(sizeof(struct prof_frame) == 16 && sizeof(struct prof_function) == 28 &&
		       sizeof(struct prof_thread) == 12 && sizeof(struct prof_tags) == 20 &&
		       sizeof(struct prof_sample) == 20 && sizeof(struct prof_edge) == 16 &&
		       sizeof(struct prof_code) == 24,
	"structs that are interned have no padding");

struct pd_error *prof_create(struct profile **ret) pd_must_check;
/** Prepare the sets of a zeroed profile, for prof_create() and profile/store.c. */
void prof_init_sets(struct profile *profile);
void prof_destroy(struct profile *profile);

/**
 * Let each list of single samples take at most @p max_bytes in memory, and move it to a temporary
 * file beyond that. 0, the default: any number of bytes. The profile is new.
 */
void prof_spill(struct profile *profile, size_t max_bytes);

/** Count the memory of the new @p profile in @p budget, which outlives it; NULL: do not count. */
void prof_set_budget(struct profile *profile, struct pd_budget *budget);

/** Reserve memory for @p n samples with a stack each. Errors: NOMEM. */
struct pd_error *prof_expect(struct profile *profile, size_t n) pd_must_check;

/**
 * Count one more occurrence of @p sample, whose id is stored in @p id_ret unless that is NULL.
 * Errors: NOMEM.
 */
struct pd_error *prof_add_sample(struct profile *profile, const struct prof_sample *sample,
	uint64_t period, struct prof_sample_id *id_ret) pd_must_check;

/**
 * Count @p value occurrences of @p sample; otherwise like prof_add_sample(). A sample with the time
 * @p time, in ns, is a new one, which is kept apart from all others; PD_NO_TIME: it has none.
 */
struct pd_error *prof_add_samples(struct profile *profile, const struct prof_sample *sample,
	uint64_t time, const struct prof_value *value, struct prof_sample_id *id_ret) pd_must_check;

/** Count @p value more occurrences of the sample @p id. */
void prof_add_value(
	struct profile *profile, struct prof_sample_id id, const struct prof_value *value);

/** Samples that were taken out of a profile. */
struct prof_samples {
	PD_VEC(struct prof_sample) samples;
	PD_VEC(struct prof_value) values;
	PD_VEC(uint64_t) times;
};

/** Move all samples out of @p profile and reset the totals of its events. */
struct prof_samples prof_take_samples(struct profile *profile);
void prof_samples_deinit(struct prof_samples *samples);

/**
 * The prof_add_*() functions below copy what they add and return its id. An entry that is equal
 * to one in the profile gets the id of that one. If memory runs out, the id refers to nothing (see
 * prof_is_none()).
 */

/** Add the NUL-terminated @p text. NULL counts as "". */
static inline struct prof_string_id prof_add_string(struct profile *profile, const char *text)
{
	return (struct prof_string_id){ base_intern_str(&profile->strings, text) };
}

/** Add a string of @p len bytes. */
static inline struct prof_string_id prof_add_string_n(
	struct profile *profile, const char *text, size_t len)
{
	return (struct prof_string_id){ base_intern_add(&profile->strings, text, len) };
}

static inline const char *prof_string(const struct profile *profile, struct prof_string_id id)
{
	return base_intern_bytes(&profile->strings, id.i);
}

/** Length of a string in bytes, without the NUL that ends it. */
static inline uint32_t prof_string_len(const struct profile *profile, struct prof_string_id id)
{
	return base_intern_len(&profile->strings, id.i);
}

/** Add a text of @p len bytes for a note. */
static inline struct prof_note_text_id prof_add_note_text(
	struct profile *profile, const char *text, size_t len)
{
	return (struct prof_note_text_id){ base_intern_add(&profile->note_texts, text, len) };
}

static inline const char *prof_note_text(const struct profile *profile, struct prof_note_text_id id)
{
	return base_intern_bytes(&profile->note_texts, id.i);
}

/** Add a text of @p len bytes for rows of tracepoints. */
static inline struct prof_trace_text_id prof_add_trace_text(
	struct profile *profile, const char *text, size_t len)
{
	return (struct prof_trace_text_id){ base_intern_add(&profile->trace_texts, text, len) };
}

static inline const char *prof_trace_text(
	const struct profile *profile, struct prof_trace_text_id id)
{
	return base_intern_bytes(&profile->trace_texts, id.i);
}

/** Append a binary; every call makes a new one. */
static inline struct prof_binary_id prof_add_binary(
	struct profile *profile, const struct prof_binary *binary)
{
	if (!pd_vec_push(&profile->binaries, *binary))
		return prof_no_binary();
	return (struct prof_binary_id){ (uint32_t)profile->binaries.n - 1 };
}

static inline const struct prof_binary *prof_binary(
	const struct profile *profile, struct prof_binary_id id)
{
	return &profile->binaries.data[id.i];
}

static inline struct prof_frame_id prof_add_frame(
	struct profile *profile, const struct prof_frame *frame)
{
	return (struct prof_frame_id){ base_intern_add(&profile->frames, frame, sizeof(*frame)) };
}

static inline const struct prof_frame *prof_frame(
	const struct profile *profile, struct prof_frame_id id)
{
	return base_intern_bytes(&profile->frames, id.i);
}

/** The functions at a frame, innermost first. NULL, and *n_ret is 0, if the frame has no name. */
static inline const struct prof_line *prof_frame_lines(
	const struct profile *profile, struct prof_frame_id id, uint32_t *n_ret)
{
	*n_ret = id.i < profile->frame_lines.n ? profile->frame_lines.data[id.i].n : 0;
	return *n_ret ? &profile->lines.data[profile->frame_lines.data[id.i].first] : NULL;
}

/** Add code with the functions @p lines. Code of the profile stays as it is. Errors: NOMEM. */
struct pd_error *prof_add_code(struct profile *profile, const struct prof_code *code,
	struct prof_lines lines) pd_must_check;

static inline const struct prof_code *prof_code(
	const struct profile *profile, struct prof_code_id id)
{
	return base_intern_bytes(&profile->code, id.i);
}

/** The functions at code, like prof_frame_lines(). */
static inline const struct prof_line *prof_code_lines(
	const struct profile *profile, struct prof_code_id id, uint32_t *n_ret)
{
	*n_ret = profile->code_lines.data[id.i].n;
	return *n_ret ? &profile->lines.data[profile->code_lines.data[id.i].first] : NULL;
}

static inline struct prof_function_id prof_add_function(
	struct profile *profile, const struct prof_function *function)
{
	return (struct prof_function_id){ base_intern_add(
		&profile->functions, function, sizeof(*function)) };
}

static inline const struct prof_function *prof_function(
	const struct profile *profile, struct prof_function_id id)
{
	return base_intern_bytes(&profile->functions, id.i);
}

/**
 * The name of a function as it is shown: with parameters, file or line if the binary has another
 * function of that name.
 */
static inline struct prof_string_id prof_function_label(
	const struct profile *profile, struct prof_function_id id)
{
	if (id.i < profile->function_labels.n && profile->function_labels.data[id.i].i)
		return profile->function_labels.data[id.i];
	return prof_function(profile, id)->name;
}

/** Text of prof_function_label(). */
static inline const char *prof_function_name(
	const struct profile *profile, struct prof_function_id id)
{
	return prof_string(profile, prof_function_label(profile, id));
}

/** The name of a function in the form that patterns have: "std::invoke<int>". */
static inline const char *prof_pattern_name(
	const struct profile *profile, struct prof_function_id id)
{
	if (id.i < profile->pattern_names.n && profile->pattern_names.data[id.i].i)
		return prof_string(profile, profile->pattern_names.data[id.i]);
	return prof_string(profile, prof_function(profile, id)->name);
}

/** Like prof_add_stack(), for a stack of one frame. */
struct prof_stack_id prof_add_single_stack(struct profile *profile, struct prof_frame_id frame);

/** Add a stack of @p n frames, leaf first. */
static inline struct prof_stack_id prof_add_stack(
	struct profile *profile, const struct prof_frame_id *frames, size_t n)
{
	if (n == 1)
		return prof_add_single_stack(profile, frames[0]);
	return (struct prof_stack_id){ base_intern_add(
		&profile->stacks, frames, n * sizeof(*frames)) };
}

/** The frames of a stack, leaf first. */
static inline const struct prof_frame_id *prof_stack(
	const struct profile *profile, struct prof_stack_id id, uint32_t *n_ret)
{
	*n_ret = base_intern_len(&profile->stacks, id.i) / sizeof(struct prof_frame_id);
	return base_intern_bytes(&profile->stacks, id.i);
}

static inline struct prof_thread_id prof_add_thread(
	struct profile *profile, const struct prof_thread *thread)
{
	return (struct prof_thread_id){ base_intern_add(
		&profile->threads, thread, sizeof(*thread)) };
}

static inline const struct prof_thread *prof_thread(
	const struct profile *profile, struct prof_thread_id id)
{
	return base_intern_bytes(&profile->threads, id.i);
}

static inline struct prof_tags_id prof_add_tags(
	struct profile *profile, const struct prof_tags *tags)
{
	return (struct prof_tags_id){ base_intern_add(&profile->tags, tags, sizeof(*tags)) };
}

/** NULL if @p id refers to nothing. */
static inline const struct prof_tags *prof_tags(
	const struct profile *profile, struct prof_tags_id id)
{
	return prof_is_none(id) ? NULL : base_intern_bytes(&profile->tags, id.i);
}

/** Add labels: @p n strings, a key and its value in turn. */
static inline struct prof_labels_id prof_add_labels(
	struct profile *profile, const struct prof_string_id *labels, size_t n)
{
	return (struct prof_labels_id){ base_intern_add(
		&profile->labels, labels, n * sizeof(*labels)) };
}

/** Labels as prof_add_labels() takes them. */
static inline const struct prof_string_id *prof_labels(
	const struct profile *profile, struct prof_labels_id id, uint32_t *n_ret)
{
	*n_ret = base_intern_len(&profile->labels, id.i) / sizeof(struct prof_string_id);
	return base_intern_bytes(&profile->labels, id.i);
}

/** Append an event; every call makes a new one. */
static inline struct prof_event_id prof_add_event(
	struct profile *profile, const struct prof_event *event)
{
	if (!pd_vec_push(&profile->events, *event))
		return prof_no_event();
	return (struct prof_event_id){ (uint32_t)profile->events.n - 1 };
}

static inline const struct prof_event *prof_event(
	const struct profile *profile, struct prof_event_id id)
{
	return &profile->events.data[id.i];
}

static inline const struct prof_sample *prof_sample(
	const struct profile *profile, struct prof_sample_id id)
{
	return &profile->samples.data[id.i];
}

/** How often a sample occurred, and the sum of its periods. */
static inline const struct prof_value *prof_value(
	const struct profile *profile, struct prof_sample_id id)
{
	return &profile->values.data[id.i];
}

/** Time in ns of a sample that is kept apart by it; PD_NO_TIME for other samples. */
static inline uint64_t prof_sample_time(const struct profile *profile, struct prof_sample_id id)
{
	return id.i < profile->times.n ? profile->times.data[id.i] : PD_NO_TIME;
}

/** Add an array of @p n process addresses. */
static inline struct prof_pcs_id prof_add_pcs(
	struct profile *profile, const uint64_t *pcs, size_t n)
{
	return (struct prof_pcs_id){ base_intern_add(&profile->pcs, pcs, n * sizeof(*pcs)) };
}

/** Process addresses, *@p n_ret of them; NULL and 0 if @p id refers to nothing. */
static inline const uint64_t *prof_pcs(
	const struct profile *profile, struct prof_pcs_id id, uint32_t *n_ret)
{
	*n_ret = 0;
	if (prof_is_none(id))
		return NULL;
	*n_ret = base_intern_len(&profile->pcs, id.i) / sizeof(uint64_t);
	return base_intern_bytes(&profile->pcs, id.i);
}

/** Add @p size bytes that a detail refers to. */
static inline struct prof_bytes_id prof_add_bytes(
	struct profile *profile, const void *bytes, size_t size)
{
	return (struct prof_bytes_id){ base_intern_add(&profile->bytes, bytes, size) };
}

/** The bytes, aligned to 8 and followed by a NUL. */
static inline const void *prof_bytes(
	const struct profile *profile, struct prof_bytes_id id, uint32_t *size_ret)
{
	*size_ret = base_intern_len(&profile->bytes, id.i);
	return base_intern_bytes(&profile->bytes, id.i);
}

/** Count @p count more occurrences of @p edge. Errors: NOMEM. */
struct pd_error *prof_add_edge(struct profile *profile, const struct prof_edge *edge,
	const struct prof_edge_count *count) pd_must_check;

static inline const struct prof_edge *prof_edge(
	const struct profile *profile, struct prof_edge_id id)
{
	return base_intern_bytes(&profile->edges, id.i);
}

/**
 * Text shown for a frame without a name: "[libfoo.so]" or "[unknown]". @p buf may be used for it.
 */
const char *prof_unnamed(
	const struct profile *profile, const struct prof_frame *frame, char *buf, size_t size);

/** File name of a binary, without folders; "" if @p id refers to nothing. */
const char *prof_binary_base(const struct profile *profile, struct prof_binary_id id);

/** Sort profile->processes after some were appended. The last one of a pid stays. */
void prof_sort_processes(struct profile *profile);

/** Find the name of the process @p pid. Returns false if that is not known. */
bool prof_find_process(
	const struct profile *profile, uint32_t pid, struct prof_string_id *name_ret);

/** Number of samples that filters left out. */
uint64_t prof_n_filtered(const struct profile *profile);

/** Whether the recording has counters of `perf stat record`. */
bool prof_is_counted(const struct profile *profile);

/** Whether every sample that was read is either in the profile or counted as left out. */
bool prof_is_conserved(const struct profile *profile);

#endif
