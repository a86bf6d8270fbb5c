#include "api/reading.h"

#include <string.h>

#include "base/array.h"
#include "profile/filter_names.h"
#include "symbolize/file/trouble.h"
#include "symbolize/find/debuginfod.h"

static struct pd_error *add_ranges(
	struct prof_number_list *to, const struct pd_number_range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].first > ranges[i].last)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid range %u-%u: it ends before it begins", ranges[i].first,
				ranges[i].last);
		if (!pd_vec_push(&to->items, ranges[i]))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_names(struct prof_name_list *to, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!pd_vec_push(&to->items, names[i]))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_patterns(
	struct prof_pattern_list *to, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_pattern *pattern;
		struct pd_error *err = pd_pattern_create(texts[i], &pattern);

		if (err)
			return err;
		if (pd_vec_push(&to->items, pattern))
			continue;
		pd_pattern_destroy(pattern);
		return &pd_enomem;
	}
	return NULL;
}

/* The lists of struct pd_filter_opts by type. Each has its name in struct prof_filter, too. */
#define LISTS(L) \
	L(ranges, pids) \
	L(ranges, tids) \
	L(ranges, cpus) \
	L(names, events) \
	L(names, comms) \
	L(names, dsos) \
	L(names, symbols) \
	L(names, roots) \
	L(patterns, focus) \
	L(patterns, ignore) \
	L(patterns, hide)

static struct pd_error *set_filter(const struct pd_filter_opts *opts, struct pd_reading *reading)
{
	struct prof_filter *filter = &reading->filter;
	struct pd_error *err =
		opts->times ? prof_time_spans_parse(&filter->times, opts->times) : NULL;

#define ADD_LIST(type, list) \
	if (!err) \
		err = add_##type(&filter->list, opts->list, opts->n_##list);
	LISTS(ADD_LIST)
#undef ADD_LIST
	filter->hides_scaffolding = opts->hides_scaffolding;
	if (!err && prof_filter_is_active(filter))
		reading->resolve.filter = filter;
	return err;
}

static struct pd_error *add_debuginfod(
	const struct pd_search_opts *opts, struct pd_reading *reading)
{
	const struct sym_debuginfod_opts debuginfod = {
		.urls = opts->debuginfod_urls,
		.timeout = opts->debuginfod_timeout,
	};

	return opts->debuginfod_urls ? sym_debuginfod_create(&debuginfod, &reading->debuginfod)
				     : NULL;
}

static struct pd_error *add_files(const struct pd_search_opts *opts, struct pd_reading *reading)
{
	for (size_t i = 0; i < opts->n_dirs; i++) {
		struct pd_error *err = sym_given_add(&reading->given, opts->dirs[i], NULL);

		if (err)
			return err;
	}
	return sym_given_is_file(opts->buildid_dir, NULL)
		       ? sym_given_add_archive(&reading->given, opts->buildid_dir, NULL)
		       : NULL;
}

static struct pd_error *set_search(const struct pd_search_opts *opts, struct pd_reading *reading)
{
	struct pd_error *err = sym_trouble_create(&reading->trouble);

	if (err)
		return err;
	err = add_files(opts, reading);

	if (err)
		return err;
	err = add_debuginfod(opts, reading);
	if (err)
		return err;
	reading->resolve.search = (struct sym_search){
		.symfs = opts->symfs,
		.buildid_dir =
			sym_given_is_file(opts->buildid_dir, NULL) ? NULL : opts->buildid_dir,
		.path_maps = opts->path_maps,
		.n_path_maps = opts->n_path_maps,
		.debuginfod = reading->debuginfod,
		.trouble = reading->trouble,
		.cache_dir = opts->cache_dir,
		.kernel_dir = opts->kernel_dir,
		.perf_map_dir = opts->perf_map_dir,
		.force_mismatch = opts->force_mismatch,
		.no_own_paths = opts->no_own_paths,
	};
	sym_given_use(&reading->given, &reading->resolve.search);
	return NULL;
}

static struct pd_error *set_names(const struct pd_profile_opts *opts, struct pd_reading *reading)
{
	static const enum sym_form forms[] = {
		[PD_NAME_FORM_TEMPLATES] = SYM_FORM_TEMPLATES,
		[PD_NAME_FORM_SHORT] = SYM_FORM_SHORT,
		[PD_NAME_FORM_FULL] = SYM_FORM_FULL,
		[PD_NAME_FORM_MANGLED] = SYM_FORM_NONE,
	};

	if ((size_t)opts->form >= PD_ARRAY_LEN(forms))
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid form of names %d", (int)opts->form);
	if (opts->no_names && prof_filter_needs_names(&reading->filter))
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "the filter looks at names, but no_names is set");
	reading->resolve.no_names = opts->no_names;
	reading->resolve.names = (struct sym_opts){
		.no_inline = opts->no_inline,
		.no_lines = opts->no_lines,
		.form = forms[opts->form],
	};
	return NULL;
}

struct pd_error *pd_reading_init(const struct pd_profile_opts *opts, struct pd_reading *ret)
{
	*ret = (struct pd_reading){
		.resolve = {
			.budget = opts->budget,
			.kernel = {
				.vmlinux = opts->search.vmlinux,
				.kallsyms = opts->search.kallsyms,
				.ignore_vmlinux = opts->search.ignore_vmlinux,
			},
			.modules = opts->search.modules,
			.max_stack = opts->max_stack,
			.no_kernel = opts->no_kernel,
			.no_user = opts->no_user,
			.cfi_only = opts->cfi_only,
			.stitch = opts->stitch,
			.no_truncated = opts->no_truncated,
			.jobs = opts->jobs,
		},
	};
	struct pd_error *err = set_filter(&opts->filter, ret);
	if (err)
		return err;
	err = set_names(opts, ret);
	return err ? err : set_search(&opts->search, ret);
}

void pd_reading_report(const struct pd_reading *reading, struct pd_diag *diag)
{
	const char *failed =
		reading->debuginfod ? sym_debuginfod_failure(reading->debuginfod) : NULL;

	sym_trouble_report(reading->trouble, diag);
	if (failed)
		pd_diag_warn(diag, "debuginfod", PD_NO_OFFSET, NULL, "%s", failed);
	sym_given_report(&reading->given, diag);
}

void pd_reading_deinit(struct pd_reading *reading)
{
	prof_filter_deinit(&reading->filter);
	sym_given_deinit(&reading->given);
	sym_debuginfod_destroy(reading->debuginfod);
	sym_trouble_destroy(reading->trouble);
}

/* Set the bits of enum prof_tag that @p opts name. */
static struct pd_error *find_labels(const struct pd_profile_opts *opts, unsigned *ret)
{
#define TAG_NAME(tag, name, help) name,
	static const char *const names[] = { PROF_TAGS(TAG_NAME) };
#undef TAG_NAME

	for (size_t i = 0; i < opts->n_labels; i++) {
		size_t tag = 0;

		while (tag < PD_ARRAY_LEN(names) && strcmp(names[tag], opts->labels[i]) != 0)
			tag++;
		if (tag == PD_ARRAY_LEN(names))
			return pd_error_create(
				PD_ERROR_USAGE, NULL, "unknown label '%s'", opts->labels[i]);
		*ret |= 1u << tag;
	}
	return NULL;
}

struct pd_error *pd_reading_write_opts(
	const struct pd_profile_opts *opts, struct out_write_opts *ret)
{
	*ret = out_write_defaults();
	ret->has_all_events = opts->filter.n_events > 0;
	ret->jobs = opts->jobs;
	ret->pprof.labels = opts->tags;
	ret->pprof.n_labels = opts->n_tags;
	ret->has_partial_stacks = opts->filter.n_hide || opts->filter.n_roots;
	ret->no_inline = opts->no_inline;
	ret->text = opts->format.text;
	ret->report = opts->format.report;
	ret->folded = opts->format.folded;
	ret->script = opts->format.script;
	ret->html = opts->format.html;
	ret->perfdata = (struct out_perfdata_opts){
		.caller = opts->format.perfdata,
		.no_kernel = opts->no_kernel,
		.no_user = opts->no_user,
	};
	return find_labels(opts, &ret->pprof.tags);
}
