/**
 * @file Field list of the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_H
#define PD_OUTPUT_SCRIPT_H

#include <stdio.h>

/** Print the help text about the fields of the script format to @p out. */
void out_script_help(FILE *out);

#endif
