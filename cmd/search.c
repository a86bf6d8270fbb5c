#include "cmd/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/plural.h"
#include "base/text.h"
#include "index/index.h"
#include "symbolize/cache.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/trouble.h"
#include "symbolize/find/debuginfod.h"

/* Largest size of the cache, in bytes. */
static const uint64_t CACHE_BYTES = (uint64_t)1 << 30;

/* Add the tarball @p path, which may be NULL, if it exists. */
static struct pd_error *add_if_file(struct cmd_search *search, const char *path)
{
	if (!sym_given_is_file(path, search->deps))
		return NULL;
	return sym_given_add_archive(&search->given, path, search->deps);
}

/* Add the tarball that `perf archive` leaves next to a recording. */
static struct pd_error *add_archive_beside(struct cmd_search *search, const char *input)
{
	static const char *const suffixes[] = { "bz2", "gz", "xz", "zst" };

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		_cleanup_free_ char *path = pd_format("%s.tar.%s", input, suffixes[i]);

		if (!path)
			return &pd_enomem;
		struct pd_error *err = add_if_file(search, path);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *add_dirs(struct cmd_search *search, const struct cmd_list *list)
{
	for (size_t i = 0; i < list->items.n; i++) {
		struct pd_error *err =
			sym_given_add(&search->given, list->items.data[i], search->deps);

		if (err)
			return err;
	}
	return NULL;
}

/* Show the progress of a download on the current line, and clear that line at the end. */
static void show_progress(void *ctx, const char *name, uint64_t done, uint64_t total)
{
	(void)ctx;
	fputs("\r\033[K", stderr);
	if (done == UINT64_MAX)
		return;
	fputs("pdconv: fetching ", stderr);
	pd_text_write_message(stderr, name);
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

/* Only what makes a profile looks names up, which record does if it converts. */
static bool uses_cache(const struct cmd_options *options)
{
	if (options->command == CMD_RECORD && !options->format)
		return false;
	return !options->search.no_cache &&
	       !(options->command & (CMD_INFO | CMD_DUMP | CMD_ARCHIVE));
}

struct pd_error *cmd_cache_dir(const struct cmd_options *options, char **ret)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	bool has_cache = cache && cache[0] == '/';

	*ret = NULL;
	if (!uses_cache(options) || (!has_cache && (!home || home[0] != '/')))
		return NULL;
	*ret = has_cache ? pd_format("%s/pdconv", cache) : pd_format("%s/.cache/pdconv", home);
	return *ret ? NULL : &pd_enomem;
}

struct pd_error *cmd_cache_warn(const struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;

	if (options->quiet)
		return NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);
	const char *why = dir ? pd_cache_dir_distrust(dir) : NULL;

	if (err || !why)
		return err;
	fputs("pdconv: ", stderr);
	pd_text_write_message(stderr, dir);
	fprintf(stderr, ": this cache is not used: %s\n", why);
	return NULL;
}

size_t cmd_cache_trim(const char *dir)
{
	static const char *const suffixes[] = { SYM_CACHE_SUFFIX, INDEX_SUFFIX };

	return pd_cache_dir_trim(dir, suffixes, PD_ARRAY_LEN(suffixes), CACHE_BYTES);
}

/* Make room, and remove what cannot be trusted. Nothing is open on the terminal yet. */
static void trim_cache(const char *dir, bool is_quiet)
{
	size_t n = cmd_cache_trim(dir);

	if (!n || is_quiet)
		return;
	fputs("pdconv: ", stderr);
	pd_text_write_message(stderr, dir);
	fprintf(stderr, ": removed %zu file%s of the cache that another user could have written\n",
		n, pd_plural(n));
}

/* Find the cache, unless it cannot be trusted. */
static struct pd_error *add_cache(struct cmd_search *search, const struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);

	if (!dir || pd_cache_dir_distrust(dir))
		return err;
	trim_cache(dir, options->quiet);
	search->cache_dir = take_ptr(dir);
	return NULL;
}

/* With `perf record --kcore` the recording is a directory with files of the kernel. */
static struct pd_error *find_kernel_dir(struct cmd_search *search, const char *input)
{
	struct stat st;

	search->kernel_dir = pd_format("%s/kcore_dir", input);
	if (!search->kernel_dir)
		return &pd_enomem;
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
	struct pd_error *err = add_cache(search, options);

	if (err)
		return err;
	err = sym_trouble_create(&search->trouble);
	if (err)
		return err;
	/* Only what is kept has to be checked later. */
	err = search->cache_dir ? sym_deps_create(&search->deps) : NULL;
	if (err)
		return err;
	err = add_dirs(search, &options->search.dirs);
	if (err)
		return err;
	err = add_if_file(search, options->search.buildid_dir);
	if (err)
		return err;
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
	sym_given_use(&search->given, &search->search);
	search->search.buildid_dir =
		sym_given_is_file(buildid_dir, search->deps) ? NULL : buildid_dir;
	search->search.path_maps = options->search.path_maps.items.data;
	search->search.n_path_maps = options->search.path_maps.items.n;
	search->search.debuginfod = search->debuginfod;
	search->search.deps = search->deps;
	search->search.trouble = search->trouble;
	search->search.cache_dir = search->cache_dir;
	search->search.kernel_dir = search->kernel_dir;
	return NULL;
}

void cmd_search_deinit(struct cmd_search *search)
{
	sym_given_deinit(&search->given);
	sym_debuginfod_destroy(search->debuginfod);
	sym_deps_destroy(search->deps);
	sym_trouble_destroy(search->trouble);
	free(search->cache_dir);
	free(search->kernel_dir);
	*search = (struct cmd_search){ 0 };
}

void cmd_search_report(struct cmd_search *search, struct pd_diag *diag)
{
	const char *failed = search->debuginfod ? sym_debuginfod_failure(search->debuginfod) : NULL;

	sym_trouble_report(search->trouble, diag);
	if (failed)
		pd_diag_warn(diag, "debuginfod", PD_NO_OFFSET, NULL, "%s", failed);
	sym_given_report(&search->given, diag);
}
