/**
 * @file Functions of a profile by their own samples: those whose address lies in the function's
 * code, inlined calls included. Finding one by its name.
 *
 * A function is the code of one symbol of a binary. Two functions of one name are distinct.
 */
#ifndef PD_ANNOTATE_FUNCTIONS_H
#define PD_ANNOTATE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Address at which samples were taken. */
struct ann_leaf {
	struct prof_frame_id frame;
	/** Start of the symbol that covers the address; UINT64_MAX if none does. */
	uint64_t start;
	/** Index in ann_functions.values of its first value. */
	size_t values;
};

struct ann_function {
	struct prof_binary_id binary;
	/** Start of its code: an address of the kind that the binary's frames have. */
	uint64_t start;
	/** Name at its hottest address. */
	struct prof_function_id function;
	/** Its leaves: a range of ann_functions.leaves, by ascending address. */
	size_t first;
	size_t n;
	/** Index in ann_functions.values of its first value. */
	size_t values;
};

struct ann_functions {
	const struct profile *profile;
	/** Events that are shown: those with samples. The first one decides what is hottest. */
	PD_VEC(struct prof_event_id) events;
	/** Sums over all samples by event, also those at addresses without a function. */
	PD_VEC(struct prof_value) totals;
	PD_VEC(struct ann_leaf) leaves;
	/** Hottest functions first. */
	PD_VEC(struct ann_function) list;
	/** Values of leaves and functions, one for each event. */
	PD_VEC(struct prof_value) values;
};

/**
 * Count the samples of @p profile, which is borrowed and must have frame_offsets. Only events that
 * the filter includes are counted. Errors: NOMEM.
 */
struct pd_error *ann_functions_create(
	const struct profile *profile, struct ann_functions *ret) pd_must_check;
void ann_functions_deinit(struct ann_functions *functions);

/** Values of a leaf or of a function, one for each event. */
static inline const struct prof_value *ann_values(
	const struct ann_functions *functions, size_t values)
{
	return &functions->values.data[values];
}

/** Sum up the values of event @p event at addresses without a function. */
struct prof_value ann_functions_unnamed(const struct ann_functions *functions, size_t event);

/** Name of a function. */
const char *ann_function_name(
	const struct ann_functions *functions, const struct ann_function *function);

/** A function that was looked for by its name. */
struct ann_match {
	/** Hottest function of the name; NULL if there is none. */
	const struct ann_function *function;
	/** The next one of the name; NULL if there is none. */
	const struct ann_function *second;
	/** Number of functions that have the name, these included. */
	size_t n;
	/** The function does not have the name itself, but inlined calls of functions that do. */
	bool is_inlined;
};

/**
 * Find the hottest function that @p name stands for (base/names/name_match.h), among those with
 * samples; if there is none, the hottest one into which such a function was inlined. Errors: USAGE,
 * NOMEM.
 */
struct pd_error *ann_functions_find(const struct ann_functions *functions, const char *name,
	struct ann_match *ret) pd_must_check;

/**
 * Return the last part of @p name without template arguments, from malloc(). NULL: no memory.
 */
char *ann_short_name(const char *name);

#endif
