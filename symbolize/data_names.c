/* Names of data. */
#include <string.h>

#include "base/limit.h"
#include "symbolize/binary_private.h"
#include "symbolize/names.h"
#include "symbolize/symbols/demangle.h"

static struct pd_error *read_data(struct sym_binary *binary)
{
	if (binary->has_data)
		return NULL;
	struct pd_error *err = sym_symtab_init_data(&binary->data, binary->main, binary->separate);
	if (err)
		return err;
	binary->has_data = true;
	return NULL;
}

static struct pd_error *name_object(const struct sym_symbol *object, const struct sym_opts *opts,
	uint32_t languages, struct pd_arena *arena, struct sym_names *ret)
{
	struct sym_name *name = pd_arena_alloc(arena, sizeof(*name));
	char *linkage = pd_arena_strndup(arena, object->name, sym_unversioned_length(object->name));

	if (!name || !linkage)
		return &pd_enomem;
	*name = (struct sym_name){ .function = linkage, .linkage = linkage };
	if (opts->form != SYM_FORM_NONE)
		name->function = sym_demangle(arena, linkage, opts->form, languages);
	if (!name->function)
		return &pd_enomem;
	*ret = (struct sym_names){
		.names = name,
		.n = 1,
		.symbol_start = object->start,
		.has_symbol = true,
	};
	return NULL;
}

struct pd_error *sym_binary_name_data(struct sym_binary *binary, const struct sym_opts *opts,
	const uint64_t *vaddrs, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	static const struct sym_opts defaults;
	size_t hint = 0;

	memset(ret, 0, n * sizeof(*ret));
	if (!binary->main)
		return NULL;
	pd_limit_take();
	struct pd_error *err = read_data(binary);
	for (size_t i = 0; !err && i < n; i++) {
		const struct sym_symbol *object = sym_symtab_find(&binary->data, vaddrs[i], &hint);

		if (object)
			err = name_object(object, opts ? opts : &defaults, binary->data.languages,
				arena, &ret[i]);
	}
	sym_binary_note_limits(binary);
	return err;
}
