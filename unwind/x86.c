/* Procedure linkage tables of x86-64 and i386. */
#include <dwarf.h>
#include <string.h>

#include "unwind/arch.h"

/**
 * The FDE that linkers make for .plt covers entries of 16 bytes. They push a word at an offset that
 * differs between kinds of PLT: CFA = sp + word + (pc % 16 >= offset) * word.
 */
bool unw_x86_plt_cfa(
	const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc, int32_t *off_ret)
{
	uint8_t word = arch->arch->word;
	const uint8_t before_offset[] = { DW_OP_breg0 + arch->sp, word, DW_OP_breg0 + arch->pc, 0,
		DW_OP_lit15, DW_OP_and };
	const uint8_t after_offset[] = { DW_OP_ge, word == 8 ? DW_OP_lit3 : DW_OP_lit2, DW_OP_shl,
		DW_OP_plus };
	enum { OFFSET = sizeof(before_offset), LEN = OFFSET + 1 + sizeof(after_offset) };
	const uint8_t *bytes = expr->bytes;

	if (expr->len != LEN || memcmp(bytes, before_offset, OFFSET) != 0 ||
		bytes[OFFSET] < DW_OP_lit0 || bytes[OFFSET] > DW_OP_lit31 ||
		memcmp(bytes + OFFSET + 1, after_offset, sizeof(after_offset)) != 0)
		return false;
	*off_ret = (pc & 15) >= (uint64_t)(bytes[OFFSET] - DW_OP_lit0) ? 2 * word : word;
	return true;
}

/**
 * Step where no FDE covers the PLT. An entry jumps to the target, or pushes a number and jumps to
 * the header, which pushes another word and jumps to the dynamic linker.
 */
struct unw_step unw_x86_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	enum { ENTRY_BYTES = 16, AFTER_PUSH = 11, AFTER_HEADER_PUSH = 6 };
	uint8_t word = arch->arch->word;
	int words =
		is_header ? 2 + (off >= AFTER_HEADER_PUSH) : 1 + (off % ENTRY_BYTES >= AFTER_PUSH);

	return (struct unw_step){ .kind = UNW_STEP_SP, .cfa_off = words * word, .ra_off = -word };
}
