/* Naming the frames of the kernel. */
#include "output/naming_private.h"

#include <string.h>

/* Generated code has its one symbol in the mapping itself. */
static bool find_symbol(const struct naming *naming, uint64_t addr, struct sym_kernel_symbol *ret)
{
	static const char padding[] = "__pfx_";
	const struct pd_mapping *mapping = pd_maps_find(naming->kernel_maps, addr);

	if (mapping && mapping->symbol) {
		*ret = (struct sym_kernel_symbol){ .name = mapping->symbol };
		return true;
	}
	if (!sym_kernel_find(naming->kernel, addr, ret))
		return false;
	/*
	 * Nothing returns into the padding in front of a function. The address behind it was no
	 * return address: an interrupt came at the function's first instruction.
	 */
	if (strncmp(ret->name, padding, strlen(padding)) == 0)
		return sym_kernel_find(naming->kernel, addr + 1, ret);
	return true;
}

struct pd_error *naming_of_kernel(const struct naming *naming, struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		struct sym_kernel_symbol symbol;

		if (!find_symbol(naming, job->addrs[i], &symbol))
			continue;
		struct pd_error *err = naming_set(job, i, symbol.name);
		if (err)
			return err;
	}
	return NULL;
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

struct pd_error *naming_open_kernel(struct naming *naming, const struct pd_kernel *kernel)
{
	struct sym_kernel_identity identity = {
		.ref_symbol = kernel->ref_symbol,
		.ref_addr = kernel->ref_addr,
		.release = profile_string(naming->profile, naming->profile->about.kernel_release),
	};

	if (kernel->dso)
		identity.build_id = kernel->dso->build_id;
	return sym_kernel_open(&identity, naming->opts->kallsyms, &naming->kernel);
}
