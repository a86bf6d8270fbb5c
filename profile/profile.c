#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/text.h"
#include "profile/part_defs.h"

_Static_assert(PROF_NONE == PD_INTERN_NONE, "adders pass on what interning returns");

void prof_init_sets(struct profile *profile)
{
	profile->frames.width = sizeof(struct prof_frame);
	profile->functions.width = sizeof(struct prof_function);
	profile->threads.width = sizeof(struct prof_thread);
	profile->tags.width = sizeof(struct prof_tags);
	profile->edges.width = sizeof(struct prof_edge);
	profile->code.width = sizeof(struct prof_code);
}

struct pd_error *prof_create(struct profile **ret)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return &pd_enomem;
	prof_init_sets(profile);
	if (base_intern_str(&profile->strings, "") != 0 ||
		base_intern_add(&profile->trace_texts, "", 0) != 0 ||
		base_intern_add(&profile->bytes, "", 0) != 0) {
		prof_destroy(profile);
		return &pd_enomem;
	}
	*ret = profile;
	return NULL;
}

void prof_destroy(struct profile *profile)
{
	if (!profile)
		return;
#define DEINIT_vec pd_vec_deinit
#define DEINIT_spill base_spill_deinit
#define DEINIT_ARRAY(member, kind) DEINIT_##kind(&profile->member);
	PROF_ARRAYS(DEINIT_ARRAY)
#undef DEINIT_ARRAY
#define DEINIT_SET(member, ...) base_intern_deinit(&profile->member);
	PROF_SETS(DEINIT_SET)
#undef DEINIT_SET
	pd_vec_deinit(&profile->single_stacks);
	pd_vec_deinit(&profile->first_samples);
	prof_sample_index_deinit(&profile->other_samples);
	base_account_release(profile->account, profile->charged);
	free(profile->storage);
	free(profile);
}

void prof_spill(struct profile *profile, size_t max_bytes)
{
	profile->rows.spill.max_bytes = max_bytes;
	profile->origins.spill.max_bytes = max_bytes;
	profile->uncounted.spill.max_bytes = max_bytes;
	profile->details.spill.max_bytes = max_bytes;
	profile->intervals.spill.max_bytes = max_bytes;
	profile->ledger_delays.spill.max_bytes = max_bytes;
	profile->ledger_phases.spill.max_bytes = max_bytes;
	profile->ledger_changes.spill.max_bytes = max_bytes;
}

void prof_set_budget(struct profile *profile, struct pd_budget *budget)
{
#define SET_ACCOUNT(member, use) \
	profile->member.arena.account = base_budget_account(budget, PD_MEMORY_##use);
	PROF_SETS(SET_ACCOUNT)
#undef SET_ACCOUNT
	profile->rows.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->origins.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->uncounted.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->details.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->intervals.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->ledger_delays.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->ledger_phases.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->ledger_changes.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	profile->account = base_budget_account(budget, PD_MEMORY_SAMPLES);
	profile->other_samples.account = profile->account;
}

struct pd_error *prof_expect(struct profile *profile, size_t n)
{
	bool ok = base_intern_reserve(&profile->stacks, n) &&
		  pd_vec_reserve(&profile->samples, n) && pd_vec_reserve(&profile->values, n) &&
		  pd_vec_reserve(&profile->first_samples, n);

	return ok ? NULL : &pd_enomem;
}

/* Make room for stacks of frames up to @p frame. Returns false if memory ran out. */
static bool grow_single_stacks(struct profile *profile, struct prof_frame_id frame)
{
	size_t before = profile->single_stacks.cap, n = profile->single_stacks.n;

	if (!pd_vec_reserve(&profile->single_stacks, frame.i + (size_t)1))
		return false;
	size_t bytes = (profile->single_stacks.cap - before) * sizeof(*profile->single_stacks.data);
	if (!base_account_charge(profile->account, bytes))
		return false;
	profile->charged += profile->account ? bytes : 0;
	profile->single_stacks.n = frame.i + (size_t)1;
	memset(profile->single_stacks.data + n, 0,
		(profile->single_stacks.n - n) * sizeof(*profile->single_stacks.data));
	return true;
}

struct prof_stack_id prof_add_single_stack(struct profile *profile, struct prof_frame_id frame)
{
	if (frame.i >= profile->single_stacks.n && !grow_single_stacks(profile, frame))
		return prof_no_stack();
	uint32_t *known = &profile->single_stacks.data[frame.i];
	if (!*known)
		*known = base_intern_add(&profile->stacks, &frame, sizeof(frame)) + 1;
	return (struct prof_stack_id){ *known - 1 };
}

/* Count the memory of the elements after the first @p n, of @p size bytes each, many at a time. */
static bool charge_next(struct profile *profile, size_t n, size_t size)
{
	enum { AT_ONCE = 1024 };
	const size_t bytes = AT_ONCE * size;

	if (n % AT_ONCE || !profile->account)
		return true;
	if (!base_account_charge(profile->account, bytes))
		return false;
	profile->charged += bytes;
	return true;
}

static bool charge_samples(struct profile *profile)
{
	return charge_next(profile, profile->samples.n,
		sizeof(struct prof_sample) + sizeof(struct prof_value) +
			sizeof(*profile->first_samples.data));
}

/* Append a new sample. False: memory ran out. */
static bool push_sample(
	struct profile *profile, const struct prof_sample *sample, struct prof_sample_id *ret)
{
	const struct prof_value none = { 0 };

	*ret = (struct prof_sample_id){ (uint32_t)profile->samples.n };
	return profile->samples.n < UINT32_MAX - 1 && charge_samples(profile) &&
	       pd_vec_push(&profile->samples, *sample) && pd_vec_push(&profile->values, none);
}

/* Find or add a sample whose stack was first seen in another sample. */
static bool find_other(
	struct profile *profile, const struct prof_sample *sample, struct prof_sample_id *ret)
{
	uint32_t next = (uint32_t)profile->samples.n;

	if (!prof_sample_index_add(
		    &profile->other_samples, profile->samples.data, sample, next, &ret->i))
		return false;
	return ret->i != next || push_sample(profile, sample, ret);
}

static bool find_sample(
	struct profile *profile, const struct prof_sample *sample, struct prof_sample_id *ret)
{
	while (profile->first_samples.n <= sample->stack.i) {
		if (!pd_vec_push(&profile->first_samples, 0))
			return false;
	}
	uint32_t *first = &profile->first_samples.data[sample->stack.i];
	if (!*first && push_sample(profile, sample, ret)) {
		*first = ret->i + 1;
		return true;
	}
	if (!*first)
		return false;
	*ret = (struct prof_sample_id){ *first - 1 };
	if (memcmp(prof_sample(profile, *ret), sample, sizeof(*sample)) == 0)
		return true;
	return find_other(profile, sample, ret);
}

/* Append the time of the sample @p id, which was added last. False: memory ran out. */
static bool push_time(struct profile *profile, struct prof_sample_id id, uint64_t time)
{
	while (profile->times.n <= id.i) {
		uint64_t next = profile->times.n == id.i ? time : PD_NO_TIME;

		if (!charge_next(profile, profile->times.n, sizeof(time)) ||
			!pd_vec_push(&profile->times, next))
			return false;
	}
	return true;
}

void prof_add_value(
	struct profile *profile, struct prof_sample_id id, const struct prof_value *value)
{
	const struct prof_sample *sample = &profile->samples.data[id.i];
	struct prof_value *total = &profile->events.data[sample->event.i].total;

	profile->values.data[id.i].samples += value->samples;
	profile->values.data[id.i].period += value->period;
	total->samples += value->samples;
	total->period += value->period;
}

struct pd_error *prof_add_samples(struct profile *profile, const struct prof_sample *sample,
	uint64_t time, const struct prof_value *value, struct prof_sample_id *id_ret)
{
	struct prof_sample_id id;
	bool ok = time == PD_NO_TIME
			  ? find_sample(profile, sample, &id)
			  : push_sample(profile, sample, &id) && push_time(profile, id, time);

	if (!ok)
		return &pd_enomem;
	prof_add_value(profile, id, value);
	if (id_ret)
		*id_ret = id;
	return NULL;
}

struct pd_error *prof_add_sample(struct profile *profile, const struct prof_sample *sample,
	uint64_t period, struct prof_sample_id *id_ret)
{
	const struct prof_value value = { .samples = 1, .period = period };

	return prof_add_samples(profile, sample, PD_NO_TIME, &value, id_ret);
}

/* Append the count of a new edge. False: memory ran out. */
static bool push_edge_count(struct profile *profile)
{
	const struct prof_edge_count none = { 0 };

	return charge_next(profile, profile->edge_counts.n, sizeof(none)) &&
	       pd_vec_push(&profile->edge_counts, none);
}

struct pd_error *prof_add_edge(
	struct profile *profile, const struct prof_edge *edge, const struct prof_edge_count *count)
{
	uint32_t id = base_intern_add(&profile->edges, edge, sizeof(*edge));

	if (id == PD_INTERN_NONE || (id == profile->edge_counts.n && !push_edge_count(profile)))
		return &pd_enomem;
	profile->edge_counts.data[id].n += count->n;
	profile->edge_counts.data[id].mispredicted += count->mispredicted;
	return NULL;
}

struct pd_error *prof_add_code(
	struct profile *profile, const struct prof_code *code, struct prof_lines lines)
{
	uint32_t id = base_intern_add(&profile->code, code, sizeof(*code));

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	if (id < profile->code_lines.n)
		return NULL;
	return pd_vec_push(&profile->code_lines, lines) ? NULL : &pd_enomem;
}

struct prof_samples prof_take_samples(struct profile *profile)
{
	struct prof_samples taken = { 0 };

	taken.samples.data = profile->samples.data;
	taken.samples.n = profile->samples.n;
	taken.values.data = profile->values.data;
	taken.values.n = profile->values.n;
	profile->samples.data = NULL;
	profile->samples.n = profile->samples.cap = 0;
	profile->values.data = NULL;
	profile->values.n = profile->values.cap = 0;
	taken.times.data = profile->times.data;
	taken.times.n = profile->times.n;
	profile->times.data = NULL;
	profile->times.n = profile->times.cap = 0;
	profile->first_samples.n = 0;
	prof_sample_index_deinit(&profile->other_samples);
	for (size_t i = 0; i < profile->events.n; i++)
		profile->events.data[i].total = (struct prof_value){ 0 };
	return taken;
}

void prof_samples_deinit(struct prof_samples *samples)
{
	pd_vec_deinit(&samples->samples);
	pd_vec_deinit(&samples->values);
	pd_vec_deinit(&samples->times);
}

const char *prof_binary_base(const struct profile *profile, struct prof_binary_id id)
{
	if (prof_is_none(id))
		return "";
	return base_file_name(prof_string(profile, prof_binary(profile, id)->name));
}

const char *prof_unnamed(
	const struct profile *profile, const struct prof_frame *frame, char *buf, size_t size)
{
	if (prof_is_none(frame->binary))
		return "[unknown]";
	const char *name = prof_string(profile, prof_binary(profile, frame->binary)->name);
	const char *base = base_file_name(name);

	/* Names such as [vdso] are in brackets already. */
	snprintf(buf, size, base[0] == '[' ? "%s" : "[%s]", base);
	return buf;
}

const char *prof_field_name(enum prof_field field)
{
#define FIELD_NAME(name) #name,
	static const char *const names[PROF_N_FIELDS] = { PROF_FIELDS(FIELD_NAME) };

	return names[field];
}

uint64_t prof_stats_length(const struct prof_stats *stats)
{
	uint64_t begin = stats->begin_ns ? stats->begin_ns : stats->first_ns;
	uint64_t end = stats->end_ns > stats->last_ns ? stats->end_ns : stats->last_ns;

	return begin && end > begin ? end - begin : 0;
}

const char *prof_skip_text(enum prof_skip skip)
{
#define SKIP_TEXT(id, name, text) text,
	static const char *const texts[PROF_N_SKIPS] = { PD_SKIPS(SKIP_TEXT) };

	return texts[skip];
}

const char *prof_filter_name(enum prof_filter_kind filter)
{
#define FILTER_NAME(id, name, ...) name,
	static const char *const names[PROF_N_FILTERS] = { PD_FILTERS(FILTER_NAME) };

	return names[filter];
}

/* Processes of a pid stay in the order of their names, which is that in which they were added. */
static int compare_processes(const void *a, const void *b)
{
	const struct prof_process *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->name.i < y->name.i ? -1 : x->name.i > y->name.i;
}

void prof_sort_processes(struct profile *profile)
{
	struct prof_process *list = profile->processes.data;
	size_t n = 0;

	if (profile->processes.n)
		qsort(list, profile->processes.n, sizeof(*list), compare_processes);
	for (size_t i = 0; i < profile->processes.n; i++) {
		if (n && list[n - 1].pid == list[i].pid)
			n--;
		list[n++] = list[i];
	}
	profile->processes.n = n;
}

bool prof_find_process(const struct profile *profile, uint32_t pid, struct prof_string_id *name_ret)
{
	const struct prof_process *list = profile->processes.data;
	size_t at = base_lower_bound(profile->processes.n, i, list[i].pid < pid);

	if (at == profile->processes.n || list[at].pid != pid)
		return false;
	*name_ret = list[at].name;
	return true;
}

bool prof_is_counted(const struct profile *profile)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].is_counted)
			return true;
	}
	return false;
}

uint64_t prof_n_filtered(const struct profile *profile)
{
	uint64_t n = 0;

	for (size_t i = 0; i < PROF_N_FILTERS; i++)
		n += profile->stats.filtered[i];
	return n;
}

bool prof_is_conserved(const struct profile *profile)
{
	uint64_t n = prof_n_filtered(profile);

	for (size_t i = 0; i < profile->values.n; i++)
		n += profile->values.data[i].samples;
	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		n += profile->stats.skipped[i];
	return n == profile->stats.n_samples;
}
