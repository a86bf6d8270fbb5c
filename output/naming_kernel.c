/* Naming the frames of the kernel. */
#include "output/naming_private.h"

/* Generated code has its one symbol in the mapping itself. */
static struct pd_error *name_symbols(const struct naming *naming, struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		const struct pd_mapping *mapping = pd_maps_find(naming->kernel_maps, job->addrs[i]);
		struct pd_error *err = NULL;

		if (mapping && mapping->symbol)
			err = naming_set(job, i, mapping->symbol);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *naming_of_kernel(const struct naming *naming, struct naming_job *job)
{
	struct pd_error *err = sym_kernel_names(naming->kernel, &naming->opts->names, job->addrs,
		job->n_addrs, &job->arena, job->names);

	return err ? err : name_symbols(naming, job);
}

struct pd_error *naming_note_kernel(struct naming *naming, const struct naming_job *job)
{
	struct prof_binary *binary = &naming->profile->binaries.data[job->binary->profile_id];

	binary->has_image = true;
	binary->is_found = sym_kernel_status(naming->kernel) == SYM_KERNEL_FOUND;
	if (binary->is_found)
		return NULL;
	binary->why = pd_intern_str(&naming->profile->strings, sym_kernel_why(naming->kernel));
	return binary->why == PD_INTERN_NONE ? &pd_enomem : NULL;
}

static bool has_kernel_frames(const struct naming_job *job)
{
	return job->frames.n && job->binary && job->binary->dso->is_kernel;
}

struct pd_error *naming_open_kernel(struct naming *naming, const struct pd_kernel *kernel)
{
	struct sym_kernel_identity identity = {
		.ref_symbol = kernel->ref_symbol,
		.ref_addr = kernel->ref_addr,
		.release = profile_string(naming->profile, naming->profile->about.kernel_release),
	};
	struct sym_kernel_opts opts = naming->opts->kernel;
	bool has_frames = false;

	if (kernel->dso)
		identity.build_id = kernel->dso->build_id;
	for (size_t i = 0; i < naming->n_jobs; i++) {
		const struct naming_job *job = &naming->jobs[i];

		has_frames = has_frames || has_kernel_frames(job);
		if (has_kernel_frames(job) && job->binary->dso != kernel->dso)
			opts.wants_modules = true;
	}
	if (!has_frames)
		return NULL;
	return sym_kernel_open(&identity, &naming->opts->search, &opts, &naming->kernel);
}
