#include "resolve/naming_code.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

/* The binary of a job, and its addresses minus those of the frames. */
struct source {
	struct sym_binary *binary;
	uint64_t bias;
};

/* Return where the code of the job is; the binary is NULL if it has no file. */
static struct source find_source(const struct naming *naming, const struct naming_job *job)
{
	struct source ret = { 0 };

	if (job->binary->dso == naming->kernel_dso)
		ret.binary = sym_kernel_vmlinux(naming->kernel, &ret.bias);
	else if (!job->binary->dso->is_kernel && !resolve_binary_is_generated(job->binary) &&
		 sym_binary_status(job->binary->symbols) == SYM_FOUND)
		ret.binary = job->binary->symbols;
	return ret;
}

/* List the code in addresses of the file. */
static struct pd_error *list(const struct source *source, struct naming_job *job)
{
	_cleanup_free_ uint64_t *vaddrs = base_calloc_n(job->n_addrs, sizeof(*vaddrs));

	if (!vaddrs)
		return &pd_enomem;
	for (size_t i = 0; i < job->n_addrs; i++)
		vaddrs[i] = job->addrs[i] - source->bias;
	return sym_binary_list_code(source->binary, vaddrs, job->n_addrs, &job->code);
}

static struct pd_error *name(
	const struct naming *naming, const struct source *source, struct naming_job *job)
{
	size_t n = job->code.list.n;
	_cleanup_free_ uint64_t *starts = base_calloc_n(n, sizeof(*starts));

	job->code_names = base_calloc_n(n, sizeof(*job->code_names));
	if (!starts || !job->code_names)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		starts[i] = job->code.list.data[i].start;
	return sym_binary_names(
		source->binary, &naming->opts->names, starts, n, &job->arena, job->code_names);
}

struct pd_error *naming_list_code(const struct naming *naming, struct naming_job *job)
{
	const struct source source = find_source(naming, job);

	if (!naming->opts->request.code || !source.binary)
		return NULL;
	struct pd_error *err = list(&source, job);
	if (!err)
		err = name(naming, &source, job);
	/* The profile has addresses like those of frames. */
	for (size_t i = 0; i < job->code.list.n && !err; i++) {
		job->code.list.data[i].start += source.bias;
		job->code.list.data[i].end += source.bias;
	}
	return err;
}
