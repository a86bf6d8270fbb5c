#include "output/report_sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/nearest.h"
#include "base/text.h"
#include "output/report_text.h"

/* A column is not wider, so that one long name does not move all others. */
enum { MAX_COLUMN = 40 };

/* Rows of an overview. */
enum { MAX_BARS = 5 };

static const struct key_row {
	const char *name;
	const char *title;
	unsigned tag;
	bool is_of_frame;
} key_rows[OUT_N_SORT_KEYS] = {
#define KEY_ROW(name, text, title, tag, is_of_frame, description) { text, title, tag, is_of_frame },
	OUT_SORT_KEYS(KEY_ROW)
#undef KEY_ROW
};

struct keys {
	enum out_sort_key list[OUT_MAX_SORT_KEYS];
	size_t n;
	bool has_frame;
};

/* Identity of a row: ids of texts, one for each key. */
struct row_key {
	uint32_t texts[OUT_MAX_SORT_KEYS];
};

struct row {
	struct prof_value self;
	struct prof_value total;
	struct prof_sample_id last_sample;
};

struct table {
	const struct profile *profile;
	const struct out_report_opts *opts;
	struct keys keys;
	struct pd_intern texts;
	/** struct row_key, by index of the row. */
	struct pd_intern row_keys;
	PD_VEC(struct row) rows;
	PD_VEC(uint32_t) order;
};

/* A function in the stack of a sample. */
struct place {
	const struct prof_sample *sample;
	const struct prof_frame *frame;
	/** NULL if the frame has no name. */
	const struct prof_line *line;
};

static struct pd_error *find_key(const char *name, enum out_sort_key *ret)
{
	struct pd_nearest nearest;

	pd_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < OUT_N_SORT_KEYS; i++) {
		if (strcmp(key_rows[i].name, name) == 0) {
			*ret = (enum out_sort_key)i;
			return NULL;
		}
		pd_nearest_try(&nearest, key_rows[i].name);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL, "cannot sort by '%s'%s%s%s", name,
		nearest.name ? ": did you mean '" : "", nearest.name ? nearest.name : "",
		nearest.name ? "'?" : "");
}

static struct pd_error *find_keys(const struct out_report_opts *opts, struct keys *ret)
{
	*ret = (struct keys){ 0 };
	for (size_t i = 0; i < opts->n_sort; i++) {
		if (ret->n == OUT_MAX_SORT_KEYS)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"cannot sort by more than %d keys", OUT_MAX_SORT_KEYS);
		struct pd_error *err = find_key(opts->sort[i], &ret->list[ret->n]);
		if (err)
			return err;
		ret->has_frame |= key_rows[ret->list[ret->n]].is_of_frame;
		ret->n++;
	}
	return NULL;
}

struct pd_error *out_report_sort_prepare(
	const struct out_report_opts *opts, struct prof_request *request)
{
	struct keys keys;
	struct pd_error *err = find_keys(opts, &keys);

	for (size_t i = 0; !err && i < keys.n; i++)
		request->tags |= key_rows[keys.list[i]].tag;
	return err;
}

static const char *text_of_thread(
	const struct profile *profile, const struct place *at, bool is_tid, char *buf, size_t size)
{
	const struct prof_thread *thread = profile_thread(profile, at->sample->thread);

	snprintf(buf, size, "%" PRIu32 ":%s", is_tid ? thread->tid : thread->pid,
		profile_string(profile, thread->comm));
	return buf;
}

static const char *text_of_dso(const struct profile *profile, const struct place *at)
{
	if (!at->frame || prof_is_none(at->frame->binary))
		return "[unknown]";
	return pd_base_name(
		profile_string(profile, profile_binary(profile, at->frame->binary)->name));
}

static const char *text_of_symbol(
	const struct profile *profile, const struct place *at, char *buf, size_t size)
{
	if (at->line)
		return profile_string(profile, profile_function(profile, at->line->function)->name);
	return at->frame ? profile_unnamed(profile, at->frame, buf, size) : "[unknown]";
}

static const char *text_of_source(const struct profile *profile, const struct place *at,
	bool with_line, char *buf, size_t size)
{
	const char *file = at->line ? profile_string(profile,
					      profile_function(profile, at->line->function)->file)
				    : "";

	if (!*file)
		return "[unknown]";
	if (!with_line || !at->line->line)
		return file;
	snprintf(buf, size, "%s:%" PRIu32, file, at->line->line);
	return buf;
}

static const char *text_of_cpu(const struct prof_tags *tags, char *buf, size_t size)
{
	if (!tags || tags->cpu == PROF_NONE)
		return "[unknown]";
	snprintf(buf, size, "%03" PRIu32, tags->cpu);
	return buf;
}

static const char *text_of_time(
	const struct prof_tags *tags, double quantum, char *buf, size_t size)
{
	if (!tags || tags->time == PD_NO_TIME)
		return "[unknown]";
	uint64_t step = quantum > 0 ? (uint64_t)(quantum * 1e9) : 1;
	uint64_t time = step ? tags->time - tags->time % step : tags->time;
	snprintf(buf, size, "%" PRIu64 ".%06" PRIu64, time / 1000000000, time / 1000 % 1000000);
	return buf;
}

static const char *text_of(const struct table *t, enum out_sort_key key, const struct place *at,
	char *buf, size_t size)
{
	const struct profile *profile = t->profile;
	const struct prof_tags *tags = profile_tags(profile, at->sample->tags);

	switch (key) {
	case OUT_SORT_COMM:
		return profile_string(profile, profile_thread(profile, at->sample->thread)->comm);
	case OUT_SORT_PID:
	case OUT_SORT_TID:
		return text_of_thread(profile, at, key == OUT_SORT_TID, buf, size);
	case OUT_SORT_CPU:
		return text_of_cpu(tags, buf, size);
	case OUT_SORT_CGROUP:
		return tags ? profile_string(profile, tags->cgroup) : "";
	case OUT_SORT_TIME:
		return text_of_time(tags, t->opts->time_quantum, buf, size);
	case OUT_SORT_DSO:
		return text_of_dso(profile, at);
	case OUT_SORT_SYM:
		return text_of_symbol(profile, at, buf, size);
	case OUT_SORT_SRCFILE:
	case OUT_SORT_SRCLINE:
		return text_of_source(profile, at, key == OUT_SORT_SRCLINE, buf, size);
	case OUT_N_SORT_KEYS:
		break;
	}
	return "";
}

/* Return the row of @p at, or NULL if out of memory. */
static struct row *get_row(struct table *t, const struct place *at)
{
	const struct row none = { .last_sample = prof_no_sample() };
	struct row_key key = { 0 };
	char buf[4096];

	for (size_t i = 0; i < t->keys.n; i++) {
		const char *text = text_of(t, t->keys.list[i], at, buf, sizeof(buf));

		key.texts[i] = pd_intern_str(&t->texts, text);
		if (key.texts[i] == PD_INTERN_NONE)
			return NULL;
	}
	uint32_t id = pd_intern_add(&t->row_keys, &key, sizeof(key));
	if (id == PD_INTERN_NONE || (id == t->rows.n && !pd_vec_push(&t->rows, none)))
		return NULL;
	return &t->rows.data[id];
}

static bool count(
	struct table *t, const struct place *at, struct prof_sample_id sample, bool is_leaf)
{
	const struct prof_value *value = profile_value(t->profile, sample);
	struct row *row = get_row(t, at);

	if (!row)
		return false;
	if (is_leaf) {
		row->self.samples += value->samples;
		row->self.period += value->period;
	}
	if (!prof_same_sample(row->last_sample, sample)) {
		row->total.samples += value->samples;
		row->total.period += value->period;
	}
	row->last_sample = sample;
	return true;
}

static bool count_frame(struct table *t, struct place at, struct prof_frame_id id,
	struct prof_sample_id sample, bool is_leaf)
{
	uint32_t n;
	const struct prof_line *lines = profile_frame_lines(t->profile, id, &n);

	at.frame = profile_frame(t->profile, id);
	if (!n)
		return count(t, &at, sample, is_leaf);
	for (uint32_t i = 0; i < n; i++) {
		at.line = &lines[i];
		if (!count(t, &at, sample, is_leaf && i == 0))
			return false;
		if (!t->keys.has_frame)
			break;
	}
	return true;
}

static bool count_sample(struct table *t, struct prof_sample_id id)
{
	const struct place at = { .sample = profile_sample(t->profile, id) };
	uint32_t n;
	const struct prof_frame_id *frames = profile_stack(t->profile, at.sample->stack, &n);

	if (!n)
		return count(t, &at, id, true);
	for (uint32_t i = 0; i < (t->keys.has_frame ? n : 1); i++) {
		if (!count_frame(t, at, frames[i], id, i == 0))
			return false;
	}
	return true;
}

/* Rows with the largest self first; those that are equal stay in the order of the samples. */
static int compare(const void *a, const void *b, void *rows)
{
	const struct row *x = (struct row *)rows + *(const uint32_t *)a;
	const struct row *y = (struct row *)rows + *(const uint32_t *)b;

	if (x->self.period != y->self.period)
		return x->self.period < y->self.period ? 1 : -1;
	if (x->total.period != y->total.period)
		return x->total.period < y->total.period ? 1 : -1;
	return x < y ? -1 : x > y;
}

static bool fill(struct table *t, struct prof_event_id event)
{
	for (struct prof_sample_id id = { 0 }; id.i < t->profile->samples.n; id.i++) {
		if (prof_same_event(profile_sample(t->profile, id)->event, event) &&
			!count_sample(t, id))
			return false;
	}
	for (uint32_t i = 0; i < t->rows.n; i++) {
		if (!pd_vec_push(&t->order, i))
			return false;
	}
	if (t->order.n)
		qsort_r(t->order.data, t->order.n, sizeof(*t->order.data), compare, t->rows.data);
	return true;
}

static const char *text_at(const struct table *t, uint32_t row, size_t key)
{
	const struct row_key *keys = pd_intern_bytes(&t->row_keys, row);

	return pd_intern_bytes(&t->texts, keys->texts[key]);
}

static size_t n_shown(const struct table *t)
{
	return t->order.n < t->opts->limit ? t->order.n : t->opts->limit;
}

/* Width of a column. The last one ends with the line. */
static int column_width(const struct table *t, size_t key)
{
	size_t width = strlen(key_rows[t->keys.list[key]].title);

	for (size_t i = 0; i < n_shown(t); i++) {
		size_t len = strlen(text_at(t, t->order.data[i], key));

		width = len > width ? len : width;
	}
	return key + 1 == t->keys.n ? 0 : (int)(width < MAX_COLUMN ? width : MAX_COLUMN);
}

static void write_padded(const char *text, int width, FILE *out)
{
	int len = (int)strlen(text);

	fputs("  ", out);
	pd_text_write(out, text);
	if (len < width)
		fprintf(out, "%*s", width - len, "");
}

/* Write a share and a bar of its length, followed by two spaces. */
static void write_bar(uint64_t part, uint64_t whole, FILE *out)
{
	static const char bar[] = "####################";
	int full = (int)strlen(bar);
	int n = whole ? (int)((double)full * (double)part / (double)whole + 0.5) : 0;

	out_report_write_share(part, whole, out);
	fprintf(out, "  %-*.*s  ", full, n < full ? n : full, bar);
}

static void write_table(const struct table *t, uint64_t whole, FILE *out)
{
	int widths[OUT_MAX_SORT_KEYS];

	for (size_t k = 0; k < t->keys.n; k++)
		widths[k] = column_width(t, k);
	fputs(t->keys.has_frame ? "\n    self    total" : "\n   share", out);
	for (size_t k = 0; k < t->keys.n; k++)
		write_padded(key_rows[t->keys.list[k]].title, widths[k], out);
	fputc('\n', out);
	for (size_t i = 0; i < n_shown(t); i++) {
		const struct row *row = &t->rows.data[t->order.data[i]];

		out_report_write_share(row->self.period, whole, out);
		if (t->keys.has_frame) {
			fputc(' ', out);
			out_report_write_share(row->total.period, whole, out);
		}
		for (size_t k = 0; k < t->keys.n; k++)
			write_padded(text_at(t, t->order.data[i], k), widths[k], out);
		fputc('\n', out);
	}
	if (t->order.n > n_shown(t))
		fprintf(out, "  ... and %zu more rows\n", t->order.n - n_shown(t));
}

static void table_deinit(struct table *t)
{
	pd_intern_deinit(&t->texts);
	pd_intern_deinit(&t->row_keys);
	pd_vec_deinit(&t->rows);
	pd_vec_deinit(&t->order);
}

struct pd_error *out_report_write_sorted(const struct profile *profile,
	const struct out_report_opts *opts, struct prof_event_id event, FILE *out)
{
	struct table t = { .profile = profile, .opts = opts };
	struct pd_error *err = find_keys(opts, &t.keys);

	if (err)
		return err;
	bool ok = fill(&t, event);
	if (ok)
		write_table(&t, profile_event(profile, event)->total.period, out);
	table_deinit(&t);
	return ok ? NULL : &pd_enomem;
}

/* Write the rows that have samples at the leaf. Those that are not shown are summed up. */
static void write_bars(const struct table *t, uint64_t whole, const char *title, FILE *out)
{
	size_t n = 0;
	uint64_t rest = whole;

	while (n < t->order.n && t->rows.data[t->order.data[n]].self.period)
		n++;
	if (n < 2)
		return;
	fprintf(out, "\n%s\n", title);
	for (size_t i = 0; i < n && i < MAX_BARS; i++) {
		uint64_t period = t->rows.data[t->order.data[i]].self.period;

		write_bar(period, whole, out);
		pd_text_write(out, text_at(t, t->order.data[i], 0));
		fputc('\n', out);
		rest -= period < rest ? period : rest;
	}
	if (n <= MAX_BARS)
		return;
	write_bar(rest, whole, out);
	fprintf(out, "%zu more\n", n - MAX_BARS);
}

struct pd_error *out_report_write_overview(
	const struct profile *profile, struct prof_event_id event, FILE *out)
{
	static const struct {
		enum out_sort_key key;
		const char *title;
	} tables[] = { { OUT_SORT_COMM, "Commands" }, { OUT_SORT_DSO, "Binaries" } };
	const struct out_report_opts opts = { 0 };

	for (size_t i = 0; i < PD_ARRAY_LEN(tables); i++) {
		/* Frames other than the leaf are not counted. */
		struct table t = {
			.profile = profile,
			.opts = &opts,
			.keys = { .list = { tables[i].key }, .n = 1 },
		};
		bool ok = fill(&t, event);
		if (ok)
			write_bars(&t, profile_event(profile, event)->total.period, tables[i].title,
				out);
		table_deinit(&t);
		if (!ok)
			return &pd_enomem;
	}
	return NULL;
}
