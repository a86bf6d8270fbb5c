/**
 * @file Writing the rows of the script format with several threads.
 *
 *     workers    │ format 1, 2, 3, 4 │ format 5, 6, 7, 8 │ ...
 *     caller     │                   │ write 1, 2, 3, 4  │ ...
 *
 * The rows are cut into pieces, which workers format into buffers. The buffers are written in
 * order. While the pieces of a batch are written, those of the next one are formatted.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_PIECES_H
#define PD_OUTPUT_SCRIPT_SCRIPT_PIECES_H

#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

struct script;

/**
 * Write all rows and notes to @p out, with @p jobs threads at most; 0: one for each processor. The
 * output does not depend on their number. Each of them begins with a copy of @p initial, whose line
 * and texts need not be set. Stops early if @p out fails, which is left to the caller. Errors:
 * NOMEM.
 */
struct pd_error *script_pieces_write(
	const struct script *initial, size_t jobs, FILE *out) pd_must_check;

#endif
