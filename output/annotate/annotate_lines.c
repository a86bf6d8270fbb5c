/* Source lines of an annotation. */
#include "output/annotate/annotate_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/text.h"

static const char *const value_keys[OUT_ANNOTATE_MAX_EVENTS][OUT_ANNOTATE_EVENT_COLUMNS] = {
	{ "percent_0", "samples_0", "period_0" },
	{ "percent_1", "samples_1", "period_1" },
	{ "percent_2", "samples_2", "period_2" },
	{ "percent_3", "samples_3", "period_3" },
	{ "percent_4", "samples_4", "period_4" },
	{ "percent_5", "samples_5", "period_5" },
};

size_t out_annotate_n_events(const struct ann_functions *functions)
{
	size_t n = functions->events.n;

	return n < OUT_ANNOTATE_MAX_EVENTS ? n : OUT_ANNOTATE_MAX_EVENTS;
}

const char *out_annotate_event_name(const struct ann_functions *functions, size_t i)
{
	const struct profile *profile = functions->profile;

	return prof_string(profile, prof_event(profile, functions->events.data[i])->name);
}

size_t out_annotate_value_columns(const struct ann_functions *functions, struct out_column *ret)
{
	size_t n = out_annotate_n_events(functions), k = 0;

	for (size_t i = 0; i < n; i++) {
		ret[k++] = (struct out_column){
			.key = value_keys[i][0],
			.title = n > 1 ? out_annotate_event_name(functions, i) : "percent",
			.kind = OUT_CELL_SHARE,
		};
		ret[k++] = (struct out_column){
			.key = value_keys[i][1],
			.title = "samples",
			.kind = OUT_CELL_COUNT,
		};
		ret[k++] = (struct out_column){ .key = value_keys[i][2], .kind = OUT_CELL_COUNT };
	}
	return k;
}

void out_annotate_add_values(struct out_table *table, const struct ann_functions *functions,
	const struct prof_value *values, const struct prof_value *whole)
{
	for (size_t i = 0; i < out_annotate_n_events(functions); i++) {
		if (!values || !values[i].samples) {
			for (size_t k = 0; k < 3; k++)
				out_table_empty(table);
			continue;
		}
		out_table_share(table, values[i].period, whole[i].period);
		out_table_count(table, values[i].samples);
		out_table_count(table, values[i].period);
	}
}

/* A table of source lines that is filled. */
struct filling {
	const struct out_annotation *annotation;
	const struct prof_value *whole;
	struct out_table *table;
	/* The table has the lines of one file, whose name is its title. */
	bool is_one_file;
};

static struct out_table *create_table(
	struct out_doc *doc, const struct out_annotation *a, const char *title)
{
	struct out_column columns[OUT_ANNOTATE_MAX_EVENTS * OUT_ANNOTATE_EVENT_COLUMNS + 5];
	size_t n = out_annotate_value_columns(a->functions, columns);

	columns[n++] = (struct out_column){ .key = "file", .kind = OUT_CELL_TEXT };
	columns[n++] = (struct out_column){ .key = "line", .kind = OUT_CELL_COUNT };
	columns[n++] = (struct out_column){ .key = "function", .kind = OUT_CELL_TEXT };
	columns[n++] = (struct out_column){ .key = "source", .kind = OUT_CELL_TEXT };
	columns[n++] = (struct out_column){ .title = "", .kind = OUT_CELL_CODE };
	return out_doc_table(doc, "lines", title, columns, n);
}

/* Build id of the binary with the debug information; its len is 0 if it is not known. */
static struct pd_build_id debug_id(const struct out_annotation *a)
{
	struct pd_build_id none = { 0 };
	const struct profile *profile = a->functions->profile;

	return a->match.function ? prof_binary(profile, a->match.function->binary)->build_id : none;
}

/*
 * Text of a line: its number, after the name of the file unless that is the title of the table, and
 * its source. Allocated; NULL: no memory.
 */
static char *describe_line(const struct filling *f, const struct ann_line *line, const char *source)
{
	enum { NUMBER_COLUMNS = 5, LOCATION_COLUMNS = 20 };
	const char *base = base_file_name(line->file);
	bool has_source = *source != '\0';

	if (f->is_one_file)
		return base_format("%*" PRIu32 "%s%s", NUMBER_COLUMNS, line->line,
			has_source ? "  " : "", source);
	return base_format("%s:%-*" PRIu32 "%s%s", base,
		has_source && strlen(base) < LOCATION_COLUMNS ? LOCATION_COLUMNS - (int)strlen(base)
							      : 0,
		line->line, has_source ? "  " : "", source);
}

static struct pd_error *add_line(const struct filling *f, const struct ann_line *line)
{
	const struct out_annotation *a = f->annotation;
	struct pd_build_id id = debug_id(a);
	const char *found;
	struct pd_error *err = ann_sources_line(a->sources, line->file, &id, line->line, &found);

	if (err)
		return err;
	_cleanup_free_ char *source = ann_source_text(found ? found : "");
	_cleanup_free_ char *text = source ? describe_line(f, line, source) : NULL;
	if (!text)
		return &pd_enomem;
	out_table_row(f->table, NULL);
	out_annotate_add_values(
		f->table, a->functions, &a->lines->values.data[line->values], f->whole);
	out_table_text(f->table, line->file);
	out_table_count(f->table, line->line);
	out_table_text(f->table, line->function);
	if (found)
		out_table_text(f->table, source);
	else
		out_table_empty(f->table);
	out_table_text(f->table, text);
	return NULL;
}

struct pd_error *out_annotate_add_hottest(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole)
{
	const struct ann_lines *lines = a->lines;
	size_t n = lines->list.n < opts->limit ? lines->list.n : opts->limit;
	_cleanup_free_ uint32_t *order = base_calloc_n(lines->list.n, sizeof(*order));
	struct filling f = { .annotation = a, .whole = whole };

	if (!order)
		return &pd_enomem;
	ann_lines_by_heat(a->functions, lines, order);
	f.table = create_table(doc, a, "Hottest lines");
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_line(&f, &lines->list.data[order[i]]);

		if (err)
			return err;
	}
	out_table_set_noun(f.table, "line");
	out_table_set_left_out(f.table, lines->list.n - n);
	return NULL;
}

/* Sum of the samples without a known line, in one sentence. */
static void add_unknown(
	struct out_doc *doc, const struct out_annotation *a, const struct prof_value *whole)
{
	const struct prof_value *unknown = a->lines->unknown.data;

	if (!a->functions->events.n || !unknown[0].samples)
		return;
	const char *text = out_doc_format(doc,
		"\n%" PRIu64 " samples (%.2f %%) have no known source line", unknown[0].samples,
		whole[0].period ? 100 * (double)unknown[0].period / (double)whole[0].period : 0);
	out_doc_lines(doc, NULL, text);
}

static struct pd_error *add_file(
	struct out_doc *doc, const struct filling *f, const struct ann_file *file, size_t limit)
{
	const struct out_annotation *a = f->annotation;
	size_t n = file->n < limit ? file->n : limit;
	struct filling own = { .annotation = a, .whole = f->whole, .is_one_file = true };

	out_doc_begin_item(doc, "files", NULL);
	out_doc_fact(doc, "file", NULL, file->file);
	own.table = create_table(doc, a, file->file);
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_line(&own, &a->lines->list.data[file->first + i]);

		if (err)
			return err;
	}
	const char *path = ann_sources_path(a->sources, file->file);
	out_doc_fact(doc, "path", NULL, path ? path : "");
	out_table_set_noun(own.table, "line");
	out_table_set_left_out(own.table, file->n - n);
	out_doc_end(doc);
	return NULL;
}

struct pd_error *out_annotate_add_files(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole)
{
	const struct ann_lines *lines = a->lines;
	size_t n = lines->files.n < opts->limit ? lines->files.n : opts->limit;
	struct filling f = { .annotation = a, .whole = whole };

	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_file(doc, &f, &lines->files.data[i], opts->limit);

		if (err)
			return err;
	}
	out_doc_number(doc, "files_left_out", lines->files.n - n);
	if (lines->files.n > n)
		out_doc_lines(doc, NULL,
			out_doc_format(doc, "\n%zu more files are not shown", lines->files.n - n));
	add_unknown(doc, a, whole);
	return NULL;
}
