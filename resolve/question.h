/**
 * @file Questions: what options ask of a recording, as bytes.
 *
 * Two questions with the same bytes have the same profile as their answer, as long as the recording
 * and the files that it depends on (symbolize/file/deps.h) are the same.
 */
#ifndef PD_RESOLVE_QUESTION_H
#define PD_RESOLVE_QUESTION_H

#include <stdio.h>

#include "resolve/resolve.h"

/**
 * Whether the answer can be given again without reading the recording. It cannot if the caller
 * looks at records itself, or if servers are asked.
 */
bool resolve_is_repeatable(const struct resolve_opts *opts);

/**
 * Write the question that @p opts ask. It includes the user, the working directory and the
 * environment, on which the search for files depends, but not the filters that look at names. The
 * bytes are for the program that wrote them.
 */
void resolve_write_question(const struct resolve_opts *opts, FILE *out);

#endif
