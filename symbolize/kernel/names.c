/* Functions at addresses of a kernel. */
#include <string.h>

#include "base/limit.h"
#include "symbolize/file/trouble.h"
#include "symbolize/kernel/code_names.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/kernel/kernel_private.h"

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
	const struct sym_opts *opts, uint64_t addr, struct pd_arena *arena, struct sym_names *ret)
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
	struct sym_name *name = pd_arena_alloc(arena, sizeof(*name));
	char *linkage = pd_arena_strndup(arena, symbol.name, strlen(symbol.name));
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

struct pd_error *sym_kernel_names(struct sym_kernel *kernel, const struct sym_opts *opts,
	const uint64_t *addrs, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	static const struct sym_opts defaults;

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
	pd_limit_take();
	for (size_t i = 0; i < n && kernel->kallsyms; i++) {
		if (ret[i].n)
			continue;
		struct pd_error *err = name_by_kallsyms(kernel, opts, addrs[i], arena, &ret[i]);
		if (err)
			return err;
	}
	if (kernel->kallsyms)
		sym_trouble_take_limits(kernel->search->trouble, sym_kernel_kallsyms_path(kernel));
	return NULL;
}
