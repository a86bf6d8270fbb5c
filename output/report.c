/* The report: totals, top functions and the quality of the stacks, for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "output/formats.h"
#include "profile/quality.h"
#include "output/report_rows.h"
#include "output/report_sort.h"
#include "output/report_text.h"
#include "output/report_tree.h"
#include "base/text.h"

/* Columns of a row before the name. */
enum { ROW_COLUMNS = 19 };

/* Order numbers from large to small. */
static int compare(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Ties are broken by the row's index, so that the order does not depend on qsort. */
static int compare_self(const void *a, const void *b, void *rows)
{
	const struct out_report_row *x = (struct out_report_row *)rows + *(const uint32_t *)a;
	const struct out_report_row *y = (struct out_report_row *)rows + *(const uint32_t *)b;
	int order = compare(x->self[0], y->self[0]);

	order = order ? order : compare(x->total[0], y->total[0]);
	return order ? order : x < y ? -1 : x > y;
}

static int compare_total(const void *a, const void *b, void *rows)
{
	const struct out_report_row *x = (struct out_report_row *)rows + *(const uint32_t *)a;
	const struct out_report_row *y = (struct out_report_row *)rows + *(const uint32_t *)b;
	int order = compare(x->total[0], y->total[0]);

	order = order ? order : compare(x->self[0], y->self[0]);
	return order ? order : x < y ? -1 : x > y;
}

static void write_total(const struct prof_event *event, const char *unit, FILE *out)
{
	fprintf(out, ": %" PRIu64 " samples, %" PRIu64 " %s", event->total.samples,
		event->total.period, unit);
	if (strcmp(unit, "nanoseconds") == 0) {
		fputs(" (", out);
		out_report_write_amount(event->total.period, unit, out);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void write_about(const struct profile *profile, const char *input, FILE *out)
{
	const struct prof_about *about = &profile->about;
	const struct {
		const char *label;
		struct prof_string_id text;
	} facts[] = {
		{ "host", about->host },
		{ "kernel", about->kernel_release },
		{ "perf", about->perf_version },
		{ "command", about->command },
	};

	/* Names and commands come from the recording and may contain terminal escapes. */
	pd_text_write(out, input);
	fprintf(out, ": %" PRIu64 " samples in %.3f s, %zu thread%s\n",
		profile->stats.n_samples - profile_n_filtered(profile),
		(double)(profile->stats.last_ns - profile->stats.first_ns) / 1e9,
		profile->threads.n, profile->threads.n == 1 ? "" : "s");
	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++) {
		if (!facts[i].text.i)
			continue;
		fprintf(out, "  %-8s ", facts[i].label);
		pd_text_write(out, profile_string(profile, facts[i].text));
		fputc('\n', out);
	}
	/* Every event with samples is listed, although the tables below may cover only one. */
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (!event->total.samples)
			continue;
		fputs("  event    ", out);
		pd_text_write(out, profile_string(profile, event->name));
		write_total(event, profile_string(profile, event->unit), out);
	}
}

static void write_row(
	const struct out_report_rows *rows, uint32_t id, uint64_t whole, size_t width, FILE *out)
{
	const struct out_report_row *row = &rows->rows.data[id];

	out_report_write_share(row->self[0], whole, out);
	fputc(' ', out);
	out_report_write_share(row->total[0], whole, out);
	fputs("  ", out);
	out_report_write_symbol(rows->symbols, id, width, out);
}

static void write_table(struct out_report_rows *rows, uint64_t whole, const char *title,
	int (*order)(const void *, const void *, void *), const struct out_report_opts *opts,
	FILE *out)
{
	size_t width = opts->width > ROW_COLUMNS ? opts->width - ROW_COLUMNS : opts->width;

	if (rows->order.n)
		qsort_r(rows->order.data, rows->order.n, sizeof(*rows->order.data), order,
			rows->rows.data);
	fprintf(out, "\nTop functions by %s\n    self    total\n", title);
	for (size_t i = 0; i < rows->order.n && i < opts->limit; i++) {
		uint32_t id = rows->order.data[i];

		/* All following functions were never sampled themselves. */
		if (order == compare_self && !rows->rows.data[id].self[0])
			return;
		write_row(rows, id, whole, width, out);
	}
	if (rows->order.n > opts->limit)
		fprintf(out, "  ... and %zu more functions\n", rows->order.n - opts->limit);
}

static struct pd_error *write_tables(const struct profile *profile,
	const struct prof_symbols *symbols, const struct out_report_opts *opts,
	struct prof_event_id event, FILE *out)
{
	/* Shares are of all samples of the event, including those without a stack. */
	uint64_t whole = profile_event(profile, event)->total.period;
	struct out_report_rows rows;
	struct pd_error *err = out_report_count(profile, symbols, NULL, event, &rows);

	if (err)
		return err;
	write_table(&rows, whole, "self", compare_self, opts, out);
	write_table(&rows, whole, "total", compare_total, opts, out);
	out_report_rows_deinit(&rows);
	return NULL;
}

/* A tree that the report can show. */
struct section {
	bool is_wanted;
	enum prof_direction direction;
	/** Function at which the tree begins; "" or NULL: the ends of the stacks. */
	const char *function;
	const char *title;
};

static struct pd_error *write_section(const struct profile *profile,
	const struct prof_symbols *symbols, const struct out_report_opts *opts,
	struct prof_event_id event, const struct section *section, FILE *out)
{
	const char *function = section->function && *section->function ? section->function : NULL;
	const struct prof_tree_opts tree = { event, section->direction, function };

	fprintf(out, "\n%s", section->title);
	if (function) {
		fputs(" of ", out);
		pd_text_write(out, function);
	}
	fputc('\n', out);
	return out_report_write_tree(profile, symbols, &tree, opts, out);
}

static struct pd_error *write_sections(const struct profile *profile,
	const struct prof_symbols *symbols, const struct out_report_opts *opts,
	struct prof_event_id event, FILE *out)
{
	const struct section sections[] = {
		{ opts->tree, PROF_TO_CALLEES, NULL, "Call tree" },
		{ opts->callers, PROF_TO_CALLERS, opts->callers, "Callers" },
		{ opts->callees, PROF_TO_CALLEES, opts->callees, "Callees" },
	};
	bool is_any = opts->n_sort > 0;

	if (opts->n_sort) {
		struct pd_error *err = out_report_write_sorted(profile, opts, event, out);

		if (err)
			return err;
	}

	for (size_t i = 0; i < PD_ARRAY_LEN(sections); i++) {
		if (!sections[i].is_wanted)
			continue;
		struct pd_error *err =
			write_section(profile, symbols, opts, event, &sections[i], out);
		if (err)
			return err;
		is_any = true;
	}
	if (is_any)
		return NULL;
	struct pd_error *err = out_report_write_overview(profile, event, out);
	return err ? err : write_tables(profile, symbols, opts, event, out);
}

static struct pd_error *write_events(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	_cleanup_(prof_symbols_deinit) struct prof_symbols symbols = { 0 };
	struct pd_error *err = prof_symbols_create(profile, &symbols);

	for (struct prof_event_id id = { 0 }; !err && id.i < profile->events.n; id.i++) {
		if (!out_shows_event(profile, opts, id))
			continue;
		if (opts->has_all_events) {
			fputs("\nEvent ", out);
			pd_text_write(
				out, profile_string(profile, profile_event(profile, id)->name));
			fputc('\n', out);
		}
		err = write_sections(profile, &symbols, &opts->report, id, out);
	}
	return err;
}

static struct pd_error *write_report(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	_cleanup_(prof_quality_deinit) struct prof_quality quality = { 0 };
	struct pd_error *err = prof_quality_find(profile, true, &quality);

	if (err)
		return err;
	write_about(profile, opts->input, out);
	err = write_events(profile, opts, out);
	if (err)
		return err;
	fputc('\n', out);
	prof_quality_write(profile, &quality, out);
	return NULL;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	return out_report_sort_prepare(&opts->report, request);
}

const struct out_format out_format_report = {
	.name = "report",
	.suffix = ".txt",
	.has_one_event = true,
	.reports_quality = true,
	.help = "summary: totals, top functions, quality of the stacks",
	.prepare = prepare,
	.write = write_report,
	.write_diff = out_report_write_diff,
};
