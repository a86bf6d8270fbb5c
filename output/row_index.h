/**
 * @file Finding what a profile holds of a SAMPLE record, on a second pass over the recording.
 */
#ifndef PD_OUTPUT_ROW_INDEX_H
#define PD_OUTPUT_ROW_INDEX_H

#include <pdconv/record.h>

#include "profile/profile.h"

struct out_row_index;

/** Of @p profile, which was made with keep_chains. Errors: no memory. */
struct pd_error *out_row_index_create(
	const struct profile *profile, struct out_row_index **ret) pd_must_check;
/** NULL is fine. */
void out_row_index_destroy(struct out_row_index *index);

/**
 * The chain of the rows of @p rec (see struct prof_row); PROF_NONE if it has none, or if no counter had
 * moved. False: the profile holds nothing of the record. Fast if records come in the order of a file.
 */
bool out_row_index_find(struct out_row_index *index, const struct pd_record *rec,
	struct prof_pcs_id *chain_ret) pd_must_check;

#endif
