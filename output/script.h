/**
 * @file Field list of the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_H
#define PD_OUTPUT_SCRIPT_H

#include <stddef.h>
#include <stdio.h>

/**
 * Name of field number @p i of the script format, or NULL after the last one. *@p help_ret explains
 * it. Static storage.
 */
const char *out_script_field(size_t i, const char **help_ret);

/** Print the help text about the fields of the script format to @p out. */
void out_script_help(FILE *out);

#endif
