/**
 * @file A kallsyms file: the symbols of a kernel and its modules, as /proc/kallsyms shows them.
 *
 * A line is "ADDR TYPE NAME[\t[MODULE]]". The type is the letter that nm prints; there are no sizes, so a
 * function ends where anything else begins. Source: kernel/kallsyms.c of Linux.
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
	/** Module, without brackets; NULL for the kernel itself. */
	const char *module;
	uint64_t start;
};

/**
 * Read @p text (malloc), which belongs to the result from now on. @p ref_symbol is the symbol that
 * sym_kallsyms_ref_addr tells of. Errors: no memory.
 */
struct pd_error *sym_kallsyms_create(
	char *text, const char *ref_symbol, struct sym_kallsyms **ret) pd_must_check;
/** NULL is fine. */
void sym_kallsyms_destroy(struct sym_kallsyms *kallsyms);

/** Whether there is any address but 0: to those who may not see them the kernel shows 0. */
bool sym_kallsyms_has_addresses(const struct sym_kallsyms *kallsyms);

/** Where the kernel's ref_symbol is; 0: it has none. */
uint64_t sym_kallsyms_ref_addr(const struct sym_kallsyms *kallsyms);

/** The function that covers @p addr; false if there is none. Borrowed. From any thread. */
bool sym_kallsyms_find(
	const struct sym_kallsyms *kallsyms, uint64_t addr, struct sym_kernel_symbol *ret);

#endif
