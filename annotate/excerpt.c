#include "annotate/excerpt.h"

#include <string.h>

/*
 * Largest number of instructions of a function that is shown as a whole, and number of instructions
 * shown on either side of one with samples in longer functions.
 */
enum { LONG_FUNCTION = 500, NEAR = 8 };

static bool has_samples(const struct ann_listing *listing, size_t i)
{
	const struct prof_value *values = ann_row_values(listing, &listing->rows.data[i]);

	for (size_t k = 0; k < listing->functions->events.n; k++) {
		if (values[k].samples)
			return true;
	}
	return false;
}

void ann_excerpt(const struct ann_listing *listing, bool *ret)
{
	size_t n = listing->rows.n;

	memset(ret, n <= LONG_FUNCTION, n);
	for (size_t i = 0; i < n && n > LONG_FUNCTION; i++) {
		if (!has_samples(listing, i))
			continue;
		size_t first = i > NEAR ? i - NEAR : 0;
		size_t end = i + NEAR + 1 < n ? i + NEAR + 1 : n;
		memset(ret + first, true, end - first);
	}
}
