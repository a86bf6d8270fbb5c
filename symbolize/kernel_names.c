/* From addresses of a kernel to functions. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbolize/binary_private.h"
#include "symbolize/demangle.h"
#include "symbolize/kernel_private.h"

/* Addresses on their way through the vmlinux. */
struct passage {
	/** Of the vmlinux, ascending and distinct. */
	uint64_t *vaddrs;
	struct sym_names *names;
	size_t n;
	/** Which of them each recorded address is; NONE: no symbol is there. */
	uint32_t *which;
};

enum { NONE = UINT32_MAX };

/* Nothing returns into the padding in front of a function. */
static bool is_padding(const char *name)
{
	static const char prefix[] = "__pfx_";

	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/*
 * The place in the code that @p vaddr stands for; false if there is none. Addresses of callers are one
 * byte less than recorded. Where that lies in no function, or in padding, and the next byte begins one,
 * that was no return address: an interrupt came at the function's first instruction.
 */
static bool settle(const struct sym_symtab *symtab, uint64_t *vaddr, size_t *hint)
{
	const struct sym_symbol *symbol = sym_symtab_find(symtab, *vaddr, hint);
	size_t next_hint = *hint;

	if (symbol && !is_padding(symbol->name))
		return true;
	const struct sym_symbol *next = sym_symtab_find(symtab, *vaddr + 1, &next_hint);
	if (!next || next->start != *vaddr + 1)
		return symbol;
	++*vaddr;
	return true;
}

static struct pd_error *begin(struct passage *passage, size_t n)
{
	*passage = (struct passage){
		.vaddrs = calloc(n, sizeof(*passage->vaddrs)),
		.names = calloc(n, sizeof(*passage->names)),
		.which = calloc(n, sizeof(*passage->which)),
	};
	return passage->vaddrs && passage->names && passage->which ? NULL : &pd_enomem;
}

static void end(struct passage *passage)
{
	free(passage->vaddrs);
	free(passage->names);
	free(passage->which);
}

static void enter(
	struct passage *passage, const struct sym_kernel *kernel, const uint64_t *addrs, size_t n)
{
	size_t hint = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t vaddr = addrs[i] - kernel->vmlinux_offset;

		passage->which[i] = NONE;
		if (!settle(&kernel->vmlinux->symtab, &vaddr, &hint))
			continue;
		if (!passage->n || passage->vaddrs[passage->n - 1] != vaddr)
			passage->vaddrs[passage->n++] = vaddr;
		passage->which[i] = (uint32_t)passage->n - 1;
	}
}

static struct pd_error *read_symtab(struct sym_binary *vmlinux)
{
	struct pd_error *err = vmlinux->has_symtab ? NULL
						   : sym_symtab_init(&vmlinux->symtab,
							     vmlinux->main, vmlinux->separate);

	vmlinux->has_symtab = !err;
	return err;
}

static struct pd_error *names_of_vmlinux(struct sym_kernel *kernel, const struct sym_opts *opts,
	const uint64_t *addrs, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	struct passage passage;
	struct pd_error *err = begin(&passage, n);

	if (!err)
		err = read_symtab(kernel->vmlinux);
	if (!err) {
		enter(&passage, kernel, addrs, n);
		err = sym_binary_names(
			kernel->vmlinux, opts, passage.vaddrs, passage.n, arena, passage.names);
	}
	for (size_t i = 0; i < n && !err; i++) {
		if (passage.which[i] != NONE)
			ret[i] = passage.names[passage.which[i]];
	}
	end(&passage);
	return err;
}

/* In the kernel itself, which may have been moved since, or in a module, which then is elsewhere. */
static bool find_in_kallsyms(
	const struct sym_kernel *kernel, uint64_t addr, struct sym_kernel_symbol *ret)
{
	return sym_kallsyms_find(kernel->kallsyms, addr - kernel->kallsyms_offset, ret) &&
	       !(ret->module && kernel->kallsyms_offset);
}

static struct pd_error *name_by_kallsyms(const struct sym_kernel *kernel,
	const struct sym_opts *opts, uint64_t addr, struct pd_arena *arena, struct sym_names *ret)
{
	struct sym_kernel_symbol symbol;

	if (!find_in_kallsyms(kernel, addr, &symbol))
		return NULL;
	if (is_padding(symbol.name) && !find_in_kallsyms(kernel, addr + 1, &symbol))
		return NULL;
	/* Where there is a vmlinux, it has all that is in the kernel itself. */
	if (kernel->vmlinux && !symbol.module)
		return NULL;
	struct sym_name *name = pd_arena_alloc(arena, sizeof(*name));
	char *linkage = pd_arena_strndup(arena, symbol.name, strlen(symbol.name));
	const char *function =
		linkage && !opts->no_demangle ? sym_demangle(arena, linkage) : linkage;
	if (!name || !function)
		return &pd_enomem;
	*name = (struct sym_name){ .function = function, .linkage = linkage };
	*ret = (struct sym_names){ .names = name, .n = 1, .symbol_start = symbol.start };
	return NULL;
}

struct pd_error *sym_kernel_names(struct sym_kernel *kernel, const struct sym_opts *opts,
	const uint64_t *addrs, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	static const struct sym_opts defaults;
	struct pd_error *err = NULL;

	opts = opts ? opts : &defaults;
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_names){ 0 };
	if (n && kernel->vmlinux) {
		pthread_mutex_lock(&kernel->lock);
		err = names_of_vmlinux(kernel, opts, addrs, n, arena, ret);
		pthread_mutex_unlock(&kernel->lock);
	}
	for (size_t i = 0; i < n && kernel->kallsyms && !err; i++) {
		if (!ret[i].n)
			err = name_by_kallsyms(kernel, opts, addrs[i], arena, &ret[i]);
	}
	return err;
}
