#include "unwind/machines/x86_writes.h"

/** Registers by their encoding, as bits of a mask. */
enum {
	RAX = 1 << 0,
	RCX = 1 << 1,
	RDX = 1 << 2,
	RBX = 1 << 3,
	RSI = 1 << 6,
	RDI = 1 << 7,
	R11 = 1 << 11,
};

/*
 * General registers that an opcode writes:
 *   .  none          r  reg of ModRM     m  rm of ModRM       b  both    v  vvvv    w  reg and vvvv
 *   o  the number in the opcode          x  that and rax      y  rm and rax
 *   a  rax           A  rax, rdx         T  rax, rcx, rdx, r11               C  rax, rbx, rcx, rdx
 *   c  rcx           s  those of string instructions
 *   g  group 3       Z  group 9
 * Pushes and pops are left out.
 */
static const char writes_one_byte[16][17] = {
	"mmrraa..mmrraa..", /* 00 */
	"mmrraa..mmrraa..", /* 10 */
	"mmrraa.ammrraa.a", /* 20 */
	"mmrraa.a.......a", /* 30 */
	"oooooooooooooooo", /* 40 */
	"................", /* 50 */
	"...r.....r.rssss", /* 60 */
	"................", /* 70 */
	"mmmm..bbmmrrmr.m", /* 80 */
	"xxxxxxxxAA.....a", /* 90 */
	"aa..ssss..ssssss", /* a0 */
	"oooooooooooooooo", /* b0 */
	"mm..rrmm.....a..", /* c0 */
	"mmmmaaaa........", /* d0 */
	"ccccaa......aa..", /* e0 */
	"......gg......mm", /* f0 */
};

static const char writes_two_bytes[16][17] = {
	"mTrr.T..........", /* 0f 00 */
	"................", /* 0f 10 */
	"mm..........rr..", /* 0f 20 */
	".AAA............", /* 0f 30 */
	"rrrrrrrrrrrrrrrr", /* 0f 40 */
	"r...............", /* 0f 50 */
	"................", /* 0f 60 */
	"........m.....m.", /* 0f 70 */
	"................", /* 0f 80 */
	"mmmmmmmmmmmmmmmm", /* 0f 90 */
	"..C.mmss...mmm.r", /* 0f a0 */
	"yyrmrrrrr.mmrrrr", /* 0f b0 */
	"bb...r.Zoooooooo", /* 0f c0 */
	".......r........", /* 0f d0 */
	"................", /* 0f e0 */
	"................", /* 0f f0 */
};

/** Writes of the opcodes with map 0f and a prefix of vector instructions. */
static char vector_writes_two_bytes(const struct unw_x86_insn *insn)
{
	switch (insn->opcode) {
	case 0x2c: /* vcvttsd2si and the like */
	case 0x2d:
	case 0x50: /* vmovmskps */
	case 0x78: /* vcvttsd2usi and the like */
	case 0x79:
	case 0x93: /* kmov */
	case 0xc5: /* vpextrw */
	case 0xd7: /* vpmovmskb */
		return 'r';
	case 0x7e: /* vmovd, but not vmovq */
		return insn->rep ? '.' : 'm';
	default:
		return '.';
	}
}

/** Writes of the opcodes with map 0f 38. */
static char writes_0f38(const struct unw_x86_insn *insn)
{
	switch (insn->opcode) {
	case 0xf0: /* crc32, movbe */
	case 0xf1:
		return 'r';
	case 0xf2: /* andn */
	case 0xf5: /* bzhi, pdep, pext */
	case 0xf7: /* bextr, shlx and the like */
		return insn->is_vex ? 'r' : '.';
	case 0xf3: /* blsr and the like */
		return insn->is_vex ? 'v' : '.';
	case 0xf6: /* mulx; adcx, adox */
		return insn->is_vex ? 'w' : 'r';
	default:
		/* cmpccxadd */
		return insn->is_vex && insn->opcode >> 4 == 0xe ? 'r' : '.';
	}
}

/** Which registers an instruction writes. */
static char writes(const struct unw_x86_insn *insn)
{
	bool is_extract = insn->opcode >= 0x14 && insn->opcode <= 0x17;

	switch (insn->map) {
	case UNW_X86_ONE_BYTE:
		return writes_one_byte[insn->opcode >> 4][insn->opcode & 15];
	case UNW_X86_0F:
		return insn->is_vex ? vector_writes_two_bytes(insn)
				    : writes_two_bytes[insn->opcode >> 4][insn->opcode & 15];
	case UNW_X86_0F38:
		return writes_0f38(insn);
	case UNW_X86_0F3A: /* pextr, extractps, rorx */
		if (is_extract)
			return 'm';
		return insn->is_vex && insn->opcode == 0xf0 ? 'r' : '.';
	case UNW_X86_MAP5:
		return vector_writes_two_bytes(insn);
	case UNW_X86_XOP9: /* blcfill and the like */
		return insn->opcode == 0x01 || insn->opcode == 0x02 ? 'v' : '.';
	default: /* bextr */
		return insn->map == UNW_X86_XOP10 ? 'r' : '.';
	}
}

/** Whether an instruction, which writes a register by its table, only reads or writes others. */
static bool writes_other(const struct unw_x86_insn *insn)
{
	enum { CVT = 0x2c, MOVD = 0x7e, BIT_TEST = 0xba, FROM_QUEUE = 0xf3 };
	uint8_t group = insn->reg & 7;

	if (insn->is_vex)
		return false;
	if (insn->map == UNW_X86_ONE_BYTE)
		/* cmp with an immediate; groups 4 and 5 after inc and dec */
		return (insn->opcode >> 2 == 0x80 >> 2 && group == 7) ||
		       (insn->opcode >= 0xfe && group > 1);
	if (insn->map != UNW_X86_0F)
		return false;
	/* Conversions write vector registers without the prefix, and movd does with it. */
	if (insn->opcode >> 1 == CVT >> 1)
		return !insn->rep;
	if (insn->opcode == MOVD)
		return insn->rep == FROM_QUEUE;
	return insn->opcode == BIT_TEST && group == 4;
}

/** Whether the instruction reads the base of fs or gs, or the shadow stack pointer, into rm. */
static bool writes_base(const struct unw_x86_insn *insn)
{
	enum { FENCES = 0xae, HINT = 0x1e, SHADOW_POINTER = 1, FROM_FS = 0, FROM_GS = 1 };
	uint8_t group = insn->reg & 7;

	if (insn->map != UNW_X86_0F || insn->is_vex || insn->rep != 0xf3 || insn->is_mem)
		return false;
	if (insn->opcode == FENCES)
		return group == FROM_FS || group == FROM_GS;
	return insn->opcode == HINT && group == SHADOW_POINTER;
}

static bool is_byte_operation(const struct unw_x86_insn *insn)
{
	uint8_t op = insn->opcode;

	if (insn->map == UNW_X86_0F)
		return op >> 4 == 9 || op == 0xb0 || op == 0xc0;
	if (insn->map != UNW_X86_ONE_BYTE)
		return false;
	if (op >= 0xb0 && op < 0xc0)
		return op < 0xb8;
	return !(op & 1) && (op < 0x40 || (op >= 0x80 && op < 0x8d) || op >= 0xc0);
}

static uint16_t bit(uint8_t reg)
{
	return (uint16_t)(1 << reg);
}

/** Mask of an operand. Without REX, bytes 4 to 7 are the second ones of the first registers. */
static uint16_t operand(const struct unw_x86_insn *insn, uint8_t reg)
{
	bool is_second = is_byte_operation(insn) && !insn->rex && !insn->is_vex && reg >= 4;

	return bit(is_second ? reg & 3 : reg);
}

static uint16_t rm_operand(const struct unw_x86_insn *insn)
{
	return insn->is_mem ? 0 : operand(insn, insn->rm);
}

/** Mask of group 3 (test; not, neg; multiplications and divisions). */
static uint16_t group_3(const struct unw_x86_insn *insn)
{
	uint8_t operation = insn->reg & 7;

	if (operation > 3)
		return RAX | RDX;
	return operation > 1 ? rm_operand(insn) : 0;
}

/** Mask of group 9 (cmpxchg8b; rdrand, rdseed). */
static uint16_t group_9(const struct unw_x86_insn *insn)
{
	uint8_t operation = insn->reg & 7;

	if (operation == 1)
		return RAX | RDX;
	return operation > 5 ? rm_operand(insn) : 0;
}

/** Mask of the registers that the letter @p kind of a table stands for. */
static uint16_t mask_of(const struct unw_x86_insn *insn, char kind)
{
	uint8_t number = (uint8_t)((insn->opcode & 7) | (insn->rex & 1 ? 8 : 0));

	switch (kind) {
	case 'r':
		return operand(insn, insn->reg);
	case 'm':
		return rm_operand(insn);
	case 'b':
		return rm_operand(insn) | operand(insn, insn->reg);
	case 'y':
		return rm_operand(insn) | RAX;
	case 'v':
		return bit(insn->vvvv);
	case 'w':
		return operand(insn, insn->reg) | bit(insn->vvvv);
	case 'o':
		return operand(insn, number);
	case 'x':
		return RAX | bit(number);
	case 'a':
		return RAX;
	case 'A':
		return RAX | RDX;
	case 'T':
		return RAX | RCX | RDX | R11;
	case 'C':
		return RAX | RBX | RCX | RDX;
	case 'c':
		return RCX;
	case 's':
		return RAX | RCX | RSI | RDI;
	case 'g':
		return group_3(insn);
	case 'Z':
		return group_9(insn);
	default:
		return 0;
	}
}

uint16_t unw_x86_insn_writes(const struct unw_x86_insn *insn)
{
	uint16_t base = writes_base(insn) ? rm_operand(insn) : 0;

	return writes_other(insn) ? base : (uint16_t)(base | mask_of(insn, writes(insn)));
}
