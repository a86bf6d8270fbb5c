/**
 * @file The page of the html format as it was built from web/: the text around the profiles.
 */
#ifndef PD_OUTPUT_HTML_PAGE_H
#define PD_OUTPUT_HTML_PAGE_H

#include <stdio.h>

/** Write the page up to the profiles. */
void html_page_write_head(FILE *out);
/** Write the page after the profiles. */
void html_page_write_tail(FILE *out);

#endif
