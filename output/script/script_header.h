/**
 * @file Header of a recording in the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_HEADER_H
#define PD_OUTPUT_SCRIPT_SCRIPT_HEADER_H

#include <pdconv/file.h>

/** Return the header of @p file, each line after a '#'. See prof_request.describe. */
char *script_header_text(const struct pd_file *file);

#endif
