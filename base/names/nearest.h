/**
 * @file The known name that is most like a mistyped word.
 *
 *	struct base_nearest nearest;
 *	base_nearest_init(&nearest, word, strlen(word));
 *	for (...)
 *		base_nearest_try(&nearest, names[i]);
 *	... use nearest.name, or NULL ...
 */
#ifndef PD_BASE_NEAREST_H
#define PD_BASE_NEAREST_H

#include <stddef.h>

struct base_nearest {
	/** The mistyped word, borrowed, and its length in bytes. */
	const char *word;
	size_t len;
	/** Best name so far, borrowed; NULL: none is like the word. */
	const char *name;
	/** Edit distance of that name; without a name, the smallest distance that is too large. */
	size_t distance;
};

/** Prepare a comparison of @p word, which has @p len bytes, with names. */
void base_nearest_init(struct base_nearest *nearest, const char *word, size_t len);

/** Take @p name (borrowed) if it is closer to the word than all names before. */
void base_nearest_try(struct base_nearest *nearest, const char *name);

#endif
