/* Naming the frames of generated code. */
#include "output/naming_private.h"

#include "parse/jitdump.h"

struct pd_error *naming_of_generated(struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		const struct pd_jit_code *code = pd_jit_at_offset(job->binary->jit, job->addrs[i]);
		struct pd_error *err = code ? naming_set(job, i, code->name) : NULL;

		if (err)
			return err;
	}
	return NULL;
}
