#include "api/opts_copy.h"

#include <string.h>

#include <pdconv/left_out_defs.h>

#include "base/array.h"

/* The functions below replace what the caller has by copies. False if out of memory. */

static bool copy_text(struct base_arena *arena, const char **text)
{
	if (!*text)
		return true;
	*text = base_arena_strndup(arena, *text, strlen(*text));
	return *text;
}

static bool copy_texts(struct base_arena *arena, const char *const **list, size_t n)
{
	const char **texts = base_arena_alloc(arena, n * sizeof(*texts) + 1);

	if (!texts)
		return false;
	for (size_t i = 0; i < n; i++) {
		texts[i] = (*list)[i];
		if (!copy_text(arena, &texts[i]))
			return false;
	}
	*list = texts;
	return true;
}

static bool copy_ranges(struct base_arena *arena, const struct pd_number_range **list, size_t n)
{
	struct pd_number_range *ranges = base_arena_alloc(arena, n * sizeof(*ranges) + 1);

	if (!ranges)
		return false;
	if (n)
		memcpy(ranges, *list, n * sizeof(*ranges));
	*list = ranges;
	return true;
}

static bool copy_path_maps(struct base_arena *arena, struct pd_search_opts *opts)
{
	struct pd_path_map *maps = base_arena_alloc(arena, opts->n_path_maps * sizeof(*maps) + 1);

	if (!maps)
		return false;
	for (size_t i = 0; i < opts->n_path_maps; i++) {
		maps[i] = opts->path_maps[i];
		if (!copy_text(arena, &maps[i].from) || !copy_text(arena, &maps[i].to))
			return false;
	}
	opts->path_maps = maps;
	return true;
}

static bool copy_tags(struct base_arena *arena, struct pd_profile_opts *opts)
{
	struct pd_tag *tags = base_arena_alloc(arena, opts->n_tags * sizeof(*tags) + 1);

	if (!tags)
		return false;
	for (size_t i = 0; i < opts->n_tags; i++) {
		tags[i] = opts->tags[i];
		if (!copy_text(arena, &tags[i].key) || !copy_text(arena, &tags[i].value))
			return false;
	}
	opts->tags = tags;
	return true;
}

static bool copy_filter(struct base_arena *arena, struct pd_filter_opts *filter)
{
#define COPY_ranges copy_ranges
#define COPY_times copy_texts
#define COPY_names copy_texts
#define COPY_patterns copy_texts
#define COPY_LIST(name, text, type, list, ...) \
	COPY_##type(arena, &filter->list, filter->n_##list) &&
	return PD_FILTERS(COPY_LIST) PD_FRAME_FILTERS(COPY_LIST) true;
#undef COPY_LIST
}

static bool copy_formats(struct base_arena *arena, struct pd_format_opts *format)
{
	struct pd_report_opts *report = &format->report;
	struct pd_folded_opts *folded = &format->folded;
	struct pd_script_opts *script = &format->script;
	struct pd_html_opts *html = &format->html;

	return copy_text(arena, &report->callers) && copy_text(arena, &report->callees) &&
	       copy_text(arena, &report->parent) && copy_text(arena, &report->new_build) &&
	       copy_texts(arena, &report->sort, report->n_sort) &&
	       copy_texts(arena, &report->intervals, report->n_intervals) &&
	       copy_texts(arena, &report->group_by, report->n_group_by) &&
	       copy_texts(arena, &folded->skip_after, folded->n_skip_after) &&
	       copy_texts(arena, &script->fields, script->n_fields) &&
	       copy_texts(arena, &html->source_dirs, html->n_source_dirs);
}

struct pd_error *api_search_opts_copy(
	const struct pd_search_opts *opts, struct base_arena *arena, struct pd_search_opts *ret)
{
	*ret = *opts;
	const char **const texts[] = { &ret->symfs, &ret->buildid_dir, &ret->perf_map_dir,
		&ret->vmlinux, &ret->kallsyms, &ret->modules, &ret->kernel_dir,
		&ret->debuginfod_urls, &ret->cache_dir };

	for (size_t i = 0; i < PD_ARRAY_LEN(texts); i++) {
		if (!copy_text(arena, texts[i]))
			return &pd_enomem;
	}
	return copy_texts(arena, &ret->dirs, ret->n_dirs) && copy_path_maps(arena, ret)
		       ? NULL
		       : &pd_enomem;
}

struct pd_error *api_profile_opts_copy(
	const struct pd_profile_opts *opts, struct base_arena *arena, struct pd_profile_opts *ret)
{
	*ret = *opts;
	if (!copy_text(arena, &ret->input) || !copy_text(arena, &ret->title) ||
		!copy_texts(arena, &ret->labels, ret->n_labels) || !copy_tags(arena, ret) ||
		!copy_filter(arena, &ret->filter) || !copy_formats(arena, &ret->format))
		return &pd_enomem;
	return api_search_opts_copy(&opts->search, arena, &ret->search);
}

struct pd_error *api_capture_opts_copy_texts(struct pd_capture_opts *opts, struct base_arena *arena)
{
	return copy_text(arena, &opts->event) && copy_text(arena, &opts->filter) ? NULL
										 : &pd_enomem;
}
