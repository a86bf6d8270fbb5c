#include "api/table_source.h"

#include "base/arch.h"
#include "base/cleanup.h"
#include "resolve/started.h"
#include "resolve/unwind_tables.h"
#include "symbolize/find/needed.h"

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
	_cleanup_(resolve_started_deinit) struct resolve_started started = { 0 };
	const struct sym_search *search = ctx;
	struct pd_error *err = list_program(program, fn, fn_ctx);

	if (!err && is_command)
		err = resolve_started_load(search->cache_dir, program, &started);
	for (size_t i = 0; !err && i < started.paths.n; i++)
		err = list_program(started.paths.data[i], fn, fn_ctx);
	return err;
}

static void keep_started(void *ctx, const char *command, const char *const *paths, size_t n)
{
	const struct sym_search *search = ctx;

	resolve_started_save(search->cache_dir, command, paths, n);
}

struct cap_table_source pd_table_source(struct sym_search *search)
{
	return (struct cap_table_source){
		.open = open_table,
		.list = list_code,
		.keep = keep_started,
		.ctx = search,
	};
}
