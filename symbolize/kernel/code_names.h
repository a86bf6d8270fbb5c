/**
 * @file Names of addresses in the kernel's code, which is loaded at an offset. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_CODE_NAMES_H
#define PD_SYMBOLIZE_KERNEL_CODE_NAMES_H

#include "symbolize/binary_names.h"

/**
 * Whether the symbol @p name stands for the padding before a function, to which no call returns.
 */
bool sym_is_padding(const char *name);

/**
 * Name the @p n recorded addresses @p addrs, ascending, which are @p offset higher than those of @p
 * binary. Like sym_binary_names(), except that addresses without a symbol get no name, and that the
 * byte before a function counts as its first instruction: no call returns there, so an interrupt
 * must have arrived. Errors: NOMEM.
 */
struct pd_error *sym_code_names(struct sym_binary *binary, uint64_t offset,
	const struct pd_name_opts *opts, const uint64_t *addrs, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
