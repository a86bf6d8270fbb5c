#include "resolve/batch/tally_chain.h"

#include <pdconv/cursor.h>

#include "parse/callchain.h"

/* Stands for all addresses that are not mapped. No process has code here. */
static const uint64_t unmapped = 0;

/* Whether @p pc is one of the addresses for which resolve_frames_at() uses one unknown frame. */
static bool is_unknown(const struct resolve_mapped_regions *regions, const struct parse_maps *maps,
	uint64_t pc, bool is_return)
{
	return !(pc >> 63) && resolve_is_unmapped(regions, maps, pc - is_return);
}

bool resolve_tally_chain_read(struct resolve_tally_chain *chain, struct pd_view links, uint64_t ip,
	uint16_t cpumode, const struct resolve_mapped_regions *regions,
	const struct parse_maps *maps)
{
	enum parse_callchain_context context = parse_callchain_context_of(cpumode);
	bool is_return = false, has_user = false;

	chain->bytes = links.data;
	chain->n = links.n;
	chain->ip = ip;
	if (links.n > RESOLVE_TALLY_CHAIN)
		return true;
	for (size_t i = 0; i < links.n; i++) {
		uint64_t entry = pd_load_u64(links.data + i * 8, links.swap);

		chain->entries[i] = entry;
		if (entry >= PD_CONTEXT_MIN) {
			context = parse_callchain_context_after(context, entry);
			is_return = false;
			continue;
		}
		if (context == PD_CALLCHAIN_USER) {
			has_user = true;
			if (is_unknown(regions, maps, entry, is_return))
				chain->entries[i] = unmapped;
			else if (entry == unmapped)
				return false;
		}
		is_return = true;
	}
	chain->bytes = chain->entries;
	/*
	 * Without a user link, the instruction pointer may be a frame. It is kept for samples in
	 * the kernel, where it is the same in equal chains.
	 */
	if (has_user && cpumode == PD_MISC_USER)
		chain->ip = 0;
	return true;
}
