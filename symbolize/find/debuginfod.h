/**
 * @file Files fetched by build id from debuginfod servers, with elfutils' client library.
 *
 * The client caches what it fetched ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME/debuginfod_client),
 * where it is found without a server as well. After any failure other than a missing file or one
 * that is too large, the servers are not asked again. A file with another build id than the
 * requested one is such a failure.
 *
 * $DEBUGINFOD_MAXSIZE and $DEBUGINFOD_MAXTIME limit the bytes and seconds for one file; the
 * defaults are PD_LIMIT_DEBUGINFOD_BYTES and PD_LIMIT_DEBUGINFOD_SECONDS.
 */
#ifndef PD_SYMBOLIZE_FIND_DEBUGINFOD_H
#define PD_SYMBOLIZE_FIND_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

struct sym_debuginfod;

struct sym_debuginfod_opts {
	/** HTTP or HTTPS URLs of the servers, separated by spaces, as in $DEBUGINFOD_URLS. */
	const char *urls;
	/**
	 * Period in seconds in which at least 100 KiB, or the whole file, must arrive; 0 means 30.
	 */
	unsigned timeout;
	/**
	 * Called repeatedly while @p name is fetched, with the bytes received and the size of the
	 * file (0: not known); the last call has @p done UINT64_MAX. Called from any thread, one
	 * call at a time. May be NULL.
	 */
	void (*on_progress)(void *ctx, const char *name, uint64_t done, uint64_t total);
	void *ctx;
};

/**
 * Create a client. Sets the environment variables that the client library reads, unless they have
 * these values: only then may other threads run. Errors: USAGE for other URLs; NOMEM.
 */
struct pd_error *sym_debuginfod_create(
	const struct sym_debuginfod_opts *opts, struct sym_debuginfod **ret) pd_must_check;
void sym_debuginfod_destroy(struct sym_debuginfod *debuginfod);

enum sym_debuginfod_kind { SYM_DEBUGINFOD_EXECUTABLE, SYM_DEBUGINFOD_DEBUGINFO };

/**
 * Fetch the file with the build id @p id; progress is reported under @p name. Returns its path, to
 * be freed, or NULL and the reason in @p why_ret (static storage). Thread-safe.
 */
char *sym_debuginfod_fetch(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	enum sym_debuginfod_kind kind, const char *name, const char **why_ret);

/**
 * Fetch the source file @p file, an absolute path in the debug information of the binary @p id,
 * like sym_debuginfod_fetch().
 */
char *sym_debuginfod_fetch_source(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	const char *file, const char **why_ret);

/** Reason why servers are no longer asked, or NULL. Borrowed. */
const char *sym_debuginfod_failure(struct sym_debuginfod *debuginfod);

#endif
