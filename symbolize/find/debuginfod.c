#include "symbolize/find/debuginfod.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "symbolize/find/optional.h"

enum { DEFAULT_TIMEOUT = 30, LEAST_BYTES = 100 * 1024 };

#define FUNCTIONS(F) \
	F(debuginfod_begin) \
	F(debuginfod_end) \
	F(debuginfod_find_executable) \
	F(debuginfod_find_debuginfo) \
	F(debuginfod_find_source) \
	F(debuginfod_set_progressfn) \
	F(debuginfod_set_user_data) \
	F(debuginfod_get_user_data)

/* Functions of libdebuginfod that are used. */
static struct {
#define MEMBER(name) __typeof__(&name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

struct sym_debuginfod {
	struct sym_debuginfod_opts opts;
	/** Guards the members below, and calls of on_progress. */
	pthread_mutex_t lock;
	bool is_loaded;
	/** Reason why servers are no longer asked, or NULL. */
	char *failure;
};

/* Transfer of one file. */
struct transfer {
	struct sym_debuginfod *debuginfod;
	const char *name;
	const struct pd_build_id *id;
	/** Path of the source file that is requested; NULL: a file of the kind is. */
	const char *source;
	enum sym_debuginfod_kind kind;
	/** Bytes received when the current period of the timeout began. */
	uint64_t mark;
	double since;
	bool is_too_slow;
	bool was_shown;
};

struct pd_error *sym_debuginfod_create(
	const struct sym_debuginfod_opts *opts, struct sym_debuginfod **ret)
{
	struct sym_debuginfod *debuginfod = calloc(1, sizeof(*debuginfod));
	char timeout[16];

	if (!debuginfod)
		return &pd_enomem;
	debuginfod->opts = *opts;
	if (!debuginfod->opts.timeout)
		debuginfod->opts.timeout = DEFAULT_TIMEOUT;
	pthread_mutex_init(&debuginfod->lock, NULL);
	snprintf(timeout, sizeof(timeout), "%u", debuginfod->opts.timeout);
	setenv("DEBUGINFOD_URLS", opts->urls, 1);
	setenv("DEBUGINFOD_TIMEOUT", timeout, 1);
	/* With its default, the client would wait three times as long. */
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	/* The client would print progress and messages itself. */
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
	*ret = debuginfod;
	return NULL;
}

void sym_debuginfod_destroy(struct sym_debuginfod *debuginfod)
{
	if (!debuginfod)
		return;
	pthread_mutex_destroy(&debuginfod->lock);
	free(debuginfod->failure);
	free(debuginfod);
}

static void pd_printf(2, 3) give_up(struct sym_debuginfod *debuginfod, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&debuginfod->lock);
	/* Later failures only follow from the first one. */
	if (!debuginfod->failure) {
		va_start(ap, fmt);
		if (vasprintf(&debuginfod->failure, fmt, ap) < 0)
			debuginfod->failure = NULL;
		va_end(ap);
	}
	pthread_mutex_unlock(&debuginfod->lock);
}

/* Load the library if necessary. Returns whether servers may be asked. */
static bool is_ready(struct sym_debuginfod *debuginfod)
{
	static const char *const names[] = {
#define NAME(name) #name,
		FUNCTIONS(NAME)
#undef NAME
	};

	_Static_assert(sizeof(lib) == sizeof(names), "a pointer for each name");
	pthread_mutex_lock(&debuginfod->lock);
	if (!debuginfod->is_loaded && !debuginfod->failure) {
		debuginfod->is_loaded = sym_load_library(
			"libdebuginfod.so.1", names, PD_ARRAY_LEN(names), (void **)&lib);
		if (!debuginfod->is_loaded)
			debuginfod->failure = strdup("libdebuginfod is not installed");
	}
	bool ok = !debuginfod->failure;
	pthread_mutex_unlock(&debuginfod->lock);
	return ok;
}

static void show(struct transfer *t, uint64_t done, uint64_t total)
{
	struct sym_debuginfod *debuginfod = t->debuginfod;

	if (!debuginfod->opts.on_progress)
		return;
	pthread_mutex_lock(&debuginfod->lock);
	t->was_shown = true;
	debuginfod->opts.on_progress(debuginfod->opts.ctx, t->name, done, total);
	pthread_mutex_unlock(&debuginfod->lock);
}

/* Progress callback of the client. A result other than 0 stops the transfer. */
static int on_progress(debuginfod_client *client, long done, long total)
{
	struct transfer *t = lib.debuginfod_get_user_data(client);
	uint64_t now_done = done > 0 ? (uint64_t)done : 0;
	double now = pd_clock_now();

	show(t, now_done, total > 0 ? (uint64_t)total : 0);
	/* Another thread may have given up on the servers. */
	if (sym_debuginfod_failure(t->debuginfod))
		return 1;
	if (now - t->since < t->debuginfod->opts.timeout)
		return 0;
	t->is_too_slow = now_done < t->mark + LEAST_BYTES;
	t->mark = now_done;
	t->since = now;
	return t->is_too_slow;
}

static int request(const struct transfer *t, debuginfod_client *client, char **path_ret)
{
	const struct pd_build_id *id = t->id;

	if (t->source)
		return lib.debuginfod_find_source(client, id->bytes, id->len, t->source, path_ret);
	return t->kind == SYM_DEBUGINFOD_EXECUTABLE
		       ? lib.debuginfod_find_executable(client, id->bytes, id->len, path_ret)
		       : lib.debuginfod_find_debuginfo(client, id->bytes, id->len, path_ret);
}

/* Returns a descriptor of the file, and its path, or a negative error number. */
static int transfer(struct transfer *t, char **path_ret)
{
	debuginfod_client *client = lib.debuginfod_begin();

	if (!client)
		return -ENOMEM;
	t->since = pd_clock_now();
	lib.debuginfod_set_user_data(client, t);
	lib.debuginfod_set_progressfn(client, on_progress);
	int fd = request(t, client, path_ret);
	lib.debuginfod_end(client);
	if (t->was_shown)
		show(t, UINT64_MAX, 0);
	return fd;
}

static char *fetch(struct transfer *t, const char **why_ret)
{
	struct sym_debuginfod *debuginfod = t->debuginfod;
	char *path = NULL;

	*why_ret = "not asked: servers have failed before";
	if (!is_ready(debuginfod))
		return NULL;
	int fd = transfer(t, &path);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	*why_ret = "the servers do not have it";
	/*
	 * That a server lacks a file is normal. After any other failure, waiting for the timeout
	 * again for each binary would take too long.
	 */
	if (fd == -ENOENT)
		return NULL;
	*why_ret = "the servers failed";
	if (t->is_too_slow)
		give_up(debuginfod, "%s sent less than 100 KiB in %u s, not asked any more",
			debuginfod->opts.urls, debuginfod->opts.timeout);
	else
		give_up(debuginfod, "%s: %s, not asked any more", debuginfod->opts.urls,
			strerrordesc_np(-fd));
	return NULL;
}

char *sym_debuginfod_fetch(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	enum sym_debuginfod_kind kind, const char *name, const char **why_ret)
{
	struct transfer t = { .debuginfod = debuginfod, .name = name, .id = id, .kind = kind };

	return fetch(&t, why_ret);
}

char *sym_debuginfod_fetch_source(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	const char *file, const char **why_ret)
{
	struct transfer t = { .debuginfod = debuginfod, .name = file, .id = id, .source = file };

	return fetch(&t, why_ret);
}

void sym_debuginfod_reject(struct sym_debuginfod *debuginfod, const char *path)
{
	unlink(path);
	give_up(debuginfod, "%s sent another file than requested, not asked any more",
		debuginfod->opts.urls);
}

const char *sym_debuginfod_failure(struct sym_debuginfod *debuginfod)
{
	pthread_mutex_lock(&debuginfod->lock);
	const char *failure = debuginfod->failure;
	pthread_mutex_unlock(&debuginfod->lock);
	return failure;
}
