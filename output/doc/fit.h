/**
 * @file Texts that fit a line: names of functions and amounts.
 */
#ifndef PD_OUTPUT_DOC_FIT_H
#define PD_OUTPUT_DOC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A function in a line of text. Strings are borrowed. */
struct out_function_text {
	const char *name;
	/** File name of its binary; "" for none. */
	const char *binary;
	bool is_inlined;
	/** Columns to fit it to, with its binary; 0: as many as it takes. */
	size_t width;
};

/** A function as it is written: strings are owned. */
struct out_fitted {
	char *name;
	/** "  (binary)", "  (binary, inlined)", "  [kernel.kallsyms]" or "". */
	char *binary;
};

/**
 * Fit @p function to its width: the name as base_name_fit() does, the binary to a third of the
 * columns. @p other is the name of a function that would look the same, or NULL. Returns false if
 * out of memory.
 */
bool out_fit_function(
	const struct out_function_text *function, const char *other, struct out_fitted *ret);
/**
 * Fit the @p n functions of the rows of a table so that different ones look different, if that is
 * possible. Returns an array of @p n, for out_fitted_destroy(); NULL: no memory.
 */
struct out_fitted *out_fit_functions(const struct out_function_text *functions, size_t n);
void out_fitted_destroy(struct out_fitted *list, size_t n);
/** Whether a binary says more than the name of its function: not that of "[libc.so.6]". */
bool out_fit_has_binary(const char *name, const char *binary);
/**
 * Fit source code to @p width columns: shorten its indentation, which follows a line number, as far
 * as needed, and leave out the end. Allocated; NULL: no memory.
 */
char *out_fit_code(const char *text, size_t width);

void out_fitted_deinit(struct out_fitted *fitted);

/** Longest text of an amount, with its NUL. */
enum { OUT_AMOUNT_SIZE = 64 };

/**
 * Write an amount with its unit into @p buf, OUT_AMOUNT_SIZE bytes: "1.24 s" for nanoseconds,
 * "123 page-faults". @p unit may be NULL. Returns @p buf.
 */
const char *out_fit_amount(uint64_t amount, const char *unit, char *buf);

#endif
