#include "resolve/roots.h"

#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "resolve/root_defs.h"

struct known_root {
	const char *name;
	uint8_t len;
	bool switches;
};

#define ROOT(name, switches) { (name), sizeof(name) - 1, (switches) },
static const struct known_root known_roots[] = { RESOLVE_ROOTS(ROOT) };
#undef ROOT

/* Whether @p name is that of the root, with or without the suffix of Go's assembly functions. */
static bool is_name_of(const struct known_root *root, const char *name)
{
	return strncmp(name, root->name, root->len) == 0 &&
	       (!name[root->len] || strcmp(name + root->len, ".abi0") == 0);
}

void resolve_roots_add(struct resolve_roots *roots, const char *name, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(known_roots); i++) {
		if (!is_name_of(&known_roots[i], name))
			continue;
		if (roots->n == UNW_MAX_ROOTS && pd_limit_reach(PD_LIMIT_ID_ROOT_FUNCTIONS))
			return;
		roots->list[roots->n++] = (struct unw_root){
			.start = start, .end = end, .switches = known_roots[i].switches
		};
		return;
	}
}
