/**
 * @file Documents as text for a terminal. Names are fitted to it.
 */
#ifndef PD_OUTPUT_DOC_DOC_TEXT_H
#define PD_OUTPUT_DOC_DOC_TEXT_H

#include "output/doc/doc.h"

/** Write @p doc as text. Errors of @p out are left for its owner to check. */
void out_doc_write_text(const struct out_doc *doc, const struct pd_text_opts *opts, FILE *out);

#endif
