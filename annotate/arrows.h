/**
 * @file Arrows for jumps inside of a listing, as columns of text next to it:
 *
 *     /--  jump         the columns are lanes; a jump of a shorter distance has a lane closer to
 *     |    ...          the text
 *     \->  target
 */
#ifndef PD_ANNOTATE_ARROWS_H
#define PD_ANNOTATE_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "annotate/function_listing.h"

/** Largest number of lanes. Jumps that would need more have no arrow. */
enum { ANN_MAX_LANES = 8 };

struct ann_arrows {
	/** Columns of text: two for each lane and two for the heads; 0 without arrows. */
	size_t width;
	/** The columns of each row, one row after the other. */
	char *cells;
};

/** Draw the arrows of @p listing. Errors: NOMEM. */
struct pd_error *ann_arrows_create(
	const struct ann_listing *listing, struct ann_arrows *ret) pd_must_check;
void ann_arrows_deinit(struct ann_arrows *arrows);

/** The arrows->width characters of row @p i, without a NUL. */
static inline const char *ann_arrows_row(const struct ann_arrows *arrows, size_t i)
{
	return arrows->cells + i * arrows->width;
}

#endif
