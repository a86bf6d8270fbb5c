/* The report: what a person wants to see first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/formats.h"
#include "output/quality.h"
#include "output/text.h"

enum { MAX_ROWS = 40 };

/* A line of the table: a function of a binary, or what of a binary has no name. */
struct row_key {
	uint32_t name;
	uint32_t binary;
};

struct row {
	uint64_t self;
	uint64_t total;
	/** The last sample that was counted in total, so that recursion counts once. */
	uint32_t last_sample;
};

struct report {
	const struct profile *profile;
	uint32_t event;
	/** Names of unnamed frames, and names of the profile again. */
	struct pd_intern names;
	struct pd_intern keys;
	PD_VEC(struct row) rows;
	PD_VEC(uint32_t) order;
};

static struct row *get_row(struct report *r, const char *name, uint32_t binary)
{
	struct row_key key = { .name = pd_intern_str(&r->names, name), .binary = binary };
	uint32_t id = pd_intern_add(&r->keys, &key, sizeof(key));
	struct row none = { .last_sample = PROF_NONE };

	if (key.name == PD_INTERN_NONE || id == PD_INTERN_NONE ||
		(id == r->rows.n && !pd_vec_push(&r->rows, none)))
		return NULL;
	return &r->rows.data[id];
}

static bool count(struct row *row, uint32_t sample, uint64_t period, bool is_leaf)
{
	if (!row)
		return false;
	if (is_leaf)
		row->self += period;
	if (row->last_sample != sample)
		row->total += period;
	row->last_sample = sample;
	return true;
}

static bool count_frame(struct report *r, uint32_t sample, uint32_t frame_id, bool is_leaf)
{
	const struct profile *profile = r->profile;
	const struct prof_frame *frame = profile_frame(profile, frame_id);
	uint64_t period = profile->values.data[sample].period;
	struct prof_lines lines = { 0 };
	char unnamed[256];

	if (frame_id < profile->frame_lines.n)
		lines = profile->frame_lines.data[frame_id];
	if (!lines.n)
		return count(get_row(r, profile_unnamed(profile, frame, unnamed, sizeof(unnamed)),
				     frame->binary),
			sample, period, is_leaf);
	for (uint32_t i = 0; i < lines.n; i++) {
		const struct prof_function *function =
			profile_function(profile, profile->lines.data[lines.first + i].function);

		if (!count(get_row(r, profile_string(profile, function->name), frame->binary),
			    sample, period, is_leaf && i == 0))
			return false;
	}
	return true;
}

static bool count_samples(struct report *r)
{
	for (uint32_t i = 0; i < r->profile->samples.n; i++) {
		const struct prof_sample *sample = profile_sample(r->profile, i);
		uint32_t n;
		const uint32_t *frames = profile_stack(r->profile, sample->stack, &n);

		if (sample->event != r->event)
			continue;
		for (uint32_t k = 0; k < n; k++) {
			if (!count_frame(r, i, frames[k], k == 0))
				return false;
		}
	}
	return true;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct report *r = ctx;
	const struct row *x = &r->rows.data[*(const uint32_t *)a];
	const struct row *y = &r->rows.data[*(const uint32_t *)b];

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x < y ? -1 : x > y;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_about(const struct report *r, const char *input, FILE *out)
{
	const struct profile *profile = r->profile;
	const struct prof_about *about = &profile->about;
	const struct {
		const char *label;
		uint32_t text;
	} facts[] = {
		{ "host", about->host },
		{ "kernel", about->kernel_release },
		{ "perf", about->perf_version },
		{ "command", about->command },
	};

	out_text(out, input);
	fprintf(out, ": %" PRIu64 " samples in %.3f s, %zu threads\n", profile->stats.n_samples,
		(double)(profile->stats.last_ns - profile->stats.first_ns) / 1e9,
		profile->threads.n);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (!facts[i].text)
			continue;
		fprintf(out, "  %-8s ", facts[i].label);
		out_text(out, profile_string(profile, facts[i].text));
		fputc('\n', out);
	}
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (!event->total.samples)
			continue;
		fputs("  event    ", out);
		out_text(out, profile_string(profile, event->name));
		fprintf(out, ": %" PRIu64 " samples, %" PRIu64 " %s\n", event->total.samples,
			event->total.period, profile_string(profile, event->unit));
	}
}

static const char *binary_base(const struct profile *profile, uint32_t binary)
{
	if (binary == PROF_NONE)
		return "";
	const char *name = profile_string(profile, profile->binaries.data[binary].name);
	const char *slash = strrchr(name, '/');
	return slash && slash[1] ? slash + 1 : name;
}

static void write_table(const struct report *r, FILE *out)
{
	uint64_t whole = r->profile->events.data[r->event].total.period;

	fputs("\n    self    total  function\n", out);
	for (size_t i = 0; i < r->order.n && i < MAX_ROWS; i++) {
		const struct row *row = &r->rows.data[r->order.data[i]];
		const struct row_key *key = pd_intern_bytes(&r->keys, r->order.data[i]);

		fprintf(out, "%6.2f %% %6.2f %%  ", percent(row->self, whole),
			percent(row->total, whole));
		out_text(out, pd_intern_bytes(&r->names, key->name));
		if (key->binary != PROF_NONE) {
			fputs("  (", out);
			out_text(out, binary_base(r->profile, key->binary));
			fputc(')', out);
		}
		fputc('\n', out);
	}
	if (r->order.n > MAX_ROWS)
		fprintf(out, "  ... and %zu functions more\n", r->order.n - MAX_ROWS);
	fputc('\n', out);
}

static struct pd_error *count_and_sort(struct report *r)
{
	if (!count_samples(r))
		return &pd_enomem;
	for (uint32_t i = 0; i < r->rows.n; i++) {
		if (!pd_vec_push(&r->order, i))
			return &pd_enomem;
	}
	if (r->order.n)
		qsort_r(r->order.data, r->order.n, sizeof(*r->order.data), compare_rows, r);
	return NULL;
}

struct pd_error *out_write_report(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct report r = { .profile = profile, .event = out_event(profile, opts) };
	struct pd_error *err = count_and_sort(&r);

	if (!err) {
		write_about(&r, opts->input, out);
		if (r.event != PROF_NONE)
			write_table(&r, out);
		out_quality_write(profile, out);
	}
	pd_intern_deinit(&r.names);
	pd_intern_deinit(&r.keys);
	pd_vec_deinit(&r.rows);
	pd_vec_deinit(&r.order);
	return err;
}
