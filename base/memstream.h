/**
 * @file Streams that write to memory, and streams whose writer ran out of memory.
 *
 *	_cleanup_free_ char *text = NULL;
 *	size_t len;
 *	FILE *out = base_memstream_open(&text, &len);
 *
 *	if (!out)
 *		return &pd_enomem;
 *	...
 *	if (!base_memstream_close(out, &text))
 *		return &pd_enomem;
 *
 * open_memstream() loses text when memory runs out, and reports it neither by ferror() nor by
 * fclose(). These streams do.
 */
#ifndef PD_BASE_MEMSTREAM_H
#define PD_BASE_MEMSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

/**
 * Open a stream that appends to *text_ret, which is allocated and ends with a NUL that *len_ret
 * does not count. Both are valid after fflush() and base_memstream_close(), and live at least as
 * long as the stream. The caller frees the text with free(). NULL if out of memory.
 */
FILE *base_memstream_open(char **text_ret, size_t *len_ret) pd_must_check;

/**
 * Close @p out, a stream of base_memstream_open() for @p text. Returns false if memory ran out at
 * any time since it was opened, or base_stream_fail() was called: then *text is freed and NULL.
 */
bool base_memstream_close(FILE *out, char **text) pd_must_check;

/**
 * Make ferror() true for @p out, which is open for writing only, because text is missing in it:
 * memory ran out. errno is ENOMEM afterwards. For functions that write to a stream and return
 * nothing.
 */
void base_stream_fail(FILE *out);

#endif
