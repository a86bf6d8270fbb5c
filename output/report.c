/* The report: what a person wants to see first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/formats.h"
#include "output/quality.h"
#include "output/text.h"

enum { MAX_ROWS = 20, MAX_NAME = 100 };

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

static int compare(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_self(const void *a, const void *b, void *rows)
{
	const struct row *x = (struct row *)rows + *(const uint32_t *)a;
	const struct row *y = (struct row *)rows + *(const uint32_t *)b;
	int order = compare(x->self, y->self);

	order = order ? order : compare(x->total, y->total);
	return order ? order : x < y ? -1 : x > y;
}

static int compare_total(const void *a, const void *b, void *rows)
{
	const struct row *x = (struct row *)rows + *(const uint32_t *)a;
	const struct row *y = (struct row *)rows + *(const uint32_t *)b;
	int order = compare(x->total, y->total);

	order = order ? order : compare(x->self, y->self);
	return order ? order : x < y ? -1 : x > y;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_about(const struct profile *profile, const char *input, FILE *out)
{
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
	fprintf(out, ": %" PRIu64 " samples in %.3f s, %zu threads\n",
		profile->stats.n_samples - profile_n_filtered(profile),
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

/* Names of templates can be longer than any screen is wide. */
static void write_name(const char *name, FILE *out)
{
	char buf[MAX_NAME + 4];

	if (strlen(name) > MAX_NAME) {
		memcpy(buf, name, MAX_NAME);
		memcpy(buf + MAX_NAME, "...", 4);
		name = buf;
	}
	out_text(out, name);
}

static void write_row(const struct report *r, uint32_t id, FILE *out)
{
	uint64_t whole = r->profile->events.data[r->event].total.period;
	const struct row_key *key = pd_intern_bytes(&r->keys, id);

	fprintf(out, "%6.2f %% %6.2f %%  ", percent(r->rows.data[id].self, whole),
		percent(r->rows.data[id].total, whole));
	write_name(pd_intern_bytes(&r->names, key->name), out);
	if (key->binary != PROF_NONE) {
		fputs("  (", out);
		out_text(out, binary_base(r->profile, key->binary));
		fputc(')', out);
	}
	fputc('\n', out);
}

static void write_table(struct report *r, const char *title,
	int (*order)(const void *, const void *, void *), FILE *out)
{
	if (r->order.n)
		qsort_r(r->order.data, r->order.n, sizeof(*r->order.data), order, r->rows.data);
	fprintf(out, "\nTop functions by %s\n    self    total\n", title);
	for (size_t i = 0; i < r->order.n && i < MAX_ROWS; i++) {
		/* Nothing behind the last function with a share of its own. */
		if (order == compare_self && !r->rows.data[r->order.data[i]].self)
			return;
		write_row(r, r->order.data[i], out);
	}
	if (r->order.n > MAX_ROWS)
		fprintf(out, "  ... and %zu functions more\n", r->order.n - MAX_ROWS);
}

static struct pd_error *count_rows(struct report *r)
{
	if (!count_samples(r))
		return &pd_enomem;
	for (uint32_t i = 0; i < r->rows.n; i++) {
		if (!pd_vec_push(&r->order, i))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *write_event(
	const struct profile *profile, const struct out_write_opts *opts, uint32_t event, FILE *out)
{
	struct report r = { .profile = profile, .event = event };
	struct pd_error *err = count_rows(&r);

	if (!err && opts->has_all_events) {
		fputs("\nEvent ", out);
		out_text(out, profile_string(profile, profile->events.data[event].name));
		fputc('\n', out);
	}
	if (!err) {
		write_table(&r, "self", compare_self, out);
		write_table(&r, "total", compare_total, out);
	}
	pd_intern_deinit(&r.names);
	pd_intern_deinit(&r.keys);
	pd_vec_deinit(&r.rows);
	pd_vec_deinit(&r.order);
	return err;
}

static struct pd_error *write_report(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct out_accounts accounts;
	struct pd_error *err = out_accounts_make(profile, &accounts);

	if (err)
		return err;
	write_about(profile, opts->input, out);
	for (uint32_t i = 0; i < profile->events.n && !err; i++) {
		if (out_shows_event(profile, opts, i))
			err = write_event(profile, opts, i, out);
	}
	fputc('\n', out);
	if (!err)
		err = out_quality_write(profile, &accounts, out);
	out_accounts_deinit(&accounts);
	return err;
}

const struct out_format out_format_report = {
	.name = "report",
	.suffix = ".txt",
	.has_one_event = true,
	.tells_quality = true,
	.help = "a first look: totals, top functions, quality of the stacks",
	.write = write_report,
};
