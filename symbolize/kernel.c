#include "symbolize/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbolize/kernel_places.h"
#include "symbolize/kernel_private.h"

/* How much a failure tells; the first of the best kind is remembered. */
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

void sym_kernel_refuse(
	struct sym_kernel *kernel, enum sym_kernel_status status, const char *fmt, ...)
{
	va_list ap;

	if (kernel->why && weight(status) <= weight(kernel->status))
		return;
	free(kernel->why);
	va_start(ap, fmt);
	if (vasprintf(&kernel->why, fmt, ap) < 0)
		kernel->why = NULL;
	va_end(ap);
	kernel->status = status;
}

/* A round through places, until a file is taken. */
struct round {
	struct sym_kernel *kernel;
	bool only_by_id;
	struct pd_error *err;
};

static bool try_vmlinux(void *ctx, const char *path, bool has_id)
{
	struct round *round = ctx;

	round->err = sym_kernel_try_vmlinux(
		round->kernel, path, has_id ? SYM_KERNEL_BY_ID : SYM_KERNEL_BY_PLACE);
	return round->err || round->kernel->vmlinux;
}

static bool try_kallsyms(void *ctx, const char *path, bool has_id)
{
	struct round *round = ctx;

	round->err = sym_kernel_try_kallsyms(
		round->kernel, path, has_id ? SYM_KERNEL_BY_ID : SYM_KERNEL_BY_PLACE);
	return round->err || round->kernel->kallsyms;
}

static struct pd_error *go_round(
	struct sym_kernel *kernel, enum sym_kernel_file file, sym_kernel_place_fn *fn)
{
	struct round round = { .kernel = kernel };
	struct sym_kernel_facts facts = {
		.release = kernel->identity->release,
		.build_id = kernel->identity->build_id,
	};

	sym_kernel_each_place(kernel->search, file, &facts, fn, &round);
	return round.err;
}

static struct pd_error *find_vmlinux(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	if (kernel->vmlinux || opts->ignore_vmlinux)
		return NULL;
	return go_round(kernel, SYM_KERNEL_VMLINUX, try_vmlinux);
}

static struct pd_error *find_kallsyms(struct sym_kernel *kernel)
{
	struct pd_error *err = go_round(kernel, SYM_KERNEL_KALLSYMS, try_kallsyms);
	bool is_running = false;

	for (size_t i = 0; i < kernel->search->n_archives && !err && !kernel->kallsyms; i++)
		err = sym_kernel_try_archive(kernel, kernel->search->archives[i]);
	if (!err && !kernel->kallsyms)
		err = sym_kernel_is_running(kernel, &is_running);
	if (err || !is_running)
		return err;
	return sym_kernel_try_kallsyms(kernel, "/proc/kallsyms",
		kernel->identity->build_id.len ? SYM_KERNEL_BY_ID : SYM_KERNEL_BY_PLACE);
}

static bool is_found(const struct sym_kernel *kernel)
{
	return kernel->vmlinux || kernel->kallsyms;
}

/* By build id a vmlinux is surely the right one; by release it only should be. */
static struct pd_error *find_any(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	struct pd_error *err = NULL;

	if (kernel->identity->build_id.len)
		err = find_vmlinux(kernel, opts);
	if (!err && (!kernel->vmlinux || opts->wants_modules))
		err = find_kallsyms(kernel);
	return err || is_found(kernel) ? err : find_vmlinux(kernel, opts);
}

static struct pd_error *find(struct sym_kernel *kernel, const struct sym_kernel_opts *opts)
{
	struct pd_error *err = NULL;

	if (opts->vmlinux && !opts->ignore_vmlinux)
		err = sym_kernel_try_vmlinux(kernel, opts->vmlinux, SYM_KERNEL_GIVEN);
	if (!err && opts->kallsyms)
		err = sym_kernel_try_kallsyms(kernel, opts->kallsyms, SYM_KERNEL_GIVEN);
	if (err || opts->kallsyms)
		return err;
	if (!opts->vmlinux || opts->ignore_vmlinux)
		return find_any(kernel, opts);
	return opts->wants_modules && kernel->vmlinux ? find_kallsyms(kernel) : NULL;
}

static struct pd_error *conclude(struct sym_kernel *kernel)
{
	if (is_found(kernel)) {
		kernel->status = SYM_KERNEL_FOUND;
		free(kernel->why);
		kernel->why = NULL;
	} else if (!kernel->why)
		sym_kernel_refuse(kernel, SYM_KERNEL_NO_FILE,
			"neither a vmlinux nor a kallsyms file of the kernel was found");
	return is_found(kernel) || kernel->why ? NULL : &pd_enomem;
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
	struct pd_error *err = find(kernel, opts);
	if (!err)
		err = conclude(kernel);
	kernel->identity = NULL;
	if (err) {
		sym_kernel_destroy(kernel);
		return err;
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

const char *sym_kernel_vmlinux_path(const struct sym_kernel *kernel)
{
	return kernel->vmlinux ? sym_binary_path(kernel->vmlinux) : NULL;
}

const char *sym_kernel_kallsyms_path(const struct sym_kernel *kernel)
{
	return kernel->kallsyms_path;
}
