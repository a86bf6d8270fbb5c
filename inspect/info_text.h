/**
 * @file The counts of a recording as text for people.
 */
#ifndef PD_INSPECT_INFO_TEXT_H
#define PD_INSPECT_INFO_TEXT_H

#include <stdio.h>

#include "inspect/recording_info.h"

/**
 * Write @p info to @p out. Lists of commands, build ids, threads and binaries have at most @p limit
 * elements; what is left out is counted.
 */
void inspect_info_text(const struct inspect_info *info, size_t limit, FILE *out);

#endif
