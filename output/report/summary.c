#include "output/report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/usage.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "output/doc/fit.h"
#include "output/report/report_keys.h"

/* Programs that are named. */
enum { MAX_PROGRAMS = 3 };

struct summary {
	const struct profile *profile;
	const char *input;
	/** First event in the report; refers to nothing without samples. */
	struct prof_event_id event;
	struct ana_usage usage;
	uint64_t n_samples;
	uint64_t elapsed_ns;
};

/* Description of a recording without samples. */
static const char *what_else(const struct profile *profile)
{
	return prof_is_counted(profile) ? "counters of perf stat record" : "nothing";
}

/* Write "idx", "ls, find and 4 more programs", or what was recorded if nothing ran. */
static void write_programs(const struct summary *s, FILE *out)
{
	const struct ana_usage *usage = &s->usage;
	size_t n = usage->programs.n;
	size_t n_named = n > MAX_PROGRAMS ? MAX_PROGRAMS - 1 : n;

	if (usage->is_of_machine || !n) {
		fputs(usage->is_of_machine ? "whole machine" : what_else(s->profile), out);
		return;
	}
	for (size_t i = 0; i < n_named; i++) {
		const char *separator = i == 0 ? "" : i + 1 == n ? " and " : ", ";

		fprintf(out, "%s%s", separator,
			prof_string(s->profile, usage->programs.data[i].name));
	}
	if (n > n_named)
		fprintf(out, " and %zu more programs", n - n_named);
}

/* Write "(2 processes, 5 threads)". */
static void write_tasks(const struct summary *s, FILE *out)
{
	size_t n_processes = s->usage.n_processes;
	size_t n_threads = s->usage.n_threads;

	if (n_threads < 2 || s->usage.is_of_machine)
		return;
	fputs(" (", out);
	if (n_processes > 1)
		fprintf(out, "%zu processes, ", n_processes);
	fprintf(out, "%zu threads)", n_threads);
}

/* Write "box, 2 CPUs, Linux 6.1" as far as it is known. */
static void write_machine(const struct summary *s, FILE *out)
{
	const struct prof_about *about = &s->profile->about;
	const char *host = prof_string(s->profile, about->host);
	const char *kernel = prof_string(s->profile, about->kernel_release);
	const char *separator = "";

	if (*host) {
		fputs(host, out);
		separator = ", ";
	}
	if (about->n_cpus) {
		fprintf(out, "%s%" PRIu32 " CPU%s", separator, about->n_cpus,
			base_plural(about->n_cpus));
		separator = ", ";
	}
	if (*kernel)
		fprintf(out, "%sLinux %s", separator, kernel);
}

/* Whether the periods of the event are the time for which tasks ran. */
static bool counts_cpu_time(const struct summary *s)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < PD_ARRAY_LEN(clocks) && !prof_is_none(s->event); i++) {
		const char *name = prof_string(s->profile, prof_event(s->profile, s->event)->name);

		if (strncmp(name, clocks[i], strlen(clocks[i])) == 0)
			return true;
	}
	return false;
}

/*
 * Time before the first sample that is part of its period. Samples of a clock are taken at the end
 * of their periods, so without it a thread that is always busy would seem to be more than that.
 */
static uint64_t first_period(const struct summary *s)
{
	if (!counts_cpu_time(s))
		return 0;
	const struct prof_value *total = &prof_event(s->profile, s->event)->total;
	return total->samples ? total->period / total->samples : 0;
}

/* Length of the recording; 0: not known. */
static uint64_t elapsed(const struct summary *s)
{
	uint64_t length = prof_stats_length(&s->profile->stats);

	return length && !s->profile->stats.begin_ns ? length + first_period(s) : length;
}

/* Times of several recordings do not add up to one. */
static bool is_merged(const struct profile *profile)
{
	const struct prof_tags *tags =
		profile->tags.n ? prof_tags(profile, (struct prof_tags_id){ 0 }) : NULL;

	return tags && tags->input.i;
}

static double cpus_busy(const struct summary *s)
{
	return s->elapsed_ns ? (double)s->usage.busy / (double)s->elapsed_ns : 0;
}

/* Write "297 ms on CPUs in 169 ms: 1.76 CPUs busy", or only for how long it ran. */
static void write_times(const struct summary *s, FILE *out)
{
	char time[OUT_AMOUNT_SIZE];

	if (!s->elapsed_ns || is_merged(s->profile)) {
		fprintf(out, "%" PRIu64 " sample%s", s->n_samples, base_plural(s->n_samples));
		return;
	}
	if (!counts_cpu_time(s)) {
		fprintf(out, "%" PRIu64 " sample%s in %s", s->n_samples, base_plural(s->n_samples),
			out_fit_amount(s->elapsed_ns, "nanoseconds", time));
		return;
	}
	fprintf(out, "%s on CPUs in ", out_fit_amount(s->usage.busy, "nanoseconds", time));
	fprintf(out, "%s: %.2f", out_fit_amount(s->elapsed_ns, "nanoseconds", time), cpus_busy(s));
	if (s->usage.is_of_machine && s->profile->about.n_cpus)
		fprintf(out, " of %" PRIu32, s->profile->about.n_cpus);
	fputs(" CPUs busy", out);
}

/* Call @p write with a stream. Returns what it wrote, allocated, or NULL: no memory. */
static char *print(const struct summary *s, void (*write)(const struct summary *s, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = base_memstream_open(&text, &size);

	if (!out)
		return NULL;
	write(s, out);
	return base_memstream_close(out, &text) ? text : NULL;
}

static void write_headline(const struct summary *s, FILE *out)
{
	fprintf(out, "%s: ", s->input);
	write_programs(s, out);
	/* The name of a single program leaves room for its threads. */
	if (s->usage.programs.n == 1)
		write_tasks(s, out);
	fputs(", ", out);
	write_times(s, out);
}

static void add_numbers(struct out_doc *doc, const struct summary *s)
{
	out_doc_fact(doc, "input", NULL, s->input);
	out_doc_number(doc, "samples", s->n_samples);
	out_doc_real(doc, "seconds", (double)s->elapsed_ns / 1e9);
	out_doc_number(doc, "threads", s->profile->threads.n);
	if (s->profile->about.n_cpus)
		out_doc_number(doc, "cpus", s->profile->about.n_cpus);
	if (counts_cpu_time(s) && !is_merged(s->profile))
		out_doc_real(doc, "cpus_busy", cpus_busy(s));
}

/* Add facts about the recording. The answer to a certain question begins with a single line. */
static struct pd_error *add_facts(struct out_doc *doc, const struct summary *s, bool is_brief)
{
	const struct prof_about *about = &s->profile->about;
	_cleanup_free_ char *headline = print(s, write_headline);
	_cleanup_free_ char *machine = print(s, write_machine);

	if (!headline || !machine)
		return &pd_enomem;
	out_doc_line(doc, NULL, headline);
	add_numbers(doc, s);
	if (!is_brief)
		out_doc_fact(doc, NULL, "machine", machine);
	out_doc_fact(doc, "host", NULL, prof_string(s->profile, about->host));
	out_doc_fact(doc, "kernel", NULL, prof_string(s->profile, about->kernel_release));
	out_doc_fact(doc, "perf", NULL, prof_string(s->profile, about->perf_version));
	out_doc_fact_cut(doc, "command", is_brief ? NULL : "command",
		prof_string(s->profile, about->command));
	return NULL;
}

static void add_event(
	struct out_doc *doc, const struct profile *profile, const struct prof_event *event)
{
	const char *name = prof_string(profile, event->name);
	const char *unit = prof_string(profile, event->unit);
	char amount[OUT_AMOUNT_SIZE];

	out_doc_begin_item(doc, "events", NULL);
	out_doc_fact(doc, "name", NULL, name);
	out_doc_fact(doc, "unit", NULL, unit);
	out_doc_number(doc, "samples", event->total.samples);
	out_doc_number(doc, "period", event->total.period);
	out_doc_number(doc, "invalid_periods", event->odd.n_invalid);
	out_doc_number(doc, "huge_periods", event->odd.huge.samples);
	const char *without =
		event->odd.n_invalid
			? out_doc_format(doc, " (%" PRIu64 " without a possible period)",
				  event->odd.n_invalid)
			: "";
	out_doc_fact(doc, NULL, "event",
		out_doc_format(doc, "%s: %" PRIu64 " sample%s%s, %s", name, event->total.samples,
			base_plural(event->total.samples), without,
			out_fit_amount(event->total.period, unit, amount)));
	out_doc_end(doc);
}

/* Add the count of an event by perf stat: "cpu-clock: 236.52 msec, counted". */
static void add_counter(
	struct out_doc *doc, const struct profile *profile, const struct prof_event *event)
{
	const char *name = prof_string(profile, event->name);
	const char *unit = prof_string(profile, event->counted_unit);
	bool is_whole = event->counted == (double)(uint64_t)event->counted;

	out_doc_begin_item(doc, "counters", NULL);
	out_doc_fact(doc, "name", NULL, name);
	out_doc_fact(doc, "unit", NULL, unit);
	out_doc_real(doc, "count", event->counted);
	out_doc_fact(doc, NULL, "counter",
		out_doc_format(doc, "%s: %.*f%s%s", name, is_whole ? 0 : 2, event->counted,
			*unit ? " " : "", unit));
	out_doc_end(doc);
}

struct pd_error *out_report_add_summary(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	struct summary s = {
		.profile = profile,
		.input = opts->input,
		.event = out_event(profile, opts),
		.n_samples = profile->stats.n_samples - prof_n_filtered(profile),
	};
	s.elapsed_ns = elapsed(&s);
	struct pd_error *err =
		prof_is_none(s.event) ? NULL : ana_usage_count(profile, s.event, &s.usage);

	if (err)
		return err;
	err = add_facts(doc, &s, out_report_is_specific(&opts->format.report));
	/* Every event with samples is listed, although the tables may cover only some. */
	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples)
			add_event(doc, profile, &profile->events.data[i]);
	}
	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].is_counted)
			add_counter(doc, profile, &profile->events.data[i]);
	}
	ana_usage_deinit(&s.usage);
	return err;
}
