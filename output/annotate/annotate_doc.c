/* Annotation: facts about a function, its hottest lines, and its instructions. */
#include "output/annotate/annotate_doc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/annotate/annotate_lines.h"
#include "output/annotate/annotate_listing.h"
#include "base/text.h"

/* Values by which shares are computed: those of the function, or of everything. */
static const struct prof_value *whole_of(const struct out_annotation *a)
{
	return a->match.function ? ann_values(a->functions, a->match.function->values)
				 : a->functions->totals.data;
}

static const char *binary_name(const struct out_annotation *a)
{
	const struct profile *profile = a->functions->profile;

	return prof_string(profile, prof_binary(profile, a->match.function->binary)->name);
}

static void add_event(struct out_doc *doc, const struct out_annotation *a, size_t i)
{
	const struct prof_value *values = &whole_of(a)[i];
	const struct prof_value *total = &a->functions->totals.data[i];
	const char *line;

	if (i < out_annotate_n_events(a->functions) && a->match.function)
		line = out_doc_format(doc,
			"  event    %s: %" PRIu64 " of %" PRIu64 " samples, %.2f %%",
			out_annotate_event_name(a->functions, i), values->samples, total->samples,
			total->period ? 100 * (double)values->period / (double)total->period : 0);
	else if (i < out_annotate_n_events(a->functions))
		line = out_doc_format(doc, "  event    %s: %" PRIu64 " samples",
			out_annotate_event_name(a->functions, i), total->samples);
	else
		line = out_doc_format(
			doc, "  event    %s: not shown", out_annotate_event_name(a->functions, i));
	out_doc_line(doc, NULL, line);
	out_doc_begin_item(doc, "events", NULL);
	out_doc_fact(doc, "name", NULL, out_annotate_event_name(a->functions, i));
	out_doc_number(doc, "samples", values->samples);
	out_doc_number(doc, "period", values->period);
	out_doc_number(doc, "total_samples", total->samples);
	out_doc_number(doc, "total_period", total->period);
	out_doc_end(doc);
}

static void add_code(struct out_doc *doc, const struct out_annotation *a)
{
	char id[PD_BUILD_ID_HEX_MAX];
	const char *path = a->code ? ann_code_path(a->code) : NULL;

	if (!a->code)
		return;
	pd_build_id_hex(ann_code_build_id(a->code), id);
	out_doc_fact(doc, "build_id", NULL, id);
	out_doc_fact(doc, "code", "code", path ? path : "");
	if (a->listing->arch)
		out_doc_fact(doc, "arch", NULL, a->listing->arch->name);
	out_doc_bool(doc, "is_mismatched", ann_code_is_mismatched(a->code));
}

/* Report samples that are in no function, unless a function was asked for. */
static void add_unnamed(struct out_doc *doc, const struct out_annotation *a)
{
	if (!a->listing || a->match.n || !a->functions->events.n)
		return;
	struct prof_value unnamed = ann_functions_unnamed(a->functions, 0);
	const struct prof_value *total = &a->functions->totals.data[0];
	if (!unnamed.samples)
		return;
	const char *line = out_doc_format(doc,
		"  note     %" PRIu64
		" samples (%.2f %%) are in code without a symbol, which cannot be annotated",
		unnamed.samples,
		total->period ? 100 * (double)unnamed.period / (double)total->period : 0);
	out_doc_lines(doc, NULL, line);
}

/* Say what makes the annotation less than exact or complete. */
static void add_remarks(struct out_doc *doc, const struct out_annotation *a)
{
	add_unnamed(doc, a);
	if (a->match.is_inlined)
		out_doc_lines(doc, NULL,
			"  note     the function was inlined; this is the hottest function that has it");
	if (a->match.second)
		out_doc_line(doc, NULL,
			out_doc_format(doc,
				"  note     %zu functions match; this is the hottest one, the next "
				"is '%s'",
				a->match.n, ann_function_name(a->functions, a->match.second)));
	if (a->code && ann_code_is_mismatched(a->code))
		out_doc_lines(doc, NULL,
			"  note     the file is of another build: the code may not be what ran");
	if (a->listing && a->listing->why)
		out_doc_line(doc, NULL,
			out_doc_format(doc, "  note     no instructions: %s", a->listing->why));
	if (a->listing && a->listing->is_cut)
		out_doc_lines(
			doc, NULL, "  note     the function is too long: only its start is shown");
}

static void add_function(struct out_doc *doc, const struct out_annotation *a)
{
	const struct ann_function *function = a->match.function;
	const struct prof_function *f = prof_function(a->functions->profile, function->function);
	const char *name = ann_function_name(a->functions, function);
	const char *file = prof_string(a->functions->profile, f->file);

	const char *plain = prof_string(a->functions->profile, f->name);
	out_doc_line(
		doc, NULL, out_doc_format(doc, "%s  (%s)", plain, base_file_name(binary_name(a))));
	out_doc_fact(doc, "function", strcmp(name, plain) ? "function" : NULL, name);
	const char *linkage = prof_string(a->functions->profile, f->linkage);
	/* Clones and pieces of a function have its name, and suffixes after a dot. */
	bool is_piece = strcmp(linkage, plain) != 0 && strchr(linkage, '.');
	out_doc_fact(doc, "linkage_name", is_piece ? "symbol" : NULL, linkage);
	out_doc_fact(doc, "binary", "binary", binary_name(a));
	add_code(doc, a);
	out_doc_fact(doc, "file", NULL, file);
	out_doc_number(doc, "matches", a->match.n);
	out_doc_bool(doc, "is_inlined", a->match.is_inlined);
	if (a->listing)
		out_doc_fact(doc, "why_no_code", NULL, a->listing->why ? a->listing->why : "");
}

static struct pd_error *fill(
	struct out_doc *doc, const struct out_annotation *a, const struct out_annotate_opts *opts)
{
	out_doc_fact(doc, "input", NULL, opts->input);
	if (a->match.function)
		add_function(doc, a);
	else
		out_doc_line(doc, NULL, opts->input);
	for (size_t i = 0; i < a->functions->events.n; i++)
		add_event(doc, a, i);
	add_remarks(doc, a);
	if (!a->listing)
		return out_annotate_add_files(doc, a, opts, whole_of(a));
	struct pd_error *err = out_annotate_add_hottest(doc, a, opts, whole_of(a));
	return err ? err : out_annotate_add_listing(doc, a, opts, whole_of(a));
}

struct pd_error *out_annotate_write(
	const struct out_annotation *annotation, const struct out_annotate_opts *opts, FILE *out)
{
	struct out_doc *doc = out_doc_create("annotate");
	struct pd_error *err = doc ? fill(doc, annotation, opts) : &pd_enomem;

	if (!err)
		err = out_doc_write(doc, &opts->text, out);
	out_doc_destroy(doc);
	return err;
}
