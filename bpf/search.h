/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/**
 * @file Search for a row in a page of a table, for BPF and for the host.
 */
#ifndef PD_BPF_SEARCH_H
#define PD_BPF_SEARCH_H

#include "bpf/maps.h"

/**
 * 1 if @p a <= @p b, else 0, without a branch: the verifier follows each branch of a loop on its
 * own. Neither may be larger than BW_NO_ADDR.
 */
bw_inline uint32_t bw_is_at_most(uint64_t a, uint64_t b)
{
	return (uint32_t)((a - b - 1) >> 63);
}

/**
 * Find the row of @p distance among those of @p block, which are in @p page: the last one that
 * begins at or before it. Each step looks at rows of the block only, which are close together.
 */
bw_inline const struct bw_row *bw_search(
	const union bw_page *page, struct bw_block block, uint32_t distance)
{
	enum { FEW = 8 };
	uint32_t n = 0;

	for (uint32_t step = block.n > FEW ? BW_PAGE_ROWS / 2 : FEW / 2; step; step /= 2) {
		uint32_t s = step * bw_is_at_most(n + step + 1, block.n);

		n += s * bw_is_at_most(
				 page->rows[(block.first + n + s) % BW_PAGE_ROWS].start, distance);
	}
	return &page->rows[(block.first + n) % BW_PAGE_ROWS];
}

#endif
