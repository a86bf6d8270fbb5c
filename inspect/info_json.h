/**
 * @file The counts of a recording as one JSON object.
 */
#ifndef PD_INSPECT_INFO_JSON_H
#define PD_INSPECT_INFO_JSON_H

#include <stdio.h>

#include "inspect/recording_info.h"

/** Write @p info to @p out, with lists of at most @p limit elements: see inspect_info_text(). */
void inspect_info_json(const struct inspect_info *info, size_t limit, FILE *out);

#endif
