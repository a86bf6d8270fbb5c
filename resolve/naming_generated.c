/* Naming the frames of generated code. */
#include "resolve/naming_private.h"

#include "parse/jitdump.h"
#include "symbolize/perf_map.h"

/* Return the name and the start of the code at @p addr. NULL if it has no name. */
static const char *find_name(struct naming_job *job, uint64_t addr, uint64_t *start_ret)
{
	const struct resolve_binary *binary = job->binary;

	if (binary->perf_map) {
		struct sym_perf_map_code code;

		if (!sym_perf_map_lookup(binary->perf_map, addr, &code))
			return NULL;
		job->n_reused += code.is_reused;
		*start_ret = code.start;
		return code.name;
	}
	const struct pd_jit_code *code = pd_jit_at_offset(binary->jit, addr);
	if (!code)
		return NULL;
	*start_ret = code->offset;
	return code->name;
}

struct pd_error *naming_of_generated(struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		uint64_t start;
		const char *name = find_name(job, job->addrs[i], &start);

		if (!name)
			continue;
		job->n_generated++;
		struct pd_error *err = naming_set(job, i, name, start);
		if (err)
			return err;
	}
	return NULL;
}
