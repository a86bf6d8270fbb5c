#include "symbolize/kernel/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/file/trouble.h"
#include "symbolize/kernel/candidates.h"
#include "symbolize/kernel/kernel_files.h"
#include "base/format.h"
#include "base/limit.h"
#include "symbolize/kernel/code_names.h"
#include "symbolize/symbols/demangle.h"

/* Importance of a failure for the user. The first failure of the highest importance is reported. */
static int weight(enum sym_kernel_status status)
{
	static const int weights[] = {
		[SYM_KERNEL_FOUND] = 0,
		[SYM_KERNEL_NO_FILE] = 1,
		[SYM_KERNEL_HIDDEN] = 2,
		[SYM_KERNEL_OTHER] = 3,
	};
	return weights[status];
}

static void note_why(struct sym_kernel *kernel, enum sym_kernel_status status, const char *text)
{
	if (kernel->why && weight(status) <= weight(kernel->status))
		return;
	free(kernel->why);
	kernel->why = strdup(text);
	kernel->has_failed |= !kernel->why;
	kernel->status = status;
}

void sym_kernel_refuse(
	struct sym_kernel *kernel, enum sym_kernel_status status, const char *fmt, ...)
{
	va_list ap;

	free(kernel->last);
	va_start(ap, fmt);
	kernel->last = base_vformat(fmt, ap);
	va_end(ap);
	kernel->last_status = status;
	kernel->has_failed |= !kernel->last;
	if (kernel->last)
		note_why(kernel, status, kernel->last);
}

/* Status with which an attempt is recorded. */
static enum sym_status attempt_status(enum sym_kernel_status status)
{
	static const enum sym_status statuses[] = {
		[SYM_KERNEL_FOUND] = SYM_FOUND,
		[SYM_KERNEL_OTHER] = SYM_WRONG_BUILD_ID,
		[SYM_KERNEL_HIDDEN] = SYM_UNREADABLE,
		[SYM_KERNEL_NO_FILE] = SYM_NO_FILE,
	};
	return statuses[status];
}

static const char *way_text(const struct sym_kernel *kernel, enum sym_kernel_origin way)
{
	if (way == SYM_KERNEL_GIVEN)
		return "taken because it was given";
	if (way == SYM_KERNEL_BY_ID || kernel->identity->build_id.len)
		return "taken by build id";
	return "taken by release and address";
}

/* Record the attempt at @p path, which is now in use or was refused. */
static struct pd_error *note_attempt(struct sym_kernel *kernel, const char *path,
	enum sym_search_path search_path, enum sym_kernel_origin way, bool is_taken)
{
	enum sym_kernel_status status = is_taken       ? SYM_KERNEL_FOUND
					: kernel->last ? kernel->last_status
						       : SYM_KERNEL_NO_FILE;
	const char *why = is_taken	 ? way_text(kernel, way)
			  : kernel->last ? sym_kernel_without_path(kernel->last, path)
					 : "No such file or directory";
	bool ok =
		sym_attempts_add(&kernel->attempts, search_path, attempt_status(status), path, why);

	free(kernel->last);
	kernel->last = NULL;
	return ok ? NULL : &pd_enomem;
}

static struct pd_error *attempt_vmlinux(struct sym_kernel *kernel, const char *path,
	enum sym_search_path search_path, enum sym_kernel_origin way)
{
	struct pd_error *err = sym_kernel_try_vmlinux(kernel, path, way);

	return err ? err : note_attempt(kernel, path, search_path, way, kernel->vmlinux);
}

static struct pd_error *attempt_kallsyms(struct sym_kernel *kernel, const char *path,
	enum sym_search_path search_path, enum sym_kernel_origin way)
{
	struct pd_error *err = sym_kernel_try_kallsyms(kernel, path, way);

	return err ? err : note_attempt(kernel, path, search_path, way, kernel->kallsyms);
}

/* State while the candidates for one file are tried. */
struct round {
	struct sym_kernel *kernel;
	struct pd_error *err;
};

static enum sym_kernel_origin way_of(const struct sym_kernel_candidate *candidate)
{
	return candidate->has_id ? SYM_KERNEL_BY_ID : SYM_KERNEL_BY_PATH;
}

static bool try_vmlinux(void *ctx, const struct sym_kernel_candidate *candidate)
{
	struct round *round = ctx;

	round->err = attempt_vmlinux(
		round->kernel, candidate->path, candidate->search_path, way_of(candidate));
	return round->err || round->kernel->vmlinux;
}

static bool try_kallsyms(void *ctx, const struct sym_kernel_candidate *candidate)
{
	struct round *round = ctx;

	round->err = attempt_kallsyms(
		round->kernel, candidate->path, candidate->search_path, way_of(candidate));
	return round->err || round->kernel->kallsyms;
}

static struct pd_error *go_round(
	struct sym_kernel *kernel, enum sym_kernel_file file, sym_kernel_candidate_fn *fn)
{
	struct round round = { .kernel = kernel };
	struct sym_kernel_facts facts = {
		.release = kernel->identity->release,
		.build_id = kernel->identity->build_id,
	};

	sym_kernel_each_candidate(kernel->search, file, &facts, fn, &round);
	return round.err;
}

static struct pd_error *find_vmlinux(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	if (kernel->vmlinux || opts->ignore_vmlinux)
		return NULL;
	return go_round(kernel, SYM_KERNEL_VMLINUX, try_vmlinux);
}

static struct pd_error *find_in_archives(struct sym_kernel *kernel)
{
	for (size_t i = 0; i < kernel->search->n_archives && !kernel->kallsyms; i++) {
		struct sym_archive *archive = kernel->search->archives[i];
		struct pd_error *err = sym_kernel_try_archive(kernel, archive);

		if (err)
			return err;
		err = note_attempt(kernel, sym_archive_path(archive), SYM_SEARCH_ARCHIVE,
			SYM_KERNEL_BY_ID, kernel->kallsyms);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Use the symbols of the running kernel if it is the recorded one. With a symfs, files of this
 * machine are not those of the recording machine.
 */
static struct pd_error *find_running(struct sym_kernel *kernel)
{
	static const char path[] = "/proc/kallsyms";
	bool is_running;

	if (!sym_search_has_own_paths(kernel->search))
		return NULL;
	struct pd_error *err = sym_kernel_is_running(kernel, &is_running);
	if (err)
		return err;
	if (!is_running)
		return note_attempt(kernel, path, SYM_SEARCH_KERNEL, SYM_KERNEL_BY_PATH, false);
	return attempt_kallsyms(kernel, path, SYM_SEARCH_KERNEL,
		kernel->identity->build_id.len ? SYM_KERNEL_BY_ID : SYM_KERNEL_BY_RELEASE);
}

static struct pd_error *find_kallsyms(struct sym_kernel *kernel)
{
	struct pd_error *err = go_round(kernel, SYM_KERNEL_KALLSYMS, try_kallsyms);

	if (err || kernel->kallsyms)
		return err;
	err = find_in_archives(kernel);
	if (err || kernel->kallsyms)
		return err;
	return find_running(kernel);
}

static bool is_found(const struct sym_kernel *kernel)
{
	return kernel->vmlinux || kernel->kallsyms;
}

/*
 * Search for all files. A vmlinux with the recorded build id is certain to be the right one, so it
 * comes first. One with the recorded release is only likely to be, so it comes last.
 */
static struct pd_error *find_any(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	struct pd_error *err = kernel->identity->build_id.len ? find_vmlinux(kernel, opts) : NULL;

	if (err)
		return err;
	if (!kernel->vmlinux || opts->wants_modules) {
		err = find_kallsyms(kernel);
		if (err)
			return err;
	}
	return is_found(kernel) ? NULL : find_vmlinux(kernel, opts);
}

static struct pd_error *find(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	if (opts->vmlinux && !opts->ignore_vmlinux) {
		struct pd_error *err =
			attempt_vmlinux(kernel, opts->vmlinux, SYM_SEARCH_GIVEN, SYM_KERNEL_GIVEN);
		if (err)
			return err;
	}
	/* A file that the user gave is used or refused, but never replaced by another one. */
	if (opts->kallsyms)
		return attempt_kallsyms(kernel, opts->kallsyms, SYM_SEARCH_GIVEN, SYM_KERNEL_GIVEN);
	if (!opts->vmlinux || opts->ignore_vmlinux)
		return find_any(kernel, opts);
	return opts->wants_modules && kernel->vmlinux ? find_kallsyms(kernel) : NULL;
}

static bool conclude(struct sym_kernel *kernel)
{
	if (is_found(kernel)) {
		kernel->status = SYM_KERNEL_FOUND;
		free(kernel->why);
		kernel->why = NULL;
		return true;
	}
	if (!kernel->why)
		sym_kernel_refuse(kernel, SYM_KERNEL_NO_FILE,
			"neither a vmlinux nor a kallsyms file of the kernel was found");
	return kernel->why;
}

struct pd_error *sym_kernel_open(const struct sym_kernel_identity *identity,
	const struct sym_search *search, const struct sym_kernel_opts *opts,
	struct sym_kernel **ret)
{
	struct sym_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return &pd_enomem;
	pthread_mutex_init(&kernel->lock, NULL);
	kernel->identity = identity;
	kernel->search = search;
	PD_LIMIT_SCOPE();
	struct pd_error *err = find(kernel, opts);
	sym_trouble_note_limits(search->trouble, "kernel");
	kernel->identity = NULL;
	if (err || !conclude(kernel) || kernel->has_failed) {
		sym_kernel_destroy(kernel);
		return err ? err : &pd_enomem;
	}
	*ret = kernel;
	return NULL;
}

void sym_kernel_destroy(struct sym_kernel *kernel)
{
	if (!kernel)
		return;
	sym_binary_destroy(kernel->vmlinux);
	sym_kallsyms_destroy(kernel->kallsyms);
	pthread_mutex_destroy(&kernel->lock);
	sym_attempts_deinit(&kernel->attempts);
	free(kernel->last);
	free(kernel->kallsyms_path);
	free(kernel->why);
	free(kernel);
}

enum sym_kernel_status sym_kernel_status(const struct sym_kernel *kernel)
{
	return kernel->status;
}

const char *sym_kernel_why(const struct sym_kernel *kernel)
{
	return kernel->why;
}

const struct sym_attempt *sym_kernel_attempts(const struct sym_kernel *kernel, size_t *n_ret)
{
	*n_ret = kernel->attempts.list.n;
	return kernel->attempts.list.data;
}

struct sym_binary *sym_kernel_vmlinux(const struct sym_kernel *kernel, uint64_t *offset_ret)
{
	*offset_ret = kernel->vmlinux_offset;
	return kernel->vmlinux;
}

const char *sym_kernel_vmlinux_path(const struct sym_kernel *kernel)
{
	return kernel->vmlinux ? sym_binary_path(kernel->vmlinux) : NULL;
}

const char *sym_kernel_kallsyms_path(const struct sym_kernel *kernel)
{
	return kernel->kallsyms_path;
}

/*
 * Find a symbol of the kernel itself, which may have moved since the file was written. Modules move
 * separately, so their symbols are used only if the kernel did not move.
 */
static bool find_in_kallsyms(
	const struct sym_kernel *kernel, uint64_t addr, struct sym_kernel_symbol *ret)
{
	return sym_kallsyms_find(kernel->kallsyms, addr - kernel->kallsyms_offset, ret) &&
	       !(ret->module && kernel->kallsyms_offset);
}

bool sym_kernel_kallsyms_extent(
	const struct sym_kernel *kernel, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret)
{
	struct sym_kernel_symbol symbol;

	if (!kernel->kallsyms || !find_in_kallsyms(kernel, addr, &symbol))
		return false;
	*start_ret = symbol.start + kernel->kallsyms_offset;
	*end_ret = symbol.end + kernel->kallsyms_offset;
	return true;
}

static struct pd_error *name_by_kallsyms(const struct sym_kernel *kernel,
	const struct pd_name_opts *opts, uint64_t addr, struct base_arena *arena,
	struct sym_names *ret)
{
	struct sym_kernel_symbol symbol;

	if (!find_in_kallsyms(kernel, addr, &symbol))
		return NULL;
	if (sym_is_padding(symbol.name) && !find_in_kallsyms(kernel, addr + 1, &symbol))
		return NULL;
	/*
	 * The vmlinux has all symbols of the kernel itself, so one that it lacks is not a function.
	 */
	if (kernel->vmlinux && !symbol.module)
		return NULL;
	struct sym_name *name = base_arena_alloc(arena, sizeof(*name));
	char *linkage = base_arena_strndup(arena, symbol.name, strlen(symbol.name));
	const char *function = linkage ? sym_demangle(arena, linkage, opts->form, 0) : NULL;
	if (!name || !function)
		return &pd_enomem;
	*name = (struct sym_name){ .function = function, .linkage = linkage };
	*ret = (struct sym_names){
		.names = name,
		.n = 1,
		.symbol_start = symbol.start + kernel->kallsyms_offset,
		.has_symbol = true,
	};
	return NULL;
}

struct pd_error *sym_kernel_names(struct sym_kernel *kernel, const struct pd_name_opts *opts,
	const uint64_t *addrs, size_t n, struct base_arena *arena, struct sym_names *ret)
{
	static const struct pd_name_opts defaults;

	opts = opts ? opts : &defaults;
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_names){ 0 };
	/* A binary answers one call at a time. Looking up kallsyms does not change it. */
	if (n && kernel->vmlinux) {
		pthread_mutex_lock(&kernel->lock);
		struct pd_error *err = sym_code_names(
			kernel->vmlinux, kernel->vmlinux_offset, opts, addrs, n, arena, ret);
		pthread_mutex_unlock(&kernel->lock);
		if (err)
			return err;
	}
	PD_LIMIT_SCOPE();
	for (size_t i = 0; i < n && kernel->kallsyms; i++) {
		if (ret[i].n)
			continue;
		struct pd_error *err = name_by_kallsyms(kernel, opts, addrs[i], arena, &ret[i]);
		if (err)
			return err;
	}
	if (kernel->kallsyms)
		sym_trouble_note_limits(kernel->search->trouble, sym_kernel_kallsyms_path(kernel));
	return NULL;
}

struct pd_error *sym_kernel_list_code(
	struct sym_kernel *kernel, const uint64_t *addrs, size_t n, struct sym_code_list *ret)
{
	if (!n || !kernel->vmlinux)
		return NULL;
	pthread_mutex_lock(&kernel->lock);
	struct pd_error *err =
		sym_binary_list_code(kernel->vmlinux, kernel->vmlinux_offset, addrs, n, ret);
	pthread_mutex_unlock(&kernel->lock);
	return err;
}
