/* Functions at the base of a stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"

enum { TEXT = 0x1000 };

/* runtime.mcall of Go 1.19 on amd64, up to the call on the other stack. */
static const uint8_t mcall[] = {
	0x48, 0x89, 0xc2,	      /* mov %rax, %rdx */
	0x48, 0x8b, 0x1c, 0x24,	      /* mov (%rsp), %rbx */
	0x48, 0x8d, 0x5c, 0x24, 0x08, /* lea 8(%rsp), %rbx */
	0x49, 0x8b, 0x5e, 0x30,	      /* mov 0x30(%r14), %rbx */
	0x49, 0x8b, 0x66, 0x38,	      /* mov 0x38(%r14), %rsp */
	0x50,			      /* push %rax */
	0x4c, 0x8b, 0x22,	      /* mov (%rdx), %r12 */
	0x41, 0xff, 0xd4,	      /* call *%r12 */
};
enum { MCALL_SWITCH = 16, MCALL_SWITCHED = 20 };

static struct unw_binary *create(const struct pd_arch *arch, const uint8_t *code, size_t size,
	const struct unw_root *roots, size_t n)
{
	const struct unw_binary_input input = {
		.arch = arch,
		.text = { .data = code, .size = size, .vaddr = TEXT },
		.roots = { .data = roots, .n = n },
	};
	struct unw_binary *binary;

	assert_null(unw_binary_create(&input, &binary));
	return binary;
}

static void test_ranges(void **state)
{
	const struct unw_root roots[] = { { 0x3000, 0x3010, false }, { 0x2000, 0x2004, false } };
	struct unw_binary *binary = create(&base_arch_x86_64, NULL, 0, roots, 2);

	(void)state;
	assert_false(unw_binary_is_root(binary, 0x1fff));
	assert_true(unw_binary_is_root(binary, 0x2000));
	assert_true(unw_binary_is_root(binary, 0x2003));
	assert_false(unw_binary_is_root(binary, 0x2004));
	assert_true(unw_binary_is_root(binary, 0x300f));
	unw_binary_destroy(binary);
}

/** Before it switches, the function is on the stack of its caller. */
static void test_switch(void **state)
{
	const struct unw_root root = { TEXT, TEXT + sizeof(mcall), true };
	struct unw_binary *binary = create(&base_arch_x86_64, mcall, sizeof(mcall), &root, 1);

	(void)state;
	assert_false(unw_binary_is_root(binary, TEXT));
	assert_false(unw_binary_is_root(binary, TEXT + MCALL_SWITCH));
	assert_true(unw_binary_is_root(binary, TEXT + MCALL_SWITCHED));
	assert_true(unw_binary_is_root(binary, TEXT + sizeof(mcall) - 1));
	assert_false(unw_binary_is_root(binary, TEXT + sizeof(mcall)));
	unw_binary_destroy(binary);
}

/** A function that does not switch is a wrapper, and ranges may be nonsense. */
static void test_no_switch(void **state)
{
	const struct unw_root roots[] = {
		{ TEXT, TEXT + MCALL_SWITCH, true },
		{ TEXT + 4, TEXT, true },
		{ TEXT + sizeof(mcall), UINT64_MAX, true },
		{ 0, UINT64_MAX, true },
		/* The switch is cut off by the end of the section. */
		{ TEXT + sizeof(mcall) - 2, TEXT + 0x1000, true },
	};
	struct unw_binary *binary =
		create(&base_arch_x86_64, mcall, sizeof(mcall), roots, PD_ARRAY_LEN(roots));

	(void)state;
	for (uint64_t addr = TEXT - 8; addr < TEXT + 2 * sizeof(mcall); addr++)
		assert_false(unw_binary_is_root(binary, addr));
	unw_binary_destroy(binary);
}

static void test_too_many(void **state)
{
	struct unw_root roots[UNW_MAX_ROOTS + 1];

	(void)state;
	for (size_t i = 0; i <= UNW_MAX_ROOTS; i++)
		roots[i] = (struct unw_root){ TEXT + 2 * i, TEXT + 2 * i + 1, false };
	struct unw_binary *binary = create(&base_arch_x86_64, NULL, 0, roots, UNW_MAX_ROOTS + 1);
	assert_true(unw_binary_is_root(binary, TEXT + 2 * (UNW_MAX_ROOTS - 1)));
	assert_false(unw_binary_is_root(binary, TEXT + 2 * UNW_MAX_ROOTS));
	unw_binary_destroy(binary);
}

struct switch_case {
	const struct pd_arch *arch;
	uint8_t code[12];
	size_t size;
	/** Offset after the switch; 0: there is none. */
	size_t after;
};

/** Instructions of Go's runtime, and others like them that do not switch stacks. */
static const struct switch_case switch_cases[] = {
	/* mov %rsi, %rsp */
	{ &base_arch_x86_64, { 0x90, 0x48, 0x89, 0xf4, 0x90 }, 5, 4 },
	/* mov (%rax), %rsp; with a 32-bit displacement; by rip; with an index */
	{ &base_arch_x86_64, { 0x48, 0x8b, 0x20 }, 3, 3 },
	{ &base_arch_x86_64, { 0x48, 0x8b, 0xa3, 0, 1, 0, 0, 0x90 }, 8, 7 },
	{ &base_arch_x86_64, { 0x48, 0x8b, 0x25, 0, 1, 0, 0, 0x90 }, 8, 7 },
	{ &base_arch_x86_64, { 0x48, 0x8b, 0x64, 0x24, 0x28, 0x90 }, 6, 5 },
	/* mov %rsp, %rdx; mov %rsi, %r12; mov (%rax), %r12; mov %rsp, (%rax) */
	{ &base_arch_x86_64, { 0x48, 0x89, 0xe2 }, 3, 0 },
	{ &base_arch_x86_64, { 0x49, 0x89, 0xf4 }, 3, 0 },
	{ &base_arch_x86_64, { 0x4c, 0x8b, 0x20 }, 3, 0 },
	{ &base_arch_x86_64, { 0x48, 0x89, 0x20 }, 3, 0 },
	/* mov 0x38(%esi), %esp; mov %esp, %edx */
	{ &base_arch_i386, { 0x8b, 0x66, 0x38, 0x90 }, 4, 3 },
	{ &base_arch_i386, { 0x89, 0xe2 }, 2, 0 },
	/* mov x2, sp; mov sp, x0. add sp, sp, #0x30; mov sp, sp */
	{ &base_arch_aarch64, { 0xe2, 0x03, 0, 0x91, 0x1f, 0, 0, 0x91 }, 8, 8 },
	{ &base_arch_aarch64, { 0xff, 0xc3, 0, 0x91, 0xff, 0x03, 0, 0x91 }, 8, 0 },
	/* ldr sp, [r10, #28]. mov sp, r1. ldr r1, [sp, #8]; ldr sp, [sp] */
	{ &base_arch_arm, { 0x1c, 0xd0, 0x9a, 0xe5, 0 }, 5, 4 },
	{ &base_arch_arm, { 0x01, 0xd0, 0xa0, 0xe1 }, 4, 4 },
	{ &base_arch_arm, { 0x08, 0x10, 0x9d, 0xe5, 0, 0xd0, 0x9d, 0xe5 }, 8, 0 },
	/* ld sp, 56(s11). mv sp, t0. addi sp, sp, -16; ld sp, 0(sp) */
	{ &base_arch_riscv64, { 0x03, 0xb1, 0x8d, 0x03 }, 4, 4 },
	{ &base_arch_riscv64, { 0x13, 0x81, 0x02, 0 }, 4, 4 },
	{ &base_arch_riscv64, { 0x13, 0x01, 0x01, 0xff, 0x03, 0x31, 0x01, 0 }, 8, 0 },
	/* ld r1, 56(r30). mr r1, r5. ld r1, 0(r1); the first, in the other byte order */
	{ &base_arch_ppc64le, { 0x38, 0, 0x3e, 0xe8 }, 4, 4 },
	{ &base_arch_ppc64le, { 0x78, 0x2b, 0xa1, 0x7c }, 4, 4 },
	{ &base_arch_ppc64le, { 0, 0, 0x21, 0xe8 }, 4, 0 },
	{ &base_arch_ppc64, { 0xe8, 0x3e, 0, 0x38 }, 4, 4 },
	/* svc 1; lg %r15, 56(%r13). lgr %r15, %r5. lg %r15, 0(%r15); lgr %r5, %r15 */
	{ &base_arch_s390x, { 0x0a, 1, 0xe3, 0xf0, 0xd0, 0x38, 0, 0x04 }, 8, 8 },
	{ &base_arch_s390x, { 0xb9, 0x04, 0, 0xf5 }, 4, 4 },
	{ &base_arch_s390x, { 0xe3, 0xf0, 0xf0, 0, 0, 0x04, 0xb9, 0x04, 0, 0x5f }, 10, 0 },
	/* The last instruction is cut off. */
	{ &base_arch_s390x, { 0xe3, 0xf0, 0xd0, 0x38, 0 }, 5, 0 },
	{ &base_arch_aarch64, { 0x1f, 0, 0 }, 3, 0 },
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(switch_cases); i++) {
		const struct switch_case *c = &switch_cases[i];
		const struct unw_arch *arch = unw_arch_find(c->arch);

		assert_int_equal(arch->base.find_switch(arch, c->code, c->size), c->after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_no_switch),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
