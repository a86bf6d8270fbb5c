/**
 * @file Instruction sets of the code of a 32-bit ARM binary, from its symbols.
 */
#ifndef PD_RESOLVE_ISA_MARKS_H
#define PD_RESOLVE_ISA_MARKS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/binary.h"

/** See unw_section.isa_marks. */
struct resolve_isa_marks {
	PD_VEC(uint64_t) list;
};

/**
 * List the marks of @p binary by its mapping symbols. There are none if these were stripped, or if
 * the machine has one instruction set. Errors: no memory.
 */
struct pd_error *resolve_isa_marks_create(
	const struct sym_binary *binary, struct resolve_isa_marks *ret) pd_must_check;
void resolve_isa_marks_deinit(struct resolve_isa_marks *marks);

#endif
