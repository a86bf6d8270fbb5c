#include "symbolize/code_list.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/lower_bound.h"
#include "symbolize/binary_names.h"
#include "symbolize/table/ranges.h"

void sym_code_list_deinit(struct sym_code_list *list)
{
	pd_vec_deinit(&list->list);
}

/* Append the parts of locations that are in the code of @p symbol. */
static bool add_symbol(const struct sym_ranges *ranges, const struct sym_symbol_range *symbol,
	uint64_t bias, struct sym_code_list *ret)
{
	const struct sym_location_range *all = ranges->locations.data;
	size_t i = base_lower_bound(ranges->locations.n, k, all[k].end <= symbol->start);

	for (; i < ranges->locations.n && all[i].start < symbol->end; i++) {
		struct sym_code code = { all[i].start, all[i].end };

		if (code.start < symbol->start)
			code.start = symbol->start;
		if (code.end > symbol->end)
			code.end = symbol->end;
		code.start += bias;
		code.end += bias;
		if (!pd_vec_push(&ret->list, code))
			return false;
	}
	return true;
}

struct pd_error *sym_binary_list_code(struct sym_binary *binary, uint64_t bias,
	const uint64_t *addrs, size_t n, struct sym_code_list *ret)
{
	const struct sym_ranges *ranges = sym_binary_ranges(binary);
	_cleanup_free_ struct sym_covering *covering = base_calloc_n(n, sizeof(*covering));
	_cleanup_free_ uint64_t *vaddrs = base_calloc_n(n, sizeof(*vaddrs));
	uint32_t last = SYM_NONE;

	if (!covering || !vaddrs)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		vaddrs[i] = addrs[i] - bias;
	sym_ranges_find(ranges, vaddrs, n, covering);
	for (size_t i = 0; i < n; i++) {
		uint32_t symbol = covering[i].symbol;

		if (symbol == SYM_NONE || symbol == last || !ranges->symbols.data[symbol].name)
			continue;
		if (!add_symbol(ranges, &ranges->symbols.data[symbol], bias, ret))
			return &pd_enomem;
		last = symbol;
	}
	return NULL;
}
