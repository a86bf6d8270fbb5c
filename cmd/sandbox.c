#include "cmd/sandbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/temporary.h"
#include "base/destination.h"
#include "cmd/pager.h"
#include "cmd/sandbox_calls.h"
#include "cmd/sandbox_files.h"
#include "cmd/search.h"

/* Fetching needs the network, the name service, and the cache of debuginfod clients. */
static bool fetches_files(const struct cmd_options *options)
{
	return options->profile.search.debuginfod_urls;
}

/* An output that cannot be reached is reported when it is opened. */
static void allow_output(
	struct cmd_landlock *landlock, const char *path, const struct cmd_output_opts *opts)
{
	_cleanup_(pd_destination_deinit) struct pd_destination to = { 0 };
	struct pd_error *err = pd_destination_find(path, !opts->in_place, &to);

	if (err)
		pd_error_destroy(err);
	else if (pd_destination_is_special(&to) || (opts->in_place && to.exists))
		cmd_landlock_allow_file(landlock, to.dir, to.name);
	else
		cmd_landlock_allow_dir(landlock, to.dir, ".");
}

/* The folder has to exist, since a rule is about a file, not about a path. */
static struct pd_error *allow_cache(
	struct cmd_landlock *landlock, const struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);

	if (err || !dir || pd_cache_dir_distrust(dir))
		return err;
	pd_cache_dir_create(dir);
	cmd_landlock_allow_dir(landlock, AT_FDCWD, dir);
	return NULL;
}

/* The cache of debuginfod clients: libdebuginfod uses the first of these directories. */
static struct pd_error *allow_debuginfod_cache(struct cmd_landlock *landlock)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *cache = getenv("XDG_CACHE_HOME");
	_cleanup_free_ char *old = pd_format("%s/.debuginfod_client_cache", home ? home : "");
	_cleanup_free_ char *dir =
		cache && cache[0] ? pd_format("%s/debuginfod_client", cache)
				  : pd_format("%s/.cache/debuginfod_client", home ? home : "");

	if (!old || !dir)
		return &pd_enomem;
	if (given && given[0]) {
		pd_cache_dir_create(given);
		cmd_landlock_allow_tree(landlock, AT_FDCWD, given);
		return NULL;
	}
	pd_cache_dir_create(dir);
	cmd_landlock_allow_tree(landlock, AT_FDCWD, old);
	cmd_landlock_allow_tree(landlock, AT_FDCWD, dir);
	return NULL;
}

static struct pd_error *allow_writing(
	struct cmd_landlock *landlock, const char *path, const struct cmd_output_opts *opts)
{
	if (!cmd_output_is_stdout(path))
		allow_output(landlock, path, opts);
	cmd_landlock_allow_dir(landlock, AT_FDCWD, pd_temporary_dir());
	cmd_landlock_allow_dir(landlock, AT_FDCWD, pd_temporary_large_dir());
	struct pd_error *err = allow_cache(landlock, opts->options);
	return err || !fetches_files(opts->options) ? err : allow_debuginfod_cache(landlock);
}

struct pd_error *cmd_sandbox_enter(const char *path, const struct cmd_output_opts *opts)
{
	_cleanup_(cmd_landlock_deinit) struct cmd_landlock landlock = { .fd = -1 };

	bool fetches = fetches_files(opts->options);

	if (opts->options->no_sandbox)
		return NULL;
	if (opts->is_text && cmd_output_is_stdout(path)) {
		struct pd_error *err = cmd_pager_stand_by(opts->options);

		if (err)
			return err;
	}
	cmd_landlock_init(&landlock, fetches);
	struct pd_error *err = allow_writing(&landlock, path, opts);
	if (err)
		return err;
	/* Only root may give up rights without this. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return NULL;
	cmd_landlock_restrict(&landlock);
	/* Which calls the network and the name service need is not known. */
	if (!fetches)
		cmd_calls_restrict();
	return NULL;
}
