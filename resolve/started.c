#include "resolve/started.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xxhash.h>

#include "base/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"

/** Bounds on what is kept of a command. */
enum { MOST_BYTES = 64 << 10, MOST_PATHS = 32 };

/** Name of the file in the cache. Allocated; NULL: out of memory. */
static char *name_of(const char *command)
{
	return pd_format("%016" PRIx64 RESOLVE_STARTED_SUFFIX,
		(uint64_t)XXH3_64bits(command, strlen(command)));
}

/** Absolute path of a command with a slash in it, else its name. Allocated; NULL: neither. */
static char *identify(const char *command)
{
	return strchr(command, '/') ? realpath(command, NULL) : strdup(command);
}

/** Append the strings in [@p at, @p end), each of which ends in a NUL. Errors: NOMEM. */
static struct pd_error *add_paths(const char *at, const char *end, struct resolve_started *ret)
{
	for (; at < end; at += strlen(at) + 1) {
		char *path = strdup(at);

		if (!path || !pd_vec_push(&ret->paths, path)) {
			free(path);
			return &pd_enomem;
		}
	}
	return NULL;
}

struct pd_error *resolve_started_load(
	const char *dir, const char *command, struct resolve_started *ret)
{
	_cleanup_free_ char *id = dir ? identify(command) : NULL;
	_cleanup_free_ char *name = id ? name_of(id) : NULL;
	size_t size, n = id ? strlen(id) + 1 : 0;

	if (!name)
		return NULL;
	_cleanup_free_ uint8_t *bytes = pd_cache_dir_read(dir, name, MOST_BYTES, &size);
	const char *text = (const char *)bytes;
	/* The command comes first, since another one may have the same hash. */
	if (!bytes || size < n || memcmp(text, id, n) != 0 || text[size - 1])
		return NULL;
	return add_paths(text + n, text + size, ret);
}

void resolve_started_deinit(struct resolve_started *started)
{
	for (size_t i = 0; i < started->paths.n; i++)
		free(started->paths.data[i]);
	pd_vec_deinit(&started->paths);
}

static struct iovec part_of(const char *text)
{
	return (struct iovec){ (void *)(uintptr_t)text, strlen(text) + 1 };
}

void resolve_started_save(const char *dir, const char *command, const char *const *paths, size_t n)
{
	_cleanup_free_ char *id = dir ? identify(command) : NULL;
	_cleanup_free_ char *name = id ? name_of(id) : NULL;
	struct iovec parts[1 + MOST_PATHS];
	size_t n_parts = 0;

	if (!name)
		return;
	parts[n_parts++] = part_of(id);
	for (size_t i = 0; i < n && i < MOST_PATHS; i++)
		parts[n_parts++] = part_of(paths[i]);
	(void)!pd_cache_dir_write(dir, name, parts, n_parts);
}
