/**
 * @file Description of a profile of the html format: JSON in front of the columns.
 */
#ifndef PD_OUTPUT_HTML_ABOUT_H
#define PD_OUTPUT_HTML_ABOUT_H

#include "output/html_state.h"

/**
 * Names of the inputs @p input, which may be NULL. Absolute paths lose their folders. Allocated;
 * NULL: no memory.
 */
char *html_input_name(const char *input);

/** Write the JSON that describes the recording and the columns, which are complete. */
void html_write_about(const struct html *h, const struct advice_quality *quality, FILE *out);

#endif
