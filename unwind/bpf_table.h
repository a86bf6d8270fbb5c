/**
 * @file Tables: all rows of a binary in the form of bpf/row.h, for a walker that cannot interpret
 * call frame information, such as a BPF program.
 *
 * A table answers for every address what the unwinder would do there. Rows that need more than the
 * stack pointer, the frame pointer and the link register say why.
 */
#ifndef PD_UNWIND_BPF_TABLE_H
#define PD_UNWIND_BPF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "bpf/row.h"
#include "unwind/binary_rows.h"

struct unw_table {
	/** Vaddr from which the rows count. */
	uint64_t base;
	/** Rows by address. The last one is a gap without an end. */
	PD_VEC(struct bw_row) rows;
};

/**
 * Make the table of @p cfi. @p is_vdso: the binary is the vDSO or another page of the kernel.
 * Code more than 4 GiB after the first function is left out. Errors: NOMEM.
 */
struct pd_error *unw_table_create(
	const struct unw_binary *binary, bool is_vdso, struct unw_table **ret) pd_must_check;
void unw_table_destroy(struct unw_table *table);

/** Find the row of the vaddr @p addr. NULL if it is before the first one or too far away. */
const struct bw_row *unw_table_find(const struct unw_table *table, uint64_t addr);

#endif
