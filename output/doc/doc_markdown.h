/**
 * @file Documents as Markdown, as GitHub and GitLab show it.
 */
#ifndef PD_OUTPUT_DOC_DOC_MARKDOWN_H
#define PD_OUTPUT_DOC_DOC_MARKDOWN_H

#include "output/doc/doc.h"

/** Write @p doc to @p out, whose errors are left for its owner to check. */
void out_doc_write_markdown(const struct out_doc *doc, FILE *out);

#endif
