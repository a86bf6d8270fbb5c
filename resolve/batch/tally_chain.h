/**
 * @file Call chains of samples for the keys of a tally (resolve/batch/tally.h).
 *
 * Chains that differ only in addresses that are not mapped have the same frames: these addresses
 * share one unknown frame. Here they are the same number.
 */
#ifndef PD_RESOLVE_TALLY_CHAIN_H
#define PD_RESOLVE_TALLY_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/layout.h>

#include "resolve/stacks/unmapped.h"

/** Longer chains are compared as they are. The kernel records 127 addresses by default. */
enum { RESOLVE_TALLY_CHAIN = 256 };

struct resolve_tally_chain {
	/** n entries of 8 bytes: @ref entries, or those of the record. */
	const void *bytes;
	size_t n;
	/** Instruction pointer; 0 if the frames do not depend on it. */
	uint64_t ip;
	uint64_t entries[RESOLVE_TALLY_CHAIN];
};

/**
 * Read the call chain @p links of a sample with the instruction pointer @p ip, taken in @p cpumode
 * (PD_MISC_USER and so on). Its process has the mappings @p maps, whose regions are @p regions.
 * Returns false if two chains with different frames could be read as the same.
 */
bool resolve_tally_chain_read(struct resolve_tally_chain *chain, struct pd_view links, uint64_t ip,
	uint16_t cpumode, const struct resolve_mapped_regions *regions,
	const struct parse_maps *maps);

#endif
