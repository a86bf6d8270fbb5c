#include "symbolize/kernel/code_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbolize/binary_files.h"

/* Recorded addresses and the binary's addresses that are looked up for them. */
struct lookup {
	/** Addresses of the binary, ascending and distinct. */
	uint64_t *vaddrs;
	struct sym_names *names;
	size_t n;
	/** Index in vaddrs for each recorded address; NONE if there is no symbol. */
	uint32_t *which;
};

enum { NONE = UINT32_MAX };

bool sym_is_padding(const char *name)
{
	static const char prefix[] = "__pfx_";

	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/*
 * Adjust @p vaddr to the code that it stands for. Returns false if there is none. Addresses of
 * callers are one byte lower than recorded, to lie within the call. If such an address is in no
 * function or in padding, and the next byte begins a function, it was not a return address: an
 * interrupt arrived at the first instruction of that function.
 */
static bool settle(const struct sym_symtab *symtab, uint64_t *vaddr, size_t *hint)
{
	const struct sym_symbol *symbol = sym_symtab_find(symtab, *vaddr, hint);
	size_t next_hint = *hint;

	if (symbol && !sym_is_padding(symbol->name))
		return true;
	const struct sym_symbol *next = sym_symtab_find(symtab, *vaddr + 1, &next_hint);
	if (!next || next->start != *vaddr + 1)
		return symbol;
	++*vaddr;
	return true;
}

static struct pd_error *begin(struct lookup *lookup, size_t n)
{
	*lookup = (struct lookup){
		.vaddrs = calloc(n, sizeof(*lookup->vaddrs)),
		.names = calloc(n, sizeof(*lookup->names)),
		.which = calloc(n, sizeof(*lookup->which)),
	};
	return lookup->vaddrs && lookup->names && lookup->which ? NULL : &pd_enomem;
}

static void end(struct lookup *lookup)
{
	free(lookup->vaddrs);
	free(lookup->names);
	free(lookup->which);
}

static void enter(struct lookup *lookup, const struct sym_symtab *symtab, uint64_t offset,
	const uint64_t *addrs, size_t n)
{
	size_t hint = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t vaddr = addrs[i] - offset;

		lookup->which[i] = NONE;
		if (!settle(symtab, &vaddr, &hint))
			continue;
		if (!lookup->n || lookup->vaddrs[lookup->n - 1] != vaddr)
			lookup->vaddrs[lookup->n++] = vaddr;
		lookup->which[i] = (uint32_t)lookup->n - 1;
	}
}

struct pd_error *sym_code_names(struct sym_binary *binary, uint64_t offset,
	const struct pd_name_opts *opts, const uint64_t *addrs, size_t n, struct base_arena *arena,
	struct sym_names *ret)
{
	_cleanup_(end) struct lookup lookup;
	struct pd_error *err = begin(&lookup, n);

	if (err)
		return err;
	err = sym_binary_read_symbols(binary);
	if (err)
		return err;
	/*
	 * Two recorded addresses may become the same one, since some are moved to the start of a
	 * function, so the names are copied back by index.
	 */
	enter(&lookup, &binary->symtab, offset, addrs, n);
	err = sym_binary_names(binary, opts, lookup.vaddrs, lookup.n, arena, lookup.names);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (lookup.which[i] != NONE)
			ret[i] = lookup.names[lookup.which[i]];
		else
			ret[i] = (struct sym_names){ 0 };
		if (ret[i].has_symbol)
			ret[i].symbol_start += offset;
	}
	return NULL;
}
