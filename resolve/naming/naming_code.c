#include "resolve/naming/naming_code.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "resolve/naming/naming_kernel.h"

/* List the code of a module where it was at the end of the recording. */
static struct pd_error *list_module(const struct naming *naming, struct naming_job *job)
{
	uint64_t start, loaded = naming_module_start(naming, job);
	struct sym_binary *binary = sym_module_binary(job->module, &start);

	if (!binary || !loaded)
		return NULL;
	return sym_binary_list_code(binary, loaded - start, job->addrs, job->n_addrs, &job->code);
}

static bool has_file(const struct naming_job *job)
{
	return !resolve_binary_is_generated(job->binary) &&
	       sym_binary_status(job->binary->symbols) == SYM_FOUND;
}

static struct pd_error *list(const struct naming *naming, struct naming_job *job)
{
	if (job->module)
		return list_module(naming, job);
	if (job->binary->dso == naming->kernel_dso)
		return sym_kernel_list_code(naming->kernel, job->addrs, job->n_addrs, &job->code);
	if (job->binary->dso->is_kernel || !has_file(job))
		return NULL;
	return sym_binary_list_code(job->binary->symbols, 0, job->addrs, job->n_addrs, &job->code);
}

static struct pd_error *name_module(
	const struct naming *naming, struct naming_job *job, uint64_t *starts, size_t n)
{
	uint64_t loaded = naming_module_start(naming, job);

	for (size_t i = 0; i < n; i++)
		starts[i] -= loaded;
	return sym_module_names(
		job->module, naming->opts->names, starts, n, &job->arena, job->code_names);
}

/* Name the @p n addresses @p starts, which are changed. */
static struct pd_error *name(
	const struct naming *naming, struct naming_job *job, uint64_t *starts, size_t n)
{
	if (job->module)
		return name_module(naming, job, starts, n);
	if (job->binary->dso->is_kernel)
		return sym_kernel_names(naming->kernel, naming->opts->names, starts, n, &job->arena,
			job->code_names);
	return sym_binary_names(
		job->binary->symbols, naming->opts->names, starts, n, &job->arena, job->code_names);
}

struct pd_error *naming_list_code(const struct naming *naming, struct naming_job *job)
{
	if (!naming->opts->request->code)
		return NULL;
	struct pd_error *err = list(naming, job);
	size_t n = job->code.list.n;

	if (err || !n)
		return err;
	_cleanup_free_ uint64_t *starts = base_calloc_n(n, sizeof(*starts));
	job->code_names = base_calloc_n(n, sizeof(*job->code_names));
	if (!starts || !job->code_names)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		starts[i] = job->code.list.data[i].start;
	return name(naming, job, starts, n);
}
