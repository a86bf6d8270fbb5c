/**
 * @file Gaps: bytes of damage that were skipped, and which records follow them.
 */
#ifndef PD_PARSE_GAPS_H
#define PD_PARSE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/file.h>
#include <pdconv/record.h>

#include "parse/open_file.h"

/**
 * Count @p n bytes from @p offset on in a part of @p file as damaged, unless another reader of the
 * file has counted them. @p time is that of the last record before them; 0 if it is unknown.
 */
void pd_gaps_count(struct pd_file *file, uint32_t part, uint64_t offset, uint64_t n, uint64_t time);

/** Like pd_gaps_precede(), for a recording that has gaps. */
bool pd_gaps_precede_record(const struct pd_file *file, const struct pd_record *rec);
/**
 * Whether @p rec follows a gap in its part, or is later than one in another part: what it needs,
 * such as a mapping, may have been among the bytes that were skipped.
 */
static inline bool pd_gaps_precede(const struct pd_file *file, const struct pd_record *rec)
{
	return file->gaps.n && pd_gaps_precede_record(file, rec);
}

#endif
