/**
 * @file Names in the kernel's code, which was put somewhere and is sampled anywhere. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_CODE_NAMES_H
#define PD_SYMBOLIZE_KERNEL_CODE_NAMES_H

#include "symbolize/names.h"

/** Whether the symbol @p name is the padding in front of a function: nothing returns into that. */
bool sym_is_padding(const char *name);

/**
 * Name the @p n recorded addresses @p addrs, ascending, which are those of @p binary and @p offset. As
 * sym_binary_names() does, but that what has no symbol has no name, and that the byte before a function
 * is its first instruction: an interrupt came there, since nothing returns to it.
 */
struct pd_error *sym_code_names(struct sym_binary *binary, uint64_t offset,
	const struct sym_opts *opts, const uint64_t *addrs, size_t n, struct pd_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
