#include "output/html/html_ledger.h"

#include <stdio.h>
#include <string.h>

#include "analyze/interval_rows.h"
#include "analyze/waits/wait_places.h"
#include "base/cleanup.h"
#include "base/memstream.h"

/*
 * Longest list. The rows after that are summed up in one row, so that the sums remain those of all.
 */
enum { MAX_ROWS = 500 };

/* Times and counts of a thread, a CPU or a pair of threads, or sums of them. */
struct row {
	uint64_t ns[PROF_N_LEDGER_STATES];
	/** Number of times, and what they add up to. */
	size_t n_ns;
	uint64_t whole;
	/** Names of the counts; NULL: there is none. */
	const char *names[2];
	uint64_t counts[2];
};

/* Sums of a list: of all rows, and of those that have no row of their own. */
struct sums {
	size_t n;
	struct row all;
	struct row more;
};

static void write_row(struct base_json *json, const struct row *row)
{
	base_json_array(json, "ns");
	for (size_t i = 0; i < row->n_ns; i++)
		html_write_decimal(json, NULL, row->ns[i]);
	base_json_end(json, ']');
	html_write_decimal(json, "whole", row->whole);
	for (size_t i = 0; i < 2 && row->names[i]; i++)
		html_write_decimal(json, row->names[i], row->counts[i]);
}

static void add_row(struct row *sum, const struct row *row)
{
	for (size_t i = 0; i < row->n_ns; i++)
		sum->ns[i] += row->ns[i];
	sum->whole += row->whole;
	sum->n_ns = row->n_ns;
	for (size_t i = 0; i < 2; i++) {
		sum->names[i] = row->names[i];
		sum->counts[i] += row->counts[i];
	}
}

/* Add a row to the sums. Return whether it has a place in the list. */
static bool count_row(struct sums *sums, const struct row *row)
{
	bool is_shown = sums->n++ < MAX_ROWS;

	add_row(&sums->all, row);
	if (!is_shown)
		add_row(&sums->more, row);
	return is_shown;
}

static void write_sum(struct base_json *json, const char *key, size_t n, const struct row *row)
{
	base_json_object(json, key);
	base_json_uint(json, "n", n);
	write_row(json, row);
	base_json_end(json, '}');
}

/* End a list, and write what its rows add up to, if there are any. */
static void write_sums(struct base_json *json, const char *name, const struct sums *sums)
{
	char key[32];

	base_json_end(json, ']');
	if (sums->n > MAX_ROWS) {
		snprintf(key, sizeof(key), "more_%s", name);
		write_sum(json, key, sums->n - MAX_ROWS, &sums->more);
	}
	snprintf(key, sizeof(key), "all_%s", name);
	if (sums->n)
		write_sum(json, key, sums->n, &sums->all);
}

/* Write the members of a thread. */
static void write_thread(const struct html *h, struct base_json *json, struct prof_thread_id id)
{
	const struct prof_thread *thread = prof_thread(h->profile, id);

	base_json_int(json, "tid", (int32_t)thread->tid);
	html_write_string(h, json, "name", thread->comm);
}

static void write_threads(const struct html *h, struct base_json *json)
{
	_cleanup_free_ const struct prof_ledger_thread **list = out_ledger_sort_threads(h->profile);
	struct sums sums = { 0 };

	if (!list)
		base_stream_fail(json->out);
	base_json_array(json, "threads");
	for (size_t i = 0; list && i < h->profile->ledger_threads.n; i++) {
		struct row row = {
			.n_ns = PROF_N_LEDGER_STATES,
			.whole = list[i]->life_ns,
			.names = { "runs", "waits" },
			.counts = { list[i]->n_runs, list[i]->n_waits },
		};

		memcpy(row.ns, list[i]->ns, sizeof(list[i]->ns));
		if (!count_row(&sums, &row))
			continue;
		base_json_object(json, NULL);
		write_thread(h, json, list[i]->thread);
		base_json_str(json, "span", out_ledger_span(list[i]));
		write_row(json, &row);
		base_json_end(json, '}');
	}
	write_sums(json, "threads", &sums);
}

static void write_cpus(const struct html *h, struct base_json *json)
{
	struct sums sums = { 0 };

	base_json_array(json, "cpus");
	for (size_t i = 0; i < h->profile->ledger_cpus.n; i++) {
		const struct prof_ledger_cpu *cpu = &h->profile->ledger_cpus.data[i];
		struct row row = {
			.n_ns = PROF_N_LEDGER_USES,
			.whole = cpu->wall_ns,
			.names = { "switches" },
			.counts = { cpu->n_switches },
		};

		memcpy(row.ns, cpu->ns, sizeof(cpu->ns));
		if (!count_row(&sums, &row))
			continue;
		base_json_object(json, NULL);
		base_json_uint(json, "cpu", cpu->cpu);
		write_row(json, &row);
		base_json_end(json, '}');
	}
	write_sums(json, "cpus", &sums);
}

/* Write who woke whom. */
static void write_wakers(const struct html *h, struct base_json *json)
{
	_cleanup_free_ const struct prof_ledger_waker **list = out_ledger_sort_wakers(h->profile);
	struct sums sums = { 0 };

	if (!list)
		base_stream_fail(json->out);
	base_json_array(json, "wakers");
	for (size_t i = 0; list && i < h->profile->ledger_wakers.n; i++) {
		const struct row row = {
			.whole = list[i]->ns,
			.names = { "waits" },
			.counts = { list[i]->n },
		};

		if (!count_row(&sums, &row))
			continue;
		base_json_object(json, NULL);
		write_thread(h, json, list[i]->waiter);
		base_json_object(json, "waker");
		if (prof_is_none(list[i]->waker))
			base_json_str(
				json, "name", out_ledger_interrupt(h->profile, list[i]->interrupt));
		else
			write_thread(h, json, list[i]->waker);
		base_json_end(json, '}');
		write_row(json, &row);
		base_json_end(json, '}');
	}
	write_sums(json, "wakers", &sums);
}

static void write_names(struct base_json *json, const char *key, const char *const *names, size_t n)
{
	base_json_array(json, key);
	for (size_t i = 0; i < n; i++)
		base_json_str(json, NULL, names[i]);
	base_json_end(json, ']');
}

bool html_has_ledger(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		if (ledger->has_switches || ledger->has_waits)
			return true;
	}
	return false;
}

/* Write the first and the last moment of the recordings, and how exact their lanes are. */
static void write_lanes(const struct html *h, struct base_json *json)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < h->profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &h->profile->ledgers.data[i];

		begin = ledger->begin_ns < begin ? ledger->begin_ns : begin;
		end = ledger->end_ns > end ? ledger->end_ns : end;
	}
	html_write_decimal(json, "begin_ns", begin);
	html_write_decimal(json, "end_ns", end);
	html_write_decimal(json, "least_phase_ns", h->least_phase_ns);
	html_write_decimal(json, "least_step_ns", h->least_step_ns);
	if (h->path_owner)
		base_json_uint(json, "path", h->path_owner - 1);
	base_json_array(json, "reasons");
	for (enum ana_wait_kind kind = 0; kind < ANA_N_WAIT_KINDS; kind++)
		base_json_str(json, NULL, ana_wait_kind_name(kind));
	base_json_end(json, ']');
}

/* Write the intervals of a kind by name or by thread. */
static void write_interval_rows(
	const struct html *h, struct base_json *json, uint32_t kind, enum ana_intervals_by by)
{
	_cleanup_(ana_interval_rows_deinit) struct ana_interval_rows rows = { 0 };
	struct pd_error *err = ana_interval_rows_create(h->profile, NULL, kind, by, &rows);
	bool is_by_name = by == ANA_INTERVALS_BY_NAME;

	if (err)
		base_stream_fail(json->out);
	pd_error_destroy(err);
	base_json_array(json, is_by_name ? "names" : "threads");
	for (size_t i = 0; i < rows.list.n && i < MAX_ROWS; i++) {
		const struct ana_interval_row *row = &rows.list.data[i];

		base_json_object(json, NULL);
		if (is_by_name)
			html_write_string(h, json, "name", row->name);
		else
			write_thread(h, json, row->thread);
		html_write_decimal(json, "total", row->total);
		html_write_decimal(json, "times", row->n);
		html_write_decimal(json, "errors", row->n_failed);
		html_write_decimal(json, "p50", row->p50);
		html_write_decimal(json, "p99", row->p99);
		html_write_decimal(json, "max", row->max);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
	base_json_uint(json, is_by_name ? "more_names" : "more_threads",
		rows.list.n > MAX_ROWS ? rows.list.n - MAX_ROWS : 0);
}

void html_write_intervals(const struct html *h, struct base_json *json)
{
	if (!h->profile->interval_kinds.n)
		return;
	base_json_array(json, "intervals");
	for (uint32_t i = 0; i < h->profile->interval_kinds.n; i++) {
		const struct prof_interval_kind *kind = &h->profile->interval_kinds.data[i];

		base_json_object(json, NULL);
		html_write_string(h, json, "kind", kind->name);
		html_write_decimal(json, "unended", kind->n_unended);
		html_write_decimal(json, "unbegun", kind->n_unbegun);
		html_write_decimal(json, "restarted", kind->n_restarted);
		write_interval_rows(h, json, i, ANA_INTERVALS_BY_NAME);
		if (kind->is_of_threads)
			write_interval_rows(h, json, i, ANA_INTERVALS_BY_THREAD);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

void html_write_ledger(
	const struct html *h, const struct out_ledger_notes *notes, struct base_json *json)
{
	if (!html_has_ledger(h->profile))
		return;
	base_json_object(json, "ledger");
	base_json_array(json, "notes");
	for (size_t i = 0; i < notes->list.n; i++) {
		base_json_object(json, NULL);
		base_json_str(json, "name", notes->list.data[i].name);
		base_json_str(json, "text", notes->list.data[i].text);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
	write_names(json, "states", out_ledger_states, PROF_N_LEDGER_STATES);
	write_names(json, "uses", out_ledger_uses, PROF_N_LEDGER_USES);
	write_lanes(h, json);
	write_threads(h, json);
	write_cpus(h, json);
	write_wakers(h, json);
	base_json_end(json, '}');
}
