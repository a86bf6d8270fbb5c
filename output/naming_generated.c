/* Naming the frames of generated code. */
#include "output/naming_private.h"

#include "parse/jitdump.h"

static const char *find_name(const struct naming_job *job, uint64_t addr)
{
	if (job->perf_map)
		return sym_perf_map_name(job->perf_map, addr);
	const struct pd_jit_code *code = pd_jit_at_offset(job->binary->jit, addr);
	return code ? code->name : NULL;
}

struct pd_error *naming_of_generated(struct naming_job *job)
{
	struct pd_error *err = NULL;

	if (job->binary->perf_map)
		err = sym_perf_map_read(job->binary->perf_map, &job->perf_map);
	for (size_t i = 0; i < job->n_addrs && !err; i++) {
		const char *name = find_name(job, job->addrs[i]);

		if (name)
			err = naming_set(job, i, name);
	}
	return err;
}
