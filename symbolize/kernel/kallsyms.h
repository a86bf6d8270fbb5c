/**
 * @file A kallsyms file: the symbols of a kernel and its modules, as in /proc/kallsyms.
 *
 * A line is "ADDR TYPE NAME[\t[MODULE]]", where the type is a letter as printed by nm. There are no
 * sizes, so a function ends where the next symbol begins. Source: kernel/kallsyms.c of Linux.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KALLSYMS_H
#define PD_SYMBOLIZE_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

struct sym_kallsyms;

struct sym_kernel_symbol {
	const char *name;
	/** Module without brackets; NULL for the kernel itself. */
	const char *module;
	uint64_t start;
	/** Start of the next symbol. */
	uint64_t end;
};

/**
 * Parse @p text (from malloc()), of which the result takes ownership. It is shorter than 4 GiB, as
 * is any text from sym_text_file_read(). @p ref_symbol is the symbol for sym_kallsyms_ref_addr().
 * Errors: NOMEM.
 */
struct pd_error *sym_kallsyms_create(
	char *text, const char *ref_symbol, struct sym_kallsyms **ret) pd_must_check;
/** @p kallsyms may be NULL. */
void sym_kallsyms_destroy(struct sym_kallsyms *kallsyms);

/** Whether any address is known. The kernel shows 0 to users who may not see addresses. */
bool sym_kallsyms_has_addresses(const struct sym_kallsyms *kallsyms);

/** Address of ref_symbol in the kernel itself; 0 if it is missing. */
uint64_t sym_kallsyms_ref_addr(const struct sym_kallsyms *kallsyms);

/**
 * Find the function that contains @p addr. Returns false if there is none. The texts are borrowed.
 * Thread-safe.
 */
bool sym_kallsyms_find(
	const struct sym_kallsyms *kallsyms, uint64_t addr, struct sym_kernel_symbol *ret);

#endif
