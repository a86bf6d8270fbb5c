/**
 * @file Mappings that the profile keeps, as the records of the recording list them.
 *
 * The thread that reads collects them, while another one adds texts and binaries to the profile.
 */
#ifndef PD_RESOLVE_BINARIES_MAPPING_LIST_H
#define PD_RESOLVE_BINARIES_MAPPING_LIST_H

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "parse/space/space.h"
#include "profile/profile.h"
#include "resolve/binaries/binaries.h"

/** A mapping, before names and binaries have their ids in the profile. */
struct resolve_mapping {
	struct prof_mapping row;
	/** Id in the names of the list. */
	uint32_t name;
	/** NULL: not kept, because it is data. */
	const struct parse_dso *dso;
};

/** A zeroed one is empty. */
struct resolve_mapping_list {
	PD_VEC(struct resolve_mapping) list;
	struct base_intern names;
};

/**
 * Add the mapping of @p rec, if it is a record of one, which was applied to @p space. @p sid_bytes
 * is the size of the record's trailer. Errors: NOMEM.
 */
struct pd_error *resolve_mapping_list_take(struct resolve_mapping_list *mappings,
	struct parse_space *space, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/** Add the mappings to @p profile, which has its binaries. Errors: NOMEM. */
struct pd_error *resolve_mapping_list_finish(const struct resolve_mapping_list *mappings,
	const struct resolve_binaries *binaries, struct profile *profile) pd_must_check;
void resolve_mapping_list_deinit(struct resolve_mapping_list *mappings);

#endif
