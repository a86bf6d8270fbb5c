/* The report: totals, top functions and the quality of the stacks. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "output/doc/doc.h"
#include "output/doc/fit.h"
#include "output/formats.h"
#include "output/report/call_trees.h"
#include "output/report/overview.h"
#include "output/report/report_diff.h"
#include "output/report/report_functions.h"
#include "output/report/report_keys.h"
#include "output/report/report_intervals.h"
#include "output/report/report_ledger.h"
#include "output/report/report_path.h"
#include "output/report/report_pgo.h"
#include "output/report/report_quality.h"
#include "output/report/report_waits.h"
#include "output/report/summary.h"

/* A tree that the report can show. */
struct tree_section {
	bool is_wanted;
	enum ana_direction direction;
	/** Function at which the tree begins; "" or NULL: the ends of the stacks. */
	const char *function;
	const char *key;
	const char *title;
	/** A stack of an event that was shown has it. */
	bool is_found;
};

enum { N_TREES = 3 };

static void list_trees(const struct pd_report_opts *opts, struct tree_section ret[N_TREES])
{
	ret[0] = (struct tree_section){ opts->tree, ANA_TO_CALLEES, NULL, "tree", "Call tree",
		false };
	ret[1] = (struct tree_section){ opts->callers, ANA_TO_CALLERS, opts->callers, "callers",
		"Callers", false };
	ret[2] = (struct tree_section){ opts->callees, ANA_TO_CALLEES, opts->callees, "callees",
		"Callees", false };
}

/* "Callers of ns::add", or "Callers of add (2 functions)". */
static const char *title_of_tree(struct out_doc *doc, const struct profile *profile,
	const struct tree_section *section, const struct prof_found_functions *found)
{
	if (found->n_names > 1)
		return out_doc_format(doc, "%s of %s (%zu functions)", section->title,
			section->function, found->n_names);
	for (struct prof_function_id id = { 0 }; found->n && id.i < profile->functions.n; id.i++) {
		if (found->is_found[id.i])
			return out_doc_format(
				doc, "%s of %s", section->title, prof_function_name(profile, id));
	}
	return out_doc_format(doc, "%s of %s", section->title, section->function);
}

/* Whether the tree begins at functions, which stacks may lack. */
static bool is_of_function(const struct tree_section *section)
{
	return section->function && *section->function;
}

static struct pd_error *no_function(const struct profile *profile, const char *function)
{
	_cleanup_free_ char *names = NULL;
	struct pd_error *err = prof_suggest_functions(profile, function, &names);

	if (err)
		return err;
	return pd_error_create(PD_ERROR_NOTHING, NULL, "no stack has the function \"%s\"%s%s",
		function, *names ? "; " : "", names);
}

/* Fail if no event has a stack with a function whose tree is wanted. */
static struct pd_error *check_found(
	const struct profile *profile, const struct tree_section trees[N_TREES])
{
	for (size_t i = 0; i < N_TREES; i++) {
		if (trees[i].is_wanted && is_of_function(&trees[i]) && !trees[i].is_found)
			return no_function(profile, trees[i].function);
	}
	return NULL;
}

/* Add a tree that begins at the functions that the name of the section stands for. */
static struct pd_error *add_tree_of(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	struct ana_tree_opts tree, struct tree_section *section)
{
	_cleanup_(prof_found_functions_deinit) struct prof_found_functions found = { 0 };
	_cleanup_free_ bool *is_start = base_calloc_n(symbols->list.n, sizeof(*is_start));
	bool is_empty = true;

	if (!is_start)
		return &pd_enomem;
	struct pd_error *err =
		ana_symbols_find(profile, symbols, section->function, is_start, &found);
	if (err)
		return err;
	tree.is_start = is_start;
	err = out_report_add_tree(doc, section->key, title_of_tree(doc, profile, section, &found),
		profile, symbols, &tree, opts, &is_empty);
	if (err)
		return err;
	section->is_found |= !is_empty;
	if (is_empty)
		out_doc_line(doc, NULL,
			out_doc_format(doc, "No stack of this event has the function \"%s\".",
				section->function));
	return NULL;
}

static struct pd_error *add_tree(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct pd_report_opts *opts,
	struct prof_event_id event, struct tree_section *section)
{
	const struct ana_tree_opts tree = { .event = event, .direction = section->direction };
	bool is_empty;

	if (is_of_function(section))
		return add_tree_of(doc, profile, symbols, opts, tree, section);
	return out_report_add_tree(
		doc, section->key, section->title, profile, symbols, &tree, opts, &is_empty);
}

/* Add what @p opts ask for; if they ask for nothing, the overview and the top functions. */
static struct pd_error *add_sections(struct out_doc *doc, const struct profile *profile,
	const struct ana_symbols *symbols, const struct out_write_opts *write,
	struct prof_event_id event, struct tree_section trees[N_TREES])
{
	const struct pd_report_opts *opts = &write->format.report;
	const struct out_report_events events = out_report_events(profile, write, event);
	bool is_any = out_report_has_table(opts);
	struct pd_error *err = NULL;

	if (is_any)
		err = out_report_add_sorted(doc, profile, opts, &events);
	for (size_t i = 0; !err && i < N_TREES; i++) {
		if (!trees[i].is_wanted)
			continue;
		err = add_tree(doc, profile, symbols, opts, event, &trees[i]);
		is_any = true;
	}
	if (err || is_any)
		return err;
	err = out_report_add_overview(doc, profile, write, event);
	if (!err)
		err = out_report_add_functions(doc, profile, symbols, opts, &events);
	return err ? err : out_report_add_paths(doc, profile, symbols, opts, event);
}

/* Tables by keys find the functions of frames by themselves. */
static bool needs_symbols(const struct pd_report_opts *opts)
{
	return !out_report_has_table(opts) || opts->tree || opts->callers || opts->callees;
}

/* Whether the report has a section for each of several events. */
static bool has_several(
	const struct profile *profile, const struct out_write_opts *opts, const bool *is_shown)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		n += is_shown[i];
	return opts->has_all_events && n > 1;
}

static struct pd_error *add_events(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	struct prof_event_id waits = out_report_wait_event(profile, opts);
	_cleanup_free_ bool *is_shown = base_calloc_n(profile->events.n, sizeof(*is_shown));
	struct tree_section trees[N_TREES];

	if (!is_shown)
		return &pd_enomem;
	list_trees(&opts->format.report, trees);
	out_find_shown(profile, opts, is_shown);
	bool is_titled = has_several(profile, opts, is_shown);
	struct pd_error *err =
		needs_symbols(&opts->format.report) ? ana_symbols_create(profile, &symbols) : NULL;

	for (struct prof_event_id id = { 0 }; !err && id.i < profile->events.n; id.i++) {
		const char *name = prof_string(profile, prof_event(profile, id)->name);

		if (!is_shown[id.i] || prof_same_event(id, waits))
			continue;
		const char *title = is_titled ? out_doc_format(doc, "Event %s", name) : NULL;
		out_doc_begin_item(doc, "by_event", title);
		out_doc_fact(doc, "event", NULL, name);
		err = add_sections(doc, profile, &symbols, opts, id, trees);
		out_doc_end(doc);
	}
	return err ? err : check_found(profile, trees);
}

static struct pd_error *fill(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	struct pd_error *err = out_report_add_summary(doc, profile, opts);

	if (!err && opts->format.report.ledger)
		err = out_report_add_ledger(doc, profile, opts);
	if (!err && out_report_has_intervals(&opts->format.report))
		err = out_report_add_intervals(doc, profile, opts);
	if (!err && out_report_has_pgo(&opts->format.report))
		err = out_report_add_pgo(doc, profile, opts);
	if (!err && opts->format.report.critical_path)
		err = out_report_add_path(doc, profile, opts);
	if (!err)
		err = out_report_add_waits(doc, profile, opts);
	if (!err && (!out_report_is_of_no_event(&opts->format.report) ||
			    out_report_has_section(&opts->format.report)))
		err = add_events(doc, profile, opts);
	return err ? err : out_report_add_quality(doc, profile, opts);
}

static struct pd_error *write_report(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct out_doc *doc = out_doc_create("report");
	struct pd_error *err = doc ? fill(doc, profile, opts) : &pd_enomem;

	if (!err)
		err = out_doc_write(doc, &opts->format.text, out);
	out_doc_destroy(doc);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	request->ledger = out_report_has_time(&opts->format.report);
	request->critical_path = opts->format.report.critical_path;
	request->rows |= request->critical_path != NULL;
	request->intervals = out_report_has_intervals(&opts->format.report);
	request->own_intervals = opts->format.report.intervals;
	request->n_own_intervals = opts->format.report.n_intervals;
	if (out_report_has_pgo(&opts->format.report))
		out_report_request_pgo(request);
	request->waits = true;
	request->pattern_names = true;
	return out_report_sort_prepare(&opts->format.report, request);
}

const struct out_format out_format_report = {
	.name = "report",
	.suffix = ".txt",
	.find_shown = out_report_find_shown,
	.reports_quality = true,
	.help = "summary: totals, top functions, quality of the stacks",
	.prepare = prepare,
	.write = write_report,
	.prepare_diff = out_report_prepare_diff,
	.write_diff = out_report_write_diff,
};
