/**
 * @file Records that simpleperf has split into pieces, because their size has 16 bits only.
 */
#ifndef PD_PARSE_SPLIT_H
#define PD_PARSE_SPLIT_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "base/window.h"
#include "parse/open_file.h"
#include "parse/simpleperf.h"

/** Whether @p rec is a piece of a split record. */
static inline bool pd_split_is_piece(const struct pd_file *file, const struct pd_record *rec)
{
	return file->is_simpleperf && (rec->type == PD_RECORD_SIMPLEPERF_SPLIT ||
					      rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END);
}

/**
 * Append the piece @p rec to @p pieces. After the last piece, @p rec is the whole record, valid
 * until the next call; otherwise rec->bytes is NULL. Pieces that are invalid or too large are noted
 * in file->diag and dropped. Errors: NOMEM.
 */
struct pd_error *pd_split_join(
	struct pd_window *pieces, const struct pd_file *file, struct pd_record *rec) pd_must_check;

#endif
