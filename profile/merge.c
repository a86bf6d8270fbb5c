#include "profile/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/integer.h"

struct merge {
	struct profile *into;
	const struct profile *from;
	/** Ids in `into`, indexed by the ids in `from`. */
	struct prof_string_id *strings;
	struct prof_binary_id *binaries;
	struct prof_function_id *functions;
	struct prof_frame_id *frames;
	struct prof_thread_id *threads;
	struct prof_tags_id *tags;
	struct prof_stack_id *stacks;
	struct prof_event_id *events;
	struct prof_sample_id *samples;
	/** Buffer for one stack with ids of `into`. */
	PD_VEC(struct prof_frame_id) stack;
};

#define ALLOC_IDS(ids, n) ((ids) = base_calloc_n((n), sizeof(*(ids))))

static bool set_up(struct merge *m)
{
	const struct profile *from = m->from;

	return ALLOC_IDS(m->strings, from->strings.n) && ALLOC_IDS(m->binaries, from->binaries.n) &&
	       ALLOC_IDS(m->functions, from->functions.n) && ALLOC_IDS(m->frames, from->frames.n) &&
	       ALLOC_IDS(m->threads, from->threads.n) && ALLOC_IDS(m->tags, from->tags.n) &&
	       ALLOC_IDS(m->stacks, from->stacks.n) && ALLOC_IDS(m->events, from->events.n) &&
	       ALLOC_IDS(m->samples, from->samples.n);
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
	free(m->samples);
	pd_vec_deinit(&m->stack);
}

static bool merge_strings(struct merge *m)
{
	for (struct prof_string_id id = { 0 }; id.i < m->from->strings.n; id.i++) {
		m->strings[id.i] = prof_add_string_n(
			m->into, prof_string(m->from, id), prof_string_len(m->from, id));
		if (prof_is_none(m->strings[id.i]))
			return false;
	}
	return true;
}

/* Compare the function names at two frames, one of each profile. */
static bool has_same_names(
	const struct merge *m, struct prof_frame_id into_frame, struct prof_frame_id from_frame)
{
	uint32_t n_a, n_b;
	const struct prof_line *a = prof_frame_lines(m->into, into_frame, &n_a);
	const struct prof_line *b = prof_frame_lines(m->from, from_frame, &n_b);

	for (uint32_t i = 0; i < n_a && i < n_b; i++) {
		struct prof_string_id x = prof_function(m->into, a[i].function)->name;
		struct prof_string_id y = prof_function(m->from, b[i].function)->name;

		if (!prof_same_string(x, m->strings[y.i]))
			return false;
	}
	return n_a == n_b;
}

/*
 * Whether frames that occur in both binaries have the same names. They differ if only one of the
 * binaries was found or if other debug files were used; one binary must not have two names for one
 * address.
 */
static bool names_agree(const struct merge *m, struct prof_binary_id a, struct prof_binary_id b)
{
	for (struct prof_frame_id id = { 0 }; id.i < m->from->frames.n; id.i++) {
		struct prof_frame frame = *prof_frame(m->from, id);

		if (!prof_same_binary(frame.binary, b))
			continue;
		frame.binary = a;
		const struct prof_frame_id known = { base_intern_find(
			&m->into->frames, &frame, sizeof(frame)) };
		if (!prof_is_none(known) && !has_same_names(m, known, id))
			return false;
	}
	return true;
}

static bool is_same_binary(
	const struct merge *m, const struct prof_binary *a, const struct prof_binary *b)
{
	if (!prof_same_string(a->name, m->strings[b->name.i]) || a->is_generated ||
		b->is_generated || a->is_kernel != b->is_kernel || a->is_found != b->is_found ||
		a->is_mismatched != b->is_mismatched || a->build_id.len != b->build_id.len ||
		!pd_build_id_equal(&a->build_id, &b->build_id))
		return false;
	return !a->is_kernel || a->start == b->start;
}

static void join_binary(struct prof_binary *a, const struct prof_binary *b)
{
	/* The segment of the merged binary covers the code of both. */
	if (b->start < a->start) {
		a->offset = b->offset;
		a->start = b->start;
	}
	if (b->limit > a->limit)
		a->limit = b->limit;
	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++) {
		a->ends[i].samples += b->ends[i].samples;
		base_add_capped(&a->ends[i].period, b->ends[i].period);
	}
}

static bool merge_binary(struct merge *m, struct prof_binary_id id, size_t n_known)
{
	struct prof_binary binary = *prof_binary(m->from, id);

	/* Only binaries that were there before the merge: those of one profile stay distinct. */
	for (struct prof_binary_id known = { 0 }; known.i < n_known; known.i++) {
		if (!is_same_binary(m, prof_binary(m->into, known), &binary) ||
			!names_agree(m, known, id))
			continue;
		join_binary(&m->into->binaries.data[known.i], &binary);
		m->binaries[id.i] = known;
		return true;
	}
	binary.name = m->strings[binary.name.i];
	binary.why = m->strings[binary.why.i];
	binary.ref_symbol = m->strings[binary.ref_symbol.i];
	binary.jitdump = m->strings[binary.jitdump.i];
	m->binaries[id.i] = prof_add_binary(m->into, &binary);
	return !prof_is_none(m->binaries[id.i]);
}

static bool merge_binaries(struct merge *m)
{
	size_t n_known = m->into->binaries.n;

	for (struct prof_binary_id id = { 0 }; id.i < m->from->binaries.n; id.i++) {
		if (!merge_binary(m, id, n_known))
			return false;
	}
	return true;
}

static struct prof_binary_id merged_binary(const struct merge *m, struct prof_binary_id id)
{
	return prof_is_none(id) ? id : m->binaries[id.i];
}

/* Whether the merged profile has another build of the binary, by its file name. */
static bool has_other_build(const struct profile *profile, struct prof_binary_id id)
{
	const struct pd_build_id *own = &prof_binary(profile, id)->build_id;
	const char *base = prof_binary_base(profile, id);

	for (struct prof_binary_id other = { 0 }; other.i < profile->binaries.n; other.i++) {
		const struct prof_binary *binary = prof_binary(profile, other);

		if (binary->has_made_names && !pd_build_id_equal(&binary->build_id, own) &&
			strcmp(prof_binary_base(profile, other), base) == 0)
			return true;
	}
	return false;
}

/* Add the build to a made name, which means another function in another build. */
static bool name_build(struct merge *m, struct prof_function *function)
{
	enum { SHOWN = 8 };
	char hex[PD_BUILD_ID_HEX_MAX];

	if (!function->made_size || prof_is_none(function->binary) ||
		!has_other_build(m->into, function->binary))
		return true;
	pd_build_id_hex(&prof_binary(m->into, function->binary)->build_id, hex);
	_cleanup_free_ char *name = base_format(
		"%s [%.*s]", prof_string(m->into, function->name), SHOWN, hex[0] ? hex : "no id");
	if (!name)
		return false;
	function->name = function->linkage = prof_add_string(m->into, name);
	return !prof_is_none(function->name);
}

static bool merge_functions(struct merge *m)
{
	for (struct prof_function_id id = { 0 }; id.i < m->from->functions.n; id.i++) {
		struct prof_function function = *prof_function(m->from, id);

		function.name = m->strings[function.name.i];
		function.linkage = m->strings[function.linkage.i];
		function.file = m->strings[function.file.i];
		function.decl_file = m->strings[function.decl_file.i];
		function.binary = merged_binary(m, function.binary);
		if (!name_build(m, &function))
			return false;
		m->functions[id.i] = prof_add_function(m->into, &function);
		if (prof_is_none(m->functions[id.i]))
			return false;
	}
	return true;
}

/* Whether @p err is NULL. All errors of merging are reported as one, so it is destroyed. */
static bool is_done(struct pd_error *err)
{
	pd_error_destroy(err);
	return !err;
}

/* Copy @p n lines. *@p ret is the range of the copies. */
static bool copy_lines(
	struct merge *m, const struct prof_line *lines, uint32_t n, struct prof_lines *ret)
{
	*ret = (struct prof_lines){ .first = (uint32_t)m->into->lines.n, .n = n };
	for (uint32_t i = 0; i < n; i++) {
		struct prof_line line = lines[i];

		line.function = m->functions[line.function.i];
		if (!pd_vec_push(&m->into->lines, line))
			return false;
	}
	return true;
}

static bool merge_lines(struct merge *m, struct prof_frame_id id)
{
	struct prof_lines copy;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(m->from, id, &n);

	return copy_lines(m, lines, n, &copy) && pd_vec_push(&m->into->frame_lines, copy);
}

static bool merge_code(struct merge *m)
{
	for (struct prof_code_id id = { 0 }; id.i < m->from->code.n; id.i++) {
		struct prof_code code = *prof_code(m->from, id);
		struct prof_lines copy;
		uint32_t n;
		const struct prof_line *lines = prof_code_lines(m->from, id, &n);

		code.binary = merged_binary(m, code.binary);
		if (base_intern_find(&m->into->code, &code, sizeof(code)) != PD_INTERN_NONE)
			continue;
		if (!copy_lines(m, lines, n, &copy) ||
			!is_done(prof_add_code(m->into, &code, copy)))
			return false;
	}
	return true;
}

/* Add the offsets of a new frame. Both profiles were made with the same request. */
static bool merge_offsets(struct merge *m, struct prof_frame_id id)
{
	return id.i >= m->from->frame_offsets.n ||
	       pd_vec_push(&m->into->frame_offsets, m->from->frame_offsets.data[id.i]);
}

static bool merge_frames(struct merge *m)
{
	for (struct prof_frame_id id = { 0 }; id.i < m->from->frames.n; id.i++) {
		struct prof_frame frame = *prof_frame(m->from, id);
		size_t n_before = m->into->frames.n;

		frame.binary = merged_binary(m, frame.binary);
		m->frames[id.i] = prof_add_frame(m->into, &frame);
		if (prof_is_none(m->frames[id.i]) ||
			(m->into->frames.n > n_before &&
				(!merge_lines(m, id) || !merge_offsets(m, id))))
			return false;
	}
	return true;
}

static bool merge_stacks(struct merge *m)
{
	for (struct prof_stack_id id = { 0 }; id.i < m->from->stacks.n; id.i++) {
		uint32_t n;
		const struct prof_frame_id *frames = prof_stack(m->from, id, &n);

		if (!pd_vec_reserve(&m->stack, n))
			return false;
		for (uint32_t k = 0; k < n; k++)
			m->stack.data[k] = m->frames[frames[k].i];
		m->stacks[id.i] = prof_add_stack(m->into, m->stack.data, n);
		if (prof_is_none(m->stacks[id.i]))
			return false;
	}
	return true;
}

static bool merge_threads(struct merge *m)
{
	for (struct prof_thread_id id = { 0 }; id.i < m->from->threads.n; id.i++) {
		struct prof_thread thread = *prof_thread(m->from, id);

		thread.comm = m->strings[thread.comm.i];
		m->threads[id.i] = prof_add_thread(m->into, &thread);
		if (prof_is_none(m->threads[id.i]))
			return false;
	}
	return true;
}

static bool merge_processes(struct merge *m)
{
	for (size_t i = 0; i < m->from->processes.n; i++) {
		struct prof_process process = m->from->processes.data[i];

		process.name = m->strings[process.name.i];
		if (!pd_vec_push(&m->into->processes, process))
			return false;
	}
	prof_sort_processes(m->into);
	return true;
}

static bool merge_labels(const struct merge *m, struct prof_labels_id *labels)
{
	uint32_t n;

	if (prof_is_none(*labels))
		return true;
	const struct prof_string_id *texts = prof_labels(m->from, *labels, &n);
	_cleanup_free_ struct prof_string_id *list = calloc(n, sizeof(*list));

	if (!list)
		return false;
	for (uint32_t i = 0; i < n; i++)
		list[i] = m->strings[texts[i].i];
	*labels = prof_add_labels(m->into, list, n);
	return !prof_is_none(*labels);
}

static bool merge_tags(struct merge *m)
{
	for (struct prof_tags_id id = { 0 }; id.i < m->from->tags.n; id.i++) {
		const struct prof_tags *from = prof_tags(m->from, id);
		PD_IS_TRUE(from, "tags are NULL for no id only");
		struct prof_tags tags = *from;

		tags.cgroup = m->strings[tags.cgroup.i];
		tags.input = m->strings[tags.input.i];
		if (!merge_labels(m, &tags.labels))
			return false;
		m->tags[id.i] = prof_add_tags(m->into, &tags);
		if (prof_is_none(m->tags[id.i]))
			return false;
	}
	return true;
}

static void join_odd_periods(struct prof_odd_periods *a, const struct prof_odd_periods *b)
{
	if (!a->n_invalid)
		a->invalid = b->invalid;
	a->n_invalid += b->n_invalid;
	a->huge.samples += b->huge.samples;
	base_add_capped(&a->huge.period, b->huge.period);
	if (b->largest > a->largest)
		a->largest = b->largest;
}

/* Totals are not summed here: adding the samples does that. */
static void join_event(struct prof_event *a, const struct prof_event *b)
{
	a->lacks_periods |= b->lacks_periods;
	a->is_counted |= b->is_counted;
	a->is_of_cpus &= b->is_of_cpus;
	a->counted += b->counted;
	join_odd_periods(&a->odd, &b->odd);
	a->has_stacks |= b->has_stacks;
	a->is_wanted |= b->is_wanted;
	a->is_dummy &= b->is_dummy;
	if (b->stack_bytes > a->stack_bytes)
		a->stack_bytes = b->stack_bytes;
	if (a->sample_period != b->sample_period)
		a->sample_period = 0;
}

static bool merge_event(struct merge *m, struct prof_event_id id, size_t n_known)
{
	struct prof_event event = *prof_event(m->from, id);

	event.name = m->strings[event.name.i];
	event.unit = m->strings[event.unit.i];
	event.counted_unit = m->strings[event.counted_unit.i];
	event.total = (struct prof_value){ 0 };
	/* Only events that were there before the merge: those of one profile stay distinct. */
	for (uint32_t i = 0; i < n_known; i++) {
		struct prof_event *known = &m->into->events.data[i];

		if (!prof_same_string(known->name, event.name) ||
			!prof_same_string(known->unit, event.unit))
			continue;
		join_event(known, &event);
		m->events[id.i] = (struct prof_event_id){ i };
		return true;
	}
	m->events[id.i] = prof_add_event(m->into, &event);
	return !prof_is_none(m->events[id.i]);
}

/* Refer to the leaders of the events that the merge added, once all events are known. */
static void merge_leaders(struct merge *m, size_t n_known)
{
	for (struct prof_event_id id = { 0 }; id.i < m->from->events.n; id.i++) {
		uint32_t leader = prof_event(m->from, id)->leader;

		if (leader && m->events[id.i].i >= n_known)
			m->into->events.data[m->events[id.i].i].leader =
				m->events[leader - 1].i + 1;
	}
}

static bool merge_events(struct merge *m)
{
	size_t n_known = m->into->events.n;

	for (struct prof_event_id id = { 0 }; id.i < m->from->events.n; id.i++) {
		if (!merge_event(m, id, n_known))
			return false;
	}
	merge_leaders(m, n_known);
	return true;
}

/* Return what the merged profile can count of @p value, as resolve_periods_take() does. */
static struct prof_value countable(
	struct merge *m, struct prof_event_id event, struct prof_value value)
{
	struct prof_odd_periods *odd = &m->into->events.data[event.i].odd;

	if (value.period <= PROF_MAX_PERIODS - m->into->stats.period_sum) {
		m->into->stats.period_sum += value.period;
		return value;
	}
	if (!odd->n_invalid)
		odd->invalid = value.period;
	odd->n_invalid += value.samples;
	value.period = 0;
	return value;
}

static bool merge_samples(struct merge *m)
{
	for (struct prof_sample_id id = { 0 }; id.i < m->from->samples.n; id.i++) {
		struct prof_sample sample = *prof_sample(m->from, id);

		sample.stack = m->stacks[sample.stack.i];
		sample.thread = m->threads[sample.thread.i];
		sample.event = m->events[sample.event.i];
		if (!prof_is_none(sample.tags))
			sample.tags = m->tags[sample.tags.i];
		const struct prof_value value =
			countable(m, sample.event, *prof_value(m->from, id));
		uint64_t time = prof_sample_time(m->from, id);
		if (prof_add_samples(m->into, &sample, time, &value, &m->samples[id.i]))
			return false;
	}
	return true;
}

static bool merge_edges(struct merge *m)
{
	for (struct prof_edge_id id = { 0 }; id.i < m->from->edges.n; id.i++) {
		struct prof_edge edge = *prof_edge(m->from, id);

		edge.from = m->frames[edge.from.i];
		edge.to = m->frames[edge.to.i];
		if (!prof_is_none(edge.end))
			edge.end = m->frames[edge.end.i];
		if (!is_done(prof_add_edge(m->into, &edge, &m->from->edge_counts.data[id.i])))
			return false;
	}
	return true;
}

static bool merge_waits(struct merge *m)
{
	for (size_t i = 0; i < m->from->waits.n; i++) {
		struct prof_wait wait = m->from->waits.data[i];

		wait.sample = m->samples[wait.sample.i];
		if (!prof_is_none(wait.waker))
			wait.waker = m->samples[wait.waker.i];
		wait.interrupt = m->strings[wait.interrupt.i];
		if (!pd_vec_push(&m->into->waits, wait))
			return false;
	}
	return true;
}

/* Lives are numbered from @p n_before on. */
static bool merge_phases(struct merge *m, size_t n_before)
{
	for (size_t i = 0; i < m->from->ledger_phases.n; i++) {
		struct prof_ledger_phase phase = m->from->ledger_phases.data[i];

		phase.life += (uint32_t)n_before;
		if (!prof_is_none(phase.waker))
			phase.waker = m->threads[phase.waker.i];
		phase.interrupt = m->strings[phase.interrupt.i];
		base_spill_pass(&m->from->ledger_phases, i);
		if (!is_done(base_spill_push(&m->into->ledger_phases, phase)))
			return false;
	}
	return true;
}

static bool merge_ledgers(struct merge *m)
{
	const struct profile *from = m->from;
	size_t n_lives = m->into->ledger_threads.n;

	for (size_t i = 0; i < from->ledgers.n; i++) {
		if (!pd_vec_push(&m->into->ledgers, from->ledgers.data[i]))
			return false;
	}
	for (size_t i = 0; i < from->ledger_threads.n; i++) {
		struct prof_ledger_thread row = from->ledger_threads.data[i];

		row.thread = m->threads[row.thread.i];
		if (!prof_is_none(row.cgroup))
			row.cgroup = m->strings[row.cgroup.i];
		if (!pd_vec_push(&m->into->ledger_threads, row))
			return false;
	}
	for (size_t i = 0; i < from->ledger_wakers.n; i++) {
		struct prof_ledger_waker row = from->ledger_wakers.data[i];

		row.waiter = m->threads[row.waiter.i];
		if (!prof_is_none(row.waker))
			row.waker = m->threads[row.waker.i];
		row.interrupt = m->strings[row.interrupt.i];
		if (!pd_vec_push(&m->into->ledger_wakers, row))
			return false;
	}
	for (size_t i = 0; i < from->ledger_cpus.n; i++) {
		if (!pd_vec_push(&m->into->ledger_cpus, from->ledger_cpus.data[i]))
			return false;
	}
	return merge_phases(m, n_lives);
}

/* Kinds of one name are one. */
static bool merge_interval_kind(
	struct merge *m, const struct prof_interval_kind *kind, uint32_t *ret)
{
	struct prof_interval_kind row = *kind;

	row.name = m->strings[row.name.i];
	for (size_t i = 0; i < m->into->interval_kinds.n; i++) {
		struct prof_interval_kind *other = &m->into->interval_kinds.data[i];

		if (other->name.i != row.name.i)
			continue;
		other->n_unended += row.n_unended;
		other->n_unbegun += row.n_unbegun;
		other->n_restarted += row.n_restarted;
		*ret = (uint32_t)i;
		return true;
	}
	*ret = (uint32_t)m->into->interval_kinds.n;
	return pd_vec_push(&m->into->interval_kinds, row);
}

static bool merge_intervals(struct merge *m)
{
	const struct profile *from = m->from;
	_cleanup_free_ uint32_t *kinds = base_calloc_n(from->interval_kinds.n, sizeof(*kinds));

	for (size_t i = 0; kinds && i < from->interval_kinds.n; i++) {
		if (!merge_interval_kind(m, &from->interval_kinds.data[i], &kinds[i]))
			return false;
	}
	for (size_t i = 0; kinds && i < from->intervals.n; i++) {
		struct prof_interval row = from->intervals.data[i];

		row.kind = (uint16_t)kinds[row.kind];
		if (!prof_is_none(row.label))
			row.label = m->strings[row.label.i];
		if (!prof_is_none(row.thread))
			row.thread = m->threads[row.thread.i];
		if (!prof_is_none(row.stack))
			row.stack = m->stacks[row.stack.i];
		if (!is_done(base_spill_push(&m->into->intervals, row)))
			return false;
	}
	return kinds;
}

static bool merge_delays(struct merge *m)
{
	for (size_t i = 0; i < m->from->ledger_delays.n; i++) {
		struct prof_ledger_delay delay = m->from->ledger_delays.data[i];

		delay.thread = m->threads[delay.thread.i];
		if (!prof_is_none(delay.before))
			delay.before = m->threads[delay.before.i];
		base_spill_pass(&m->from->ledger_delays, i);
		if (!is_done(base_spill_push(&m->into->ledger_delays, delay)))
			return false;
	}
	return true;
}

static bool merge_changes(struct merge *m)
{
	for (size_t i = 0; i < m->from->ledger_changes.n; i++) {
		struct prof_ledger_change change = m->from->ledger_changes.data[i];

		change.thread = m->threads[change.thread.i];
		if (!prof_is_none(change.by))
			change.by = m->threads[change.by.i];
		base_spill_pass(&m->from->ledger_changes, i);
		if (!is_done(base_spill_push(&m->into->ledger_changes, change)))
			return false;
	}
	return true;
}

static bool merge_paths(struct merge *m)
{
	size_t n_before = m->into->paths.n;

	for (size_t i = 0; i < m->from->paths.n; i++) {
		struct prof_path path = m->from->paths.data[i];

		path.thread = m->threads[path.thread.i];
		if (!pd_vec_push(&m->into->paths, path))
			return false;
	}
	for (size_t i = 0; i < m->from->path_steps.n; i++) {
		struct prof_path_step step = m->from->path_steps.data[i];

		step.path += (uint32_t)n_before;
		step.thread = m->threads[step.thread.i];
		if (!prof_is_none(step.instead))
			step.instead = m->threads[step.instead.i];
		step.interrupt = m->strings[step.interrupt.i];
		if (!pd_vec_push(&m->into->path_steps, step))
			return false;
	}
	return true;
}

static bool merge_mappings(struct merge *m)
{
	for (size_t i = 0; i < m->from->mappings.n; i++) {
		struct prof_mapping row = m->from->mappings.data[i];

		row.name = m->strings[row.name.i];
		if (!prof_is_none(row.binary))
			row.binary = m->binaries[row.binary.i];
		if (!pd_vec_push(&m->into->mappings, row))
			return false;
	}
	return true;
}

/*
 * Recordings of several machines may have processes of the same number. The runtimes of both are
 * attributed to either.
 */
static bool merge_runtimes(struct merge *m)
{
	for (size_t i = 0; i < m->from->runtimes.n; i++) {
		if (!pd_vec_push(&m->into->runtimes, m->from->runtimes.data[i]))
			return false;
	}
	return true;
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* Keep the longer period, from which fewer samples are expected. */
static void merge_short_lives(struct prof_short_lives *a, const struct prof_short_lives *b)
{
	a->n_tasks += b->n_tasks;
	a->total_ns += b->total_ns;
	a->n_samples += b->n_samples;
	if (b->period_ns > a->period_ns)
		a->period_ns = b->period_ns;
}

static void merge_branch_stats(struct prof_branch_stats *a, const struct prof_branch_stats *b)
{
	a->n_stacks += b->n_stacks;
	a->n_branches += b->n_branches;
	a->n_calls += b->n_calls;
	a->n_chosen += b->n_chosen;
}

static void merge_stats(struct prof_stats *a, const struct prof_stats *b)
{
	a->n_samples += b->n_samples;
	add_counts(a->skipped, b->skipped, PROF_N_SKIPS);
	add_counts(a->filtered, b->filtered, PROF_N_FILTERS);
	for (size_t i = 0; i < PROF_N_FILTERS; i++)
		base_add_capped(&a->filtered_period[i], b->filtered_period[i]);
	add_counts(a->origins, b->origins, PROF_N_STACK_ORIGINS);
	a->n_lost_records += b->n_lost_records;
	a->n_lost_samples += b->n_lost_samples;
	a->n_throttled += b->n_throttled;
	a->n_late_records += b->n_late_records;
	a->n_unknown_records += b->n_unknown_records;
	a->n_gaps += b->n_gaps;
	a->gap_bytes += b->gap_bytes;
	a->n_after_gaps += b->n_after_gaps;
	a->n_frames += b->n_frames;
	a->n_fp_frames += b->n_fp_frames;
	a->n_stitched += b->n_stitched;
	a->n_generated += b->n_generated;
	a->n_reused += b->n_reused;
	merge_short_lives(&a->short_lives, &b->short_lives);
	merge_branch_stats(&a->branches, &b->branches);
	/*
	 * Clocks of different machines have different zeros, so only the durations can be summed.
	 */
	a->last_ns += b->last_ns - b->first_ns;
	a->end_ns += prof_stats_length(b);
}

/* Append a text that is not contained yet: "a; b". */
static bool join_text(struct merge *m, struct prof_string_id *to, struct prof_string_id from)
{
	struct prof_string_id other = m->strings[from.i];

	if (!other.i || strstr(prof_string(m->into, *to), prof_string(m->into, other)))
		return true;
	if (!to->i) {
		*to = other;
		return true;
	}
	_cleanup_free_ char *text =
		base_format("%s; %s", prof_string(m->into, *to), prof_string(m->into, other));
	if (!text)
		return false;
	*to = prof_add_string(m->into, text);
	return !prof_is_none(*to);
}

static bool merge_about(struct merge *m)
{
	struct prof_about *a = &m->into->about;
	const struct prof_about *b = &m->from->about;

	if (b->start_ns && (!a->start_ns || b->start_ns < a->start_ns))
		a->start_ns = b->start_ns;
	if (!a->n_cpus || a->n_cpus == b->n_cpus)
		a->n_cpus = b->n_cpus;
	else
		a->n_cpus = 0;
	return join_text(m, &a->host, b->host) &&
	       join_text(m, &a->kernel_release, b->kernel_release) &&
	       join_text(m, &a->arch, b->arch) && join_text(m, &a->perf_version, b->perf_version) &&
	       join_text(m, &a->command, b->command) && join_text(m, &a->choices, b->choices) &&
	       join_text(m, &a->name_notes, b->name_notes);
}

struct pd_error *prof_merge(struct profile *into, const struct profile *from)
{
	struct merge m = { .into = into, .from = from };
	bool ok = set_up(&m) && merge_strings(&m) && merge_binaries(&m) && merge_functions(&m) &&
		  merge_frames(&m) && merge_code(&m) && merge_stacks(&m) && merge_threads(&m) &&
		  merge_processes(&m) && merge_tags(&m) && merge_events(&m) && merge_samples(&m) &&
		  merge_edges(&m) && merge_waits(&m) && merge_ledgers(&m) && merge_delays(&m) &&
		  merge_changes(&m) && merge_paths(&m) && merge_intervals(&m) &&
		  merge_mappings(&m) && merge_runtimes(&m) && merge_about(&m);

	/* They depend on the functions of both. */
	into->function_labels.n = into->pattern_names.n = 0;
	if (ok)
		merge_stats(&into->stats, &from->stats);
	tear_down(&m);
	return ok ? NULL : &pd_enomem;
}
