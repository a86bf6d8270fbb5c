#include "unwind/machines/x86_insn.h"

#include <string.h>

/*
 * Operands of each opcode:
 *   .  not an instruction, or a prefix
 *   _  none in the bytes that follow
 *   m  ModRM            M  ModRM and 1 byte        Z  ModRM and an operand-size immediate
 *   b  1 byte           w  2 bytes                 z  an operand-size immediate, at most 4 bytes
 *   v  an operand-size immediate, up to 8 bytes    a  an address
 *   j  1 byte branch    J  operand-size branch     f  far address
 *   e  3 bytes          g  ModRM, and 1 byte for TEST
 *                       G  ModRM, and an operand-size immediate for TEST
 *   x  ModRM and 2 bytes if the operand-size prefix or 0xf2 is there, else ModRM
 */
static const char one_byte[16][17] = {
	"mmmmbz__mmmmbz_.", /* 00 */
	"mmmmbz__mmmmbz__", /* 10 */
	"mmmmbz._mmmmbz._", /* 20 */
	"mmmmbz._mmmmbz._", /* 30 */
	"________________", /* 40 */
	"________________", /* 50 */
	"__mm....zZbM____", /* 60 */
	"jjjjjjjjjjjjjjjj", /* 70 */
	"MZMMmmmmmmmmmmmm", /* 80 */
	"__________f_____", /* 90 */
	"aaaa____bz______", /* a0 */
	"bbbbbbbbvvvvvvvv", /* b0 */
	"MMw_mmMZe_w__b__", /* c0 */
	"mmmmbb__mmmmmmmm", /* d0 */
	"jjjjbbbbJJfj____", /* e0 */
	"._..__gG______mm", /* f0 */
};

static const char two_bytes[16][17] = {
	"mmmm._____._.m_M", /* 0f 00 */
	"mmmmmmmmmmmmmmmm", /* 0f 10 */
	"mmmm....mmmmmmmm", /* 0f 20 */
	"______._........", /* 0f 30 */
	"mmmmmmmmmmmmmmmm", /* 0f 40 */
	"mmmmmmmmmmmmmmmm", /* 0f 50 */
	"mmmmmmmmmmmmmmmm", /* 0f 60 */
	"MMMMmmm_xm..mmmm", /* 0f 70 */
	"JJJJJJJJJJJJJJJJ", /* 0f 80 */
	"mmmmmmmmmmmmmmmm", /* 0f 90 */
	"___mMmmm___mMmmm", /* 0f a0 */
	"mmmmmmmmmmMmmmmm", /* 0f b0 */
	"mmMmMMMm________", /* 0f c0 */
	"mmmmmmmmmmmmmmmm", /* 0f d0 */
	"mmmmmmmmmmmmmmmm", /* 0f e0 */
	"mmmmmmmmmmmmmmmm", /* 0f f0 */
};

/** One-byte opcodes that are not instructions in 64-bit mode. */
static const uint8_t not_in_64[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
	0x3f, 0x60, 0x61, 0x62, 0x82, 0x9a, 0xc4, 0xc5, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

/** Bits of a REX prefix. */
enum { REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };

/** Bytes of the instruction, padded with zeros, and the position in them. */
struct reader {
	const uint8_t *bytes;
	uint8_t at;
	bool is_64;
	struct unw_x86_insn *insn;
};

static uint8_t next_byte(struct reader *r)
{
	return r->bytes[r->at++];
}

/** Read a little-endian number of @p n bytes. */
static int64_t next_signed(struct reader *r, uint8_t n)
{
	uint64_t value = 0;

	for (uint8_t i = 0; i < n; i++)
		value |= (uint64_t)next_byte(r) << (8 * i);
	if (!n || n == 8)
		return (int64_t)value;
	uint64_t sign = UINT64_C(1) << (8 * n - 1);
	return (int64_t)((value ^ sign) - sign);
}

/** Note @p byte if it is a legacy prefix. Returns false for any other byte. */
static bool is_prefix(struct unw_x86_insn *insn, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		insn->has_operand_size = true;
		return true;
	case 0x67:
		insn->has_address_size = true;
		return true;
	case 0xf2:
	case 0xf3:
		insn->rep = byte;
		return true;
	case 0x3e:
		insn->is_notrack = true;
		return true;
	case 0x64:
	case 0x65:
		insn->has_segment = true;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0xf0:
		return true;
	default:
		return false;
	}
}

/** Read legacy prefixes and REX, which counts only if the opcode follows it. */
static void read_prefixes(struct reader *r)
{
	while (r->at < UNW_X86_MAX_LEN) {
		uint8_t byte = r->bytes[r->at];
		bool is_rex = r->is_64 && byte >> 4 == REX >> 4;

		if (!is_rex && !is_prefix(r->insn, byte))
			return;
		r->insn->rex = is_rex ? byte : 0;
		r->at++;
	}
}

/** Take over the fields of the byte with W, vvvv and the implied prefix. */
static void set_vex(struct unw_x86_insn *insn, uint8_t byte)
{
	static const uint8_t reps[] = { 0, 0, 0xf3, 0xf2 };

	insn->is_vex = true;
	insn->vvvv = (uint8_t)(~byte >> 3 & 15);
	insn->rep = reps[byte & 3];
	insn->has_operand_size = (byte & 3) == 1;
}

static bool read_vex2(struct reader *r)
{
	uint8_t byte = next_byte(r);

	r->insn->rex = ~byte & 0x80 ? REX_R : 0;
	set_vex(r->insn, byte);
	r->insn->map = UNW_X86_0F;
	return true;
}

/** Read the prefix of VEX with 3 bytes or of XOP, after its first byte. */
static bool read_vex3(struct reader *r)
{
	uint8_t first = next_byte(r);
	uint8_t second = next_byte(r);

	r->insn->rex = (uint8_t)((~first >> 5 & 7) | (second & 0x80 ? REX_W : 0));
	set_vex(r->insn, second);
	r->insn->map = first & 31;
	return true;
}

static bool read_evex(struct reader *r)
{
	enum { MAPS = 7, EXTENDED = 8, ALWAYS = 4 };
	uint8_t first = next_byte(r);
	uint8_t second = next_byte(r);

	next_byte(r);
	r->insn->rex = (uint8_t)((~first >> 5 & 7) | (second & 0x80 ? REX_W : 0));
	set_vex(r->insn, second);
	r->insn->map = first & MAPS;
	return !(first & EXTENDED) && second & ALWAYS;
}

/** Read the prefix of a vector instruction, if there is one. Returns false if it is not known. */
static bool read_vector_prefix(struct reader *r)
{
	enum { VEX2 = 0xc5, VEX3 = 0xc4, EVEX = 0x62, XOP = 0x8f, FROM_MAP8 = 8 };
	uint8_t first = r->bytes[r->at];
	uint8_t second = r->bytes[r->at + 1];
	/* In 32-bit mode an operand in memory makes it another instruction. */
	bool is_vector = r->is_64 || second >= 0xc0;

	if (first == XOP && (second & 31) >= FROM_MAP8) {
		r->at++;
		return read_vex3(r) && r->insn->map <= UNW_X86_XOP10;
	}
	if (!is_vector || (first != VEX2 && first != VEX3 && first != EVEX))
		return true;
	r->at++;
	if (first == VEX2)
		return read_vex2(r);
	return first == VEX3 ? read_vex3(r) : read_evex(r);
}

static void read_opcode(struct reader *r)
{
	enum { ESCAPE = 0x0f, ESCAPE_38 = 0x38, ESCAPE_3A = 0x3a };
	struct unw_x86_insn *insn = r->insn;

	insn->opcode = next_byte(r);
	if (insn->is_vex || insn->opcode != ESCAPE)
		return;
	insn->map = UNW_X86_0F;
	insn->opcode = next_byte(r);
	if (insn->opcode != ESCAPE_38 && insn->opcode != ESCAPE_3A)
		return;
	insn->map = insn->opcode == ESCAPE_38 ? UNW_X86_0F38 : UNW_X86_0F3A;
	insn->opcode = next_byte(r);
}

static char vector_operands(uint8_t map, uint8_t opcode)
{
	enum { VZEROUPPER = 0x77 };

	switch (map) {
	case UNW_X86_0F:
		if (opcode == VZEROUPPER)
			return '_';
		if (opcode >> 4 == 8)
			return '.';
		return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
				       (opcode >= 0xc4 && opcode <= 0xc6)
			       ? 'M'
			       : 'm';
	case UNW_X86_0F38:
	case UNW_X86_MAP5:
	case UNW_X86_MAP6:
	case UNW_X86_XOP9:
		return 'm';
	case UNW_X86_0F3A:
	case UNW_X86_XOP8:
		return 'M';
	case UNW_X86_XOP10:
		return 'Z';
	default:
		return '.';
	}
}

static char operands(const struct unw_x86_insn *insn, bool is_64)
{
	if (insn->is_vex)
		return vector_operands(insn->map, insn->opcode);
	switch (insn->map) {
	case UNW_X86_ONE_BYTE:
		if (is_64 && memchr(not_in_64, insn->opcode, sizeof(not_in_64)))
			return '.';
		return one_byte[insn->opcode >> 4][insn->opcode & 15];
	case UNW_X86_0F:
		return two_bytes[insn->opcode >> 4][insn->opcode & 15];
	default:
		return insn->map == UNW_X86_0F38 ? 'm' : 'M';
	}
}

static void read_sib(struct reader *r, uint8_t mod)
{
	struct unw_x86_insn *insn = r->insn;
	uint8_t sib = next_byte(r);
	uint8_t index = (uint8_t)((sib >> 3 & 7) | (insn->rex & REX_X ? 8 : 0));
	enum { NO_INDEX = 4, NO_BASE = 5 };

	insn->index = index == NO_INDEX ? UNW_X86_NO_REG : index;
	insn->base = (uint8_t)((sib & 7) | (insn->rex & REX_B ? 8 : 0));
	if ((sib & 7) != NO_BASE || mod)
		return;
	insn->base = UNW_X86_NO_REG;
	insn->disp = (int32_t)next_signed(r, 4);
}

/** Read the operand in memory of 16-bit addressing, which is not followed. */
static void read_memory_16(struct reader *r, uint8_t mod, uint8_t rm)
{
	enum { ADDRESS = 6 };

	if (mod)
		next_signed(r, mod);
	else if (rm == ADDRESS)
		next_signed(r, 2);
}

static void read_memory(struct reader *r, uint8_t mod, uint8_t rm)
{
	struct unw_x86_insn *insn = r->insn;
	enum { SIB = 4, ADDRESS = 5 };

	if (!r->is_64 && insn->has_address_size) {
		read_memory_16(r, mod, rm);
		return;
	}
	insn->base = (uint8_t)(rm | (insn->rex & REX_B ? 8 : 0));
	if (rm == SIB) {
		read_sib(r, mod);
	} else if (rm == ADDRESS && !mod) {
		insn->base = UNW_X86_NO_REG;
		insn->is_pc_relative = r->is_64;
		insn->disp = (int32_t)next_signed(r, 4);
	}
	if (mod)
		insn->disp = (int32_t)next_signed(r, mod == 1 ? 1 : 4);
}

/* Moves from and to control and debug registers, whose operands are registers whatever mod is. */
static bool has_only_registers(const struct unw_x86_insn *insn)
{
	return !insn->is_vex && insn->map == UNW_X86_0F && insn->opcode >= 0x20 &&
	       insn->opcode <= 0x23;
}

static void read_modrm(struct reader *r)
{
	struct unw_x86_insn *insn = r->insn;
	uint8_t modrm = next_byte(r);
	uint8_t mod = modrm >> 6;

	insn->has_modrm = true;
	insn->is_mem = mod != 3 && !has_only_registers(insn);
	insn->reg = (uint8_t)((modrm >> 3 & 7) | (insn->rex & REX_R ? 8 : 0));
	insn->rm = (uint8_t)((modrm & 7) | (insn->rex & REX_B ? 8 : 0));
	if (insn->is_mem)
		read_memory(r, mod, modrm & 7);
}

/** Number of bytes of the immediate operand of kind @p kind. */
static uint8_t immediate_size(const struct reader *r, char kind)
{
	const struct unw_x86_insn *insn = r->insn;
	bool is_wide = insn->rex & REX_W;
	uint8_t by_size = insn->has_operand_size && !is_wide ? 2 : 4;
	bool is_test = (insn->reg & 7) < 2;

	switch (kind) {
	case 'M':
	case 'b':
	case 'j':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'Z':
	case 'z':
		return insn->is_vex ? 4 : by_size;
	case 'v':
		return is_wide ? 8 : by_size;
	case 'J':
		return by_size;
	case 'f':
		return (uint8_t)(by_size + 2);
	case 'a':
		return (uint8_t)((r->is_64 ? 8 : 4) >> insn->has_address_size);
	case 'g':
		return is_test ? 1 : 0;
	case 'G':
		return is_test ? by_size : 0;
	case 'x':
		return insn->has_operand_size || insn->rep == 0xf2 ? 2 : 0;
	default:
		return 0;
	}
}

static bool read_insn(struct reader *r)
{
	struct unw_x86_insn *insn = r->insn;

	read_prefixes(r);
	if (r->at == UNW_X86_MAX_LEN || !read_vector_prefix(r))
		return false;
	read_opcode(r);
	char kind = operands(insn, r->is_64);
	/* Processors differ in what an operand size of 16 bits does to branches in 64-bit mode. */
	bool is_ambiguous =
		kind == 'J' && r->is_64 && insn->has_operand_size && !(insn->rex & REX_W);
	if (kind == '.' || is_ambiguous)
		return false;
	if (strchr("mMZgGx", kind))
		read_modrm(r);
	insn->imm = next_signed(r, immediate_size(r, kind));
	return r->at <= UNW_X86_MAX_LEN;
}

bool unw_x86_insn_read(const uint8_t *bytes, size_t n, bool is_64, struct unw_x86_insn *ret)
{
	/* All parts at their longest after all prefixes; the sum is checked at the end. */
	enum { MOST_BYTES = UNW_X86_MAX_LEN + 20 };
	uint8_t padded[MOST_BYTES] = { 0 };
	struct reader r = { .bytes = bytes, .is_64 = is_64, .insn = ret };

	*ret = (struct unw_x86_insn){ .base = UNW_X86_NO_REG, .index = UNW_X86_NO_REG };
	if (n < MOST_BYTES) {
		memcpy(padded, bytes, n);
		r.bytes = padded;
	}
	if (!read_insn(&r) || r.at > n)
		return false;
	ret->len = r.at;
	return true;
}
