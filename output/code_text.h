/**
 * @file Texts of instructions and source lines, as people read them.
 */
#ifndef PD_OUTPUT_CODE_TEXT_H
#define PD_OUTPUT_CODE_TEXT_H

#include "annotate/function_listing.h"

/**
 * Write the instruction of @p row with its mnemonic padded to @p columns. The target of a branch is
 * an address, with the function and the distance from its start. Allocated; NULL: no memory.
 */
char *out_insn_text(const struct ann_listing *listing, const struct ann_row *row, int columns);

/** Copy a source line with spaces in place of tabs. Allocated; NULL: no memory. */
char *out_source_text(const char *text);

#endif
