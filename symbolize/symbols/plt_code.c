/* Decoders for entries of the procedure linkage table, one for each machine. */
#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "symbolize/symbols/plt.h"

static struct pd_cursor cursor_of(const struct sym_plt_code *code)
{
	return pd_cursor_init(code->bytes, code->size, code->swap);
}

static bool found(const struct sym_plt_code *code, const struct pd_cursor *c, uint64_t slot,
	struct sym_plt_jump *ret)
{
	*ret = (struct sym_plt_jump){ .slot = slot, .size = (size_t)(c->pos - code->bytes) };
	return !c->overrun;
}

/* Sign-extend the lowest @p bits bits of @p value. */
static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/*
 * Skip what entries of both x86 machines begin with, and return the first opcode:
 *     [endbr] [bnd] jmp *SLOT ...
 *
 * If .plt.sec has those, entries of .plt are: [endbr] push NUMBER; [bnd] jmp first entry.
 */
static uint8_t x86_opcode(struct pd_cursor *c, const uint8_t endbr[static 4])
{
	if (pd_cursor_left(c) >= 4 && memcmp(c->pos, endbr, 4) == 0)
		pd_cursor_bytes(c, 4);
	uint8_t opcode = pd_cursor_u8(c);
	return opcode == 0xf2 ? pd_cursor_u8(c) : opcode;
}

static bool x86_number(const struct sym_plt_code *code, struct pd_cursor *c, uint32_t divisor,
	struct sym_plt_jump *ret)
{
	uint64_t number = pd_cursor_u32(c) / divisor;

	/* The first entry also pushes, but a memory operand with another opcode. */
	if (!found(code, c, number, ret))
		return false;
	ret->is_number = true;
	return true;
}

static bool match_x86_64(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct pd_cursor c = cursor_of(code);
	uint8_t opcode = x86_opcode(&c, endbr64);

	if (opcode == 0x68)
		return x86_number(code, &c, 1, ret);
	if (opcode != 0xff || pd_cursor_u8(&c) != 0x25)
		return false;
	int32_t distance = (int32_t)pd_cursor_u32(&c);
	return found(
		code, &c, code->vaddr + (uint64_t)(c.pos - code->bytes) + (uint64_t)distance, ret);
}

/* Decode an i386 entry. The slot is absolute or, in position-independent code, relative to ebx. */
static bool match_i386(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	enum { RELOCATION_SIZE = 8 };
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	struct pd_cursor c = cursor_of(code);
	uint8_t opcode = x86_opcode(&c, endbr32);

	if (opcode == 0x68)
		return x86_number(code, &c, RELOCATION_SIZE, ret);
	uint8_t mode = opcode == 0xff ? pd_cursor_u8(&c) : 0;
	uint32_t slot = pd_cursor_u32(&c);
	if (mode == 0xa3)
		slot += (uint32_t)code->got;
	return (mode == 0x25 || mode == 0xa3) && found(code, &c, slot, ret);
}

/* Decode [bti c]; adrp x16, PAGE; ldr x17, [x16, OFFSET]; add; br. */
static bool match_aarch64(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	enum { BTI_C = 0xd503245f };
	struct pd_cursor c = cursor_of(code);
	uint64_t pc = code->vaddr;
	uint32_t adrp = pd_cursor_u32(&c);

	if (adrp == BTI_C) {
		adrp = pd_cursor_u32(&c);
		pc += 4;
	}
	uint32_t ldr = pd_cursor_u32(&c);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	uint64_t page = (pc & ~UINT64_C(0xfff)) + ((uint64_t)sign_extend(pages, 21) << 12);
	/*
	 * The offset of ldr counts 8-byte units. The slot of the first entry has no symbol, so that
	 * entry gets no name.
	 */
	return found(code, &c, page + (uint64_t)(ldr >> 10 & 0xfff) * 8, ret);
}

/* Value of an ARM immediate: eight bits, rotated right by twice the value of four others. */
static uint32_t arm_immediate(uint32_t word)
{
	unsigned turn = word >> 7 & 30;
	uint32_t value = word & 0xff;

	return turn ? value >> turn | value << (32 - turn) : value;
}

/*
 * Decode [bx pc; nop in Thumb]; add ip, pc, HIGH; one or two of add ip, ip, MIDDLE; ldr pc, [ip,
 * LOW]!
 */
static bool match_arm(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	struct pd_cursor c = cursor_of(code);
	uint64_t pc = code->vaddr;
	uint32_t word = pd_cursor_u32(&c);

	if (word == 0x46c04778) {
		word = pd_cursor_u32(&c);
		pc += 4;
	}
	if ((word & 0xfffff000) != 0xe28fc000)
		return false;
	uint32_t slot = (uint32_t)pc + 8 + arm_immediate(word);
	for (word = pd_cursor_u32(&c); (word & 0xfffff000) == 0xe28cc000; word = pd_cursor_u32(&c))
		slot += arm_immediate(word);
	return (word & 0xfffff000) == 0xe5bcf000 && found(code, &c, slot + (word & 0xfff), ret);
}

/* Decode auipc t3, HIGH; ld t3, LOW(t3), or lw on 32-bit machines; jalr t1, t3; nop. */
static bool match_riscv(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	struct pd_cursor c = cursor_of(code);
	uint32_t auipc = pd_cursor_u32(&c), load = pd_cursor_u32(&c), jalr = pd_cursor_u32(&c);
	bool is_load = (load & 0xfffff) == 0xe3e03 || (load & 0xfffff) == 0xe2e03;

	if ((auipc & 0xfff) != 0xe17 || !is_load || jalr != 0xe0367)
		return false;
	int64_t high = (int32_t)(auipc & 0xfffff000), low = (int32_t)load >> 20;
	return found(code, &c, code->vaddr + (uint64_t)(high + low), ret);
}

/* Decode larl %r1, SLOT (in halfwords); lg %r1, 0(%r1); br %r1. */
static bool match_s390(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	static const uint8_t rest[] = { 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04, 0x07, 0xf1 };
	struct pd_cursor c = cursor_of(code);

	if (pd_cursor_u16(&c) != 0xc010)
		return false;
	int64_t halfwords = (int32_t)pd_cursor_u32(&c);
	const uint8_t *tail = pd_cursor_bytes(&c, sizeof(rest));
	return tail && memcmp(tail, rest, sizeof(rest)) == 0 &&
	       found(code, &c, code->vaddr + (uint64_t)(2 * halfwords), ret);
}

/*
 * Decode a stub between functions, which saves the TOC pointer (r2):
 *     std r2, 24(r1) or 40(r1); [addis rN, r2, HIGH]; ld r12, LOW(rN or r2); ...; mtctr r12; ...;
 *     bctr
 *
 * If another thread may be filling the slot it ends with: ... bnectr; b to the resolver.
 */
static bool match_ppc64(const struct sym_plt_code *code, struct sym_plt_jump *ret)
{
	enum { STD_R2_24 = 0xf8410018, STD_R2_40 = 0xf8410028 };
	enum { MAX_WORDS = 8 };
	enum { BCTR = 0x4e800420, BNECTR = 0x4ce20420 };
	struct pd_cursor c = cursor_of(code);
	uint32_t word = pd_cursor_u32(&c);
	uint64_t slot = code->got;

	if (word != STD_R2_24 && word != STD_R2_40)
		return false;
	word = pd_cursor_u32(&c);
	uint32_t base = 2;
	/* addis is left out if the slot is near the TOC pointer. */
	if ((word & 0xfc1f0000) == 0x3c020000) {
		slot += (uint64_t)sign_extend(word & 0xffff, 16) << 16;
		base = word >> 21 & 31;
		word = pd_cursor_u32(&c);
	}
	if ((word & 0xffff0003) != (0xe9800000 | base << 16))
		return false;
	slot += (uint64_t)sign_extend(word & 0xfffc, 16);
	for (int i = 0; i < MAX_WORDS && word != BCTR && word != BNECTR; i++)
		word = pd_cursor_u32(&c);
	if (word == BNECTR)
		pd_cursor_u32(&c);
	return (word == BCTR || word == BNECTR) && found(code, &c, slot, ret);
}

static const struct sym_plt_machine MACHINES[] = {
	{ EM_X86_64, 0, 16, R_X86_64_IRELATIVE, false, match_x86_64 },
	{ EM_386, 0, 16, R_386_IRELATIVE, false, match_i386 },
	{ EM_AARCH64, 4, 24, R_AARCH64_IRELATIVE, false, match_aarch64 },
	{ EM_ARM, 4, 20, R_ARM_IRELATIVE, false, match_arm },
	{ EM_RISCV, 4, 16, R_RISCV_IRELATIVE, false, match_riscv },
	{ EM_S390, 4, 32, R_390_IRELATIVE, false, match_s390 },
	{ EM_PPC64, 4, 40, R_PPC64_IRELATIVE, true, match_ppc64 },
};

const struct sym_plt_machine *sym_plt_machine(uint16_t machine)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(MACHINES); i++) {
		if (MACHINES[i].machine == machine)
			return &MACHINES[i];
	}
	return NULL;
}
