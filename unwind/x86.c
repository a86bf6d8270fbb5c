/* What x86-64 and i386 have in common: procedure linkage tables. */
#include <dwarf.h>
#include <string.h>

#include "unwind/arch.h"

/**
 * The FDE that linkers make for .plt covers entries of 16 bytes, which push a word at a place that
 * differs between kinds of PLT: CFA = sp + word + (pc % 16 >= place) * word.
 */
bool unw_x86_plt_cfa(
	const struct unw_arch *arch, const struct unw_expr *expr, uint64_t pc, int32_t *off_ret)
{
	uint8_t word = arch->arch->word;
	const uint8_t before_place[] = { DW_OP_breg0 + arch->sp, word, DW_OP_breg0 + arch->pc, 0,
		DW_OP_lit15, DW_OP_and };
	const uint8_t after_place[] = { DW_OP_ge, word == 8 ? DW_OP_lit3 : DW_OP_lit2, DW_OP_shl,
		DW_OP_plus };
	enum { PLACE = sizeof(before_place), LEN = PLACE + 1 + sizeof(after_place) };
	const uint8_t *bytes = expr->bytes;

	if (expr->len != LEN || memcmp(bytes, before_place, PLACE) != 0 ||
		bytes[PLACE] < DW_OP_lit0 || bytes[PLACE] > DW_OP_lit31 ||
		memcmp(bytes + PLACE + 1, after_place, sizeof(after_place)) != 0)
		return false;
	*off_ret = (pc & 15) >= (uint64_t)(bytes[PLACE] - DW_OP_lit0) ? 2 * word : word;
	return true;
}

/**
 * The same where there is no FDE. An entry jumps to the target, or pushes a number and jumps to the
 * header, which pushes another word and jumps to the dynamic linker.
 */
struct unw_step unw_x86_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	enum { ENTRY_BYTES = 16, BEHIND_PUSH = 11, BEHIND_HEADER_PUSH = 6 };
	uint8_t word = arch->arch->word;
	int words = is_header ? 2 + (off >= BEHIND_HEADER_PUSH)
			      : 1 + (off % ENTRY_BYTES >= BEHIND_PUSH);

	return (struct unw_step){ .kind = UNW_STEP_SP, .cfa_off = words * word, .ra_off = -word };
}
