#include "api/table_maker.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xxhash.h>

#include "base/arch.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "resolve/binaries/unwind_tables.h"
#include "symbolize/find/needed.h"

/* Programs that a command has started. */

/** Bounds on what is kept of a command. */
enum { MOST_BYTES = 64 << 10, MOST_PATHS = 32 };

/** Name of the file in the cache. Allocated; NULL: out of memory. */
static char *name_of(const char *command)
{
	return base_format(
		"%016" PRIx64 PD_STARTED_SUFFIX, (uint64_t)XXH3_64bits(command, strlen(command)));
}

/** Absolute path of a command with a slash in it, else its name. Allocated; NULL: neither. */
static char *identify(const char *command)
{
	return strchr(command, '/') ? realpath(command, NULL) : strdup(command);
}

/** Append the strings in [@p at, @p end), each of which ends in a NUL. Errors: NOMEM. */
static struct pd_error *add_paths(const char *at, const char *end, struct api_started *ret)
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

struct pd_error *api_started_load(const char *dir, const char *command, struct api_started *ret)
{
	_cleanup_free_ char *id = dir ? identify(command) : NULL;
	_cleanup_free_ char *name = id ? name_of(id) : NULL;
	size_t size, n = id ? strlen(id) + 1 : 0;

	if (!name)
		return NULL;
	_cleanup_free_ uint8_t *bytes = base_cache_dir_read(dir, name, MOST_BYTES, &size);
	const char *text = (const char *)bytes;
	/* The command comes first, since another one may have the same hash. */
	if (!bytes || size < n || memcmp(text, id, n) != 0 || text[size - 1])
		return NULL;
	return add_paths(text + n, text + size, ret);
}

void api_started_deinit(struct api_started *started)
{
	for (size_t i = 0; i < started->paths.n; i++)
		free(started->paths.data[i]);
	pd_vec_deinit(&started->paths);
}

static struct iovec part_of(const char *text)
{
	return (struct iovec){ (void *)(uintptr_t)text, strlen(text) + 1 };
}

void api_started_save(const char *dir, const char *command, const char *const *paths, size_t n)
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
	(void)!base_cache_dir_write(dir, name, parts, n_parts);
}

/* Tables. */

/* Make the table of a file that a process has mapped now. The context is the search. */
static struct pd_error *open_table(void *ctx, uint32_t pid, const struct cap_mapping *mapping,
	const struct pd_build_id *id, struct unw_table **ret, uint64_t *delta_ret)
{
	const struct sym_recorded recorded = {
		.name = mapping->name,
		.id = *id,
		.pid = pid,
		.maj = mapping->maj,
		.min = mapping->min,
		.ino = mapping->ino,
		.offset = mapping->pgoff,
		.size = mapping->end - mapping->start,
	};

	return resolve_table_open(ctx, pd_arch_of_machine(), &recorded, ret, delta_ret);
}

/* List the code that a program will have mapped. */
static struct pd_error *list_program(const char *program, cap_on_code *fn, void *fn_ctx)
{
	_cleanup_(sym_needed_deinit) struct sym_needed needed = { 0 };
	struct pd_error *err = sym_needed_find(program, &needed);

	for (size_t i = 0; !err && i < needed.list.n; i++) {
		const struct sym_needed_code *code = &needed.list.data[i];

		err = fn(fn_ctx, code->path, code->offset, code->size);
	}
	return err;
}

/* List the code of a program, and of those that a command started when it was recorded before. */
static struct pd_error *list_code(
	void *ctx, const char *program, bool is_command, cap_on_code *fn, void *fn_ctx)
{
	_cleanup_(api_started_deinit) struct api_started started = { 0 };
	const struct sym_search *search = ctx;
	struct pd_error *err = list_program(program, fn, fn_ctx);

	if (!err && is_command)
		err = api_started_load(search->cache_dir, program, &started);
	for (size_t i = 0; !err && i < started.paths.n; i++)
		err = list_program(started.paths.data[i], fn, fn_ctx);
	return err;
}

static void keep_started(void *ctx, const char *command, const char *const *paths, size_t n)
{
	const struct sym_search *search = ctx;

	api_started_save(search->cache_dir, command, paths, n);
}

struct cap_table_maker api_table_maker(struct sym_search *search)
{
	return (struct cap_table_maker){
		.open = open_table,
		.list = list_code,
		.keep = keep_started,
		.ctx = search,
	};
}
