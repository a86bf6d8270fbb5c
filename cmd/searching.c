#include "cmd/searching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "symbolize/find/archive.h"
#include "symbolize/cache.h"
#include "symbolize/find/debuginfod.h"

/* What names that are kept may take at most. */
static const uint64_t CACHE_BYTES = (uint64_t)1 << 30;

static bool is_file(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static struct pd_error *add_archive(struct cmd_search *search, const char *path)
{
	struct sym_archive *archive;
	struct pd_error *err = sym_archive_create(path, &archive);

	if (err || pd_vec_push(&search->archives, archive))
		return err;
	sym_archive_destroy(archive);
	return &pd_enomem;
}

/* What `perf archive` leaves beside its recording. */
static struct pd_error *add_archive_beside(struct cmd_search *search, const char *input)
{
	static const char *const suffixes[] = { "bz2", "gz", "xz", "zst" };
	struct pd_error *err = NULL;

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes) && !err; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s.tar.%s", input, suffixes[i]) < 0)
			return &pd_enomem;
		if (is_file(path))
			err = add_archive(search, path);
	}
	return err;
}

/* Directories, joined; and files, which are archives. */
static struct pd_error *add_dirs(struct cmd_search *search, const struct cmd_list *list)
{
	struct pd_error *err = NULL;
	size_t len;
	FILE *out = list->items.n ? open_memstream(&search->debug_dirs, &len) : NULL;

	if (!out)
		return list->items.n ? &pd_enomem : NULL;
	for (size_t i = 0; i < list->items.n && !err; i++) {
		if (is_file(list->items.data[i]))
			err = add_archive(search, list->items.data[i]);
		else
			fprintf(out, "%s:", list->items.data[i]);
	}
	if (fclose(out) && !err)
		err = &pd_enomem;
	return err;
}

static struct pd_error *add_path_map(struct cmd_search *search, const char *text)
{
	const char *equals = strchr(text, '=');
	struct sym_path_map map;

	if (!equals || equals == text)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--path-map: \"%s\" is not of the form FROM=TO", text);
	map.from = strndup(text, (size_t)(equals - text));
	map.to = equals + 1;
	if (map.from && pd_vec_push(&search->path_maps, map))
		return NULL;
	free((char *)map.from);
	return &pd_enomem;
}

/* Bytes of a file that is being fetched, on a line that it leaves empty. */
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
	const char *urls = options->debuginfod;
	bool is_shown = isatty(STDERR_FILENO) && !options->quiet && !options->no_progress;

	if (!urls || options->offline)
		return NULL;
	if (!*urls)
		urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !*urls)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--debuginfod: which servers? --debuginfod=URLS or $DEBUGINFOD_URLS");
	struct sym_debuginfod_opts opts = {
		.urls = urls,
		.timeout = (unsigned)options->debuginfod_timeout,
		.on_progress = is_shown ? show_progress : NULL,
	};
	return sym_debuginfod_create(&opts, &search->debuginfod);
}

/* Without a directory of its own the user's is taken; without that, none. */
static struct pd_error *find_cache(struct cmd_search *search, const struct cmd_options *options)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	bool has_cache = cache && cache[0] == '/';

	if (options->no_cache || options->command == CMD_INFO ||
		(!has_cache && (!home || home[0] != '/')))
		return NULL;
	if (asprintf(&search->cache_dir, has_cache ? "%s/pdconv" : "%s/.cache/pdconv",
		    has_cache ? cache : home) >= 0)
		return NULL;
	search->cache_dir = NULL;
	return &pd_enomem;
}

/* perf record --kcore keeps files of the kernel in the recording, which is a directory then. */
static struct pd_error *find_kernel_dir(struct cmd_search *search, const char *input)
{
	struct stat st;

	if (asprintf(&search->kernel_dir, "%s/kcore_dir", input) < 0) {
		search->kernel_dir = NULL;
		return &pd_enomem;
	}
	if (stat(search->kernel_dir, &st) == 0 && S_ISDIR(st.st_mode))
		return NULL;
	free(search->kernel_dir);
	search->kernel_dir = NULL;
	return NULL;
}

static struct pd_error *fill(struct cmd_search *search, const struct cmd_options *options)
{
	struct pd_error *err = add_dirs(search, &options->debug_dirs);
	bool is_packed = is_file(options->buildid_dir);

	if (!err && is_packed)
		err = add_archive(search, options->buildid_dir);
	if (!err)
		err = add_archive_beside(search, options->input);
	for (size_t i = 0; i < options->path_maps.items.n && !err; i++)
		err = add_path_map(search, options->path_maps.items.data[i]);
	if (!err)
		err = add_debuginfod(search, options);
	if (!err)
		err = find_cache(search, options);
	if (!err)
		err = find_kernel_dir(search, options->input);
	search->search = (struct sym_search){
		.symfs = options->symfs,
		.debug_dirs = search->debug_dirs,
		.buildid_dir = is_packed ? NULL : options->buildid_dir,
		.path_maps = search->path_maps.data,
		.n_path_maps = search->path_maps.n,
		.archives = search->archives.data,
		.n_archives = search->archives.n,
		.debuginfod = search->debuginfod,
		.cache_dir = search->cache_dir,
		.perf_map_dir = options->perf_map_dir,
		.kernel_dir = search->kernel_dir,
		.force_mismatch = options->force_mismatch,
	};
	return err;
}

struct pd_error *cmd_search_init(struct cmd_search *search, const struct cmd_options *options)
{
	*search = (struct cmd_search){ 0 };
	struct pd_error *err = fill(search, options);

	if (err)
		cmd_search_deinit(search);
	return err;
}

void cmd_search_deinit(struct cmd_search *search)
{
	for (size_t i = 0; i < search->path_maps.n; i++)
		free((char *)search->path_maps.data[i].from);
	for (size_t i = 0; i < search->archives.n; i++)
		sym_archive_destroy(search->archives.data[i]);
	pd_vec_deinit(&search->archives);
	sym_debuginfod_destroy(search->debuginfod);
	pd_vec_deinit(&search->path_maps);
	if (search->cache_dir)
		sym_cache_trim(search->cache_dir, CACHE_BYTES);
	free(search->cache_dir);
	free(search->kernel_dir);
	free(search->debug_dirs);
	*search = (struct cmd_search){ 0 };
}

void cmd_search_tell(struct cmd_search *search, struct pd_diag *diag)
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
