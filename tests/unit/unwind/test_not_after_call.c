/* Addresses that do not follow a call, on x86-64: bases of coroutines, and system calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/unit/unwind/bytes.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/unwind.h"

/* Functions of 0x100 bytes. There is a gap before ALONE, and none between ALONE and NEXT. */
enum {
	ROOT = 0x1000,
	FIRST = 0x1100, // CFA = rsp + 16
	GAP = 0x1200,
	ALONE = 0x1300, // CFA = rsp + 16, except for its first byte
	NEXT = 0x1400,	// CFA = rsp + 8
	END = 0x1500,
	SP = 0x7ef00000,
	RET = UNW_FRAME_RETURN,
};

static uint8_t code[END - ROOT];
static struct unw_module module = { .start = ROOT, .end = END };

static const struct unw_module *find_module(const struct unw_space *space, uint64_t addr)
{
	(void)space;
	return addr >= module.start && addr < module.end ? &module : NULL;
}

struct test_walk {
	uint64_t pc;
	/** rcx, r11 and the flags are as the instruction syscall leaves them. */
	bool is_in_syscall;
	uint64_t stack[8];
	enum pd_unwind_end end;
	/** Expected frames, and their flags. */
	uint64_t pcs[4];
	uint32_t flags[4];
};

static struct unw_binary *create(void)
{
	static struct test_bytes b;
	struct unw_binary *binary;

	b = (struct test_bytes){ .n = 0 };
	size_t cie = put_cie(&b, "zR");
	PUT_FDE(&b, cie, ROOT, DW_CFA_undefined, 16);
	PUT_FDE(&b, cie, FIRST, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(&b, cie, ALONE, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(&b, cie, NEXT, DW_CFA_nop);
	const struct unw_binary_input input = {
		.arch = &base_arch_x86_64,
		.eh_frame = { .data = b.data, .size = b.n, .vaddr = 0x8000 },
		.text = { .data = code, .size = sizeof(code), .vaddr = ROOT },
	};
	assert_null(unw_binary_create(&input, &binary));
	return binary;
}

static void check(const struct test_walk *t)
{
	enum { CX = 2, SP_BIT = 7, IP = 8, FLAGS = 9, R11 = 19 };
	const struct unw_space space = { .id = 7, .find = find_module };
	const uint64_t regs[] = { t->is_in_syscall ? t->pc : 0, SP, t->pc, 0x246, 0x246 };
	const struct unw_input input = {
		.space = &space,
		.regs_mask = 1 << CX | 1 << SP_BIT | 1 << IP | 1 << FLAGS | 1 << R11,
		.regs = (const uint8_t *)regs,
		.stack = (const uint8_t *)t->stack,
		.stack_size = sizeof(t->stack),
	};
	struct unw_binary *binary = create();
	struct unw_stack stack = { 0 };
	struct unw_walker *walker;
	size_t n = 0;

	module.binary = binary;
	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	assert_null(unw_walk(walker, &input, &stack));
	while (n < PD_ARRAY_LEN(t->pcs) && t->pcs[n])
		n++;
	for (size_t i = 0; i < n && i < stack.frames.n; i++) {
		const struct unw_frame *frame = unw_walker_frame(walker, stack.frames.data[i]);

		assert_int_equal(frame->pc, t->pcs[i]);
		assert_int_equal(frame->flags, t->flags[i]);
	}
	assert_int_equal(stack.frames.n, n);
	assert_string_equal(pd_unwind_end_text(stack.end), pd_unwind_end_text(t->end));
	unw_stack_deinit(&stack);
	unw_walker_destroy(walker);
	unw_binary_destroy(binary);
}

static void put_call(uint64_t next)
{
	memcpy(code + (next - 2 - ROOT), "\xff\xd0", 2);
}

/** Set the code to one call in ROOT, no-ops, and @p bytes. */
static void put_code(uint64_t vaddr, const void *bytes, size_t n)
{
	memset(code, 0x90, sizeof(code));
	put_call(ROOT + 8);
	memcpy(code + (vaddr - ROOT), bytes, n);
}

/** Nothing calls the function, so the row of its first byte leads on. */
static void test_by_hand(void **state)
{
	(void)state;
	put_code(0x1300, "", 0);
	check(&(struct test_walk){ .pc = FIRST + 8,
		.stack = { 0, ALONE, ROOT + 8 },
		.pcs = { FIRST + 8, ALONE, ROOT + 8 },
		.flags = { 0, 0, RET } });
}

/** The last instruction of ALONE is a call that does not return. */
static void test_call_at_end(void **state)
{
	(void)state;
	put_code(0x1300, "", 0);
	put_call(NEXT);
	check(&(struct test_walk){ .pc = FIRST + 8,
		.stack = { 0, NEXT, 0, ROOT + 8 },
		.pcs = { FIRST + 8, NEXT, ROOT + 8 },
		.flags = { 0, RET, RET } });
}

static const uint8_t start_context[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24 };
static const uint8_t finish[] = { 0x48, 0x31, 0xff, 0xe8, 1, 2, 3, 4, 0xf4 };

static void test_bases(void **state)
{
	struct test_walk t = { .pc = FIRST + 8,
		.stack = { 0, ALONE, ROOT + 8 },
		.pcs = { FIRST + 8, ALONE },
		.flags = { 0, 0 } };

	(void)state;
	put_code(ALONE, start_context, sizeof(start_context));
	check(&t);
	/* Without call frame information. */
	put_code(GAP + 8, finish, sizeof(finish));
	t.stack[1] = t.pcs[1] = GAP + 8;
	check(&t);
	/* After a call, the code is that of a function. */
	put_code(ALONE + 8, finish, sizeof(finish));
	put_call(ALONE + 8);
	t = (struct test_walk){ .pc = FIRST + 8,
		.stack = { 0, ALONE + 8, 0, ROOT + 8 },
		.pcs = { FIRST + 8, ALONE + 8, ROOT + 8 },
		.flags = { 0, RET, RET } };
	check(&t);
}

static void test_base_codes(void **state)
{
	const struct unw_arch *arch = unw_arch_find(&base_arch_x86_64);
	uint8_t other[sizeof(finish)];

	(void)state;
	assert_true(unw_is_base((struct unw_code_at){ arch, finish, sizeof(finish), 0 }));
	for (size_t size = 0; size < sizeof(finish); size++)
		assert_false(unw_is_base((struct unw_code_at){ arch, finish, size, 0 }));
	assert_false(unw_is_base((struct unw_code_at){ arch, finish, sizeof(finish), 1 }));
	assert_false(unw_is_base((struct unw_code_at){ arch, finish, sizeof(finish), UINT64_MAX }));
	for (size_t i = 0; i < sizeof(finish); i++) {
		memcpy(other, finish, sizeof(finish));
		other[i] ^= 1;
		/* The distance of the call differs. */
		assert_int_equal(unw_is_base((struct unw_code_at){ arch, other, sizeof(other), 0 }),
			i >= 4 && i < 8);
	}
}

/** Every byte of the code that exits counts, except what comes after it. */
static void test_exit_codes(void **state)
{
	const struct pd_arch *const arches[] = { &base_arch_x86_64, &base_arch_i386,
		&base_arch_aarch64, &base_arch_arm, &base_arch_riscv64, &base_arch_s390x,
		&base_arch_ppc64, &base_arch_ppc64le };

	(void)state;
	for (size_t a = 0; a < PD_ARRAY_LEN(arches); a++) {
		const struct unw_arch *arch = unw_arch_find(arches[a]);

		assert_true(arch->base.exits.n > 0);
		for (size_t i = 0; i < arch->base.exits.n; i++) {
			const struct unw_exit_code *exit = &arch->base.exits.data[i];
			uint8_t bytes[sizeof(exit->bytes)];

			memcpy(bytes, exit->bytes, sizeof(bytes));
			assert_true(unw_is_exit((struct unw_code_at){ arch, bytes, exit->n, 0 }));
			assert_false(
				unw_is_exit((struct unw_code_at){ arch, bytes, exit->n - 1u, 0 }));
			for (size_t k = 0; k < exit->n; k++) {
				bytes[k] ^= 0x20;
				assert_false(unw_is_exit(
					(struct unw_code_at){ arch, bytes, exit->n, 0 }));
				bytes[k] ^= 0x20;
			}
		}
	}
}

/** After the system call at the end of FIRST no other function begins. */
static void test_syscall_at_end(void **state)
{
	struct test_walk t = {
		.pc = GAP, .stack = { 0, ROOT + 8 }, .pcs = { GAP, ROOT + 8 }, .flags = { RET, RET }
	};

	(void)state;
	put_code(GAP - 2, "\x0f\x05", 2);
	check(&t);
	t.is_in_syscall = true;
	check(&t);
	put_code(GAP - 2, "\x0f\x04", 2);
	t = (struct test_walk){ .pc = GAP, .pcs = { GAP }, .end = PD_UNWIND_END_NO_CFI };
	check(&t);
}

/** The next function begins after the system call: registers show whether it was entered. */
static void test_syscall_before_function(void **state)
{
	(void)state;
	put_code(NEXT - 2, "\x0f\x05", 2);
	check(&(struct test_walk){ .pc = NEXT,
		.stack = { ROOT + 8 },
		.pcs = { NEXT, ROOT + 8 },
		.flags = { 0, RET } });
	check(&(struct test_walk){ .pc = NEXT,
		.is_in_syscall = true,
		.stack = { 0, ROOT + 8 },
		.pcs = { NEXT, ROOT + 8 },
		.flags = { RET, RET } });
	/* A function called by rcx has its own address there. */
	put_code(NEXT - 2, "\x90\x90", 2);
	check(&(struct test_walk){ .pc = NEXT,
		.is_in_syscall = true,
		.stack = { ROOT + 8 },
		.pcs = { NEXT, ROOT + 8 },
		.flags = { 0, RET } });
}

/** Within a function, the address after a system call is like any other. */
static void test_syscall_within_function(void **state)
{
	(void)state;
	put_code(FIRST + 8, "\x0f\x05", 2);
	check(&(struct test_walk){ .pc = FIRST + 10,
		.is_in_syscall = true,
		.stack = { 0, ROOT + 8 },
		.pcs = { FIRST + 10, ROOT + 8 },
		.flags = { 0, RET } });
}

/** A return address that does not follow a call is marked, and so is what is found by it. */
static void test_uncalled(void **state)
{
	enum {
		UNCALLED = RET | UNW_FRAME_UNCALLED,
		AFTER = RET | UNW_FRAME_INEXACT | UNW_FRAME_UNCALLED
	};

	(void)state;
	put_code(0x1300, "", 0);
	check(&(struct test_walk){ .pc = FIRST + 8,
		.stack = { 0, ALONE + 4, 0, ROOT + 8 },
		.pcs = { FIRST + 8, ALONE + 4, ROOT + 8 },
		.flags = { 0, UNCALLED, AFTER },
		.end = PD_UNWIND_END_ROOT_DOUBTFUL });
	/* A table of Haskell covers the byte before the code that is returned to. */
	check(&(struct test_walk){ .pc = FIRST + 8,
		.stack = { 0, ALONE + 1, ROOT + 8 },
		.pcs = { FIRST + 8, ALONE + 1, ROOT + 8 },
		.flags = { 0, RET, RET } });
}

/**
 * After the system call that makes a thread, without call frame information, the stack holds the
 * thread's function and its argument.
 */
static void test_new_thread(void **state)
{
	static const uint8_t clone[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x74, 0x01, 0xc3, 0x5f, 0xff,
		0xd7 };
	struct test_walk t = { .pc = GAP + 10,
		.stack = { ALONE, 0x1234 },
		.pcs = { GAP + 10 },
		.end = PD_UNWIND_END_ROOT };

	(void)state;
	put_code(GAP + 8, clone, sizeof(clone));
	check(&t);
	/* After the instructions that look at the result. */
	t.pc = t.pcs[0] = GAP + 13;
	check(&t);
	/* A function that directly follows one whose last instruction is a call. */
	put_call(NEXT);
	t.stack[0] = NEXT;
	check(&t);
	/* Anything else proves nothing. */
	t.stack[0] = 0x123456;
	t.end = PD_UNWIND_END_NO_MAPPING;
	check(&t);
	/* The parent returns. */
	t = (struct test_walk){ .pc = GAP + 10,
		.stack = { ROOT + 8 },
		.pcs = { GAP + 10, ROOT + 8 },
		.flags = { 0, RET | UNW_FRAME_INEXACT },
		.end = PD_UNWIND_END_ROOT };
	check(&t);
}

/* The next place to examine is where a trampoline or a base may begin, and never after the end. */
static void test_next_known(void **state)
{
	const struct unw_arch *arch = &unw_arch_x86_64;
	const struct unw_signal_code *signal = &arch->signals.trampolines.data[0];
	uint8_t bytes[256];

	(void)state;
	memset(bytes, 0x90, sizeof(bytes));
	struct unw_code_at at = { arch, bytes, sizeof(bytes), 0 };
	assert_int_equal(unw_next_known(at, 200), 200);
	assert_int_equal(unw_next_known(at, 300), 300);
	memcpy(bytes + 100, signal->bytes, signal->n);
	assert_int_equal(unw_next_known(at, 200), 100);
	assert_int_equal(unw_next_known(at, 100), 100);
	assert_int_equal(unw_next_known(at, 50), 50);
	at.off = 100;
	assert_true(unw_is_trampoline(at, true));
	assert_int_equal(unw_next_known(at, 200), 100);
	for (size_t i = 0; i < arch->base.coroutines.n; i++) {
		memset(bytes, 0x90, sizeof(bytes));
		memcpy(bytes + 120, arch->base.coroutines.data[i].bytes,
			arch->base.coroutines.data[i].n);
		assert_int_equal(unw_next_known(at, 200), 120);
	}
	at.off = UINT64_MAX;
	assert_int_equal(unw_next_known(at, 200), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_known),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_call_at_end),
		cmocka_unit_test(test_bases),
		cmocka_unit_test(test_base_codes),
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_syscall_at_end),
		cmocka_unit_test(test_syscall_before_function),
		cmocka_unit_test(test_syscall_within_function),
		cmocka_unit_test(test_uncalled),
		cmocka_unit_test(test_new_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
