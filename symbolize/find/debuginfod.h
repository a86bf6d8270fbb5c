/**
 * @file Files fetched by build id from debuginfod servers, through elfutils' client.
 *
 * The client keeps what it fetched ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME/debuginfod_client), where
 * it is found without a server as well. A server that fails in any other way than not to have a file
 * is not asked again.
 */
#ifndef PD_SYMBOLIZE_FIND_DEBUGINFOD_H
#define PD_SYMBOLIZE_FIND_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

struct sym_debuginfod;

struct sym_debuginfod_opts {
	/** Servers, ' ' between, as $DEBUGINFOD_URLS has them. */
	const char *urls;
	/** Seconds in which at least 100 KiB or all of a file must come; 0: 30. */
	unsigned timeout;
	/**
	 * Called now and then while @p name is fetched: bytes that came, and of how many (0: not
	 * known); a last time with done UINT64_MAX. From any thread, one at a time. NULL: never.
	 */
	void (*on_progress)(void *ctx, const char *name, uint64_t done, uint64_t total);
	void *ctx;
};

/**
 * Sets environment variables that the client reads, so there must be no other threads yet. Errors: no
 * memory.
 */
struct pd_error *sym_debuginfod_create(
	const struct sym_debuginfod_opts *opts, struct sym_debuginfod **ret) pd_must_check;
void sym_debuginfod_destroy(struct sym_debuginfod *debuginfod);

enum sym_debuginfod_kind { SYM_DEBUGINFOD_EXECUTABLE, SYM_DEBUGINFOD_DEBUGINFO };

/**
 * Fetch the file of @p id, which is shown to the user as @p name. Returns its path, to be freed, or
 * NULL, and then @p why_ret says why (static storage). From any thread.
 */
char *sym_debuginfod_fetch(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	enum sym_debuginfod_kind kind, const char *name, const char **why_ret);

/** The file @p path that was fetched is not what was asked for: drop it, and ask no more. */
void sym_debuginfod_reject(struct sym_debuginfod *debuginfod, const char *path);

/** Why servers are not asked any more, or NULL. Borrowed. */
const char *sym_debuginfod_failure(struct sym_debuginfod *debuginfod);

#endif
