/* Rows found by following x86 instructions. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "tests/unit/test.h"
#include "unwind/rules/code_analysis.h"
#include "unwind/machines/x86_insn.h"
#include "unwind/machines/x86_writes.h"

/*
 * f:
 *   1000 push %rbp
 *   1001 mov %rsp,%rbp
 *   1004 push %rbx
 *   1005 sub $0x18,%rsp
 *   1009 test %edi,%edi
 *   100b je 1018 <f+0x18>
 *   100d call 1000 <f>
 *   1012 mov -0x8(%rbp),%rbx
 *   1016 leave
 *   1017 ret
 *   1018 call 1000 <f>
 *   101d ud2
 * g:
 *   101f push %r12
 *   1021 sub $0x10,%rsp
 *   1025 mov %rbx,0x8(%rsp)
 *   102a cmp $0x2,%edi
 *   102d ja 1039 <g+0x1a>
 *   102f movslq (%rdx,%rdi,4),%rax
 *   1033 add %rdx,%rax
 *   1036 notrack jmp *%rax
 *   1039 mov 0x8(%rsp),%rbx
 *   103e add $0x10,%rsp
 *   1042 pop %r12
 *   1044 mov %rdx,%rax
 *   1047 jmp *%rax
 * h:
 *   1049 lea 0x8(%rsp),%r10
 *   104e and $0xffffffffffffffe0,%rsp
 *   1052 push -0x8(%r10)
 *   1056 push %rbp
 *   1057 mov %rsp,%rbp
 *   105a push %r10
 *   105c sub $0x60,%rsp
 *   1060 vaddps 0x20(%rsp),%ymm1,%ymm2
 *   1066 mov -0x8(%rbp),%r10
 *   106a leave
 *   106b lea -0x8(%r10),%rsp
 *   106f ret
 *   1070 nop
 * i:
 *   1071 enter $0x20,$0x0
 *   1075 pushf
 *   1076 push %fs
 *   1078 pop %fs
 *   107a popf
 *   107b xor %ebx,%ebx
 *   107d leave
 *   107e ret $0x8
 *   1081 int3
 *   1082 (bad)
 */
static const uint8_t x86_64_text[] = { 0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x18, 0x85,
	0xff, 0x74, 0x0b, 0xe8, 0xee, 0xff, 0xff, 0xff, 0x48, 0x8b, 0x5d, 0xf8, 0xc9, 0xc3, 0xe8,
	0xe3, 0xff, 0xff, 0xff, 0x0f, 0x0b, 0x41, 0x54, 0x48, 0x83, 0xec, 0x10, 0x48, 0x89, 0x5c,
	0x24, 0x08, 0x83, 0xff, 0x02, 0x77, 0x0a, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0x3e,
	0xff, 0xe0, 0x48, 0x8b, 0x5c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x10, 0x41, 0x5c, 0x48, 0x89,
	0xd0, 0xff, 0xe0, 0x4c, 0x8d, 0x54, 0x24, 0x08, 0x48, 0x83, 0xe4, 0xe0, 0x41, 0xff, 0x72,
	0xf8, 0x55, 0x48, 0x89, 0xe5, 0x41, 0x52, 0x48, 0x83, 0xec, 0x60, 0xc5, 0xf4, 0x58, 0x54,
	0x24, 0x20, 0x4c, 0x8b, 0x55, 0xf8, 0xc9, 0x49, 0x8d, 0x62, 0xf8, 0xc3, 0x90, 0xc8, 0x20,
	0x00, 0x00, 0x9c, 0x0f, 0xa0, 0x0f, 0xa1, 0x9d, 0x31, 0xdb, 0xc9, 0xc2, 0x08, 0x00, 0xcc,
	0x06 };

/*
 * pc:
 *   1000 mov (%esp),%ebx
 *   1003 ret
 *   1004 push %ebp
 *   1005 ret
 * main:
 *   1006 lea 0x4(%esp),%ecx
 *   100a and $0xfffffff0,%esp
 *   100d push -0x4(%ecx)
 *   1010 push %ebp
 *   1011 mov %esp,%ebp
 *   1013 push %ebx
 *   1014 push %ecx
 *   1015 sub $0x10,%esp
 *   1018 call 101d <main+0x17>
 *   101d pop %ebx
 *   101e call 1039 <pops>
 *   1023 lea -0x8(%ebp),%esp
 *   1026 pop %ecx
 *   1027 pop %ebx
 *   1028 pop %ebp
 *   1029 lea -0x4(%ecx),%esp
 *   102c ret
 * caller:
 *   102d push %esi
 *   102e push $0x1
 *   1030 call 1039 <pops>
 *   1035 mov %dh,%dl
 *   1037 pop %esi
 *   1038 ret
 * pops:
 *   1039 mov 0x4(%esp),%eax
 *   103d ret $0x4
 */
static const uint8_t i386_text[] = { 0x8b, 0x1c, 0x24, 0xc3, 0x55, 0xc3, 0x8d, 0x4c, 0x24, 0x04,
	0x83, 0xe4, 0xf0, 0xff, 0x71, 0xfc, 0x55, 0x89, 0xe5, 0x53, 0x51, 0x83, 0xec, 0x10, 0xe8,
	0x00, 0x00, 0x00, 0x00, 0x5b, 0xe8, 0x16, 0x00, 0x00, 0x00, 0x8d, 0x65, 0xf8, 0x59, 0x5b,
	0x5d, 0x8d, 0x61, 0xfc, 0xc3, 0x56, 0x6a, 0x01, 0xe8, 0x04, 0x00, 0x00, 0x00, 0x88, 0xf2,
	0x5e, 0xc3, 0x8b, 0x44, 0x24, 0x04, 0xc2, 0x04, 0x00 };

enum { TEXT = 0x1000, LEAF = 0, CALL = 1 };

struct row_case {
	uint16_t addr;
	/** CALL if addr is the last byte of a call. */
	uint8_t is_at_call;
	/**
	 * CFA, and where the registers are that do not have the caller's value: as distance from
	 * the CFA, or at a register; "" if no path leads to a return.
	 */
	const char *row;
};

struct machine {
	const struct unw_arch *arch;
	const char *const *regs;
};

static const char *const x86_64_regs[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ra" };
static const char *const i386_regs[] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
	"ra" };
static const struct machine x86_64 = { &unw_arch_x86_64, x86_64_regs };
static const struct machine x86_32 = { &unw_arch_i386, i386_regs };

static void print_rule(
	FILE *out, const struct machine *machine, const struct unw_row *row, uint8_t reg)
{
	const struct unw_rule *rule = &row->regs[reg];

	switch (rule->kind) {
	case UNW_RULE_SAME:
		return;
	case UNW_RULE_OFFSET:
		fprintf(out, " %s%+" PRId64, machine->regs[reg], rule->off);
		return;
	case UNW_RULE_AT_REGISTER:
		fprintf(out, " %s@%s%+" PRId64, machine->regs[reg], machine->regs[rule->at.reg],
			rule->at.off);
		return;
	case UNW_RULE_UNSPECIFIED:
		fprintf(out, " %s lost", machine->regs[reg]);
		return;
	default:
		fail();
	}
}

static void print_row(FILE *out, const struct machine *machine, const struct unw_row *row)
{
	const struct unw_arch *arch = machine->arch;

	assert_true(row->is_guess);
	assert_int_equal(row->regs[arch->sp].kind, UNW_RULE_VAL_OFFSET);
	fprintf(out, row->is_cfa_in_memory ? "*(%s%+" PRId64 ")" : "%s%+" PRId64,
		machine->regs[row->cfa_reg], row->cfa_off);
	for (size_t i = 0; i < arch->defaults.n; i++) {
		uint8_t reg = arch->defaults.data[i].reg;

		if (arch->defaults.data[i].rule.kind == UNW_RULE_SAME || reg == arch->ra)
			print_rule(out, machine, row, reg);
	}
}

static void check(const struct machine *machine, const struct unw_section *text,
	const struct row_case *cases, size_t n)
{
	struct unw_row row;
	char found[256];

	for (size_t i = 0; i < n; i++) {
		FILE *out = fmemopen(found, sizeof(found), "w");

		assert_non_null(out);
		found[0] = '\0';
		if (unw_code_find_row(
			    text, machine->arch, cases[i].addr, cases[i].is_at_call, &row))
			print_row(out, machine, &row);
		fclose(out);
		if (strcmp(found, cases[i].row) != 0)
			fail_msg("%x: '%s' instead of '%s'", cases[i].addr, found, cases[i].row);
	}
}

#define CHECK(machine, bytes, cases) \
	check(machine, \
		&(struct unw_section){ .data = (bytes), .size = sizeof(bytes), .vaddr = TEXT }, \
		cases, PD_ARRAY_LEN(cases))

static void frames(void **state)
{
	static const struct row_case cases[] = {
		{ 0x1000, LEAF, "rsp+8 ra-8" },
		{ 0x1001, LEAF, "rsp+16 rbp-16 ra-8" },
		/* rbp was just set to rsp, so the pushes after it are seen. */
		{ 0x1004, LEAF, "rsp+16 rbp-16 ra-8" },
		{ 0x1005, LEAF, "rsp+24 rbx-24 rbp-16 ra-8" },
		{ 0x1009, LEAF, "rbp+16 rbx-24 rbp-16 ra-8" },
		{ 0x1011, CALL, "rbp+16 rbx-24 rbp-16 ra-8" },
		{ 0x1016, LEAF, "rbp+16 rbp-16 ra-8" },
		{ 0x1017, LEAF, "rsp+8 ra-8" },
		{ 0x1018, LEAF, "" },
		{ 0x101c, CALL, "" },
	};

	(void)state;
	CHECK(&x86_64, x86_64_text, cases);
}

static void jumps(void **state)
{
	static const struct row_case cases[] = {
		{ 0x101f, LEAF, "rsp+8 ra-8" },
		{ 0x1025, LEAF, "rsp+32 r12-16 ra-8" },
		/* A jump through a table goes on after it; one after the epilogue leaves. */
		{ 0x102f, LEAF, "rsp+32 rbx-24 r12-16 ra-8" },
		{ 0x1036, LEAF, "rsp+32 rbx-24 r12-16 ra-8" },
		{ 0x1039, LEAF, "rsp+32 rbx-24 r12-16 ra-8" },
		{ 0x1042, LEAF, "rsp+16 r12-16 ra-8" },
		{ 0x1044, LEAF, "rsp+8 ra-8" },
	};

	(void)state;
	CHECK(&x86_64, x86_64_text, cases);
}

static void realigned(void **state)
{
	static const struct row_case cases[] = {
		{ 0x1049, LEAF, "rsp+8 ra-8" },
		{ 0x104e, LEAF, "r10+0 ra-8" },
		{ 0x1056, LEAF, "r10+0 ra-8" },
		{ 0x1057, LEAF, "r10+0 rbp@rsp+0 ra-8" },
		{ 0x105a, LEAF, "r10+0 rbp@rsp+0 ra-8" },
		{ 0x105c, LEAF, "*(rsp+0) rbp@rsp+8 ra-8" },
		{ 0x1060, LEAF, "*(rbp-8) rbp@rbp+0 ra-8" },
		{ 0x1066, LEAF, "*(rbp-8) rbp@rbp+0 ra-8" },
		{ 0x106a, LEAF, "r10+0 rbp@rbp+0 ra-8" },
		{ 0x106b, LEAF, "r10+0 ra-8" },
		{ 0x106f, LEAF, "rsp+8 ra-8" },
	};

	(void)state;
	CHECK(&x86_64, x86_64_text, cases);
}

static void other_instructions(void **state)
{
	static const struct row_case cases[] = {
		{ 0x1071, LEAF, "rsp+8 rbx lost ra-8" },
		{ 0x1076, LEAF, "rbp+16 rbx lost rbp-16 ra-8" },
		{ 0x107d, LEAF, "rbp+16 rbp-16 ra-8" },
		{ 0x107e, LEAF, "rsp+8 ra-8" },
		/* int3, and a byte that is not an instruction */
		{ 0x1081, LEAF, "" },
		{ 0x1082, LEAF, "" },
		{ 0x1083, LEAF, "" },
	};

	(void)state;
	CHECK(&x86_64, x86_64_text, cases);
}

static void main_of_i386(void **state)
{
	static const struct row_case cases[] = {
		{ 0x1006, LEAF, "esp+4 ra-4" },
		{ 0x1010, LEAF, "ecx+0 ra-4" },
		{ 0x1018, LEAF, "*(ebp-8) ebx@ebp-4 ebp@ebp+0 ra-4" },
		/* call of the next instruction */
		{ 0x101d, LEAF, "*(ebp-8) ebx@ebp-4 ebp@ebp+0 ra-4" },
		{ 0x1022, CALL, "*(ebp-8) ebx@ebp-4 ebp@ebp+0 ra-4" },
		{ 0x1026, LEAF, "*(esp+0) ebx@esp+4 ebp@esp+8 ra-4" },
		{ 0x1029, LEAF, "ecx+0 ra-4" },
	};

	(void)state;
	CHECK(&x86_32, i386_text, cases);
}

/** A function that removes its arguments from the stack, and its caller. */
static void removed_arguments(void **state)
{
	static const struct row_case cases[] = {
		{ 0x102d, LEAF, "esp+4 ra-4" },
		{ 0x102e, LEAF, "esp+8 esi-8 ra-4" },
		/* pops has removed a word that was there when it was called */
		{ 0x1034, CALL, "esp+12 esi-8 ra-4" },
		{ 0x1037, LEAF, "esp+8 esi-8 ra-4" },
		{ 0x1039, LEAF, "esp+4 ra-4" },
	};

	(void)state;
	CHECK(&x86_32, i386_text, cases);
}

/** Instruction with its registers. */
struct insn_case {
	uint8_t bytes[UNW_X86_MAX_LEN + 1];
	uint8_t len;
	/** Expected mask of registers that are written. */
	uint16_t writes;
	bool is_32;
};

static void instructions(void **state)
{
	enum { RAX = 1, RCX = 2, RDX = 4, RBX = 8, RBP = 32, RSI = 64, RDI = 128, R9 = 512 };
	static const struct insn_case cases[] = {
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, 4, 0, false },		   /* endbr64 */
		{ { 0x66, 0x2e, 0x0f, 0x1f, 0x84 }, 10, 0, false },	   /* nop */
		{ { 0x48, 0xb8 }, 10, RAX, false },			   /* movabs */
		{ { 0x66, 0xbb }, 4, RBX, false },			   /* mov $0,%bx */
		{ { 0xb7 }, 2, RBX, false },				   /* mov $0,%bh */
		{ { 0x40, 0xb5 }, 3, RBP, false },			   /* mov $0,%bpl */
		{ { 0x0f, 0x45, 0xeb }, 3, RBP, false },		   /* cmovne %ebx,%ebp */
		{ { 0x83, 0xfb }, 3, 0, false },			   /* cmp $0,%ebx */
		{ { 0x83, 0xeb }, 3, RBX, false },			   /* sub $0,%ebx */
		{ { 0xf7, 0xc3 }, 6, 0, false },			   /* test $0,%ebx */
		{ { 0xf7, 0xdb }, 2, RBX, false },			   /* neg %ebx */
		{ { 0xf7, 0xf3 }, 2, RAX | RDX, false },		   /* div %ebx */
		{ { 0xf3, 0x48, 0xab }, 3, RAX | RCX | RSI | RDI, false }, /* rep stos */
		{ { 0x0f, 0xa2 }, 2, RAX | RBX | RCX | RDX, false },	   /* cpuid */
		{ { 0x0f, 0xb1, 0x2b }, 3, RAX, false },		   /* cmpxchg %ebp,(%rbx) */
		{ { 0x0f, 0xc9 }, 2, RCX, false },			   /* bswap %ecx */
		{ { 0x0f, 0x22, 0xb7 }, 3, 0, false },			   /* mov %rdi,%cr6 */
		{ { 0x0f, 0x20, 0x43 }, 3, RBX, false },		   /* mov %cr0,%rbx */
		{ { 0xc5, 0xf8, 0x77 }, 3, 0, false },			   /* vzeroupper */
		{ { 0xc5, 0xfd, 0xd7, 0xd8 }, 4, RBX, false }, /* vpmovmskb %ymm0,%ebx */
		{ { 0xc4, 0xe2, 0x63, 0xf6, 0xe8 }, 5, RBX | RBP, false }, /* mulx %eax,%ebx,%ebp */
		{ { 0xc4, 0x62, 0x60, 0xf2, 0xc8 }, 5, R9, false },	   /* andn %eax,%ebx,%r9d */
		/* vpternlogd $0,8*64(%rbx),%zmm1,%zmm2 */
		{ { 0x62, 0xf3, 0x75, 0x48, 0x25, 0x53, 0x08 }, 8, 0, false },
		/* loads and stores relative to rip, with and without an immediate */
		{ { 0x8b, 0x1d }, 6, RBX, false }, { { 0xc7, 0x05 }, 10, 0, false },
		{ { 0x89, 0x5c, 0x24, 0x08 }, 4, 0, false },	     /* mov %ebx,8(%rsp) */
		{ { 0x66, 0x48, 0x0f, 0x7e, 0xc3 }, 5, RBX, false }, /* movq %xmm0,%rbx */
		{ { 0xf3, 0x0f, 0x7e, 0xc3 }, 4, 0, false },	     /* movq %xmm3,%xmm0 */
		/* Not instructions, unknown ones, and prefixes without one. */
		{ { 0x06 }, 0, 0, false }, { { 0xd5, 0x10, 0x11 }, 0, 0, false },
		{ { 0x0f, 0x04 }, 0, 0, false },
		{ { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
			  0x66, 0x66, 0x90 },
			0, 0, false },
		/* Branches with operands of 16 bits, of which processors differ. */
		{ { 0x66, 0xe8 }, 0, 0, false }, { { 0x66, 0xe8 }, 4, 0, true },
		{ { 0x06 }, 1, 0, true }, { { 0x43 }, 1, RBX, true }, /* inc %ebx */
		{ { 0xc5, 0x18 }, 2, RBX, true },		      /* lds (%eax),%ebx */
		{ { 0xc5, 0xf8, 0x77 }, 3, 0, true },		      /* vzeroupper */
		{ { 0x67, 0x8b, 0x5e }, 4, RBX, true },		      /* mov 0(%bp),%ebx */
		{ { 0x67, 0x8b, 0x1e }, 5, RBX, true },		      /* mov (0),%ebx */
		{ { 0xea }, 7, 0, true },			      /* ljmp */
		{ { 0xa1 }, 5, RAX, true },			      /* mov 0,%eax */
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct insn_case *c = &cases[i];
		struct unw_x86_insn insn;
		bool is_known = unw_x86_insn_read(c->bytes, sizeof(c->bytes), !c->is_32, &insn);

		if (is_known != (c->len != 0) || (is_known && insn.len != c->len))
			fail_msg("case %zu: %d bytes", i, is_known ? insn.len : 0);
		if (is_known && unw_x86_insn_writes(&insn) != c->writes)
			fail_msg("case %zu: writes %x", i, unw_x86_insn_writes(&insn));
		/* An instruction that is cut off is not one. */
		if (is_known)
			assert_false(
				unw_x86_insn_read(c->bytes, (size_t)c->len - 1, !c->is_32, &insn));
	}
}

/* Calls before an address: direct ones, and those to an address in a register or in memory. */
static void calls_before(void **state)
{
	static const struct {
		uint8_t bytes[10];
		size_t n;
		enum unw_call kind;
	} cases[] = {
		{ { 0xe8, 0x10, 0, 0, 0 }, 5, UNW_CALL_DIRECT },
		{ { 0xff, 0xd0 }, 2, UNW_CALL_INDIRECT },
		{ { 0xff, 0x50, 0x28 }, 3, UNW_CALL_INDIRECT },
		{ { 0xff, 0x15, 1, 2, 3, 4 }, 6, UNW_CALL_INDIRECT },
		{ { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, 7, UNW_CALL_INDIRECT },
		{ { 0xff, 0xe0 }, 2, UNW_CALL_NONE }, /* jmp *%rax */
		{ { 0xe9, 0x10, 0, 0, 0 }, 5, UNW_CALL_NONE },
		{ { 0x90, 0x90, 0x90, 0x90, 0x90 }, 5, UNW_CALL_NONE },
		{ { 0 }, 0, UNW_CALL_NONE },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct unw_section text = {
			.data = cases[i].bytes, .size = cases[i].n, .vaddr = 0x1000
		};
		uint64_t next = 0x1000 + cases[i].n, target = 0;

		assert_int_equal(
			unw_arch_x86_64.calls.before(&unw_arch_x86_64, &text, next, &target),
			cases[i].kind);
		assert_int_equal(unw_arch_i386.calls.before(&unw_arch_i386, &text, next, &target),
			cases[i].kind);
		assert_int_equal(target, cases[i].kind == UNW_CALL_DIRECT ? 0x1015 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(jumps),
		cmocka_unit_test(realigned),
		cmocka_unit_test(other_instructions),
		cmocka_unit_test(main_of_i386),
		cmocka_unit_test(removed_arguments),
		cmocka_unit_test(instructions),
		cmocka_unit_test(calls_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
