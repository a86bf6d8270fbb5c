/**
 * @file Documents as JSON. A section is an object, a table an object with its rows.
 */
#ifndef PD_OUTPUT_DOC_DOC_JSON_H
#define PD_OUTPUT_DOC_DOC_JSON_H

#include "output/doc/doc.h"

/** Write @p doc to @p out, whose errors are left for its owner to check. */
void out_doc_write_json(const struct out_doc *doc, FILE *out);

#endif
