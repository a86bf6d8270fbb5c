/**
 * @file Notes: records other than samples that a format shows between the samples.
 */
#ifndef PD_RESOLVE_NOTE_H
#define PD_RESOLVE_NOTE_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "profile/request.h"
#include "parse/space/space.h"

/**
 * Append a note of @p rec to profile->notes, after the samples read so far, with the text from
 * @p request. @p rec was applied to @p space and has a sample_id trailer of @p sid_bytes. A
 * record that cannot be decoded makes no note. Errors: NOMEM.
 */
struct pd_error *resolve_add_note(const struct pd_file *file, struct parse_space *space,
	const struct pd_record *rec, size_t sid_bytes, const struct prof_request *request,
	struct profile *profile) pd_must_check;

#endif
