#include "output/ledger_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/format.h"
#include "base/plural.h"
#include "output/doc/fit.h"

const char *const out_ledger_states[PROF_N_LEDGER_STATES + 1] = {
	[PROF_LEDGER_RUNNING] = "running",
	[PROF_LEDGER_RUNNABLE] = "runnable",
	[PROF_LEDGER_BLOCKED] = "blocked",
	[PROF_LEDGER_UNKNOWN] = "unknown",
	[PROF_N_LEDGER_STATES] = "life",
};

const char *const out_ledger_uses[PROF_N_LEDGER_USES + 1] = {
	[PROF_LEDGER_BUSY] = "busy",
	[PROF_LEDGER_IDLE] = "idle",
	[PROF_LEDGER_UNSURE] = "unknown",
	[PROF_N_LEDGER_USES] = "wall",
};

static void add_parts(struct out_ledger_sums *sums, const uint64_t *ns, size_t n, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sums->ns[i] += ns[i];
		sum += ns[i];
	}
	sums->whole += whole;
	sums->residue += sum > whole ? sum - whole : whole - sum;
}

struct out_ledger_sums out_ledger_sum_threads(const struct profile *profile)
{
	struct out_ledger_sums sums = { 0 };

	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		const struct prof_ledger_thread *row = &profile->ledger_threads.data[i];

		add_parts(&sums, row->ns, PROF_N_LEDGER_STATES, row->life_ns);
	}
	return sums;
}

struct out_ledger_sums out_ledger_sum_cpus(const struct profile *profile)
{
	struct out_ledger_sums sums = { 0 };

	for (size_t i = 0; i < profile->ledger_cpus.n; i++) {
		const struct prof_ledger_cpu *row = &profile->ledger_cpus.data[i];

		add_parts(&sums, row->ns, PROF_N_LEDGER_USES, row->wall_ns);
	}
	return sums;
}

/* The most active threads first. The comparison ends with an identity. */
static int compare_threads(const void *a, const void *b)
{
	const struct prof_ledger_thread *x = *(const struct prof_ledger_thread *const *)a;
	const struct prof_ledger_thread *y = *(const struct prof_ledger_thread *const *)b;

	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++) {
		if (x->ns[i] != y->ns[i])
			return x->ns[i] > y->ns[i] ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

const struct prof_ledger_thread **out_ledger_sort_threads(const struct profile *profile)
{
	size_t n = profile->ledger_threads.n;
	const struct prof_ledger_thread **list = base_calloc_n(n, sizeof(*list));

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = &profile->ledger_threads.data[i];
	qsort(list, n, sizeof(*list), compare_threads);
	return list;
}

/* The longest waits first. The comparison ends with an identity. */
const char *out_ledger_interrupt(const struct profile *profile, struct prof_string_id name)
{
	/* String 0 of a profile is "". */
	return name.i ? prof_string(profile, name) : OUT_LEDGER_INTERRUPT;
}

static int compare_wakers(const void *a, const void *b)
{
	const struct prof_ledger_waker *x = *(const struct prof_ledger_waker *const *)a;
	const struct prof_ledger_waker *y = *(const struct prof_ledger_waker *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

const struct prof_ledger_waker **out_ledger_sort_wakers(const struct profile *profile)
{
	size_t n = profile->ledger_wakers.n;
	const struct prof_ledger_waker **list = base_calloc_n(n, sizeof(*list));

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = &profile->ledger_wakers.data[i];
	qsort(list, n, sizeof(*list), compare_wakers);
	return list;
}

const char *out_ledger_span(const struct prof_ledger_thread *row)
{
	static const char *const spans[2][2] = {
		{ "whole life", "from its birth" },
		{ "to its end", "throughout" },
	};

	return spans[row->is_older ? 1 : 0][row->is_unfinished ? 1 : 0];
}

const char *out_ledger_instead(enum prof_instead kind, const char *thread)
{
	if (kind == PROF_INSTEAD_THREAD)
		return thread;
	return kind == PROF_INSTEAD_IDLE ? "[idle]" : "";
}

struct out_ledger_length out_ledger_length(const struct profile *profile)
{
	struct out_ledger_length ret = { .has_end = true };

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		ret.ns += profile->ledgers.data[i].wall_ns;
		ret.has_end &= profile->ledgers.data[i].has_end;
	}
	return ret;
}

struct out_ledger_lacks out_ledger_lacks(const struct profile *profile)
{
	struct out_ledger_lacks ret = { 0 };

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		ret.n_missing += ledger->n_missing;
		ret.has_switches |= ledger->has_switches;
		ret.lacks_wakes |= !ledger->has_wakes;
		ret.has_other_numbers |= ledger->has_other_numbers;
		ret.is_sampled |= ledger->is_sampled;
	}
	for (size_t i = 0; i < profile->ledger_cpus.n; i++)
		ret.n_breaks += profile->ledger_cpus.data[i].n_breaks;
	return ret;
}

/* Add a note whose text is allocated; NULL: no memory. */
static struct pd_error *add_note(struct out_ledger_notes *notes, const char *name, char *text)
{
	const struct out_ledger_note note = { name, text };

	if (text && pd_vec_push(&notes->list, note))
		return NULL;
	free(text);
	return &pd_enomem;
}

/* Whether a part of the time of the recordings is left out. */
static bool has_gaps(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		if (ledger->wall_ns < ledger->end_ns - ledger->begin_ns)
			return true;
	}
	return false;
}

static bool has_unfinished(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		if (profile->ledger_threads.data[i].is_unfinished)
			return true;
	}
	return false;
}

static struct pd_error *add_length(const struct profile *profile, struct out_ledger_notes *notes)
{
	struct out_ledger_length length = out_ledger_length(profile);
	char time[OUT_AMOUNT_SIZE];

	out_fit_amount(length.ns, "nanoseconds", time);
	struct pd_error *err = add_note(notes, "length",
		base_format("%s %s", time,
			has_gaps(profile) ? "in several ranges of time"
			: length.has_end  ? "from the first record to the end"
					  : "from the first record to the last"));
	if (err || length.has_end || !has_unfinished(profile))
		return err;
	return add_note(notes, "end",
		base_format("not recorded: what was not over is counted to the last record"));
}

/* Describe the records that the sums are made of. */
static const char *describe_source(const struct prof_ledger *ledger)
{
	if (ledger->has_switches)
		return ledger->is_of_cpus ? "switches of all threads"
					  : "switches of the recorded threads";
	return ledger->has_waits ? "waits alone, without SWITCH records: the rest is unknown"
				 : "neither switches nor waits, so that nothing is known";
}

static struct pd_error *add_sources(const struct profile *profile, struct out_ledger_notes *notes)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < profile->ledgers.n; i++)
		err = add_note(notes, "from",
			base_format("%s", describe_source(&profile->ledgers.data[i])));
	return err;
}

static struct pd_error *add_lacks(
	const struct out_ledger_lacks *lacks, struct out_ledger_notes *notes)
{
	struct pd_error *err = NULL;

	if (lacks->lacks_wakes && lacks->has_switches)
		err = add_note(notes, "wakeups",
			base_format("not all recorded: blocked includes delays until threads ran"));
	if (!err && lacks->is_sampled)
		err = add_note(notes, "sampled", base_format("%s", OUT_LEDGER_SAMPLED));
	if (!err && lacks->has_other_numbers)
		err = add_note(notes, "numbers",
			base_format("switches and other records number threads differently (PID "
				    "namespace): a thread may be there twice"));
	if (err || (!lacks->n_missing && !lacks->n_breaks))
		return err;
	return add_note(notes, "missing",
		base_format("%" PRIu64 " switches of threads and %" PRIu64
			    " of CPUs do not follow from those before",
			lacks->n_missing, lacks->n_breaks));
}

/* Say whether all accounts add up. */
static struct pd_error *add_balance(const struct profile *profile, struct out_ledger_notes *notes)
{
	uint64_t residue =
		out_ledger_sum_threads(profile).residue + out_ledger_sum_cpus(profile).residue;
	size_t n_threads = profile->ledger_threads.n, n_cpus = profile->ledger_cpus.n;

	if (residue)
		return add_note(
			notes, "balances", base_format("no: a residue of %" PRIu64 " ns", residue));
	if (!n_cpus)
		return add_note(notes, "balances",
			base_format("yes: %zu thread%s, to the nanosecond", n_threads,
				base_plural(n_threads)));
	return add_note(notes, "balances",
		base_format("yes: %zu thread%s and %zu CPU%s, to the nanosecond", n_threads,
			base_plural(n_threads), n_cpus, base_plural(n_cpus)));
}

struct pd_error *out_ledger_notes_find(
	const struct profile *profile, struct out_ledger_notes *notes)
{
	struct out_ledger_lacks lacks = out_ledger_lacks(profile);
	struct pd_error *err = add_length(profile, notes);

	if (!err)
		err = add_sources(profile, notes);
	if (!err)
		err = add_lacks(&lacks, notes);
	return err ? err : add_balance(profile, notes);
}

void out_ledger_notes_deinit(struct out_ledger_notes *notes)
{
	for (size_t i = 0; i < notes->list.n; i++)
		free(notes->list.data[i].text);
	pd_vec_deinit(&notes->list);
}
