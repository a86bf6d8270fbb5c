/* Naming the frames of generated code. */
#include "resolve/naming_private.h"

#include "parse/jitdump.h"

/* Return the name and the start of the code at @p addr. NULL if it has no name. */
static const char *find_name(const struct naming_job *job, uint64_t addr, uint64_t *start_ret)
{
	if (job->perf_map)
		return sym_perf_map_name(job->perf_map, addr, start_ret);
	const struct pd_jit_code *code = pd_jit_at_offset(job->binary->jit, addr);
	if (!code)
		return NULL;
	*start_ret = code->offset;
	return code->name;
}

struct pd_error *naming_of_generated(struct naming_job *job)
{
	if (job->binary->perf_map) {
		struct pd_error *err = sym_perf_map_read(job->binary->perf_map, &job->perf_map);
		if (err)
			return err;
	}
	for (size_t i = 0; i < job->n_addrs; i++) {
		uint64_t start;
		const char *name = find_name(job, job->addrs[i], &start);

		if (!name)
			continue;
		struct pd_error *err = naming_set(job, i, name, start);
		if (err)
			return err;
	}
	return NULL;
}
