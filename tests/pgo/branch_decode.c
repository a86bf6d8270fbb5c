#include "tests/pgo/branch_decode.h"

#include <stdbool.h>

/* Prefixes of branches: bnd, notrack, hints, operand size, and REX. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x3e || byte == 0x2e || byte == 0x66 ||
	       (byte & 0xf0) == 0x40;
}

/* Group 5 has near calls as /2 and near jumps as /4. */
static enum branch_kind of_group5(uint8_t modrm)
{
	uint8_t reg = modrm >> 3 & 7;

	return reg == 2 || reg == 4 ? BRANCH_INDIRECT : BRANCH_NONE;
}

enum branch_kind branch_decode(const uint8_t code[BRANCH_CODE_BYTES], size_t *length_ret)
{
	enum { SHORT_BYTES = 2, LONG_BYTES = 6, MAX_PREFIXES = 8 };
	size_t at = 0;

	while (at < MAX_PREFIXES && is_prefix(code[at]))
		at++;
	uint8_t opcode = code[at];
	*length_ret = at + SHORT_BYTES;
	/* jcc rel8; loopne, loope, loop, jrcxz */
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return BRANCH_CONDITIONAL;
	if (opcode == 0x0f && (code[at + 1] & 0xf0) == 0x80) {
		*length_ret = at + LONG_BYTES;
		return BRANCH_CONDITIONAL;
	}
	if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb)
		return BRANCH_DIRECT;
	if (opcode == 0xc3 || opcode == 0xc2)
		return BRANCH_RETURN;
	return opcode == 0xff ? of_group5(code[at + 1]) : BRANCH_NONE;
}
