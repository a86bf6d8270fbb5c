/**
 * @file Questions: what options ask of a recording, as bytes.
 *
 * Two questions with the same bytes have the same profile as their answer, as long as the recording
 * and the files that it depends on (symbolize/file/deps.h) are the same.
 */
#ifndef PD_RESOLVE_QUESTION_H
#define PD_RESOLVE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "resolve/batch/resolve_opts.h"

/**
 * Whether the answer can be given again without reading the recording. It cannot if the caller
 * looks at records itself, or if servers are asked.
 */
bool resolve_is_repeatable(const struct resolve_opts *opts);

/**
 * Return the question that @p opts ask: *@p len_ret bytes, which the caller frees; NULL: no memory.
 * It includes the user, the working directory and the environment, on which the search for files
 * depends, but not the filters that look at names. Only the same program can compare the bytes.
 */
char *resolve_question(const struct resolve_opts *opts, size_t *len_ret) pd_must_check;

#endif
