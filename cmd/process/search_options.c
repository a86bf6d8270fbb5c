#include "cmd/process/search_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/table_maker.h"
#include "base/array.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/plural.h"
#include "base/text.h"
#include "cmd/process/build_id_cache.h"
#include "cmd/options/message.h"
#include "index/index.h"
#include "resolve/binaries/unwind_tables.h"
#include "symbolize/cache.h"

/* Largest size of the cache, in bytes. */
static const uint64_t CACHE_BYTES = (uint64_t)1 << 30;

/* Show the progress of a download on the current line, and clear that line at the end. */
static void show_progress(void *ctx, const char *name, uint64_t done, uint64_t total)
{
	(void)ctx;
	fputs("\r\033[K", stderr);
	if (done == UINT64_MAX)
		return;
	fputs("fetching ", cmd_begin());
	base_text_write_message(stderr, name);
	if (total)
		fprintf(stderr, ": %.1f of %.1f MB", (double)done / 1e6, (double)total / 1e6);
	fflush(stderr);
}

static struct pd_error *set_servers(struct cmd_options *options)
{
	struct pd_search_opts *search = &options->profile.search;

	if (options->search.offline)
		search->debuginfod_urls = NULL;
	if (!search->debuginfod_urls)
		return NULL;
	if (!search->debuginfod_urls[0])
		search->debuginfod_urls = getenv("DEBUGINFOD_URLS");
	if (!search->debuginfod_urls || !search->debuginfod_urls[0])
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--debuginfod: no servers: expected --debuginfod=URLS or $DEBUGINFOD_URLS");
	if (isatty(STDERR_FILENO) && !options->quiet && !options->search.no_progress)
		search->on_fetch = show_progress;
	return NULL;
}

/* Only what makes a profile looks names up, which record does if it converts. */
static bool uses_cache(const struct cmd_options *options)
{
	enum cap_stacks stacks = options->record.sampling.stacks;

	if (options->command == CMD_RECORD && !options->format && stacks != CAP_STACKS_BPF &&
		stacks != CAP_STACKS_UNSET)
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
	*ret = has_cache ? base_format("%s/pdconv", cache) : base_format("%s/.cache/pdconv", home);
	return *ret ? NULL : &pd_enomem;
}

struct pd_error *cmd_cache_warn(const struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;

	if (options->quiet)
		return NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);
	const char *why = dir ? base_cache_dir_distrust(dir) : NULL;

	if (err || !why)
		return err;
	cmd_begin();
	base_text_write_message(stderr, dir);
	fprintf(stderr, ": this cache is not used: %s\n", why);
	return NULL;
}

size_t cmd_cache_trim(const char *dir)
{
	static const char *const suffixes[] = { SYM_CACHE_SUFFIX, INDEX_SUFFIX, RESOLVE_ROWS_SUFFIX,
		PD_STARTED_SUFFIX };

	return base_cache_dir_trim(dir, suffixes, PD_ARRAY_LEN(suffixes), CACHE_BYTES);
}

/* Make room, and remove what cannot be trusted. Nothing is open on the terminal yet. */
static void trim_cache(const char *dir, bool is_quiet)
{
	size_t n = cmd_cache_trim(dir);

	if (!n || is_quiet)
		return;
	cmd_begin();
	base_text_write_message(stderr, dir);
	fprintf(stderr, ": removed %zu file%s of the cache that another user could have written\n",
		n, base_plural(n));
}

/* Find the cache, unless it cannot be trusted. */
static struct pd_error *set_cache(struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);

	if (!dir || base_cache_dir_distrust(dir))
		return err;
	trim_cache(dir, options->quiet);
	if (!pd_vec_push(&options->texts, dir))
		return &pd_enomem;
	options->profile.search.cache_dir = take_ptr(dir);
	return NULL;
}

/* Find the cache of perf that its configuration names, unless the user gave one. */
static struct pd_error *set_build_id_cache(struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;

	if (options->profile.search.buildid_dir)
		return NULL;
	struct pd_error *err = cmd_build_id_cache_dir(&dir);
	if (err || !dir)
		return err;
	if (!pd_vec_push(&options->texts, dir))
		return &pd_enomem;
	options->profile.search.buildid_dir = take_ptr(dir);
	return NULL;
}

struct pd_error *cmd_search_complete(struct cmd_options *options)
{
	struct pd_error *err = set_cache(options);

	if (!err)
		err = set_build_id_cache(options);
	return err ? err : set_servers(options);
}
