#include "resolve/question.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/system/base_machine.h"
#include "profile/sample_filter.h"
#include "symbolize/find/binary_archive.h"

/* Environment variables that the search for files looks at. */
static const char *const VARIABLES[] = {
	"HOME",
	"XDG_CACHE_HOME",
	"DEBUGINFOD_CACHE_PATH",
};

bool resolve_is_repeatable(const struct resolve_opts *opts)
{
	return !opts->on_sample && !opts->on_record && !opts->list_files &&
	       !opts->search.debuginfod && !opts->request.describe;
}

/* Texts and arrays are preceded by their length, so that no two questions look alike. */
static void write_bytes(const void *bytes, size_t size, FILE *out)
{
	uint64_t len = size;

	fwrite(&len, sizeof(len), 1, out);
	if (size)
		fwrite(bytes, 1, size, out);
}

/* NULL differs from "". */
static void write_text(const char *text, FILE *out)
{
	write_bytes(text, text ? strlen(text) + 1 : 0, out);
}

#define write_list(list, out) write_bytes((list)->data, (list)->n * sizeof(*(list)->data), out)

static void write_names(const struct prof_names *list, FILE *out)
{
	write_bytes(&list->items.n, sizeof(list->items.n), out);
	for (size_t i = 0; i < list->items.n; i++)
		write_text(list->items.data[i], out);
}

/*
 * Members that are written separately are removed from the copy, and the rest is written as it is.
 * So an option that is new is part of the question. A new pointer differs each time: then nothing
 * is answered again, until it is written here.
 */
#define TAKE_TEXT(copy, member, out) \
	do { \
		write_text((copy).member, out); \
		(copy).member = NULL; \
	} while (0)

#define TAKE_LIST(copy, member, out) \
	do { \
		write_list(&(copy).member, out); \
		memset(&(copy).member, 0, sizeof((copy).member)); \
	} while (0)

#define TAKE_NAMES(copy, member, out) \
	do { \
		write_names(&(copy).member, out); \
		memset(&(copy).member, 0, sizeof((copy).member)); \
	} while (0)

static void write_filter(const struct prof_filter *filter, FILE *out)
{
	struct prof_filter copy = { 0 };

	if (filter)
		memcpy(&copy, filter, sizeof(copy));
	TAKE_LIST(copy, pids.items, out);
	TAKE_LIST(copy, tids.items, out);
	TAKE_LIST(copy, cpus.items, out);
	TAKE_LIST(copy, times.list, out);
	TAKE_NAMES(copy, events, out);
	TAKE_NAMES(copy, comms, out);
	TAKE_NAMES(copy, dsos, out);
	/* These look at names, and are applied to the answer. */
	memset(&copy.symbols, 0, sizeof(copy.symbols));
	memset(&copy.focus, 0, sizeof(copy.focus));
	memset(&copy.ignore, 0, sizeof(copy.ignore));
	memset(&copy.hide, 0, sizeof(copy.hide));
	memset(&copy.roots, 0, sizeof(copy.roots));
	copy.hides_scaffolding = false;
	write_bytes(&copy, sizeof(copy), out);
}

static void write_search(struct sym_search *search, FILE *out)
{
	TAKE_TEXT(*search, symfs, out);
	TAKE_TEXT(*search, debug_dirs, out);
	TAKE_TEXT(*search, buildid_dir, out);
	TAKE_TEXT(*search, kernel_dir, out);
	TAKE_TEXT(*search, perf_map_dir, out);
	for (size_t i = 0; i < search->n_path_maps; i++) {
		write_text(search->path_maps[i].from, out);
		write_text(search->path_maps[i].to, out);
	}
	search->path_maps = NULL;
	for (size_t i = 0; i < search->n_archives; i++)
		write_text(sym_archive_path(search->archives[i]), out);
	search->archives = NULL;
	/* Names do not depend on their cache, nor on the lists that are made meanwhile. */
	search->cache_dir = NULL;
	search->deps = NULL;
	search->roots = NULL;
	search->trouble = NULL;
}

/* Functions are written as distances, because the program is at another address each time. */
static void write_request(struct prof_request *request, FILE *out)
{
	uintptr_t distance = (uintptr_t)request->note_text - (uintptr_t)resolve_question;

	write_bytes(&distance, request->note_text ? sizeof(distance) : 0, out);
	request->note_text = NULL;
	for (size_t i = 0; i < request->n_own_intervals; i++)
		write_text(request->own_intervals[i], out);
	request->own_intervals = NULL;
	TAKE_TEXT(*request, critical_path, out);
}

static void write_opts(const struct resolve_opts *opts, FILE *out)
{
	uint64_t limit = pd_budget_limit(opts->budget);
	struct resolve_opts copy;

	memcpy(&copy, opts, sizeof(copy));
	write_search(&copy.search, out);
	write_request(&copy.request, out);
	write_filter(copy.filter, out);
	/* Filters that look at names make names that the format does not need. */
	copy.no_names |=
		copy.request.no_names && !(copy.filter && prof_filter_needs_names(copy.filter));
	copy.filter = NULL;
	TAKE_TEXT(copy, kernel.vmlinux, out);
	TAKE_TEXT(copy, kernel.kallsyms, out);
	TAKE_TEXT(copy, modules, out);
	TAKE_TEXT(copy, input, out);
	/* The result does not depend on the number of threads. */
	copy.jobs = 0;
	copy.times = NULL;
	/* With less memory, records may be out of order. */
	write_bytes(&limit, sizeof(limit), out);
	copy.budget = NULL;
	write_bytes(&copy, sizeof(copy), out);
}

/* Another user may read other files, and files of other machines are not looked for here. */
static void write_surroundings(FILE *out)
{
	_cleanup_free_ char *dir = getcwd(NULL, 0);
	struct utsname here;
	const uint64_t ids[] = { base_user() };

	for (size_t i = 0; i < PD_ARRAY_LEN(VARIABLES); i++)
		write_text(getenv(VARIABLES[i]), out);
	write_text(dir, out);
	write_bytes(ids, sizeof(ids), out);
	if (!base_machine_here(&here))
		return;
	write_text(here.nodename, out);
	write_text(here.release, out);
	write_text(here.version, out);
	write_text(here.machine, out);
}

char *resolve_question(const struct resolve_opts *opts, size_t *len_ret)
{
	char *text = NULL;
	FILE *out = base_memstream_open(&text, len_ret);

	if (!out)
		return NULL;
	write_surroundings(out);
	write_opts(opts, out);
	return base_memstream_close(out, &text) ? text : NULL;
}
