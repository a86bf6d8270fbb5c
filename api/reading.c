#include "api/reading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/reserved.h"
#include "profile/sample_filter.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/local_processes.h"
#include "symbolize/file/trouble.h"
#include "symbolize/find/debuginfod.h"

static struct pd_error *add_ranges(
	struct prof_ranges *to, const struct pd_number_range *ranges, size_t n)
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

static struct pd_error *add_names(struct prof_names *to, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!pd_vec_push(&to->items, names[i]))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_patterns(struct prof_patterns *to, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct base_pattern *pattern;
		struct pd_error *err = base_pattern_create(texts[i], &pattern);

		if (err)
			return err;
		if (pd_vec_push(&to->items, pattern))
			continue;
		base_pattern_destroy(pattern);
		return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_times(struct prof_time_spans *to, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = prof_time_spans_parse(to, texts[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *set_filter(const struct pd_filter_opts *opts, struct api_reading *reading)
{
	struct prof_filter *filter = &reading->filter;
	struct pd_error *err = NULL;

#define ADD_LIST(name, text, type, list, ...) \
	if (!err) \
		err = add_##type(&filter->list, opts->list, opts->n_##list);
	PD_FILTERS(ADD_LIST)
	PD_FRAME_FILTERS(ADD_LIST)
#undef ADD_LIST
	filter->hides_scaffolding = opts->hides_scaffolding;
	if (!err && prof_filter_is_active(filter))
		reading->resolve.filter = filter;
	return err;
}

static struct pd_error *add_debuginfod(
	const struct pd_search_opts *opts, struct api_reading *reading)
{
	const struct sym_debuginfod_opts debuginfod = {
		.urls = opts->debuginfod_urls,
		.timeout = opts->debuginfod_timeout,
		.on_progress = opts->on_fetch,
		.ctx = opts->fetch_ctx,
	};

	if (!opts->debuginfod_urls)
		return NULL;
	/* Files on servers cannot be checked without another request. */
	sym_deps_spoil(reading->deps);
	return sym_debuginfod_create(&debuginfod, &reading->debuginfod);
}

/* Add the tarball @p path, which may be NULL, if it exists. */
static struct pd_error *add_if_file(struct api_reading *reading, const char *path)
{
	if (!sym_given_is_file(path, reading->deps))
		return NULL;
	return sym_given_add_archive(&reading->given, path, reading->deps);
}

/* Add the tarball that `perf archive` leaves next to a recording. */
static struct pd_error *add_archive_beside(struct api_reading *reading, const char *recording)
{
	static const char *const suffixes[] = { "bz2", "gz", "xz", "zst" };

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		_cleanup_free_ char *path = base_format("%s.tar.%s", recording, suffixes[i]);

		if (!path)
			return &pd_enomem;
		struct pd_error *err = add_if_file(reading, path);
		if (err)
			return err;
	}
	return NULL;
}

/* With `perf record --kcore` the recording is a directory with files of the kernel. */
static struct pd_error *find_kernel_dir(struct api_reading *reading, const char *recording)
{
	struct stat st;

	reading->kernel_dir = base_format("%s/kcore_dir", recording);
	if (!reading->kernel_dir)
		return &pd_enomem;
	sym_deps_add(reading->deps, SYM_DEP_FILE, reading->kernel_dir);
	if (stat(reading->kernel_dir, &st) == 0 && S_ISDIR(st.st_mode))
		return NULL;
	free(reading->kernel_dir);
	reading->kernel_dir = NULL;
	return NULL;
}

/* Find what stands next to the recording @p path, or in it. */
static struct pd_error *add_neighbours(struct api_reading *reading, const char *path)
{
	if (!path || strcmp(path, "-") == 0)
		return NULL;
	struct pd_error *err = add_archive_beside(reading, path);
	return err ? err : find_kernel_dir(reading, path);
}

static struct pd_error *add_files(const struct pd_search_opts *opts, struct api_reading *reading)
{
	for (size_t i = 0; i < opts->n_dirs; i++) {
		struct pd_error *err = sym_given_add(&reading->given, opts->dirs[i], reading->deps);

		if (err)
			return err;
	}
	return add_if_file(reading, opts->buildid_dir);
}

/* Without what the caller names, names would be missing, and nothing would say why. */
static struct pd_error *check_search(const struct pd_search_opts *opts)
{
	const struct {
		const char *path, *member;
		bool is_dir;
	} named[] = {
		{ opts->symfs, "symfs", true },
		{ opts->vmlinux, "vmlinux", false },
		{ opts->kallsyms, "kallsyms", false },
		{ opts->modules, "modules", false },
		{ opts->kernel_dir, "kernel_dir", true },
		{ opts->perf_map_dir, "perf_map_dir", true },
	};
	struct stat st;

	for (size_t i = 0; i < PD_ARRAY_LEN(named); i++) {
		if (!named[i].path)
			continue;
		if (stat(named[i].path, &st) < 0)
			return pd_error_os(
				named[i].path, "cannot open what %s names", named[i].member);
		if (S_ISDIR(st.st_mode) != named[i].is_dir)
			return pd_error_create(PD_ERROR_USAGE, named[i].path, "%s names %s",
				named[i].member, named[i].is_dir ? "no directory" : "a directory");
	}
	return NULL;
}

static struct pd_error *set_search(
	const struct pd_search_opts *opts, const char *path, struct api_reading *reading)
{
	struct pd_error *err = check_search(opts);

	if (!err)
		err = sym_trouble_create(&reading->trouble);
	if (!err)
		err = sym_process_roots_create(&reading->roots);
	if (!err)
		err = add_files(opts, reading);
	if (!err)
		err = add_neighbours(reading, path);
	if (!err)
		err = add_debuginfod(opts, reading);
	if (err)
		return err;
	reading->resolve.search = (struct sym_search){
		.symfs = opts->symfs,
		.buildid_dir = sym_given_is_file(opts->buildid_dir, reading->deps)
				       ? NULL
				       : opts->buildid_dir,
		.path_maps = opts->path_maps,
		.n_path_maps = opts->n_path_maps,
		.debuginfod = reading->debuginfod,
		.deps = reading->deps,
		.trouble = reading->trouble,
		.roots = reading->roots,
		.cache_dir = opts->cache_dir,
		.kernel_dir = opts->kernel_dir ? opts->kernel_dir : reading->kernel_dir,
		.perf_map_dir = opts->perf_map_dir,
		.force_mismatch = opts->force_mismatch,
		.no_own_paths = opts->no_own_paths,
	};
	sym_given_use(&reading->given, &reading->resolve.search);
	return NULL;
}

static struct pd_error *set_names(const struct pd_profile_opts *opts, struct api_reading *reading)
{
	if (opts->names.form > PD_NAME_FORM_MANGLED)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid form of names %d", (int)opts->names.form);
	if (opts->no_names && prof_filter_needs_names(&reading->filter))
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "the filter looks at names, but no_names is set");
	reading->resolve.no_names = opts->no_names;
	reading->resolve.names = opts->names;
	return NULL;
}

static struct pd_error *check_reserved(const struct pd_profile_opts *opts)
{
#define ROOM(name, member) \
	{ \
		name, (member).reserved, PD_ARRAY_LEN((member).reserved) \
	}
	const struct {
		const char *name;
		const uint64_t *words;
		size_t n;
	} rooms[] = {
		ROOM("struct pd_profile_opts", *opts),
		ROOM("struct pd_filter_opts", opts->filter),
		ROOM("struct pd_search_opts", opts->search),
		ROOM("struct pd_unwind_opts", opts->unwind),
		ROOM("struct pd_name_opts", opts->names),
		ROOM("struct pd_format_opts", opts->format),
		ROOM("struct pd_text_opts", opts->format.text),
		ROOM("struct pd_report_opts", opts->format.report),
		ROOM("struct pd_folded_opts", opts->format.folded),
		ROOM("struct pd_script_opts", opts->format.script),
		ROOM("struct pd_html_opts", opts->format.html),
		ROOM("struct pd_perfdata_opts", opts->format.perfdata),
	};
#undef ROOM

	for (size_t i = 0; i < PD_ARRAY_LEN(rooms); i++) {
		struct pd_error *err =
			base_reserved_check(rooms[i].name, rooms[i].words, rooms[i].n);

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *api_reading_init(const struct pd_profile_opts *opts, const char *path,
	struct sym_deps *deps, struct api_reading *ret)
{
	*ret = (struct api_reading){
		.deps = deps,
		.resolve = {
			.budget = opts->budget,
			.kernel = {
				.vmlinux = opts->search.vmlinux,
				.kallsyms = opts->search.kallsyms,
				.ignore_vmlinux = opts->search.ignore_vmlinux,
			},
			.modules = opts->search.modules,
			.unwind = opts->unwind,
			.stitch = opts->stitch,
			.no_truncated = opts->no_truncated,
			.jobs = opts->jobs,
			.input = opts->input,
			.times = &ret->times,
		},
	};
	struct pd_error *err = check_reserved(opts);
	if (err)
		return err;
	err = set_filter(&opts->filter, ret);
	if (err)
		return err;
	err = set_names(opts, ret);
	return err ? err : set_search(&opts->search, path, ret);
}

void api_reading_report(const struct api_reading *reading, struct pd_diag *diag)
{
	const char *failed =
		reading->debuginfod ? sym_debuginfod_failure(reading->debuginfod) : NULL;

	sym_trouble_report(reading->trouble, diag);
	if (failed)
		pd_diag_warn(diag, "debuginfod", PD_NO_OFFSET, NULL, "%s", failed);
	sym_given_report(&reading->given, diag);
}

void api_reading_deinit(struct api_reading *reading)
{
	prof_filter_deinit(&reading->filter);
	sym_given_deinit(&reading->given);
	sym_debuginfod_destroy(reading->debuginfod);
	sym_trouble_destroy(reading->trouble);
	sym_process_roots_destroy(reading->roots);
	free(reading->kernel_dir);
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

struct pd_error *api_reading_write_opts(
	const struct pd_profile_opts *opts, struct out_write_opts *ret)
{
	*ret = out_write_defaults();
	ret->has_all_events = opts->filter.n_events > 0;
	ret->jobs = opts->jobs;
	ret->pprof.labels = opts->tags;
	ret->pprof.n_labels = opts->n_tags;
	ret->has_partial_stacks = opts->filter.n_hide || opts->filter.n_roots;
	ret->unwind = opts->unwind;
	ret->names = opts->names;
	ret->format = opts->format;
	return find_labels(opts, &ret->pprof.tags);
}

/* Code and source files. */

struct pd_error *api_code_files_init(
	struct api_code_files *files, const struct pd_profile_opts *opts, const char *path)
{
	const struct resolve_opts *resolve = &files->reading.resolve;
	const struct ann_sources_opts sources = {
		.search = &resolve->search,
		.dirs = opts->format.html.source_dirs,
		.n_dirs = opts->format.html.n_source_dirs,
	};
	struct pd_error *err = api_reading_init(opts, path, NULL, &files->reading);

	if (err)
		return err;
	files->files = (struct ann_files){ &resolve->search, &resolve->kernel };
	err = ann_sources_create(&sources, &files->sources);
	files->html = (struct out_html_code){ &files->files, files->sources, &resolve->names };
	return err;
}

void api_code_files_deinit(struct api_code_files *files)
{
	ann_sources_destroy(files->sources);
	api_reading_deinit(&files->reading);
}
