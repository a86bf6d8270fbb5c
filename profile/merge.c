#include "profile/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct merge {
	struct profile *into;
	const struct profile *from;
	/** Of numbers in from, the number in into. */
	uint32_t *strings;
	uint32_t *binaries;
	uint32_t *functions;
	uint32_t *frames;
	uint32_t *threads;
	uint32_t *tags;
	uint32_t *stacks;
	uint32_t *events;
	/** A stack that is put together. */
	PD_VEC(uint32_t) stack;
};

static bool alloc_numbers(uint32_t **ret, size_t n)
{
	*ret = calloc(n + 1, sizeof(**ret));
	return *ret;
}

static bool set_up(struct merge *m)
{
	const struct profile *from = m->from;

	return alloc_numbers(&m->strings, from->strings.n) &&
	       alloc_numbers(&m->binaries, from->binaries.n) &&
	       alloc_numbers(&m->functions, from->functions.n) &&
	       alloc_numbers(&m->frames, from->frames.n) &&
	       alloc_numbers(&m->threads, from->threads.n) &&
	       alloc_numbers(&m->tags, from->tags.n) && alloc_numbers(&m->stacks, from->stacks.n) &&
	       alloc_numbers(&m->events, from->events.n);
}

static void tear_down(struct merge *m)
{
	free(m->strings);
	free(m->binaries);
	free(m->functions);
	free(m->frames);
	free(m->threads);
	free(m->tags);
	free(m->stacks);
	free(m->events);
	pd_vec_deinit(&m->stack);
}

static bool merge_strings(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->strings.n; i++) {
		m->strings[i] = pd_intern_add(&m->into->strings,
			pd_intern_bytes(&m->from->strings, i), pd_intern_len(&m->from->strings, i));
		if (m->strings[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

static struct prof_lines lines_of(const struct profile *profile, uint32_t frame)
{
	static const struct prof_lines none;

	return frame < profile->frame_lines.n ? profile->frame_lines.data[frame] : none;
}

/* The functions at two frames, one of each profile, have the same names. */
static bool has_same_names(const struct merge *m, uint32_t into_frame, uint32_t from_frame)
{
	struct prof_lines a = lines_of(m->into, into_frame);
	struct prof_lines b = lines_of(m->from, from_frame);

	for (uint32_t i = 0; i < a.n && i < b.n; i++) {
		uint32_t x = m->into->lines.data[a.first + i].function;
		uint32_t y = m->from->lines.data[b.first + i].function;

		if (profile_function(m->into, x)->name !=
			m->strings[profile_function(m->from, y)->name])
			return false;
	}
	return a.n == b.n;
}

/* Whether frames of binary @p b of from, wherever binary @p a has them too, are called the same. */
static bool names_agree(const struct merge *m, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < m->from->frames.n; i++) {
		struct prof_frame frame = *profile_frame(m->from, i);

		if (frame.binary != b)
			continue;
		frame.binary = a;
		uint32_t known = pd_intern_find(&m->into->frames, &frame, sizeof(frame));
		if (known != PD_INTERN_NONE && !has_same_names(m, known, i))
			return false;
	}
	return true;
}

static bool is_same_binary(
	const struct merge *m, const struct prof_binary *a, const struct prof_binary *b)
{
	if (a->name != m->strings[b->name] || a->is_generated || b->is_generated ||
		a->is_kernel != b->is_kernel || a->is_found != b->is_found ||
		a->is_mismatched != b->is_mismatched || a->build_id.len != b->build_id.len ||
		!pd_build_id_equal(&a->build_id, &b->build_id))
		return false;
	return !a->is_kernel || a->start == b->start;
}

static void join_binary(struct prof_binary *a, const struct prof_binary *b)
{
	/* As far as the code of either reaches. */
	if (b->start < a->start) {
		a->offset = b->offset;
		a->start = b->start;
	}
	if (b->limit > a->limit)
		a->limit = b->limit;
	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++) {
		a->ends[i].samples += b->ends[i].samples;
		a->ends[i].period += b->ends[i].period;
	}
}

static bool merge_binary(struct merge *m, uint32_t id, size_t n_known)
{
	struct prof_binary binary = m->from->binaries.data[id];

	for (uint32_t i = 0; i < n_known; i++) {
		if (!is_same_binary(m, &m->into->binaries.data[i], &binary) ||
			!names_agree(m, i, id))
			continue;
		join_binary(&m->into->binaries.data[i], &binary);
		m->binaries[id] = i;
		return true;
	}
	binary.name = m->strings[binary.name];
	binary.why = m->strings[binary.why];
	m->binaries[id] = (uint32_t)m->into->binaries.n;
	return pd_vec_push(&m->into->binaries, binary);
}

static bool merge_binaries(struct merge *m)
{
	size_t n_known = m->into->binaries.n;

	for (uint32_t i = 0; i < m->from->binaries.n; i++) {
		if (!merge_binary(m, i, n_known))
			return false;
	}
	return true;
}

static uint32_t binary_number(const struct merge *m, uint32_t id)
{
	return id == PROF_NONE ? PROF_NONE : m->binaries[id];
}

static bool merge_functions(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->functions.n; i++) {
		struct prof_function function = *profile_function(m->from, i);

		function.name = m->strings[function.name];
		function.linkage = m->strings[function.linkage];
		function.file = m->strings[function.file];
		function.binary = binary_number(m, function.binary);
		m->functions[i] = pd_intern_add(&m->into->functions, &function, sizeof(function));
		if (m->functions[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

static bool merge_lines(struct merge *m, uint32_t id)
{
	struct prof_lines lines = lines_of(m->from, id);
	struct prof_lines copy = { .first = (uint32_t)m->into->lines.n, .n = lines.n };

	for (uint32_t i = 0; i < lines.n; i++) {
		struct prof_line line = m->from->lines.data[lines.first + i];

		line.function = m->functions[line.function];
		if (!pd_vec_push(&m->into->lines, line))
			return false;
	}
	return pd_vec_push(&m->into->frame_lines, copy);
}

static bool merge_frames(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->frames.n; i++) {
		struct prof_frame frame = *profile_frame(m->from, i);
		size_t n_before = m->into->frames.n;

		frame.binary = binary_number(m, frame.binary);
		m->frames[i] = pd_intern_add(&m->into->frames, &frame, sizeof(frame));
		if (m->frames[i] == PD_INTERN_NONE ||
			(m->into->frames.n > n_before && !merge_lines(m, i)))
			return false;
	}
	return true;
}

static bool merge_stacks(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->stacks.n; i++) {
		uint32_t n;
		const uint32_t *frames = profile_stack(m->from, i, &n);

		if (!pd_vec_reserve(&m->stack, n))
			return false;
		for (uint32_t k = 0; k < n; k++)
			m->stack.data[k] = m->frames[frames[k]];
		m->stacks[i] = pd_intern_add(&m->into->stacks, m->stack.data, n * sizeof(*frames));
		if (m->stacks[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

static bool merge_threads(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->threads.n; i++) {
		struct prof_thread thread = *profile_thread(m->from, i);

		thread.comm = m->strings[thread.comm];
		m->threads[i] = pd_intern_add(&m->into->threads, &thread, sizeof(thread));
		if (m->threads[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

static bool merge_labels(const struct merge *m, uint32_t *labels)
{
	const struct pd_intern *from = &m->from->labels;

	if (*labels == PROF_NONE)
		return true;
	const uint32_t *texts = pd_intern_bytes(from, *labels);
	uint32_t bytes = pd_intern_len(from, *labels);
	_cleanup_free_ uint32_t *list = malloc(bytes);

	for (size_t i = 0; list && i < bytes / sizeof(*list); i++)
		list[i] = m->strings[texts[i]];
	*labels = list ? pd_intern_add(&m->into->labels, list, bytes) : PD_INTERN_NONE;
	return *labels != PD_INTERN_NONE;
}

static bool merge_tags(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->tags.n; i++) {
		struct prof_tags tags = *profile_tags(m->from, i);

		tags.cgroup = m->strings[tags.cgroup];
		tags.input = m->strings[tags.input];
		if (!merge_labels(m, &tags.labels))
			return false;
		m->tags[i] = pd_intern_add(&m->into->tags, &tags, sizeof(tags));
		if (m->tags[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

/* What samples have in values is added up with them. */
static void join_event(struct prof_event *a, const struct prof_event *b)
{
	a->has_stacks |= b->has_stacks;
	a->is_wanted |= b->is_wanted;
	a->is_dummy &= b->is_dummy;
	if (b->stack_bytes > a->stack_bytes)
		a->stack_bytes = b->stack_bytes;
	if (a->sample_period != b->sample_period)
		a->sample_period = 0;
}

static bool merge_event(struct merge *m, uint32_t id, size_t n_known)
{
	struct prof_event event = m->from->events.data[id];

	event.name = m->strings[event.name];
	event.unit = m->strings[event.unit];
	event.total = (struct prof_value){ 0 };
	for (uint32_t i = 0; i < n_known; i++) {
		struct prof_event *known = &m->into->events.data[i];

		if (known->name != event.name || known->unit != event.unit)
			continue;
		join_event(known, &event);
		m->events[id] = i;
		return true;
	}
	m->events[id] = (uint32_t)m->into->events.n;
	return pd_vec_push(&m->into->events, event);
}

static bool merge_events(struct merge *m)
{
	size_t n_known = m->into->events.n;

	for (uint32_t i = 0; i < m->from->events.n; i++) {
		if (!merge_event(m, i, n_known))
			return false;
	}
	return true;
}

static bool merge_samples(struct merge *m)
{
	for (uint32_t i = 0; i < m->from->samples.n; i++) {
		struct prof_sample sample = *profile_sample(m->from, i);

		sample.stack = m->stacks[sample.stack];
		sample.thread = m->threads[sample.thread];
		sample.event = m->events[sample.event];
		if (sample.tags != PROF_NONE)
			sample.tags = m->tags[sample.tags];
		if (profile_add_value(m->into, &sample, &m->from->values.data[i], NULL))
			return false;
	}
	return true;
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

static void merge_stats(struct prof_stats *a, const struct prof_stats *b)
{
	a->n_samples += b->n_samples;
	add_counts(a->skipped, b->skipped, PROF_N_SKIPS);
	add_counts(a->filtered, b->filtered, PROF_N_FILTERS);
	add_counts(a->sources, b->sources, PROF_N_STACK_SOURCES);
	a->n_lost_records += b->n_lost_records;
	a->n_lost_samples += b->n_lost_samples;
	a->n_throttled += b->n_throttled;
	a->n_late_records += b->n_late_records;
	a->n_unknown_records += b->n_unknown_records;
	a->n_frames += b->n_frames;
	a->n_fp_frames += b->n_fp_frames;
	a->n_stitched += b->n_stitched;
	/* Clocks of several machines have nothing in common but how fast they go. */
	a->last_ns += b->last_ns - b->first_ns;
}

/* "a", or "a; b". */
static bool join_text(struct merge *m, uint32_t *to, uint32_t from)
{
	_cleanup_free_ char *text = NULL;
	uint32_t other = m->strings[from];

	if (!other || strstr(profile_string(m->into, *to), profile_string(m->into, other)))
		return true;
	if (!*to) {
		*to = other;
		return true;
	}
	if (asprintf(&text, "%s; %s", profile_string(m->into, *to),
		    profile_string(m->into, other)) < 0) {
		text = NULL;
		return false;
	}
	*to = pd_intern_str(&m->into->strings, text);
	return *to != PD_INTERN_NONE;
}

static bool merge_about(struct merge *m)
{
	struct prof_about *a = &m->into->about;
	const struct prof_about *b = &m->from->about;

	if (b->start_ns && (!a->start_ns || b->start_ns < a->start_ns))
		a->start_ns = b->start_ns;
	return join_text(m, &a->host, b->host) &&
	       join_text(m, &a->kernel_release, b->kernel_release) &&
	       join_text(m, &a->arch, b->arch) && join_text(m, &a->perf_version, b->perf_version) &&
	       join_text(m, &a->command, b->command);
}

struct pd_error *profile_merge(struct profile *into, const struct profile *from)
{
	struct merge m = { .into = into, .from = from };
	bool ok = set_up(&m) && merge_strings(&m) && merge_binaries(&m) && merge_functions(&m) &&
		  merge_frames(&m) && merge_stacks(&m) && merge_threads(&m) && merge_tags(&m) &&
		  merge_events(&m) && merge_samples(&m) && merge_about(&m);

	if (ok)
		merge_stats(&into->stats, &from->stats);
	tear_down(&m);
	return ok ? NULL : &pd_enomem;
}
