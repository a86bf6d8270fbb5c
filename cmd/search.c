#include "cmd/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cache_dir.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "index/index.h"
#include "symbolize/cache.h"
#include "symbolize/file/deps.h"
#include "symbolize/find/archive.h"
#include "symbolize/find/debuginfod.h"

/* Largest size of the cache, in bytes. */
static const uint64_t CACHE_BYTES = (uint64_t)1 << 30;

static bool is_file(const struct cmd_search *search, const char *path)
{
	struct stat st;

	if (path)
		sym_deps_add(search->deps, SYM_DEP_FILE, path);
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static struct pd_error *add_archive(struct cmd_search *search, const char *path)
{
	struct sym_archive *archive;
	struct pd_error *err = sym_archive_create(path, search->deps, &archive);

	if (err || pd_vec_push(&search->archives, archive))
		return err;
	sym_archive_destroy(archive);
	return &pd_enomem;
}

/* Add the tarball that `perf archive` leaves next to a recording. */
static struct pd_error *add_archive_beside(struct cmd_search *search, const char *input)
{
	static const char *const suffixes[] = { "bz2", "gz", "xz", "zst" };

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s.tar.%s", input, suffixes[i]) < 0)
			return &pd_enomem;
		struct pd_error *err = is_file(search, path) ? add_archive(search, path) : NULL;
		if (err)
			return err;
	}
	return NULL;
}

/* Join directories with ':'. Files are archives. */
static struct pd_error *add_dirs(struct cmd_search *search, const struct cmd_list *list)
{
	size_t len;
	FILE *out = list->items.n ? open_memstream(&search->dirs, &len) : NULL;
	struct pd_error *err = NULL;

	if (!out)
		return list->items.n ? &pd_enomem : NULL;
	for (size_t i = 0; i < list->items.n && !err; i++) {
		if (is_file(search, list->items.data[i]))
			err = add_archive(search, list->items.data[i]);
		else
			fprintf(out, "%s:", list->items.data[i]);
	}
	if (fclose(out) && !err)
		return &pd_enomem;
	return err;
}

/* Show the progress of a download on the current line, and clear that line at the end. */
static void show_progress(void *ctx, const char *name, uint64_t done, uint64_t total)
{
	(void)ctx;
	fputs("\r\033[K", stderr);
	if (done == UINT64_MAX)
		return;
	fputs("pdconv: fetching ", stderr);
	pd_text_write(stderr, name);
	if (total)
		fprintf(stderr, ": %.1f of %.1f MB", (double)done / 1e6, (double)total / 1e6);
	fflush(stderr);
}

static struct pd_error *add_debuginfod(struct cmd_search *search, const struct cmd_options *options)
{
	struct sym_debuginfod_opts opts = options->search.debuginfod;
	bool is_shown = isatty(STDERR_FILENO) && !options->quiet && !options->search.no_progress;

	if (!opts.urls || options->search.offline)
		return NULL;
	if (!opts.urls[0])
		opts.urls = getenv("DEBUGINFOD_URLS");
	if (!opts.urls || !opts.urls[0])
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--debuginfod: no servers: expected --debuginfod=URLS or $DEBUGINFOD_URLS");
	opts.on_progress = is_shown ? show_progress : NULL;
	/* Files on servers cannot be checked without another request. */
	sym_deps_spoil(search->deps);
	return sym_debuginfod_create(&opts, &search->debuginfod);
}

/* $XDG_CACHE_HOME/pdconv, or ~/.cache/pdconv, or no cache if neither variable is set. */
static struct pd_error *find_cache(struct cmd_search *search, const struct cmd_options *options)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	bool has_cache = cache && cache[0] == '/';

	if (options->search.no_cache || options->command == CMD_INFO ||
		(!has_cache && (!home || home[0] != '/')))
		return NULL;
	if (asprintf(&search->cache_dir, has_cache ? "%s/pdconv" : "%s/.cache/pdconv",
		    has_cache ? cache : home) >= 0)
		return NULL;
	search->cache_dir = NULL;
	return &pd_enomem;
}

/* With `perf record --kcore` the recording is a directory with files of the kernel. */
static struct pd_error *find_kernel_dir(struct cmd_search *search, const char *input)
{
	struct stat st;

	if (asprintf(&search->kernel_dir, "%s/kcore_dir", input) < 0) {
		search->kernel_dir = NULL;
		return &pd_enomem;
	}
	sym_deps_add(search->deps, SYM_DEP_FILE, search->kernel_dir);
	if (stat(search->kernel_dir, &st) == 0 && S_ISDIR(st.st_mode))
		return NULL;
	free(search->kernel_dir);
	search->kernel_dir = NULL;
	return NULL;
}

static struct pd_error *fill(
	struct cmd_search *search, const struct cmd_options *options, const char *input)
{
	struct pd_error *err = find_cache(search, options);

	if (err)
		return err;
	/* Only what is kept has to be checked later. */
	err = search->cache_dir ? sym_deps_create(&search->deps) : NULL;
	if (err)
		return err;
	err = add_dirs(search, &options->search.dirs);
	if (err)
		return err;
	if (is_file(search, options->search.buildid_dir)) {
		err = add_archive(search, options->search.buildid_dir);
		if (err)
			return err;
	}
	err = add_archive_beside(search, input);
	if (err)
		return err;
	err = add_debuginfod(search, options);
	if (err)
		return err;
	return find_kernel_dir(search, input);
}

struct pd_error *cmd_search_init(
	struct cmd_search *search, const struct cmd_options *options, const char *input)
{
	const char *buildid_dir = options->search.buildid_dir;

	*search = (struct cmd_search){ .search = options->resolve.search };
	struct pd_error *err = fill(search, options, input);
	if (err) {
		cmd_search_deinit(search);
		return err;
	}
	search->search.debug_dirs = search->dirs;
	search->search.buildid_dir = is_file(search, buildid_dir) ? NULL : buildid_dir;
	search->search.path_maps = options->search.path_maps.items.data;
	search->search.n_path_maps = options->search.path_maps.items.n;
	search->search.archives = search->archives.data;
	search->search.n_archives = search->archives.n;
	search->search.debuginfod = search->debuginfod;
	search->search.deps = search->deps;
	search->search.cache_dir = search->cache_dir;
	search->search.kernel_dir = search->kernel_dir;
	return NULL;
}

void cmd_cache_trim(const char *dir)
{
	static const char *const suffixes[] = { SYM_CACHE_SUFFIX, INDEX_SUFFIX };

	pd_cache_dir_trim(dir, suffixes, PD_ARRAY_LEN(suffixes), CACHE_BYTES);
}

void cmd_search_deinit(struct cmd_search *search)
{
	for (size_t i = 0; i < search->archives.n; i++)
		sym_archive_destroy(search->archives.data[i]);
	pd_vec_deinit(&search->archives);
	sym_debuginfod_destroy(search->debuginfod);
	sym_deps_destroy(search->deps);
	if (search->cache_dir)
		cmd_cache_trim(search->cache_dir);
	free(search->cache_dir);
	free(search->kernel_dir);
	free(search->dirs);
	*search = (struct cmd_search){ 0 };
}

void cmd_search_report(struct cmd_search *search, struct pd_diag *diag)
{
	const char *failed = search->debuginfod ? sym_debuginfod_failure(search->debuginfod) : NULL;

	if (failed)
		pd_diag_warn(diag, "debuginfod", PD_NO_OFFSET, NULL, "%s", failed);
	for (size_t i = 0; i < search->archives.n; i++) {
		const char *trouble = sym_archive_failure(search->archives.data[i]);

		if (trouble)
			pd_diag_warn(diag, sym_archive_path(search->archives.data[i]), PD_NO_OFFSET,
				NULL, "%s", trouble);
	}
}
