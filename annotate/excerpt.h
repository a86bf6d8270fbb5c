/**
 * @file The part of a listing that is shown: all of a short function, and of a long one what is
 * near samples.
 */
#ifndef PD_ANNOTATE_EXCERPT_H
#define PD_ANNOTATE_EXCERPT_H

#include <stdbool.h>

#include "annotate/listing.h"

/**
 * Set the element of each row of @p listing in @p ret: whether the row is shown. In functions of
 * more than 500 instructions, these are the rows with samples and 8 rows on either side of them.
 */
void ann_excerpt(const struct ann_listing *listing, bool *ret);

#endif
