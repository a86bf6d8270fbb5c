/* Writing and reading of stored profiles, and the check that nothing in one leads outside of it. */
#include "profile/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/known_runtimes.h"
#include "profile/part_defs.h"

#define COUNT(...) +1
enum {
	N_ARRAYS = 0 PROF_ARRAYS(COUNT),
	N_SETS = 0 PROF_SETS(COUNT),
	/** Length of the name of an architecture with its NUL. */
	ARCH_BYTES = 16,
};
#undef COUNT

struct head {
	/** Elements of the arrays and sets, in the order of their tables. */
	uint64_t n_array[N_ARRAYS];
	uint64_t n_set[N_SETS];
	/** Bytes that a set occupies, without the lengths. */
	uint64_t set_bytes[N_SETS];
	/** Name of profile.arch; "" for NULL. */
	char arch[ARCH_BYTES];
	struct prof_stats stats;
	struct prof_about about;
};

/* Array with elements of any type. */
struct array {
	void **data;
	size_t *n;
	size_t *cap;
	size_t element;
};

/* The indexes of samples and of stacks are not stored, because they follow from them. */
#define SIZE(member) +sizeof(((struct profile *)0)->member)
#define PART_SIZE(member, ...) SIZE(member)
/* Where pointers have 32 bits, there is padding between members. */
_Static_assert(sizeof(void *) != 8 ||
		       sizeof(struct profile) ==
			       0 PROF_ARRAYS(PART_SIZE) PROF_SETS(PART_SIZE) SIZE(first_samples)
				       SIZE(other_samples) SIZE(single_stacks) SIZE(arch)
					       SIZE(stats) SIZE(about) SIZE(storage) SIZE(account)
						       SIZE(charged),
	"each member of a profile is stored");
#undef PART_SIZE
#undef SIZE

static void get_arrays(struct profile *profile, struct array ret[static N_ARRAYS])
{
#define ARRAY(member, ...) \
	{ (void **)&profile->member.data, &profile->member.n, &profile->member.cap, \
		sizeof(*profile->member.data) },
	const struct array arrays[N_ARRAYS] = { PROF_ARRAYS(ARRAY) };
#undef ARRAY

	memcpy(ret, arrays, sizeof(arrays));
}

static void get_sets(struct profile *profile, struct base_intern *ret[static N_SETS])
{
#define SET(member, ...) &profile->member,
	struct base_intern *const sets[N_SETS] = { PROF_SETS(SET) };
#undef SET

	memcpy(ret, sets, sizeof(sets));
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static size_t bytes_of_set(const struct base_intern *set)
{
	size_t size = 0;

	for (uint32_t i = 0; i < set->n; i++)
		size += base_intern_padded(base_intern_len(set, i));
	return size;
}

static struct head make_head(
	const struct array *arrays, struct base_intern *const *sets, const struct profile *profile)
{
	struct head head;

	memset(&head, 0, sizeof(head)); /* padding is stored as well */
	for (size_t i = 0; i < N_ARRAYS; i++)
		head.n_array[i] = *arrays[i].n;
	for (size_t i = 0; i < N_SETS; i++) {
		head.n_set[i] = sets[i]->n;
		head.set_bytes[i] = bytes_of_set(sets[i]);
	}
	if (profile->arch)
		strncpy(head.arch, profile->arch->name, sizeof(head.arch) - 1);
	head.stats = profile->stats;
	head.about = profile->about;
	return head;
}

size_t prof_store_size(const struct profile *profile)
{
	struct array arrays[N_ARRAYS];
	struct base_intern *sets[N_SETS];
	size_t size = sizeof(struct head);

	get_arrays((struct profile *)profile, arrays);
	get_sets((struct profile *)profile, sets);
	for (size_t i = 0; i < N_ARRAYS; i++)
		size += padded(*arrays[i].n * arrays[i].element);
	for (size_t i = 0; i < N_SETS; i++)
		size += padded(sets[i]->n * sizeof(uint32_t)) + bytes_of_set(sets[i]);
	return size;
}

/* Write @p size bytes, padded with zeros. Returns the end. */
static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	memset(to + size, 0, padded(size) - size);
	return to + padded(size);
}

static uint8_t *put_set(uint8_t *to, const struct base_intern *set)
{
	size_t lens = padded(set->n * sizeof(uint32_t));
	uint8_t *bytes = to + lens;

	memset(to, 0, lens);
	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t len = base_intern_len(set, i);

		memcpy(to + i * sizeof(len), &len, sizeof(len));
		memcpy(bytes, base_intern_bytes(set, i), len);
		memset(bytes + len, 0, base_intern_padded(len) - len);
		bytes += base_intern_padded(len);
	}
	return bytes;
}

void prof_store_encode(const struct profile *profile, uint8_t *to)
{
	struct array arrays[N_ARRAYS];
	struct base_intern *sets[N_SETS];

	get_arrays((struct profile *)profile, arrays);
	get_sets((struct profile *)profile, sets);
	struct head head = make_head(arrays, sets, profile);
	to = put(to, &head, sizeof(head));
	for (size_t i = 0; i < N_ARRAYS; i++)
		to = put(to, *arrays[i].data, *arrays[i].n * arrays[i].element);
	for (size_t i = 0; i < N_SETS; i++)
		to = put_set(to, sets[i]);
}

/* Bytes that were not read yet. */
struct input {
	const uint8_t *bytes;
	size_t left;
	bool is_short;
	bool is_nomem;
};

/* Take @p size bytes and their padding. NULL: there are not that many. */
static const uint8_t *take(struct input *in, uint64_t size)
{
	const uint8_t *at = in->bytes;

	if (in->is_short || size > in->left || padded(size) > in->left) {
		in->is_short = true;
		return NULL;
	}
	in->bytes += padded(size);
	in->left -= padded(size);
	return at;
}

static void get_array(struct input *in, uint64_t n, const struct array *array)
{
	/* Elements have at least one byte. With this limit the product cannot overflow. */
	const uint8_t *bytes = n <= in->left / array->element ? take(in, n * array->element) : NULL;

	if (!bytes)
		in->is_short = true;
	if (!bytes || !n)
		return;
	if (!pd_vec_grow(array->data, array->cap, n, array->element)) {
		in->is_nomem = true;
		return;
	}
	memcpy(*array->data, bytes, n * array->element);
	*array->n = n;
}

static void get_set(struct input *in, uint64_t n, uint64_t size, struct base_intern *set)
{
	const uint8_t *lens =
		n <= in->left / sizeof(uint32_t) ? take(in, n * sizeof(uint32_t)) : NULL;
	const uint8_t *bytes = lens ? take(in, size) : NULL;

	if (!bytes || !base_intern_adopt(set, (const uint32_t *)lens, n, (const char *)bytes, size))
		in->is_short = true;
}

/*
 * Add sample @p id to the index of samples. Returns false if it is a duplicate, or without memory.
 */
static bool index_sample(struct profile *profile, uint32_t id)
{
	const struct prof_sample *sample = &profile->samples.data[id];
	uint32_t *first = &profile->first_samples.data[sample->stack.i];

	if (!*first) {
		*first = id + 1;
		return true;
	}
	if (memcmp(&profile->samples.data[*first - 1], sample, sizeof(*sample)) == 0)
		return false;
	uint32_t other;
	return prof_sample_index_add(
		       &profile->other_samples, profile->samples.data, sample, id, &other) &&
	       other == id;
}

static bool index_samples(struct profile *profile)
{
	size_t n = profile->stacks.n;

	if (!n)
		return true;
	if (!pd_vec_reserve(&profile->first_samples, n))
		return false;
	memset(profile->first_samples.data, 0, n * sizeof(*profile->first_samples.data));
	profile->first_samples.n = n;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		if (prof_sample_time(profile, id) == PD_NO_TIME && !index_sample(profile, id.i))
			return false;
	}
	return true;
}

/* Fill the empty @p profile. Returns false if the input is not a profile. */
static bool decode(struct input *in, struct profile *profile)
{
	struct array arrays[N_ARRAYS];
	struct base_intern *sets[N_SETS];
	const struct head *head = (const struct head *)take(in, sizeof(*head));

	if (!head || head->arch[ARCH_BYTES - 1])
		return false;
	get_arrays(profile, arrays);
	get_sets(profile, sets);
	for (size_t i = 0; i < N_ARRAYS; i++)
		get_array(in, head->n_array[i], &arrays[i]);
	for (size_t i = 0; i < N_SETS; i++)
		get_set(in, head->n_set[i], head->set_bytes[i], sets[i]);
	if (in->is_short || in->is_nomem || in->left)
		return false;
	profile->stats = head->stats;
	profile->about = head->about;
	profile->arch = head->arch[0] ? pd_arch_find(head->arch) : NULL;
	return (profile->arch || !head->arch[0]) && prof_store_is_sound(profile) &&
	       index_samples(profile);
}

struct pd_error *prof_store_decode(const uint8_t *bytes, size_t size, struct profile **ret)
{
	struct input in = { .bytes = bytes, .left = size };
	struct profile *profile = calloc(1, sizeof(*profile));

	*ret = NULL;
	if (!profile)
		return &pd_enomem;
	prof_init_sets(profile);
	if (decode(&in, profile)) {
		*ret = profile;
		return NULL;
	}
	prof_destroy(profile);
	return in.is_nomem ? &pd_enomem : NULL;
}

/* A new member may be an id or of type bool. Check it below before a size is changed here. */
_Static_assert(
	sizeof(void *) != 8 ||
		(sizeof(struct prof_binary) == 336 && sizeof(struct prof_attempt) == 20 &&
			sizeof(struct prof_unused) == 28 && sizeof(struct prof_companion) == 48 &&
			sizeof(struct prof_runtime_use) == 12 && sizeof(struct prof_lines) == 8 &&
			sizeof(struct prof_frame_offset) == 24 && sizeof(struct prof_line) == 12 &&
			sizeof(struct prof_event) == 128 && sizeof(struct prof_row) == 32 &&
			sizeof(struct prof_origin) == 24 && sizeof(struct prof_branch) == 32 &&
			sizeof(struct prof_detail) == 80 && sizeof(struct prof_note) == 40 &&
			sizeof(struct prof_about) == 48),
	"each member is checked");

/* Whether @p id, of any kind, is one of @p set (an array or a set of interned bytes). */
#define is_in(id, set) ((id).i < (set).n)
#define is_none_or_in(id, set) (prof_is_none(id) || is_in(id, set))

/* Offsets of the members of type bool, whose bytes must be 0 or 1. */
static const uint16_t binary_bools[] = {
	offsetof(struct prof_binary, is_id_found),
	offsetof(struct prof_binary, is_id_refuted),
	offsetof(struct prof_binary, is_kernel),
	offsetof(struct prof_binary, is_generated),
	offsetof(struct prof_binary, has_image),
	offsetof(struct prof_binary, is_found),
	offsetof(struct prof_binary, is_absent),
	offsetof(struct prof_binary, is_debug_only),
	offsetof(struct prof_binary, lacks_cfi),
	offsetof(struct prof_binary, has_unusable_debug_frame),
	offsetof(struct prof_binary, is_go),
	offsetof(struct prof_binary, has_made_names),
	offsetof(struct prof_binary, has_lines),
	offsetof(struct prof_binary, is_mismatched),
	offsetof(struct prof_binary, is_given_refused),
};
static const uint16_t attempt_bools[] = {
	offsetof(struct prof_attempt, is_debug),
	offsetof(struct prof_attempt, is_taken),
};
static const uint16_t frame_offset_bools[] = {
	offsetof(struct prof_frame_offset, has_file),
	offsetof(struct prof_frame_offset, has_symbol),
};
static const uint16_t event_bools[] = {
	offsetof(struct prof_event, is_page_fault),
	offsetof(struct prof_event, is_bpf_output),
	offsetof(struct prof_event, is_dummy),
	offsetof(struct prof_event, lacks_periods),
	offsetof(struct prof_event, has_stacks),
	offsetof(struct prof_event, has_walked_chains),
	offsetof(struct prof_event, is_wanted),
	offsetof(struct prof_event, is_counted),
	offsetof(struct prof_event, is_of_cpus),
};

static bool are_bools(const void *element, const uint16_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (((const uint8_t *)element)[offsets[i]] > 1)
			return false;
	}
	return true;
}

static bool is_binary(const struct profile *p, const struct prof_binary *binary)
{
	return are_bools(binary, binary_bools, PD_ARRAY_LEN(binary_bools)) &&
	       is_in(binary->name, p->strings) && is_in(binary->why, p->strings) &&
	       is_in(binary->ref_symbol, p->strings) && is_in(binary->jitdump, p->strings) &&
	       binary->build_id.len <= PD_BUILD_ID_MAX;
}

static bool is_attempt(const struct profile *p, const struct prof_attempt *attempt)
{
	return are_bools(attempt, attempt_bools, PD_ARRAY_LEN(attempt_bools)) &&
	       is_none_or_in(attempt->binary, p->binaries) &&
	       is_in(attempt->search_path, p->strings) && is_in(attempt->path, p->strings) &&
	       is_in(attempt->why, p->strings);
}

static bool is_unused(const struct profile *p, const struct prof_unused *unused)
{
	return is_in(unused->name, p->strings) && unused->build_id.len <= PD_BUILD_ID_MAX;
}

static bool is_companion(const struct profile *p, const struct prof_companion *companion)
{
	static const uint16_t bools[] = { offsetof(struct prof_companion, is_of_debug) };

	return are_bools(companion, bools, PD_ARRAY_LEN(bools)) &&
	       is_in(companion->path, p->strings) && is_in(companion->name, p->strings) &&
	       companion->build_id.len <= PD_BUILD_ID_MAX;
}

static bool is_runtime(const struct profile *p, const struct prof_runtime_use *use)
{
	(void)p;
	return use->runtime < PROF_N_RUNTIMES;
}

static bool is_frame_lines(const struct profile *p, const struct prof_lines *lines)
{
	return lines->n <= p->lines.n && lines->first <= p->lines.n - lines->n;
}

static bool is_frame_offset(const struct profile *p, const struct prof_frame_offset *offset)
{
	(void)p;
	return are_bools(offset, frame_offset_bools, PD_ARRAY_LEN(frame_offset_bools));
}

static bool is_line(const struct profile *p, const struct prof_line *line)
{
	return is_in(line->function, p->functions);
}

static bool is_label(const struct profile *p, const struct prof_string_id *label)
{
	return is_in(*label, p->strings);
}

static bool is_process(const struct profile *p, const struct prof_process *process)
{
	return is_in(process->name, p->strings);
}

static bool is_event(const struct profile *p, const struct prof_event *event)
{
	return are_bools(event, event_bools, PD_ARRAY_LEN(event_bools)) &&
	       is_in(event->name, p->strings) && is_in(event->unit, p->strings) &&
	       is_in(event->counted_unit, p->strings) &&
	       (unsigned)event->kind < PROF_N_EVENT_KINDS && event->leader <= p->events.n;
}

static bool is_sample(const struct profile *p, const struct prof_sample *sample)
{
	return is_in(sample->stack, p->stacks) && is_in(sample->thread, p->threads) &&
	       is_in(sample->event, p->events) && sample->end <= PD_N_UNWIND_ENDS &&
	       is_none_or_in(sample->tags, p->tags);
}

static bool is_row(const struct profile *p, const struct prof_row *row)
{
	return is_in(row->sample, p->samples) && is_none_or_in(row->pcs, p->pcs) &&
	       is_in(row->trace, p->trace_texts);
}

static bool is_origin(const struct profile *p, const struct prof_origin *origin)
{
	return is_none_or_in(origin->chain, p->pcs);
}

static bool has_branches(const struct profile *p, struct prof_bytes_id id)
{
	uint32_t size;
	const struct prof_branch *branches = prof_bytes(p, id, &size);

	if (size % sizeof(*branches))
		return false;
	for (size_t i = 0; i < size / sizeof(*branches); i++) {
		if (!is_none_or_in(branches[i].from_frame, p->frames) ||
			!is_none_or_in(branches[i].to_frame, p->frames))
			return false;
	}
	return true;
}

static bool has_words(const struct profile *p, struct prof_bytes_id id)
{
	uint32_t size;

	prof_bytes(p, id, &size);
	return size % sizeof(uint64_t) == 0;
}

static bool is_detail(const struct profile *p, const struct prof_detail *detail)
{
	return is_none_or_in(detail->addr_frame, p->frames) && is_in(detail->regs_user, p->bytes) &&
	       has_words(p, detail->regs_user) && is_in(detail->regs_intr, p->bytes) &&
	       has_words(p, detail->regs_intr) && is_in(detail->branches, p->bytes) &&
	       has_branches(p, detail->branches) && is_in(detail->raw, p->bytes);
}

static bool is_wait(const struct profile *p, const struct prof_wait *wait)
{
	bool has_waker = wait->woken_by == PROF_WOKEN_BY_SAMPLE;

	return is_in(wait->sample, p->samples) && wait->state < PROF_N_WAIT_STATES &&
	       wait->woken_by < PROF_N_WOKEN_BY && is_in(wait->interrupt, p->strings) &&
	       (has_waker ? is_in(wait->waker, p->samples) : prof_is_none(wait->waker));
}

static bool is_ledger_thread(const struct profile *p, const struct prof_ledger_thread *row)
{
	return is_in(row->thread, p->threads) && is_none_or_in(row->cgroup, p->strings);
}

static bool is_ledger_waker(const struct profile *p, const struct prof_ledger_waker *row)
{
	return is_in(row->waiter, p->threads) && is_none_or_in(row->waker, p->threads) &&
	       is_in(row->interrupt, p->strings);
}

static bool is_interval_kind(const struct profile *p, const struct prof_interval_kind *row)
{
	return is_in(row->name, p->strings);
}

static bool is_interval(const struct profile *p, const struct prof_interval *row)
{
	if (row->kind >= p->interval_kinds.n || !is_none_or_in(row->label, p->strings) ||
		!is_none_or_in(row->stack, p->stacks))
		return false;
	return p->interval_kinds.data[row->kind].is_of_threads ? is_in(row->thread, p->threads)
							       : prof_is_none(row->thread);
}

static bool is_instead(const struct profile *p, uint16_t kind, struct prof_thread_id thread)
{
	return kind == PROF_INSTEAD_THREAD ? is_in(thread, p->threads) : prof_is_none(thread);
}

static bool is_ledger_delay(const struct profile *p, const struct prof_ledger_delay *delay)
{
	return is_in(delay->thread, p->threads) && delay->after < PROF_N_DELAYS_AFTER &&
	       is_instead(p, delay->before_kind, delay->before);
}

static bool is_ledger_phase(const struct profile *p, const struct prof_ledger_phase *phase)
{
	return phase->life < p->ledger_threads.n && is_none_or_in(phase->waker, p->threads) &&
	       is_in(phase->interrupt, p->strings) && phase->state < PROF_N_LEDGER_STATES &&
	       phase->ns;
}

static bool is_ledger_change(const struct profile *p, const struct prof_ledger_change *row)
{
	return is_in(row->thread, p->threads) && is_none_or_in(row->by, p->threads) &&
	       row->from <= PROF_LEDGER_GONE && row->to <= PROF_LEDGER_GONE &&
	       row->by_interrupt < PROF_N_INTERRUPT_KINDS;
}

static bool is_path(const struct profile *p, const struct prof_path *path)
{
	return is_in(path->thread, p->threads);
}

static bool is_path_step(const struct profile *p, const struct prof_path_step *step)
{
	return is_in(step->thread, p->threads) && step->state < PROF_N_LEDGER_STATES &&
	       step->path < p->paths.n && is_instead(p, step->instead_kind, step->instead) &&
	       is_in(step->interrupt, p->strings);
}

static bool is_mapping(const struct profile *p, const struct prof_mapping *mapping)
{
	return is_in(mapping->name, p->strings) && is_none_or_in(mapping->binary, p->binaries);
}

static bool is_note(const struct profile *p, const struct prof_note *note)
{
	return note->row <= p->rows.n && is_none_or_in(note->event, p->events) &&
	       is_in(note->comm, p->note_texts) && is_in(note->text, p->note_texts);
}

static bool is_frame(const struct profile *p, const struct prof_frame *frame)
{
	return is_none_or_in(frame->binary, p->binaries);
}

static bool is_function(const struct profile *p, const struct prof_function *function)
{
	return is_in(function->name, p->strings) && is_in(function->linkage, p->strings) &&
	       is_in(function->decl_file, p->strings) && is_in(function->file, p->strings) &&
	       is_none_or_in(function->binary, p->binaries);
}

static bool is_edge(const struct profile *p, const struct prof_edge *edge)
{
	return is_in(edge->from, p->frames) && is_in(edge->to, p->frames) &&
	       is_none_or_in(edge->end, p->frames);
}

static bool is_code(const struct profile *p, const struct prof_code *code)
{
	return is_in(code->binary, p->binaries);
}

static bool is_thread(const struct profile *p, const struct prof_thread *thread)
{
	return is_in(thread->comm, p->strings);
}

static bool is_tags(const struct profile *p, const struct prof_tags *tags)
{
	return is_in(tags->cgroup, p->strings) && is_in(tags->input, p->strings) &&
	       is_none_or_in(tags->labels, p->labels);
}

static bool is_about(const struct profile *p)
{
	const struct prof_about *about = &p->about;

	return is_in(about->host, p->strings) && is_in(about->kernel_release, p->strings) &&
	       is_in(about->arch, p->strings) && is_in(about->perf_version, p->strings) &&
	       is_in(about->command, p->strings) && is_in(about->description, p->strings) &&
	       is_in(about->choices, p->strings) && is_in(about->name_notes, p->strings);
}

/* Whether each entry of @p set is a list of numbers below @p n: ids. */
static bool are_lists_of_ids(const struct base_intern *set, size_t n)
{
	for (uint32_t i = 0; i < set->n; i++) {
		const uint32_t *ids = base_intern_bytes(set, i);
		uint32_t len = base_intern_len(set, i);

		if (len % sizeof(*ids))
			return false;
		for (size_t k = 0; k < len / sizeof(*ids); k++) {
			if (ids[k] >= n)
				return false;
		}
	}
	return true;
}

static bool are_lists_of_words(const struct base_intern *set)
{
	for (uint32_t i = 0; i < set->n; i++) {
		if (base_intern_len(set, i) % sizeof(uint64_t))
			return false;
	}
	return true;
}

/* Labels are a key and its value in turn. */
static bool are_pairs(const struct base_intern *set)
{
	for (uint32_t i = 0; i < set->n; i++) {
		if (base_intern_len(set, i) % (2 * sizeof(uint32_t)))
			return false;
	}
	return true;
}

/* Whether the first entry of @p set, which stands for nothing, is empty. */
static bool begins_empty(const struct base_intern *set)
{
	return set->n && !base_intern_len(set, 0);
}

/* Whether @p is_sound is true of each element of an array. */
#define all(array, is_sound) \
	({ \
		bool ok_ = true; \
		for (size_t i_ = 0; ok_ && i_ < profile->array.n; i_++) \
			ok_ = is_sound(profile, &profile->array.data[i_]); \
		ok_; \
	})

/* Whether @p is_sound is true of each entry of a set, whose entries are structs of one type. */
#define all_in(set, type, is_sound) \
	({ \
		bool ok_ = true; \
		for (uint32_t i_ = 0; ok_ && i_ < profile->set.n; i_++) \
			ok_ = base_intern_len(&profile->set, i_) == sizeof(type) && \
			      is_sound(profile, \
				      (const type *)base_intern_bytes(&profile->set, i_)); \
		ok_; \
	})

/* Parallel arrays have as many elements as there are frames, or none. */
static bool is_parallel(size_t n, size_t n_frames)
{
	return !n || n == n_frames;
}

static bool are_sets_sound(const struct profile *profile)
{
	return begins_empty(&profile->strings) && begins_empty(&profile->trace_texts) &&
	       begins_empty(&profile->bytes) && all_in(frames, struct prof_frame, is_frame) &&
	       all_in(functions, struct prof_function, is_function) &&
	       all_in(threads, struct prof_thread, is_thread) &&
	       all_in(tags, struct prof_tags, is_tags) &&
	       all_in(edges, struct prof_edge, is_edge) &&
	       all_in(code, struct prof_code, is_code) &&
	       are_lists_of_ids(&profile->stacks, profile->frames.n) &&
	       are_lists_of_ids(&profile->labels, profile->strings.n) &&
	       are_pairs(&profile->labels) && are_lists_of_words(&profile->pcs);
}

/*
 * Whether the totals of events are the sums of their samples, whose events are known. Formats leave
 * out events without samples. Too little memory counts as no.
 */
static bool are_totals_sums(const struct profile *profile)
{
	_cleanup_free_ struct prof_value *sums = base_calloc_n(profile->events.n, sizeof(*sums));

	if (!sums)
		return false;
	for (size_t i = 0; i < profile->samples.n; i++) {
		struct prof_value *sum = &sums[profile->samples.data[i].event.i];

		sum->samples += profile->values.data[i].samples;
		sum->period += profile->values.data[i].period;
	}
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_value *total = &profile->events.data[i].total;

		if (total->samples != sums[i].samples || total->period != sums[i].period)
			return false;
	}
	return true;
}

bool prof_store_is_sound(const struct profile *profile)
{
	return are_sets_sound(profile) && all(binaries, is_binary) && all(attempts, is_attempt) &&
	       all(unused, is_unused) && all(companions, is_companion) &&
	       all(runtimes, is_runtime) &&
	       is_parallel(profile->frame_lines.n, profile->frames.n) &&
	       is_parallel(profile->frame_offsets.n, profile->frames.n) &&
	       all(frame_lines, is_frame_lines) && all(frame_offsets, is_frame_offset) &&
	       all(lines, is_line) && all(function_labels, is_label) &&
	       is_parallel(profile->function_labels.n, profile->functions.n) &&
	       all(pattern_names, is_label) && all(processes, is_process) &&
	       is_parallel(profile->pattern_names.n, profile->functions.n) &&
	       all(events, is_event) && all(samples, is_sample) &&
	       profile->values.n == profile->samples.n && profile->times.n <= profile->samples.n &&
	       are_totals_sums(profile) && all(rows, is_row) && all(origins, is_origin) &&
	       is_parallel(profile->origins.n, profile->rows.n) &&
	       profile->details.n <= profile->rows.n && all(details, is_detail) &&
	       profile->edge_counts.n == profile->edges.n &&
	       profile->code_lines.n == profile->code.n && all(code_lines, is_frame_lines) &&
	       all(waits, is_wait) && all(ledger_threads, is_ledger_thread) &&
	       all(ledger_wakers, is_ledger_waker) && all(ledger_delays, is_ledger_delay) &&
	       all(ledger_phases, is_ledger_phase) && all(ledger_changes, is_ledger_change) &&
	       all(paths, is_path) && all(path_steps, is_path_step) &&
	       all(interval_kinds, is_interval_kind) && all(intervals, is_interval) &&
	       all(mappings, is_mapping) && all(notes, is_note) && is_about(profile);
}
