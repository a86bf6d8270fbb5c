/* The report of a comparison: functions by the change of their share of the event. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "output/report_rows.h"
#include "output/report_text.h"

enum { MAX_ROWS = 30, ROW_COLUMNS = 28 };

/* Changes below this, in percentage points, would be printed as 0.00 and count as none. */
static const double least_change = 0.005;

struct diff {
	struct out_report_rows rows;
	size_t width;
	struct prof_value totals[OUT_N_SIDES];
};

typedef const uint64_t *values_fn(const struct out_report_row *row);

static const uint64_t *self_of(const struct out_report_row *row)
{
	return row->self;
}

static const uint64_t *total_of(const struct out_report_row *row)
{
	return row->total;
}

/* Shares are compared rather than periods, because the recordings may differ in length. */
static double share(const struct diff *diff, const uint64_t *values, unsigned side)
{
	uint64_t whole = diff->totals[side].period;

	return whole ? 100 * (double)values[side] / (double)whole : 0;
}

static double change(const struct diff *diff, const uint64_t *values)
{
	return share(diff, values, 1) - share(diff, values, 0);
}

/* Order rows by the size of the change, regardless of its sign. */
static int compare(const struct diff *diff, uint32_t a, uint32_t b, values_fn *values)
{
	const struct out_report_row *rows = diff->rows.rows.data;
	double x = fabs(change(diff, values(&rows[a])));
	double y = fabs(change(diff, values(&rows[b])));

	if (x != y)
		return x < y ? 1 : -1;
	return a < b ? -1 : a > b;
}

static int compare_self(const void *a, const void *b, void *diff)
{
	return compare(diff, *(const uint32_t *)a, *(const uint32_t *)b, self_of);
}

static int compare_total(const void *a, const void *b, void *diff)
{
	return compare(diff, *(const uint32_t *)a, *(const uint32_t *)b, total_of);
}

static void write_row(const struct diff *diff, uint32_t id, const uint64_t *values, FILE *out)
{
	fprintf(out, "%6.2f %% %6.2f %%  %+7.2f  ", share(diff, values, 0), share(diff, values, 1),
		change(diff, values));
	out_report_write_symbol(diff->rows.symbols, id, diff->width, out);
}

static void write_table(struct diff *diff, const char *title, values_fn *values, FILE *out)
{
	struct out_report_rows *rows = &diff->rows;
	size_t n_same = 0;

	if (rows->order.n)
		qsort_r(rows->order.data, rows->order.n, sizeof(*rows->order.data),
			values == self_of ? compare_self : compare_total, diff);
	fprintf(out, "\nFunctions by change of %s\n  before    after   change\n", title);
	for (size_t i = 0; i < rows->order.n; i++) {
		uint32_t id = rows->order.data[i];
		const uint64_t *of_row = values(&rows->rows.data[id]);

		/*
		 * Rows are sorted by the size of the change, so all unchanged ones are at the end.
		 */
		if (fabs(change(diff, of_row)) < least_change)
			n_same++;
		else if (i < MAX_ROWS)
			write_row(diff, id, of_row, out);
	}
	if (rows->order.n - n_same > MAX_ROWS)
		fprintf(out, "  ... and %zu more functions\n", rows->order.n - n_same - MAX_ROWS);
	if (n_same)
		fprintf(out, "  %zu functions did not change\n", n_same);
}

static void write_side(const struct profile *profile, const struct out_sides *sides, unsigned side,
	const struct prof_value *total, const char *unit, FILE *out)
{
	fputs(side ? "  after   " : "  before  ", out);
	pd_text_write(out, profile_string(profile, sides->inputs[side]));
	fprintf(out, ": %" PRIu64 " samples, %" PRIu64 " %s\n", total->samples, total->period,
		unit);
}

static struct pd_error *write_event(const struct profile *profile,
	const struct prof_symbols *symbols, const struct out_sides *sides, size_t width,
	struct prof_event_id event, FILE *out)
{
	const struct prof_event *entry = profile_event(profile, event);
	struct diff diff = { .width = width > ROW_COLUMNS ? width - ROW_COLUMNS : width };
	struct pd_error *err = out_report_count(profile, symbols, sides, event, &diff.rows);

	if (err)
		return err;
	out_side_totals(profile, sides, event, diff.totals);
	fputs("Event ", out);
	pd_text_write(out, profile_string(profile, entry->name));
	fputc('\n', out);
	for (unsigned side = 0; side < OUT_N_SIDES; side++)
		write_side(profile, sides, side, &diff.totals[side],
			profile_string(profile, entry->unit), out);
	/* Functions are counted once. Each table sorts the same list anew. */
	write_table(&diff, "self", self_of, out);
	write_table(&diff, "total", total_of, out);
	out_report_rows_deinit(&diff.rows);
	return NULL;
}

struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_sides *sides, FILE *out)
{
	const char *separator = "";
	_cleanup_(prof_symbols_deinit) struct prof_symbols symbols = { 0 };
	struct pd_error *err = prof_symbols_create(profile, &symbols);

	if (err)
		return err;
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (!out_shows_event(profile, opts, id))
			continue;
		fputs(separator, out);
		err = write_event(profile, &symbols, sides, opts->report.width, id, out);
		if (err)
			return err;
		separator = "\n";
	}
	return NULL;
}
