/**
 * @file Texts of the report: names that fit the line, shares and amounts.
 */
#ifndef PD_OUTPUT_REPORT_TEXT_H
#define PD_OUTPUT_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/symbols.h"

/**
 * Write "name  (binary)" of a symbol and a newline. @p width is the room for it in columns, 0 for
 * as much as it takes. Names that are too long lose their middle, but never their last part: in it
 * the methods of a class differ.
 */
void out_report_write_symbol(
	const struct prof_symbols *symbols, uint32_t id, size_t width, FILE *out);

/** Write a share as "12.34 %", in 8 columns. Shares that round to nothing are left empty. */
void out_report_write_share(uint64_t part, uint64_t whole, FILE *out);

/** Write an amount with its unit: "1.24 s" for nanoseconds, "123 page-faults". */
void out_report_write_amount(uint64_t amount, const char *unit, FILE *out);

#endif
