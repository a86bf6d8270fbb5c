/* Rows found by analysing the instructions of functions without call frame information. */
#include <endian.h>

#include "base/array.h"
#include "tests/unit/test.h"
#include "tests/unit/unwind/bytes.h"
#include "unwind/rules/code_analysis.h"
#include "unwind/unwind.h"

/*
 * f:
 *   1000 add sp,sp,-32
 *   1002 sd ra,24(sp)
 *   1004 sd s0,16(sp)
 *   1006 add s0,sp,32
 *   1008 beqz a0,1014 <f+0x14>
 *   100a jal 1000 <f>
 *   100e ld a5,-40(s0)
 *   1012 bnez a5,100a <f+0xa>
 *   1014 jr a5
 *   1016 mv a0,a5
 *   1018 j 1020 <f+0x20>
 *   101a jal 1000 <f>
 *   101e ebreak
 *   1020 add sp,s0,-32
 *   1024 ld ra,24(sp)
 *   1026 ld s0,16(sp)
 *   1028 add sp,sp,32
 *   102a ret
 * g:
 *   102c lui t0,0xfffff
 *   102e add sp,sp,t0
 *   1030 sd s1,8(sp)
 *   1032 ld s1,8(sp)
 *   1034 lui t0,0x1
 *   1036 add sp,sp,t0
 *   1038 j 1000 <f>
 * h:
 *   103a bltu a0,a1,103a <h>
 *   103e lw a0,4(a1)
 *   1040 fld fa0,8(a1)
 *   1042 amoadd.w a0,a1,(a2)
 *   1046 j 102c <g>
 * i:
 *   104a jal t0,1000 <f>
 *   104e j 1000 <f>
 */
static const uint8_t riscv64_text[] = {
	0x01,
	0x11,
	0x06,
	0xec,
	0x22,
	0xe8,
	0x00,
	0x10,
	0x11,
	0xc5,
	0xef,
	0xf0,
	0x7f,
	0xff,
	0x83,
	0x37,
	0x84,
	0xfd,
	0xe5,
	0xff,
	0x82,
	0x87,
	0x3e,
	0x85,
	0x21,
	0xa0,
	0xef,
	0xf0,
	0x7f,
	0xfe,
	0x02,
	0x90,
	0x13,
	0x01,
	0x04,
	0xfe,
	0xe2,
	0x60,
	0x42,
	0x64,
	0x05,
	0x61,
	0x82,
	0x80,
	0xfd,
	0x72,
	0x16,
	0x91,
	0x26,
	0xe4,
	0xa2,
	0x64,
	0x85,
	0x62,
	0x16,
	0x91,
	0xe1,
	0xb7,
	0x63,
	0x60,
	0xb5,
	0x00,
	0xc8,
	0x41,
	0x88,
	0x25,
	0x2f,
	0x25,
	0xb6,
	0x00,
	0x6f,
	0xf0,
	0x7f,
	0xfe,
	0xef,
	0xf2,
	0x7f,
	0xfb,
	0x6f,
	0xf0,
	0x3f,
	0xfb,
};

/*
 * f:
 *   1000 push {r4, r7, lr}
 *   1002 sub sp, #20
 *   1004 add r7, sp, #8
 *   1006 vpush {d8-d9}
 *   100a cbz r0, 1016 <f+0x16>
 *   100c bl 1000 <f>
 *   1010 it eq
 *   1012 popeq {r4, pc}
 *   1014 bne.n 100c <f+0xc>
 *   1016 ldr r3, [r7, #4]
 *   1018 b.w 1022 <f+0x22>
 *   101c bl 1000 <f>
 *   1020 udf #0
 *   1022 vpop {d8-d9}
 *   1026 adds r7, #12
 *   1028 mov sp, r7
 *   102a pop {r4, r7, pc}
 * g:
 *   102c str.w lr, [sp, #-4]!
 *   1030 subw sp, sp, #1036
 *   1034 strd r4, r5, [sp, #8]
 *   1038 blx r3
 *   103a ldrd r4, r5, [sp, #8]
 *   103e addw sp, sp, #1036
 *   1042 ldr.w pc, [sp], #4
 * h:
 *   1046 movw ip, #4096
 *   104a add sp, ip
 *   104c bx lr
 * i:
 *   104e mov sp, r7
 *   1050 push {r4, lr}
 *   1052 pop {r4, pc}
 */
static const uint8_t thumb_text[] = {
	0x90,
	0xb5,
	0x85,
	0xb0,
	0x02,
	0xaf,
	0x2d,
	0xed,
	0x04,
	0x8b,
	0x20,
	0xb1,
	0xff,
	0xf7,
	0xf8,
	0xff,
	0x08,
	0xbf,
	0x10,
	0xbd,
	0xfa,
	0xd1,
	0x7b,
	0x68,
	0x00,
	0xf0,
	0x03,
	0xb8,
	0xff,
	0xf7,
	0xf0,
	0xff,
	0x00,
	0xde,
	0xbd,
	0xec,
	0x04,
	0x8b,
	0x0c,
	0x37,
	0xbd,
	0x46,
	0x90,
	0xbd,
	0x4d,
	0xf8,
	0x04,
	0xed,
	0xad,
	0xf2,
	0x0c,
	0x4d,
	0xcd,
	0xe9,
	0x02,
	0x45,
	0x98,
	0x47,
	0xdd,
	0xe9,
	0x02,
	0x45,
	0x0d,
	0xf2,
	0x0c,
	0x4d,
	0x5d,
	0xf8,
	0x04,
	0xfb,
	0x41,
	0xf2,
	0x00,
	0x0c,
	0xe5,
	0x44,
	0x70,
	0x47,
	0xbd,
	0x46,
	0x10,
	0xb5,
	0x10,
	0xbd,
};

/*
 * f:
 *   1000 push {r4, fp, lr}
 *   1004 add fp, sp, #8
 *   1008 sub sp, sp, #256
 *   100c cmp r0, #0
 *   1010 beq 1020 <f+0x20>
 *   1014 bl 1000 <f>
 *   1018 popeq {r4, pc}
 *   101c bne 1014 <f+0x14>
 *   1020 ldr r3, [r0, r1, lsl #2]
 *   1024 mov r4, #1
 *   1028 b 1034 <f+0x34>
 *   102c blx r3
 *   1030 udf #0
 *   1034 sub sp, fp, #8
 *   1038 pop {r4, fp, pc}
 * g:
 *   103c push {lr}
 *   1040 strd r4, [sp, #-8]!
 *   1044 vpush {d8}
 *   1048 mul r0, r1, r2
 *   104c ldrd r4, [sp, #8]
 *   1050 add sp, sp, #16
 *   1054 pop {lr}
 *   1058 bx lr
 * h:
 *   105c ldr pc, [ip, #8]!
 */
static const uint8_t arm_text[] = {
	0x10,
	0x48,
	0x2d,
	0xe9,
	0x08,
	0xb0,
	0x8d,
	0xe2,
	0x01,
	0xdc,
	0x4d,
	0xe2,
	0x00,
	0x00,
	0x50,
	0xe3,
	0x02,
	0x00,
	0x00,
	0x0a,
	0xf9,
	0xff,
	0xff,
	0xeb,
	0x10,
	0x80,
	0xbd,
	0x08,
	0xfc,
	0xff,
	0xff,
	0x1a,
	0x01,
	0x31,
	0x90,
	0xe7,
	0x01,
	0x40,
	0xa0,
	0xe3,
	0x01,
	0x00,
	0x00,
	0xea,
	0x33,
	0xff,
	0x2f,
	0xe1,
	0xf0,
	0x00,
	0xf0,
	0xe7,
	0x08,
	0xd0,
	0x4b,
	0xe2,
	0x10,
	0x88,
	0xbd,
	0xe8,
	0x04,
	0xe0,
	0x2d,
	0xe5,
	0xf8,
	0x40,
	0x6d,
	0xe1,
	0x02,
	0x8b,
	0x2d,
	0xed,
	0x91,
	0x02,
	0x00,
	0xe0,
	0xd8,
	0x40,
	0xcd,
	0xe1,
	0x10,
	0xd0,
	0x8d,
	0xe2,
	0x04,
	0xe0,
	0x9d,
	0xe4,
	0x1e,
	0xff,
	0x2f,
	0xe1,
	0x08,
	0xf0,
	0xbc,
	0xe5,
};

/*
 * Save registers:
 *   1000 std r31,-8(r1)
 *   1004 std r0,16(r1)
 *   1008 blr
 * Restore registers:
 *   100c ld r0,16(r1)
 *   1010 ld r31,-8(r1)
 *   1014 mtlr r0
 *   1018 blr
 * Stub of a linker:
 *   101c std r2,40(r1)
 *   1020 ld r12,-32184(r2)
 *   1024 mtctr r12
 *   1028 bctr
 *   102c addi r1,r1,112
 *   1030 blr
 */
static const uint32_t ppc64_words[] = { 0xfbe1fff8, 0xf8010010, 0x4e800020, 0xe8010010, 0xebe1fff8,
	0x7c0803a6, 0x4e800020, 0xf8410028, 0xe9828248, 0x7d8903a6, 0x4e800420, 0x38210070,
	0x4e800020 };
enum { N_PPC64_WORDS = PD_ARRAY_LEN(ppc64_words) };

/*
 * f:
 *   1000 paciasp
 *   1004 stp x29, x30, [sp, #-48]!
 *   1008 mov x29, sp
 *   100c stp x19, x20, [sp, #16]
 *   1010 cbz x0, 1024 <f+0x24>
 *   1014 bl 1000 <f>
 *   1018 ldp x19, x20, [sp, #16]
 *   101c ldp x29, x30, [sp], #48
 *   1020 retaa
 *   1024 bl 1000 <f>
 *   1028 brk #0x1
 * g:
 *   102c sub sp, sp, #0x1, lsl #12
 *   1030 sub sp, sp, #0x10
 *   1034 str x30, [sp, #8]
 *   1038 str x19, [sp]
 *   103c blr x1
 *   1040 mov x12, #0x1010
 *   1044 ldr x30, [sp, #8]
 *   1048 ldr x19, [sp]
 *   104c add sp, sp, x12
 *   1050 b 1000 <f>
 * h:
 *   1054 cmp x0, x1
 *   1058 fmov x2, d0
 *   105c br x16
 * i:
 *   1060 ldr x19, [sp], #16
 *   1064 ldaxr x0, [x1]
 *   1068 svc #0x0
 *   106c ret
 *   1070 .word 0x00000000
 */
static const uint32_t aarch64_words[] = { 0xd503233f, 0xa9bd7bfd, 0x910003fd, 0xa90153f3,
	0xb40000a0, 0x97fffffb, 0xa94153f3, 0xa8c37bfd, 0xd65f0bff, 0x97fffff7, 0xd4200020,
	0xd14007ff, 0xd10043ff, 0xf90007fe, 0xf90003f3, 0xd63f0020, 0xd282020c, 0xf94007fe,
	0xf94003f3, 0x8b2c63ff, 0x17ffffec, 0xeb01001f, 0x9e660002, 0xd61f0200, 0xf84107f3,
	0xc85ffc20, 0xd4000001, 0xd65f03c0, 0x00000000 };
enum { N_AARCH64_WORDS = PD_ARRAY_LEN(aarch64_words) };

/*
 * f:
 *   1000 stmg %r11,%r15,88(%r15)
 *   1006 lay %r15,-176(%r15)
 *   100c lgr %r11,%r15
 *   1010 brasl %r14,1000 <f>
 *   1016 lmg %r11,%r15,264(%r11)
 *   101c br %r14
 * g:
 *   101e ldgr %f0,%r11
 *   1022 lgr %r11,%r15
 *   1026 cgije %r2,0,1030 <h>
 *   102c lgdr %r11,%f0
 * h:
 *   1030 br %r14
 *   1032 nopr %r7
 */
static const uint8_t s390x_text[] = { 0xeb, 0xbf, 0xf0, 0x58, 0x00, 0x24, 0xe3, 0xf0, 0xff, 0x50,
	0xff, 0x71, 0xb9, 0x04, 0x00, 0xbf, 0xc0, 0xe5, 0xff, 0xff, 0xff, 0xf8, 0xeb, 0xbf, 0xb1,
	0x08, 0x00, 0x04, 0x07, 0xfe, 0xb3, 0xc1, 0x00, 0x0b, 0xb9, 0x04, 0x00, 0xbf, 0xec, 0x28,
	0x00, 0x05, 0x00, 0x7c, 0xb3, 0xcd, 0x00, 0xb0, 0x07, 0xfe, 0x07, 0x07 };

enum { TEXT = 0x1000, NOWHERE = -1, LEAF = 0, CALL = 1 };

/** Expected row of an address: CFA, and distances from it to the return address and a register. */
struct code_case {
	uint16_t addr;
	/** CALL if addr is the last byte of a call. */
	uint8_t is_at_call;
	/** NOWHERE if no path leads to a return. */
	int8_t cfa_reg;
	int16_t cfa_off;
	/** Distance from the CFA; 0 if the value is in its register. */
	int16_t ra_off;
	int16_t saved_off;
};

static void check_cases(const struct unw_arch *arch, const struct unw_section *text, uint8_t saved,
	const struct code_case *cases, size_t n)
{
	struct unw_row row;

	for (size_t i = 0; i < n; i++) {
		const struct code_case *c = &cases[i];
		bool is_found = unw_code_find_row(text, arch, c->addr, c->is_at_call, &row);

		assert_int_equal(is_found, c->cfa_reg != NOWHERE);
		if (!is_found)
			continue;
		assert_true(row.is_guess);
		assert_int_equal(row.cfa_reg, c->cfa_reg);
		assert_int_equal(row.cfa_off, c->cfa_off);
		assert_int_equal(row.ra_column, arch->ra);
		assert_int_equal(row.regs[arch->sp].kind, UNW_RULE_VAL_OFFSET);
		assert_int_equal(
			row.regs[arch->ra].kind, c->ra_off ? UNW_RULE_OFFSET : UNW_RULE_SAME);
		if (c->ra_off)
			assert_int_equal(row.regs[arch->ra].off, c->ra_off);
		assert_int_equal(
			row.regs[saved].kind, c->saved_off ? UNW_RULE_OFFSET : UNW_RULE_SAME);
		if (c->saved_off)
			assert_int_equal(row.regs[saved].off, c->saved_off);
	}
}

#define CHECK(arch, bytes, saved, cases) \
	check_cases(arch, \
		&(struct unw_section){ .data = (bytes), .size = sizeof(bytes), .vaddr = TEXT }, \
		saved, cases, PD_ARRAY_LEN(cases))

static void riscv64(void **state)
{
	enum { SP = 2, S0 = 8, S1 = 9 };
	/* s0 */
	static const struct code_case frames[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1002, LEAF, SP, 32, 0, 0 },
		{ 0x1006, LEAF, SP, 32, -8, -16 },
		{ 0x1008, LEAF, S0, 0, -8, -16 },
		{ 0x100d, CALL, S0, 0, -8, -16 },
		{ 0x1014, LEAF, S0, 0, -8, -16 },
		{ 0x101a, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x101d, CALL, NOWHERE, 0, 0, 0 },
		{ 0x1024, LEAF, SP, 32, -8, -16 },
		{ 0x1026, LEAF, SP, 32, 0, -16 },
		{ 0x1028, LEAF, SP, 32, 0, 0 },
		{ 0x102a, LEAF, SP, 0, 0, 0 },
	};
	/* s1 */
	static const struct code_case others[] = {
		{ 0x102c, LEAF, SP, 0, 0, 0 },
		{ 0x102e, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x1032, LEAF, SP, 4096, 0, 8 - 4096 },
		{ 0x1034, LEAF, SP, 4096, 0, 0 },
		{ 0x103a, LEAF, SP, 0, 0, 0 },
		{ 0x1046, LEAF, SP, 0, 0, 0 },
		/* Functions called with t0 return with a changed stack pointer. */
		{ 0x104a, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x104d, CALL, NOWHERE, 0, 0, 0 },
		{ 0x104e, LEAF, SP, 0, 0, 0 },
		{ 0x1100, LEAF, NOWHERE, 0, 0, 0 },
	};

	(void)state;
	CHECK(&unw_arch_riscv64, riscv64_text, S0, frames);
	CHECK(&unw_arch_riscv64, riscv64_text, S1, others);
}

/* r4 */
static void thumb(void **state)
{
	enum { R4 = 4, R7 = 7, SP = 13 };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1002, LEAF, SP, 12, -4, -12 },
		{ 0x1004, LEAF, SP, 32, -4, -12 },
		{ 0x1006, LEAF, R7, 24, -4, -12 },
		{ 0x100f, CALL, R7, 24, -4, -12 },
		{ 0x1016, LEAF, R7, 24, -4, -12 },
		{ 0x101c, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x101f, CALL, NOWHERE, 0, 0, 0 },
		{ 0x1026, LEAF, R7, 24, -4, -12 },
		{ 0x1028, LEAF, R7, 12, -4, -12 },
		{ 0x102a, LEAF, SP, 12, -4, -12 },
		{ 0x102c, LEAF, SP, 0, 0, 0 },
		{ 0x1034, LEAF, SP, 1040, -4, 0 },
		{ 0x1039, CALL, SP, 1040, -4, 8 - 1040 },
		{ 0x1042, LEAF, SP, 4, -4, 0 },
		{ 0x1046, LEAF, SP, 4096, 0, 0 },
		/* Registers are pushed while another register holds the base of the frame. */
		{ 0x104e, LEAF, R7, 0, 0, 0 },
	};

	(void)state;
	CHECK(&unw_arch_arm, thumb_text, R4, cases);
}

static void arm(void **state)
{
	enum { R4 = 4, R11 = 11, SP = 13 };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1004, LEAF, SP, 12, -4, -12 },
		{ 0x1008, LEAF, R11, 4, -4, -12 },
		{ 0x1017, CALL, R11, 4, -4, -12 },
		{ 0x1020, LEAF, R11, 4, -4, -12 },
		{ 0x102c, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x1038, LEAF, SP, 12, -4, -12 },
		{ 0x103c, LEAF, SP, 0, 0, 0 },
		{ 0x1048, LEAF, SP, 20, -4, -12 },
		{ 0x1054, LEAF, SP, 4, -4, 0 },
		{ 0x1058, LEAF, SP, 0, 0, 0 },
		{ 0x105c, LEAF, SP, 0, 0, 0 },
	};

	(void)state;
	CHECK(&unw_arch_arm, arm_text, R4, cases);
}

/*
 * A stub by which linkers reach a function that is far away, between words that are not code:
 *   1000 bx pc
 *   1002 b 1000
 *   1004 ldr ip, [pc]
 *   1008 add pc, ip, pc
 */
static void stub_of_arm(void **state)
{
	enum { R4 = 4, SP = 13 };
	static const uint8_t stub[] = { 0x78, 0x47, 0xfd, 0xe7, 0x00, 0xc0, 0x9f, 0xe5, 0x0f, 0xf0,
		0x8c, 0xe0, 0xb9, 0x52, 0xf4, 0xff };
	static const struct code_case cases[] = {
		{ 0x1004, LEAF, SP, 0, 0, 0 },
		{ 0x1008, LEAF, SP, 0, 0, 0 },
	};

	(void)state;
	CHECK(&unw_arch_arm, stub, R4, cases);
}

/** Marks decide which instruction set the code is of, however it looks. */
static void marks_of_arm(void **state)
{
	enum { R4 = 4, SP = 13 };
	/* push {r4, lr} and pop {r4, pc} in Thumb; the same in ARM, which look like Thumb alone. */
	static const uint8_t bytes[] = { 0x10, 0xb5, 0x10, 0xbd, 0x10, 0x40, 0x2d, 0xe9, 0x10, 0x80,
		0xbd, 0xe8 };
	static const uint64_t marks[] = { TEXT | 1, TEXT + 4 };
	const struct unw_section text = { .data = bytes,
		.size = sizeof(bytes),
		.vaddr = TEXT,
		.mapping_symbols = UNW_LIST_OF(marks) };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1002, LEAF, SP, 8, -4, -8 },
		{ 0x1004, LEAF, SP, 0, 0, 0 },
		{ 0x1008, LEAF, SP, 8, -4, -8 },
	};

	(void)state;
	check_cases(&unw_arch_arm, &text, R4, cases, PD_ARRAY_LEN(cases));
}

/** A call is the last instruction of its function if the next one signs the return address. */
static void signed_functions_of_aarch64(void **state)
{
	enum { FP = 29, SP = 31 };
	const uint32_t words[] = { htole32(0xa9be7bfd), /* 1000 stp x29, x30, [sp, #-32]! */
		htole32(0x94000000),			/* 1004 bl */
		htole32(0xd503233f),			/* 1008 paciasp */
		htole32(0xa9bf7bfd),			/* 100c stp x29, x30, [sp, #-16]! */
		htole32(0xa8c17bfd),			/* 1010 ldp x29, x30, [sp], #16 */
		htole32(0xd50323bf),			/* 1014 autiasp */
		htole32(0xd65f03c0) };			/* 1018 ret */
	static const struct code_case cases[] = {
		{ 0x1007, CALL, NOWHERE, 0, 0, 0 },
		{ 0x100c, LEAF, SP, 0, 0, 0 },
		{ 0x1010, LEAF, SP, 16, -8, -16 },
	};

	const struct unw_section text = {
		.data = (const uint8_t *)words, .size = sizeof(words), .vaddr = TEXT
	};

	(void)state;
	check_cases(&unw_arch_aarch64, &text, FP, cases, PD_ARRAY_LEN(cases));
}

static void ppc64(void **state)
{
	enum { R0 = 0, R31 = 31, SP = 1, LR = 65 };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1008, LEAF, SP, 0, 0, 0 },
		{ 0x100c, LEAF, SP, 0, 16, -8 },
		{ 0x1018, LEAF, SP, 0, 0, 0 },
		{ 0x101c, LEAF, SP, 0, 0, 0 },
		{ 0x1028, LEAF, SP, 0, 0, 0 },
		{ 0x102c, LEAF, NOWHERE, 0, 0, 0 },
	};
	uint8_t bytes[sizeof(ppc64_words)];
	struct unw_row row;

	(void)state;
	for (size_t i = 0; i < N_PPC64_WORDS; i++)
		memcpy(bytes + 4 * i, &(uint32_t){ htobe32(ppc64_words[i]) }, 4);
	CHECK(&unw_arch_ppc64, bytes, R31, cases);
	for (size_t i = 0; i < N_PPC64_WORDS; i++)
		memcpy(bytes + 4 * i, &(uint32_t){ htole32(ppc64_words[i]) }, 4);
	CHECK(&unw_arch_ppc64le, bytes, R31, cases);
	/* r0 is not changed and may hold the return address. */
	const struct unw_section text = { .data = bytes, .size = sizeof(bytes), .vaddr = TEXT };
	assert_true(unw_code_find_row(&text, &unw_arch_ppc64le, 0x1000, LEAF, &row));
	assert_int_equal(row.regs[R0].kind, UNW_RULE_SAME);
	assert_true(unw_code_find_row(&text, &unw_arch_ppc64le, 0x1014, LEAF, &row));
	assert_int_equal(row.regs[LR].kind, UNW_RULE_REGISTER);
	assert_int_equal(row.regs[LR].reg, R0);
}

static void aarch64(void **state)
{
	enum { X19 = 19, SP = 31 };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 0, 0, 0 },
		{ 0x1004, LEAF, SP, 0, 0, 0 },
		{ 0x1008, LEAF, SP, 48, -40, 0 },
		{ 0x1010, LEAF, SP, 48, -40, -32 },
		{ 0x1017, CALL, SP, 48, -40, -32 },
		{ 0x101c, LEAF, SP, 48, -40, 0 },
		{ 0x1020, LEAF, SP, 0, 0, 0 },
		/* A call that does not return is last. */
		{ 0x1024, LEAF, NOWHERE, 0, 0, 0 },
		{ 0x1027, CALL, NOWHERE, 0, 0, 0 },
		{ 0x102c, LEAF, SP, 0, 0, 0 },
		{ 0x103f, CALL, SP, 4112, 8 - 4112, -4112 },
		{ 0x1054, LEAF, SP, 0, 0, 0 },
		{ 0x105c, LEAF, SP, 0, 0, 0 },
		{ 0x1060, LEAF, SP, 16, 0, -16 },
		{ 0x1064, LEAF, SP, 0, 0, 0 },
		{ 0x1070, LEAF, NOWHERE, 0, 0, 0 },
	};
	uint8_t bytes[sizeof(aarch64_words)];
	struct unw_row row;

	(void)state;
	for (size_t i = 0; i < N_AARCH64_WORDS; i++)
		memcpy(bytes + 4 * i, &(uint32_t){ htole32(aarch64_words[i]) }, 4);
	CHECK(&unw_arch_aarch64, bytes, X19, cases);
	/* From the start of the function to the call that does not return. */
	const struct unw_section text = { .data = bytes, .size = sizeof(bytes), .vaddr = TEXT };
	assert_true(unw_code_find_row_from(
		&text, &unw_arch_aarch64, TEXT, 0x1027, CALL, UNW_CODE_STRICT, &row));
	assert_int_equal(row.cfa_off, 48);
	assert_int_equal(row.regs[X19].off, -32);
	assert_false(unw_code_find_row_from(
		&text, &unw_arch_aarch64, TEXT, 0x1060, LEAF, UNW_CODE_STRICT, &row));
}

static void s390x(void **state)
{
	enum { R11 = 11, SP = 15 };
	static const struct code_case cases[] = {
		{ 0x1000, LEAF, SP, 160, 0, 0 },
		{ 0x1006, LEAF, SP, 160, -48, -72 },
		{ 0x100c, LEAF, SP, 336, -48, -72 },
		{ 0x1010, LEAF, R11, 336, -48, -72 },
		{ 0x1015, CALL, R11, 336, -48, -72 },
		{ 0x101c, LEAF, SP, 160, 0, 0 },
		{ 0x101e, LEAF, SP, 160, 0, 0 },
		/* Past the copy of r11 in f0, which is not in memory. */
		{ 0x1030, LEAF, SP, 160, 0, 0 },
	};
	const struct unw_section text = {
		.data = s390x_text, .size = sizeof(s390x_text), .vaddr = TEXT
	};
	struct unw_row row;

	(void)state;
	CHECK(&unw_arch_s390x, s390x_text, R11, cases);
	assert_true(unw_code_find_row(&text, &unw_arch_s390x, 0x1022, LEAF, &row));
	assert_int_equal(row.regs[R11].kind, UNW_RULE_REGISTER);
	assert_int_equal(row.regs[R11].reg, 16);
}

/** Random bytes may give a row or none, but the analysis must end. */
static void random_bytes(void **state)
{
	uint8_t bytes[4096];
	struct unw_row row;
	uint32_t random = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		random = random * 1103515245 + 12345;
		bytes[i] = (uint8_t)(random >> 16);
	}
	const struct unw_section text = { .data = bytes, .size = sizeof(bytes), .vaddr = TEXT };
	for (uint64_t addr = TEXT; addr < TEXT + sizeof(bytes); addr++) {
		unw_code_find_row(&text, &unw_arch_riscv64, addr, LEAF, &row);
		unw_code_find_row(&text, &unw_arch_arm, addr, CALL, &row);
		unw_code_find_row(&text, &unw_arch_arm, addr, LEAF, &row);
		unw_code_find_row(&text, &unw_arch_i386, addr, LEAF, &row);
		unw_code_find_row(&text, &unw_arch_x86_64, addr, CALL, &row);
		unw_code_find_row(&text, &unw_arch_aarch64, addr, LEAF, &row);
		unw_code_find_row(&text, &unw_arch_s390x, addr, CALL, &row);
		unw_code_find_row(&text, &unw_arch_ppc64, addr, LEAF, &row);
	}
}

/** At calls ARM's tables take precedence over the code, elsewhere the code does. */
static void code_and_tables(void **state)
{
	enum { INDEX = 0x2000, FINISH = 0x80b0b0b0 };
	const uint32_t index[] = { (TEXT - INDEX) & 0x7fffffff, FINISH };
	const struct unw_binary_input input = {
		.arch = &base_arch_arm,
		.exidx = { .data = (const uint8_t *)index, .size = sizeof(index), .vaddr = INDEX },
		.text = { .data = thumb_text, .size = sizeof(thumb_text), .vaddr = TEXT },
	};
	enum unw_cfi_result result;
	struct unw_binary *binary;
	struct unw_row row;

	(void)state;
	assert_ok(unw_binary_create(&input, &binary));
	assert_ok(unw_binary_find_row(binary, 0x1002, false, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.is_guess);
	assert_int_equal(row.cfa_off, 12);
	assert_ok(unw_binary_find_row(binary, 0x100f, true, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.is_inexact);
	assert_int_equal(row.cfa_off, 0);
	assert_ok(unw_binary_find_row(binary, 0x101c, false, &result, &row));
	assert_true(row.is_inexact);
	unw_binary_destroy(binary);
}

/** After a call a row that claims the return address is in the link register is replaced. */
static void code_and_empty_information(void **state)
{
	struct test_bytes eh_frame = { 0 };
	size_t start = begin_entry(&eh_frame);
	enum unw_cfi_result result;
	struct unw_binary *binary;
	struct unw_row row;

	(void)state;
	put(&eh_frame, 0, 4);
	put(&eh_frame, 1, 1);
	put_bytes(&eh_frame, "", 1);
	put(&eh_frame, 1, 1);
	put(&eh_frame, 0x78, 1);
	put(&eh_frame, 1, 1);
	put_bytes(&eh_frame, (const uint8_t[]){ DW_CFA_def_cfa, 2, 0 }, 3);
	end_entry(&eh_frame, start);
	start = begin_entry(&eh_frame);
	put(&eh_frame, eh_frame.n, 4);
	put(&eh_frame, TEXT, 8);
	put(&eh_frame, 0x100, 8);
	end_entry(&eh_frame, start);
	const struct unw_binary_input input = {
		.arch = &base_arch_riscv64,
		.eh_frame = { .data = eh_frame.data, .size = eh_frame.n, .vaddr = 0x8000 },
		.text = { .data = riscv64_text, .size = sizeof(riscv64_text), .vaddr = TEXT },
	};
	assert_ok(unw_binary_create(&input, &binary));
	assert_ok(unw_binary_find_row(binary, 0x100d, false, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_false(row.is_guess);
	assert_ok(unw_binary_find_row(binary, 0x100d, true, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.is_guess);
	assert_int_equal(row.regs[1].off, -8);
	unw_binary_destroy(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(riscv64),
		cmocka_unit_test(ppc64),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(s390x),
		cmocka_unit_test(thumb),
		cmocka_unit_test(arm),
		cmocka_unit_test(stub_of_arm),
		cmocka_unit_test(marks_of_arm),
		cmocka_unit_test(signed_functions_of_aarch64),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(code_and_tables),
		cmocka_unit_test(code_and_empty_information),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
