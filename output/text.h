/**
 * @file Names from outside on their way to a terminal.
 */
#ifndef PD_OUTPUT_TEXT_H
#define PD_OUTPUT_TEXT_H

#include <stdio.h>

/** Write @p text with control characters as "\xNN". Bytes of UTF-8 pass. */
void out_text(FILE *out, const char *text);

#endif
