/**
 * @file A recording that is finished while the one it was begun with goes on.
 */
#ifndef PD_PARSE_WRITE_BRANCH_H
#define PD_PARSE_WRITE_BRANCH_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/writer.h>

/**
 * Create a writer to @p out that continues the file of @p writer: it has its events and no
 * features. Once it is finished, @p out lacks only the bytes from PD_HEADER_BYTES to
 * pd_writer_size(writer), as of this call, which the caller copies. They never change, so this may
 * be done while @p writer goes on. @p out is borrowed until the result is destroyed. Errors: USAGE,
 * @p writer writes a stream, has not begun to write, or has traces; OS; NOMEM.
 */
struct pd_error *parse_writer_branch(
	const struct pd_writer *writer, FILE *out, struct pd_writer **ret) pd_must_check;

#endif
