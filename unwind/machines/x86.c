/* Procedure linkage tables and stack switches of x86-64 and i386. */
#include <dwarf.h>
#include <string.h>

#include "unwind/rules/arch_rules.h"

/**
 * The FDE that linkers make for .plt covers entries of 16 bytes. They push a word at an offset that
 * differs between kinds of PLT: CFA = sp + word + (pc % 16 >= offset) * word. ld 2.38 has an
 * offset of 10 for entries that begin with endbr, whose push ends after 9 bytes; no push ends
 * after 10.
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
	enum { WRONG_AFTER_PUSH = 10, AFTER_PUSH = 9 };
	const uint8_t *bytes = expr->bytes;

	if (expr->len != LEN || memcmp(bytes, before_offset, OFFSET) != 0 ||
		bytes[OFFSET] < DW_OP_lit0 || bytes[OFFSET] > DW_OP_lit31 ||
		memcmp(bytes + OFFSET + 1, after_offset, sizeof(after_offset)) != 0)
		return false;
	uint64_t after_push = bytes[OFFSET] - DW_OP_lit0;
	if (after_push == WRONG_AFTER_PUSH)
		after_push = AFTER_PUSH;
	*off_ret = (pc & 15) >= after_push ? 2 * word : word;
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

/**
 * Length of the instruction if it moves memory or another register to the stack pointer; else 0.
 * Intel SDM, volume 2, MOV: opcodes 8b and 89, with REX.W on x86-64.
 */
static size_t sets_sp(const struct unw_arch *arch, const uint8_t *code, size_t size)
{
	enum { LOAD = 0x8b, MOVE = 0x89, REX_W = 0x48, REX_RXB = 7, REX_R = 4, REX_B = 1 };
	enum { MOD_REG = 3, SP = 4, WITH_SIB = 4, BP = 5 };
	size_t rex = arch->arch->word == 8;

	if (size < rex + 2 || (rex && (code[0] & ~REX_RXB) != REX_W))
		return 0;
	uint8_t mod = code[rex + 1] >> 6, reg = code[rex + 1] >> 3 & 7, rm = code[rex + 1] & 7;
	if (code[rex] == MOVE)
		return mod == MOD_REG && rm == SP && !(rex && code[0] & REX_B) ? rex + 2 : 0;
	if (code[rex] != LOAD || reg != SP || (rex && code[0] & REX_R) || mod == MOD_REG)
		return 0;
	size_t disp = mod == 1 ? 1 : mod == 2 || rm == BP ? 4 : 0;
	return rex + 2 + (rm == WITH_SIB) + disp;
}

/** Bytes are tried one by one: the functions are short, and written by hand without data. */
size_t unw_x86_find_switch(const struct unw_arch *arch, const uint8_t *code, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t len = sets_sp(arch, code + i, size - i);

		if (len)
			return i + len;
	}
	return 0;
}

bool unw_x86_sets_fp(const uint8_t *code, size_t size)
{
	static const uint8_t push_and_mov[] = { 0x55, 0x48, 0x89, 0xe5 };

	return size >= sizeof(push_and_mov) &&
	       memcmp(code, push_and_mov, sizeof(push_and_mov)) == 0;
}
