/* Functions at the base of a stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"

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

static struct unw_cfi *create(const struct pd_arch *arch, const uint8_t *code, size_t size,
	const struct unw_root *roots, size_t n)
{
	const struct unw_cfi_input input = {
		.arch = arch,
		.text = { .data = code, .size = size, .vaddr = TEXT },
		.roots = roots,
		.n_roots = n,
	};
	struct unw_cfi *cfi;

	assert_null(unw_cfi_create(&input, &cfi));
	return cfi;
}

static void test_ranges(void **state)
{
	const struct unw_root roots[] = { { 0x3000, 0x3010, false }, { 0x2000, 0x2004, false } };
	struct unw_cfi *cfi = create(&pd_arch_x86_64, NULL, 0, roots, 2);

	(void)state;
	assert_false(unw_cfi_is_root(cfi, 0x1fff));
	assert_true(unw_cfi_is_root(cfi, 0x2000));
	assert_true(unw_cfi_is_root(cfi, 0x2003));
	assert_false(unw_cfi_is_root(cfi, 0x2004));
	assert_true(unw_cfi_is_root(cfi, 0x300f));
	unw_cfi_destroy(cfi);
}

/** Before it switches, the function is on the stack of its caller. */
static void test_switch(void **state)
{
	const struct unw_root root = { TEXT, TEXT + sizeof(mcall), true };
	struct unw_cfi *cfi = create(&pd_arch_x86_64, mcall, sizeof(mcall), &root, 1);

	(void)state;
	assert_false(unw_cfi_is_root(cfi, TEXT));
	assert_false(unw_cfi_is_root(cfi, TEXT + MCALL_SWITCH));
	assert_true(unw_cfi_is_root(cfi, TEXT + MCALL_SWITCHED));
	assert_true(unw_cfi_is_root(cfi, TEXT + sizeof(mcall) - 1));
	assert_false(unw_cfi_is_root(cfi, TEXT + sizeof(mcall)));
	unw_cfi_destroy(cfi);
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
	struct unw_cfi *cfi =
		create(&pd_arch_x86_64, mcall, sizeof(mcall), roots, PD_ARRAY_LEN(roots));

	(void)state;
	for (uint64_t addr = TEXT - 8; addr < TEXT + 2 * sizeof(mcall); addr++)
		assert_false(unw_cfi_is_root(cfi, addr));
	unw_cfi_destroy(cfi);
}

static void test_too_many(void **state)
{
	struct unw_root roots[UNW_MAX_ROOTS + 1];

	(void)state;
	for (size_t i = 0; i <= UNW_MAX_ROOTS; i++)
		roots[i] = (struct unw_root){ TEXT + 2 * i, TEXT + 2 * i + 1, false };
	struct unw_cfi *cfi = create(&pd_arch_x86_64, NULL, 0, roots, UNW_MAX_ROOTS + 1);
	assert_true(unw_cfi_is_root(cfi, TEXT + 2 * (UNW_MAX_ROOTS - 1)));
	assert_false(unw_cfi_is_root(cfi, TEXT + 2 * UNW_MAX_ROOTS));
	unw_cfi_destroy(cfi);
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
	{ &pd_arch_x86_64, { 0x90, 0x48, 0x89, 0xf4, 0x90 }, 5, 4 },
	/* mov (%rax), %rsp; with a 32-bit displacement; by rip; with an index */
	{ &pd_arch_x86_64, { 0x48, 0x8b, 0x20 }, 3, 3 },
	{ &pd_arch_x86_64, { 0x48, 0x8b, 0xa3, 0, 1, 0, 0, 0x90 }, 8, 7 },
	{ &pd_arch_x86_64, { 0x48, 0x8b, 0x25, 0, 1, 0, 0, 0x90 }, 8, 7 },
	{ &pd_arch_x86_64, { 0x48, 0x8b, 0x64, 0x24, 0x28, 0x90 }, 6, 5 },
	/* mov %rsp, %rdx; mov %rsi, %r12; mov (%rax), %r12; mov %rsp, (%rax) */
	{ &pd_arch_x86_64, { 0x48, 0x89, 0xe2 }, 3, 0 },
	{ &pd_arch_x86_64, { 0x49, 0x89, 0xf4 }, 3, 0 },
	{ &pd_arch_x86_64, { 0x4c, 0x8b, 0x20 }, 3, 0 },
	{ &pd_arch_x86_64, { 0x48, 0x89, 0x20 }, 3, 0 },
	/* mov 0x38(%esi), %esp; mov %esp, %edx */
	{ &pd_arch_i386, { 0x8b, 0x66, 0x38, 0x90 }, 4, 3 },
	{ &pd_arch_i386, { 0x89, 0xe2 }, 2, 0 },
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(switch_cases); i++) {
		const struct switch_case *c = &switch_cases[i];
		const struct unw_arch *arch = unw_arch_find(c->arch);

		assert_int_equal(arch->stack_switch(arch, c->code, c->size), c->after);
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
