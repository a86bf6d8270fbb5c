/**
 * @file A newer build of a binary: how much of a profile is still about its functions.
 */
#ifndef PD_PGO_NEW_BUILD_H
#define PD_PGO_NEW_BUILD_H

#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "base/containers/intern.h"
#include "pgo/forecast.h"

/** Functions of a file. */
struct pgo_new_build {
	/** File name without folders. Borrowed. */
	const char *name;
	struct pd_build_id id;
	/** Names of functions, and names with sizes. */
	struct base_intern names;
	struct base_intern functions;
};

/** Code of a binary that ran, by what became of its function. */
struct pgo_staleness {
	/** The new build is the recorded one. */
	bool is_same_build;
	/** Sums of pgo_function.executed. */
	uint64_t same;
	/** There is a function of this name with another size. */
	uint64_t changed;
	uint64_t gone;
};

/**
 * Read the functions of the file @p path, which is borrowed. Must be freed after an error, too.
 * Errors: FORMAT, it is not an ELF file with functions; NOMEM.
 */
struct pd_error *pgo_new_build_read(const char *path, struct pgo_new_build *ret) pd_must_check;
void pgo_new_build_deinit(struct pgo_new_build *build);

/** Find the image of @p flow that has the file name of @p build; PROF_NONE: there is none. */
uint32_t pgo_new_build_find(const struct pgo_new_build *build, const struct pgo_flow *flow);

/** Compare the functions of image @p i with those of @p build. Errors: NOMEM. */
struct pd_error *pgo_new_build_compare(const struct pgo_new_build *build,
	const struct pgo_flow *flow, const struct pgo_forecast *forecast, uint32_t i,
	struct pgo_staleness *ret) pd_must_check;

#endif
