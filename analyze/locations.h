/**
 * @file Locations of a profile: the functions at each frame, with their files and lines.
 *
 * Formats that describe each function once, with its file and binary, number them by these
 * functions. A function is identified by its name, file, first line and binary. The
 * frames of a binary that have no name are in one function, whose name stands for all of them.
 */
#ifndef PD_ANALYZE_LOCATIONS_H
#define PD_ANALYZE_LOCATIONS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/profile.h"

/** A function of a binary. Functions with equal bytes are the same function. */
struct ana_function {
	/** Id of the name in ana_locations.names: "main", or "[libfoo.so]" without a name. */
	uint32_t name;
	/** Source file; "" if not known. */
	struct prof_string_id file;
	/** Line of the declaration; 0 if not known. */
	uint32_t start_line;
	/** Binary of the frame; refers to nothing if the address is not mapped. */
	struct prof_binary_id binary;
};

/** A function at a frame, and the line in it. */
struct ana_location {
	/** Id of the function in ana_locations.functions. */
	uint32_t function;
	/** 0 if not known. */
	uint32_t line;
};

/** The locations of a profile. A zeroed one is empty. */
struct ana_locations {
	struct base_intern names;
	/** struct ana_function, by function id. */
	struct base_intern functions;
	/** Index of the first location of each frame in list, and the end of the last one. */
	PD_VEC(uint32_t) starts;
	PD_VEC(struct ana_location) list;
};

/** Find the locations of all frames of @p profile. Errors: NOMEM. */
struct pd_error *ana_locations_create(
	const struct profile *profile, struct ana_locations *ret) pd_must_check;
void ana_locations_deinit(struct ana_locations *locations);

/**
 * Locations at a frame, innermost first; at least one. All but the last are of inlined functions.
 */
static inline const struct ana_location *ana_locations_at(
	const struct ana_locations *locations, struct prof_frame_id frame, uint32_t *n_ret)
{
	uint32_t start = locations->starts.data[frame.i];

	*n_ret = locations->starts.data[frame.i + 1] - start;
	return &locations->list.data[start];
}

static inline const struct ana_function *ana_function(
	const struct ana_locations *locations, uint32_t function)
{
	return base_intern_bytes(&locations->functions, function);
}

static inline const char *ana_function_name(
	const struct ana_locations *locations, uint32_t function)
{
	return base_intern_bytes(&locations->names, ana_function(locations, function)->name);
}

#endif
