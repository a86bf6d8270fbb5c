#include "symbolize/find/debuginfod.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limit.h"
#include "base/format.h"
#include "base/number.h"
#include "symbolize/file/image.h"
#include "base/optional.h"

enum { DEFAULT_TIMEOUT = 30, LEAST_BYTES = 100 * 1024 };

/*
 * Limits for one file if $DEBUGINFOD_MAXSIZE and $DEBUGINFOD_MAXTIME are not set, in bytes and
 * seconds. The client has none by default.
 */
static const uint64_t DEFAULT_MAX_SIZE = PD_LIMIT_DEBUGINFOD_BYTES;
static const uint64_t DEFAULT_MAX_TIME = PD_LIMIT_DEBUGINFOD_SECONDS;

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
	/** Limits for one file, in bytes and seconds. */
	uint64_t max_size;
	uint64_t max_time;
	/** Guards the members below, and calls of on_progress. */
	pthread_mutex_t lock;
	bool is_loaded;
	/** Reason why servers are no longer asked, or NULL. */
	char *failure;
};

/* Why a transfer was stopped. */
enum stop {
	STOP_NOT,
	STOP_SLOW,
	/** More arrived than the limit. */
	STOP_ENDLESS,
	/** The server says that the file is larger than the limit. */
	STOP_LARGE,
	STOP_LATE,
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
	double begun;
	enum stop stop;
	bool was_shown;
};

/*
 * The client would read files of this machine for file:// URLs. Words that begin with "ima:" are
 * options between the URLs.
 */
static struct pd_error *check_urls(const char *urls)
{
	static const char *const allowed[] = { "http://", "https://", "ima:" };
	size_t len;

	for (const char *url = urls; *(url += strspn(url, " ")); url += len) {
		bool ok = false;

		len = strcspn(url, " ");
		for (size_t i = 0; i < PD_ARRAY_LEN(allowed); i++)
			ok = ok || strncasecmp(url, allowed[i], strlen(allowed[i])) == 0;
		if (!ok)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid debuginfod server '%.*s': expected an http or https URL",
				(int)len, url);
	}
	return NULL;
}

/* Value of the environment variable @p name if that is a positive number, else @p otherwise. */
static uint64_t limit_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name), *end;
	uint64_t value;

	return text && base_number_parse(text, INT64_MAX, &end, &value) && value ? value
										 : otherwise;
}

/*
 * The client takes its servers and timeouts from the environment only: no function of it sets them.
 * A variable that has the right value is not set again, so that a program with threads can set all
 * of them before it starts the threads.
 */
static void set_variables(const char *urls, const char *timeout)
{
	static const char *const printing[] = { "DEBUGINFOD_PROGRESS", "DEBUGINFOD_VERBOSE" };
	const char *old_urls = getenv("DEBUGINFOD_URLS"),
		   *old_timeout = getenv("DEBUGINFOD_TIMEOUT");

	if (!old_urls || strcmp(old_urls, urls) != 0)
		setenv("DEBUGINFOD_URLS", urls, 1);
	if (!old_timeout || strcmp(old_timeout, timeout) != 0)
		setenv("DEBUGINFOD_TIMEOUT", timeout, 1);
	/* With its default, the client would wait three times as long. */
	if (!getenv("DEBUGINFOD_RETRY_LIMIT"))
		setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	/* The client would print progress and messages itself. */
	for (size_t i = 0; i < PD_ARRAY_LEN(printing); i++) {
		if (getenv(printing[i]))
			unsetenv(printing[i]);
	}
}

struct pd_error *sym_debuginfod_create(
	const struct sym_debuginfod_opts *opts, struct sym_debuginfod **ret)
{
	struct pd_error *err = check_urls(opts->urls);
	char timeout[16];

	if (err)
		return err;
	struct sym_debuginfod *debuginfod = calloc(1, sizeof(*debuginfod));
	if (!debuginfod)
		return &pd_enomem;
	debuginfod->max_size = limit_of("DEBUGINFOD_MAXSIZE", DEFAULT_MAX_SIZE);
	debuginfod->max_time = limit_of("DEBUGINFOD_MAXTIME", DEFAULT_MAX_TIME);
	debuginfod->opts = *opts;
	if (!debuginfod->opts.timeout)
		debuginfod->opts.timeout = DEFAULT_TIMEOUT;
	pthread_mutex_init(&debuginfod->lock, NULL);
	snprintf(timeout, sizeof(timeout), "%u", debuginfod->opts.timeout);
	set_variables(opts->urls, timeout);
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
		debuginfod->failure = base_vformat(fmt, ap);
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
		debuginfod->is_loaded = base_load_library(
			"libdebuginfod.so.1", names, PD_ARRAY_LEN(names), (void **)&lib);
		if (!debuginfod->is_loaded) {
			char *failure = strdup("libdebuginfod " PD_NO_LIBRARY);

			PD_IS_OWNED(failure, "sym_debuginfod_destroy() frees it");
			debuginfod->failure = failure;
		}
	}
	/* Without memory, a failure has no text. */
	bool ok = debuginfod->is_loaded && !debuginfod->failure;
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

/* Whether to stop after @p done of @p total bytes, which are 0 if they are not known. */
static enum stop examine(struct transfer *t, uint64_t done, uint64_t total)
{
	const struct sym_debuginfod *debuginfod = t->debuginfod;
	double now = base_clock_now();

	if (total > debuginfod->max_size)
		return STOP_LARGE;
	if (done > debuginfod->max_size)
		return STOP_ENDLESS;
	if (now - t->begun > (double)debuginfod->max_time)
		return STOP_LATE;
	if (now - t->since < debuginfod->opts.timeout)
		return STOP_NOT;
	bool is_slow = done < t->mark + LEAST_BYTES;
	t->mark = done;
	t->since = now;
	return is_slow ? STOP_SLOW : STOP_NOT;
}

/* Progress callback of the client. A result other than 0 stops the transfer. */
static int on_progress(debuginfod_client *client, long done, long total)
{
	struct transfer *t = lib.debuginfod_get_user_data(client);
	uint64_t now_done = done > 0 ? (uint64_t)done : 0;
	uint64_t all = total > 0 ? (uint64_t)total : 0;

	show(t, now_done, all);
	/* Another thread may have given up on the servers, or the caller on the whole operation. */
	if (sym_debuginfod_failure(t->debuginfod) || base_is_cancelled())
		return 1;
	t->stop = examine(t, now_done, all);
	return t->stop != STOP_NOT;
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
	t->begun = t->since = base_clock_now();
	lib.debuginfod_set_user_data(client, t);
	lib.debuginfod_set_progressfn(client, on_progress);
	int fd = request(t, client, path_ret);
	lib.debuginfod_end(client);
	if (t->was_shown)
		show(t, UINT64_MAX, 0);
	return fd;
}

/* Ask no server again, because of the failure @p error of a transfer. */
static void give_up_after(struct transfer *t, int error)
{
	struct sym_debuginfod *debuginfod = t->debuginfod;
	const char *urls = debuginfod->opts.urls;

	switch (t->stop) {
	case STOP_SLOW:
		give_up(debuginfod, "%s sent less than 100 KiB in %u s, not asked any more", urls,
			debuginfod->opts.timeout);
		break;
	case STOP_ENDLESS:
		give_up(debuginfod, "%s sent more than %" PRIu64 " bytes, not asked any more", urls,
			debuginfod->max_size);
		break;
	case STOP_LATE:
		give_up(debuginfod, "%s did not send a file in %" PRIu64 " s, not asked any more",
			urls, debuginfod->max_time);
		break;
	default:
		give_up(debuginfod, "%s: %s, not asked any more", urls, base_error_text(error));
		break;
	}
}

/* Whether the file @p fd, which is closed, has the requested build id. Source files have none. */
static bool is_requested(const struct transfer *t, int fd, const char *path)
{
	struct sym_failure failure;
	struct sym_image *image;

	if (t->source) {
		close(fd);
		return true;
	}
	struct pd_error *err = sym_image_open_fd(fd, path, &image, &failure);
	bool result = !err && image && pd_build_id_equal(&image->build_id, t->id);
	pd_error_destroy(err);
	sym_image_destroy(image);
	return result;
}

static char *fetch(struct transfer *t, const char **why_ret)
{
	struct sym_debuginfod *debuginfod = t->debuginfod;
	_cleanup_free_ char *path = NULL;

	*why_ret = "not asked: servers have failed before";
	if (base_is_cancelled() || !is_ready(debuginfod))
		return NULL;
	int fd = transfer(t, &path);
	if (fd >= 0 && is_requested(t, fd, path))
		return take_ptr(path);
	/*
	 * That a server lacks a file is normal. After any other failure, waiting for the timeout
	 * again for each binary would take too long. The client also returns ENOENT for a transfer
	 * that was stopped.
	 */
	*why_ret = "the servers do not have it";
	if (fd == -ENOENT && t->stop == STOP_NOT)
		return NULL;
	*why_ret = "is larger than files may be that are fetched";
	if (fd == -EFBIG || t->stop == STOP_LARGE)
		return NULL;
	*why_ret = "the servers failed";
	if (fd < 0) {
		give_up_after(t, -fd);
		return NULL;
	}
	/*
	 * A server may answer with an error page. The client caches that as the file, so it has to
	 * be removed.
	 */
	*why_ret = "the servers sent another file";
	unlink(path);
	give_up(debuginfod, "%s sent another file than requested, not asked any more",
		debuginfod->opts.urls);
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

const char *sym_debuginfod_failure(struct sym_debuginfod *debuginfod)
{
	pthread_mutex_lock(&debuginfod->lock);
	const char *failure = debuginfod->failure;
	pthread_mutex_unlock(&debuginfod->lock);
	return failure;
}
