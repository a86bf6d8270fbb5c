/*
 * Unwind hand-made stacks, with functions of known call frame information.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/unwind/bytes.h"
#include "unwind/unwind.h"

enum { RBX = 3, RBP = 6, RSP = 7, RA = 16 };

/** Vaddrs of functions of 0x100 bytes each. Process address = vaddr + BIAS. */
enum {
	BIAS = 0x400000,
	VADDR_PLAIN = 0x1000,	   // CFA = rsp + 16
	VADDR_FP = 0x1100,	   // CFA = rbp + 16, rbp saved
	VADDR_TRAMPOLINE = 0x1200, // signal frame: rip, rsp, rbp at rsp + 0, 8, 16
	VADDR_ROOT = 0x1300,	   // return address undefined
	VADDR_POPPED = 0x1400,	   // CFA = rsp + 8, rbp saved below rsp
	VADDR_RBX = 0x1500,	   // CFA = rbx + 16
	VADDR_REALIGNED = 0x1600,  // CFA = *(rbp - 8), rbp at *rbp
	VADDR_PLT = 0x1700,	   // CFA = rsp + 8 + (rip % 16 >= 11) * 8
	VADDR_BAD = 0x1800,
	VADDR_SAVES_RBX = 0x1900, // CFA = rsp + 16, rbx saved at CFA - 16
	VADDR_VFORK = 0x1a00,	  // CFA = rsp, return address in rbx
	VADDR_RESTORED = 0x1b00,  // CFA = rsp + 8, rbp at *rbp
	VADDR_PLT_ENDBR = 0x1c00, // by ld 2.38: CFA = rsp + 8 + (rip % 16 >= 10) * 8
	VADDR_GAP = 0x2000,	  // not covered by the module's CFI
	PLAIN = BIAS + VADDR_PLAIN + 0x10,
	FP = BIAS + VADDR_FP + 0x10,
	TRAMPOLINE = BIAS + VADDR_TRAMPOLINE + 1,
	ROOT = BIAS + VADDR_ROOT + 0x10,
	POPPED = BIAS + VADDR_POPPED + 0x10,
	BY_RBX = BIAS + VADDR_RBX + 0x10,
	REALIGNED = BIAS + VADDR_REALIGNED + 0x10,
	PLT_EARLY = BIAS + VADDR_PLT + 0x16,
	PLT_LATE = BIAS + VADDR_PLT + 0x1b,
	PLT_ENDBR_EARLY = BIAS + VADDR_PLT_ENDBR + 0x14,
	PLT_ENDBR_LATE = BIAS + VADDR_PLT_ENDBR + 0x19,
	BAD = BIAS + VADDR_BAD + 0x10,
	SAVES_RBX = BIAS + VADDR_SAVES_RBX + 0x10,
	VFORK = BIAS + VADDR_VFORK + 0x10,
	RESTORED = BIAS + VADDR_RESTORED + 0x10,
	GAP = BIAS + VADDR_GAP + 0x10,
	JIT = 0x700010,	   // module without CFI
	DUMPED = 0x800000, // module of which only the instructions are known
	NOWHERE = 0x900010,
	SP = 0x7ef00000,
};

#define AT(word) (SP + 8 * (word))

static struct test_bytes eh_frame;
static struct unw_binary *binary;
static struct unw_module module = { .start = BIAS + 0x1000, .end = BIAS + 0x3000, .bias = BIAS };
static const struct unw_module jit = {
	.start = 0x700000, .end = 0x701000, .missing = PD_UNWIND_END_NO_FILE
};

/** push %rax; call *%rdi; jmp to a place outside. At DUMPED + 3 the jump seems to return to [rsp]. */
static const uint8_t dumped_text[] = { 0x50, 0xff, 0xd7, 0xe9, 0, 0, 1, 0 };
static struct unw_module dumped = {
	.start = DUMPED, .end = DUMPED + sizeof(dumped_text), .bias = DUMPED
};

static const struct unw_module *find_module(const struct unw_space *space, uint64_t addr)
{
	(void)space;
	if (addr >= module.start && addr < module.end)
		return &module;
	if (addr >= dumped.start && addr < dumped.end)
		return &dumped;
	return addr >= jit.start && addr < jit.end ? &jit : NULL;
}

static const struct unw_space space = { .id = 7, .find = find_module };

static int build_functions(void **state)
{
	struct test_bytes *b = &eh_frame;
	size_t cie = put_cie(b, "zR");
	size_t signal_cie = put_cie(b, "zRS");

	(void)state;
	PUT_FDE(b, cie, VADDR_PLAIN, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(b, cie, VADDR_FP, DW_CFA_def_cfa, RBP, 16, DW_CFA_offset | RBP, 2);
	PUT_FDE(b, signal_cie, VADDR_TRAMPOLINE, DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8,
		DW_OP_deref, DW_CFA_expression, RA, 2, DW_OP_breg7, 0, DW_CFA_expression, RBP, 2,
		DW_OP_breg7, 16);
	PUT_FDE(b, cie, VADDR_ROOT, DW_CFA_undefined, RA);
	PUT_FDE(b, cie, VADDR_POPPED, DW_CFA_offset | RBP, 2);
	PUT_FDE(b, cie, VADDR_RBX, DW_CFA_def_cfa, RBX, 16);
	PUT_FDE(b, cie, VADDR_REALIGNED, DW_CFA_expression, RBP, 2, DW_OP_breg6, 0,
		DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref);
	PUT_FDE(b, cie, VADDR_PLT, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,
		DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	PUT_FDE(b, cie, VADDR_PLT_ENDBR, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8,
		DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit10, DW_OP_ge, DW_OP_lit3,
		DW_OP_shl, DW_OP_plus);
	PUT_FDE(b, cie, VADDR_BAD, DW_CFA_restore_state);
	PUT_FDE(b, cie, VADDR_SAVES_RBX, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | RBX, 2);
	PUT_FDE(b, cie, VADDR_VFORK, DW_CFA_def_cfa_offset, 0, DW_CFA_register, RA, RBX);
	PUT_FDE(b, cie, VADDR_RESTORED, DW_CFA_expression, RBP, 2, DW_OP_breg6, 0);
	const struct unw_binary_input input = {
		.arch = &base_arch_x86_64,
		.eh_frame = { .data = b->data, .size = b->n, .vaddr = 0x8000 },
	};
	assert_null(unw_binary_create(&input, &binary));
	module.binary = binary;
	const struct unw_binary_input dump = {
		.arch = &base_arch_x86_64,
		.text = { .data = dumped_text, .size = sizeof(dumped_text) },
	};
	struct unw_binary *dump_binary;
	assert_null(unw_binary_create(&dump, &dump_binary));
	dumped.binary = dump_binary;
	return 0;
}

static int free_functions(void **state)
{
	(void)state;
	unw_binary_destroy(binary);
	unw_binary_destroy((struct unw_binary *)dumped.binary);
	return 0;
}

struct expected_frame {
	uint64_t pc;
	uint32_t flags;
};

struct walk_case {
	uint64_t pc;
	uint64_t bp;
	uint64_t bx;
	uint64_t stack[16];
	size_t n_stack;
	bool is_stack_full;
	struct unw_opts opts;
	enum pd_unwind_end end;
	uint64_t caller_sp;
	struct expected_frame frames[8];
};

/** Mask of bx, bp, sp and ip. Their values are in this order. */
static const uint64_t regs_mask = 1U << 1 | 1U << 6 | 1U << 7 | 1U << 8;

static void check_walk(struct unw_walker *walker, const struct walk_case *c)
{
	const uint64_t regs[] = { c->bx, c->bp, SP, c->pc };
	const struct unw_input input = {
		.space = &space,
		.regs_mask = regs_mask,
		.regs = (const uint8_t *)regs,
		.stack = (const uint8_t *)c->stack,
		.stack_size = 8 * c->n_stack,
		.is_stack_full = c->is_stack_full,
	};
	struct unw_stack stack = { 0 };
	size_t n = 0;

	assert_null(unw_walk(walker, &input, &stack));
	while (n < 8 && c->frames[n].pc)
		n++;
	for (size_t i = 0; i < n && i < stack.frames.n; i++) {
		const struct unw_frame *frame = unw_walker_frame(walker, stack.frames.data[i]);

		assert_int_equal(frame->pc, c->frames[i].pc);
		assert_int_equal(frame->flags, c->frames[i].flags);
		assert_int_equal(frame->space_id, space.id);
		assert_ptr_equal(frame->module, find_module(&space, frame->pc));
	}
	assert_int_equal(stack.frames.n, n);
	assert_string_equal(pd_unwind_end_text(stack.end), pd_unwind_end_text(c->end));
	assert_int_equal(stack.caller_sp, c->caller_sp);
	if (n)
		assert_ptr_equal(stack.end_module, find_module(&space, c->frames[n - 1].pc));
	pd_vec_deinit(&stack.frames);
}

/** Unwind twice: the cached steps must give the same result. */
static void check(const struct walk_case *c)
{
	struct unw_walker *walker;

	assert_null(unw_walker_create(&base_arch_x86_64, &c->opts, &walker));
	check_walk(walker, c);
	size_t n = unw_walker_end_frame(walker);
	check_walk(walker, c);
	assert_int_equal(unw_walker_end_frame(walker), n);
	unw_walker_destroy(walker);
}

enum { RET = UNW_FRAME_RETURN, CHAIN = UNW_FRAME_RETURN | UNW_FRAME_BY_FP };

static void test_calls(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.bp = AT(4),
		.stack = { 0, FP, 0, 0, 0x1234, PLAIN, 0, ROOT, 0 },
		.n_stack = 9,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { PLAIN, 0 }, { FP, RET }, { PLAIN, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
}

static void test_return_address_zero(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, PLAIN, 0, 0 },
		.n_stack = 4,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { PLAIN, 0 }, { PLAIN, RET } },
	};

	(void)state;
	check(&c);
}

static void test_return_to_end_of_function(void **state)
{
	enum { NORETURN = BIAS + VADDR_PLAIN + 0x100 }; // the first byte of the next function
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, NORETURN, 0, ROOT },
		.n_stack = 4,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { PLAIN, 0 }, { NORETURN, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
}

static void test_captured_stack_too_short(void **state)
{
	struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, PLAIN, 0 },
		.n_stack = 3,
		.is_stack_full = true,
		.end = PD_UNWIND_END_STACK_SHORT,
		.caller_sp = AT(4),
		.frames = { { PLAIN, 0 }, { PLAIN, RET } },
	};

	(void)state;
	check(&c);
	c.is_stack_full = false;
	c.end = PD_UNWIND_END_BAD_MEMORY;
	check(&c);
}

static void test_cfa_elsewhere(void **state)
{
	struct walk_case c = {
		.pc = FP,
		.bp = 0x1000,
		.stack = { 0 },
		.n_stack = 4,
		.is_stack_full = true,
		.end = PD_UNWIND_END_CYCLE,
		.frames = { { FP, 0 } },
	};

	(void)state;
	check(&c);
	c.bp = 0x7fff00000000;
	c.caller_sp = c.bp + 16;
	c.end = PD_UNWIND_END_BAD_MEMORY;
	check(&c);
}

static void test_cycle(void **state)
{
	const struct walk_case c = {
		.pc = FP,
		.bp = AT(2),
		.stack = { 0, 0, AT(0), FP, 0, 0 },
		.n_stack = 6,
		.end = PD_UNWIND_END_CYCLE,
		.frames = { { FP, 0 }, { FP, RET } },
	};

	(void)state;
	check(&c);
}

static void test_limit(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, PLAIN, 0, PLAIN, 0, PLAIN },
		.n_stack = 6,
		.opts = { .max_stack = 2 },
		.end = PD_UNWIND_END_LIMIT,
		.frames = { { PLAIN, 0 }, { PLAIN, RET } },
	};

	(void)state;
	check(&c);
}

/** After the pop in an epilogue the row still refers to the slot, which may be overwritten. */
static void test_epilogue(void **state)
{
	const struct walk_case c = {
		.pc = POPPED,
		.bp = AT(2),
		.stack = { FP, 0, 0x1234, ROOT },
		.n_stack = 4,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { POPPED, 0 }, { FP, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
}

static void check_plt(uint64_t before_push, uint64_t after_push)
{
	struct walk_case c = {
		.pc = before_push,
		.stack = { ROOT, PLAIN, 0, ROOT },
		.n_stack = 4,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { before_push, 0 }, { ROOT, RET } },
	};

	check(&c);
	c.pc = c.frames[0].pc = after_push;
	c.frames[1].pc = PLAIN;
	c.frames[2] = (struct expected_frame){ ROOT, RET };
	check(&c);
}

static void test_plt(void **state)
{
	(void)state;
	check_plt(PLT_EARLY, PLT_LATE);
	check_plt(PLT_ENDBR_EARLY, PLT_ENDBR_LATE);
}

static void test_realigned(void **state)
{
	const struct walk_case c = {
		.pc = REALIGNED,
		.bp = AT(2),
		.stack = { 0, AT(6), AT(7), 0, 0, FP, 0, 0x1234, ROOT },
		.n_stack = 9,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { REALIGNED, 0 }, { FP, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
}

/** Rows that need registers which the fast path does not have. */
static void test_other_registers(void **state)
{
	struct walk_case c = {
		.pc = SAVES_RBX,
		.bx = 0x1234,
		.stack = { AT(3), PLAIN, 0, BY_RBX, ROOT },
		.n_stack = 5,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { SAVES_RBX, 0 }, { PLAIN, RET }, { BY_RBX, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
	/* The kernel writes all ones for unknown registers. */
	c.pc = c.frames[0].pc = PLAIN;
	c.bx = UINT64_MAX;
	c.end = PD_UNWIND_END_LOST_REG;
	c.frames[3].pc = 0;
	check(&c);
	c.bp = UINT64_MAX;
	check(&c);
}

/** vfork() keeps the return address in a register, not on the stack that its child will use. */
static void test_return_address_in_register(void **state)
{
	const struct walk_case c = {
		.pc = VFORK,
		.bx = PLAIN,
		.stack = { 0, ROOT },
		.n_stack = 2,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { VFORK, 0 }, { PLAIN, RET }, { ROOT, RET } },
	};
	const struct walk_case twice = {
		.pc = VFORK,
		.bx = VFORK,
		.stack = { 0, ROOT },
		.n_stack = 2,
		.end = PD_UNWIND_END_CYCLE,
		.frames = { { VFORK, 0 }, { VFORK, RET } },
	};

	(void)state;
	check(&c);
	check(&twice);
}

/** After `pop %rbp` an expression that uses rbp refers to the caller's frame. */
static void test_restored_by_expression(void **state)
{
	const struct walk_case c = {
		.pc = RESTORED,
		.bp = AT(1),
		.stack = { FP, 0x77, ROOT },
		.n_stack = 3,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { RESTORED, 0 }, { FP, RET }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
}

/** The stack may be missing, for example within execve(). */
static void test_no_stack(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.end = PD_UNWIND_END_NO_STACK,
		.caller_sp = AT(2),
		.frames = { { PLAIN, 0 } },
	};

	(void)state;
	check(&c);
}

/** The handler's stack is above the interrupted one, so the CFA goes down. */
static void test_signal(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.bx = 0,
		.stack = { 0, TRAMPOLINE, PLAIN, AT(0), 0x55 },
		.n_stack = 5,
		.opts = { .max_stack = 4 },
		.end = PD_UNWIND_END_LIMIT,
		.frames = { { PLAIN, 0 }, { TRAMPOLINE, UNW_FRAME_SIGNAL }, { PLAIN, 0 },
			{ TRAMPOLINE, UNW_FRAME_SIGNAL } },
	};

	(void)state;
	check(&c);
}

static void test_signal_interrupts_first_instruction(void **state)
{
	enum { ENTRY = BIAS + VADDR_PLAIN };
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, TRAMPOLINE, ENTRY, AT(5), 0, 0, ROOT },
		.n_stack = 7,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { PLAIN, 0 }, { TRAMPOLINE, UNW_FRAME_SIGNAL }, { ENTRY, 0 },
			{ ROOT, RET } },
	};

	(void)state;
	check(&c);
}

static void test_signal_stack_not_captured(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, TRAMPOLINE, PLAIN, SP + (1 << 20), 0 },
		.n_stack = 5,
		.is_stack_full = true,
		.end = PD_UNWIND_END_OTHER_STACK,
		.caller_sp = SP + (1 << 20) + 16,
		.frames = { { PLAIN, 0 }, { TRAMPOLINE, UNW_FRAME_SIGNAL }, { PLAIN, 0 } },
	};

	(void)state;
	check(&c);
}

/** Code on another stack keeps its own stack pointer in rbx. */
static void test_kept_stack_pointer(void **state)
{
	struct walk_case c = {
		.pc = BY_RBX,
		.bx = SP + (1 << 20),
		.stack = { 0 },
		.n_stack = 4,
		.is_stack_full = true,
		.end = PD_UNWIND_END_OTHER_STACK,
		.caller_sp = SP + (1 << 20) + 16,
		.frames = { { BY_RBX, 0 } },
	};

	(void)state;
	check(&c);
	c.bx = SP - (1 << 20);
	c.caller_sp = c.bx + 16;
	check(&c);
	/* A frame of that size is possible. */
	c.bx = SP + (1 << 12);
	c.caller_sp = c.bx + 16;
	c.end = PD_UNWIND_END_STACK_SHORT;
	check(&c);
}

/** The handler is on the interrupted stack, on which a frame is larger than any capture. */
static void test_signal_below_large_frame(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.stack = { 0, TRAMPOLINE, FP, AT(5), SP + (1 << 20) },
		.n_stack = 5,
		.is_stack_full = true,
		.end = PD_UNWIND_END_STACK_SHORT,
		.caller_sp = SP + (1 << 20) + 16,
		.frames = { { PLAIN, 0 }, { TRAMPOLINE, UNW_FRAME_SIGNAL }, { FP, 0 } },
	};

	(void)state;
	check(&c);
}

static void test_fp_chain(void **state)
{
	struct walk_case c = {
		.pc = JIT,
		.bp = AT(1),
		.stack = { 0, AT(3), JIT + 1, 0x1234, PLAIN, 0, ROOT },
		.n_stack = 7,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { JIT, 0 }, { JIT + 1, CHAIN }, { PLAIN, CHAIN }, { ROOT, RET } },
	};

	(void)state;
	check(&c);
	c.opts.cfi_only = true;
	c.end = PD_UNWIND_END_NO_FILE;
	c.frames[1].pc = 0;
	check(&c);
}

/** A chain may skip the caller of the leaf if an address below the frame pointer may be its return. */
static void test_fp_chain_may_skip(void **state)
{
	struct walk_case c = {
		.pc = JIT,
		.bp = AT(3),
		.stack = { 0, NOWHERE, 0x1234, AT(5), JIT + 1, 0x1234, ROOT },
		.n_stack = 7,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { JIT, 0 }, { JIT + 1, CHAIN }, { ROOT, CHAIN } },
	};

	(void)state;
	check(&c);
	/* Any address may be one in code of which nothing is known. */
	c.stack[2] = JIT + 2;
	c.end = PD_UNWIND_END_ROOT_DOUBTFUL;
	check(&c);
	/* The frame of PLAIN has 16 bytes, with its return address at the end. */
	c.stack[2] = 0x1234;
	c.stack[0] = PLAIN;
	c.stack[2] = NOWHERE;
	c.end = PD_UNWIND_END_ROOT;
	check(&c);
	c.stack[2] = JIT + 2;
	c.end = PD_UNWIND_END_ROOT_DOUBTFUL;
	check(&c);
	/* The frame of FP has no room above it for its frame pointer, unless that is next to it. */
	c.stack[0] = c.stack[1] = 0;
	c.stack[2] = FP;
	check(&c);
	/* Neither these addresses nor other code follow a call. */
	c.stack[2] = DUMPED + 1;
	c.end = PD_UNWIND_END_ROOT;
	check(&c);
	c.stack[2] = DUMPED + 3;
	c.end = PD_UNWIND_END_ROOT_DOUBTFUL;
	check(&c);
	/* A stack that is not rooted for another reason has that reason. */
	c.n_stack = 5;
	c.is_stack_full = true;
	c.frames[2].pc = 0;
	c.end = PD_UNWIND_END_STACK_SHORT;
	check(&c);
}

/** Instructions of generated code are followed where the frame pointer may be that of the caller. */
static void test_generated_code(void **state)
{
	struct walk_case c = {
		.pc = DUMPED + 3,
		.bp = AT(2),
		.stack = { 0, 0, AT(4), PLAIN, 0, ROOT },
		.n_stack = 6,
		.end = PD_UNWIND_END_NO_CFI,
		.frames = { { DUMPED + 3, 0 } },
	};

	(void)state;
	dumped.prefers_chain = false;
	check(&c);
	dumped.prefers_chain = true;
	c.end = PD_UNWIND_END_ROOT;
	c.frames[1] = (struct expected_frame){ PLAIN, CHAIN };
	c.frames[2] = (struct expected_frame){ ROOT, RET };
	check(&c);
	c.stack[0] = JIT + 1;
	c.frames[1] = (struct expected_frame){ JIT + 1, RET | UNW_FRAME_INEXACT };
	c.frames[2] = (struct expected_frame){ PLAIN, CHAIN };
	c.frames[3] = (struct expected_frame){ ROOT, RET };
	check(&c);
}

static void test_fp_chain_on_full_path(void **state)
{
	const struct walk_case c = {
		.pc = SAVES_RBX,
		.bp = AT(2),
		.stack = { AT(4), JIT, AT(6), BY_RBX, AT(6), ROOT, 0x1234, BY_RBX },
		.n_stack = 8,
		.end = PD_UNWIND_END_LOST_REG,
		.frames = { { SAVES_RBX, 0 }, { JIT, RET }, { BY_RBX, CHAIN } },
	};

	(void)state;
	check(&c);
}

static void test_fp_chain_ends(void **state)
{
	struct walk_case c = {
		.pc = JIT,
		.bp = AT(1),
		.stack = { 0, 0, JIT + 1 },
		.n_stack = 3,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { JIT, 0 }, { JIT + 1, CHAIN } },
	};

	(void)state;
	check(&c);
	c.stack[1] = AT(5);
	c.is_stack_full = true;
	c.end = PD_UNWIND_END_STACK_SHORT;
	check(&c);
	c.stack[1] = AT(3);
	c.n_stack = 5;
	c.end = PD_UNWIND_END_ROOT;
	check(&c);
	/* Also the first one is above what was captured, in code that native code has called. */
	c.pc = PLAIN;
	c.bp = AT(6);
	c.stack[1] = JIT;
	c.frames[0] = (struct expected_frame){ PLAIN, 0 };
	c.frames[1] = (struct expected_frame){ JIT, RET };
	c.end = PD_UNWIND_END_STACK_SHORT;
	check(&c);
	c.is_stack_full = false;
	c.end = PD_UNWIND_END_NO_FILE;
	check(&c);
	c.is_stack_full = true;
	c.bp = SP + (UINT64_C(1) << 40);
	check(&c);
	c.pc = JIT;
	c.bp = AT(1);
	c.frames[0] = (struct expected_frame){ JIT, 0 };
	/* The frame pointer may hold anything before it was used once. */
	c.stack[1] = c.stack[2] = 0;
	c.frames[1].pc = 0;
	c.end = PD_UNWIND_END_NO_FILE;
	check(&c);
}

static void test_fp_chain_implausible(void **state)
{
	struct walk_case c = {
		.pc = JIT,
		.bp = AT(1),
		.stack = { 0, AT(3), NOWHERE, 0 },
		.n_stack = 4,
		.end = PD_UNWIND_END_NO_FILE,
		.frames = { { JIT, 0 } },
	};

	(void)state;
	check(&c);
	c.stack[1] = AT(0);
	c.stack[2] = JIT;
	check(&c);
	c.bp = AT(1) + 4;
	check(&c);
	c.bp = SP - 8;
	check(&c);
	c.bp = AT(3);
	check(&c);
	c.bp = 0;
	check(&c);
	c.pc = c.frames[0].pc = GAP;
	c.end = PD_UNWIND_END_NO_CFI;
	check(&c);
	c.pc = c.frames[0].pc = NOWHERE;
	c.end = PD_UNWIND_END_NO_MAPPING;
	check(&c);
}

static void test_return_to_unmapped_address(void **state)
{
	const struct walk_case c = {
		.pc = PLAIN,
		.bp = AT(2),
		.stack = { 0, NOWHERE, 0, PLAIN },
		.n_stack = 4,
		.end = PD_UNWIND_END_NO_MAPPING,
		.frames = { { PLAIN, 0 } },
	};

	(void)state;
	check(&c);
}

static void test_call_of_unmapped_address(void **state)
{
	const struct walk_case c = {
		.pc = NOWHERE,
		.bp = AT(2),
		.stack = { PLAIN, 0, 0x1234, ROOT },
		.n_stack = 4,
		.end = PD_UNWIND_END_ROOT,
		.frames = { { NOWHERE, 0 }, { ROOT, CHAIN } },
	};

	(void)state;
	check(&c);
}

static void test_bad_cfi(void **state)
{
	const struct walk_case c = {
		.pc = BAD,
		.stack = { ROOT },
		.n_stack = 1,
		.end = PD_UNWIND_END_BAD_CFI,
		.frames = { { BAD, 0 } },
	};

	(void)state;
	check(&c);
}

static void test_no_registers(void **state)
{
	const struct unw_input input = { .space = &space };
	struct unw_walker *walker;
	struct unw_stack stack = { 0 };

	(void)state;
	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	unw_prefetch(&input);
	assert_null(unw_walk(walker, &input, &stack));
	assert_int_equal(stack.end, PD_UNWIND_END_NO_REGS);
	assert_int_equal(stack.frames.n, 0);
	assert_null(stack.end_module);
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
	unw_walker_destroy(NULL);
}

/** In a file of the other byte order, only the registers are swapped, not the stack. */
static void test_other_byte_order(void **state)
{
	uint64_t regs[] = { 0, 0, SP, PLAIN };
	const uint64_t words[] = { 0, PLAIN, 0, ROOT };
	const struct unw_input input = {
		.space = &space,
		.regs_mask = regs_mask,
		.regs = (const uint8_t *)regs,
		.stack = (const uint8_t *)words,
		.stack_size = sizeof(words),
		.swap = true,
	};
	struct unw_walker *walker;
	struct unw_stack stack = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		regs[i] = __builtin_bswap64(regs[i]);
	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	assert_null(unw_walk(walker, &input, &stack));
	assert_int_equal(stack.end, PD_UNWIND_END_ROOT);
	assert_int_equal(stack.frames.n, 3);
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
}

/** Frame ids stay valid while the set grows. */
static void test_many_frames(void **state)
{
	struct unw_walker *walker;
	struct unw_stack stack = { 0 };
	uint64_t regs[] = { 0, 0, SP, 0 };
	const uint64_t words[] = { 0, ROOT };
	struct unw_space many = space;

	(void)state;
	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	for (uint64_t i = 0; i < 20000; i++) {
		const struct unw_input input = {
			.space = &many,
			.regs_mask = regs_mask,
			.regs = (const uint8_t *)regs,
			.stack = (const uint8_t *)words,
			.stack_size = sizeof(words),
		};

		many.id = 1 + i / 0x100;
		regs[3] = BIAS + VADDR_PLAIN + i % 0x100;
		assert_null(unw_walk(walker, &input, &stack));
		assert_int_equal(stack.frames.n, 2);
	}
	size_t n = unw_walker_end_frame(walker);
	assert_int_equal(n, 20000 + many.id);
	assert_int_equal(unw_walker_frame(walker, 0)->pc, BIAS + VADDR_PLAIN);
	assert_int_equal(unw_walker_frame(walker, 0)->space_id, 1);
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
}

/** Removed frames are found again, with new ids. */
static void test_trim(void **state)
{
	const uint64_t words[] = { 0, ROOT };
	uint64_t regs[] = { 0, 0, SP, BIAS + VADDR_PLAIN };
	const struct unw_input input = {
		.space = &space,
		.regs_mask = regs_mask,
		.regs = (const uint8_t *)regs,
		.stack = (const uint8_t *)words,
		.stack_size = sizeof(words),
	};
	struct unw_stack stack = { 0 };
	struct unw_walker *walker;

	(void)state;
	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	assert_null(unw_walk(walker, &input, &stack));
	unw_walker_trim(walker, 2);
	assert_int_equal(unw_walker_first_frame(walker), 0);
	unw_walker_trim(walker, 1);
	assert_int_equal(unw_walker_first_frame(walker), 2);
	assert_int_equal(unw_walker_end_frame(walker), 2);
	assert_null(unw_walk(walker, &input, &stack));
	assert_int_equal(unw_walker_end_frame(walker), 4);
	assert_int_equal(stack.frames.data[0], 2);
	assert_int_equal(unw_walker_frame(walker, 2)->pc, BIAS + VADDR_PLAIN);
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
}

static void test_ends_have_texts(void **state)
{
	(void)state;
	for (int end = 0; end < PD_N_UNWIND_ENDS; end++) {
		assert_true(pd_unwind_end_text(end)[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_return_address_zero),
		cmocka_unit_test(test_return_to_end_of_function),
		cmocka_unit_test(test_captured_stack_too_short),
		cmocka_unit_test(test_cfa_elsewhere),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_epilogue),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_realigned),
		cmocka_unit_test(test_other_registers),
		cmocka_unit_test(test_return_address_in_register),
		cmocka_unit_test(test_restored_by_expression),
		cmocka_unit_test(test_no_stack),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_interrupts_first_instruction),
		cmocka_unit_test(test_signal_stack_not_captured),
		cmocka_unit_test(test_kept_stack_pointer),
		cmocka_unit_test(test_signal_below_large_frame),
		cmocka_unit_test(test_fp_chain),
		cmocka_unit_test(test_fp_chain_may_skip),
		cmocka_unit_test(test_generated_code),
		cmocka_unit_test(test_fp_chain_on_full_path),
		cmocka_unit_test(test_fp_chain_ends),
		cmocka_unit_test(test_fp_chain_implausible),
		cmocka_unit_test(test_return_to_unmapped_address),
		cmocka_unit_test(test_call_of_unmapped_address),
		cmocka_unit_test(test_bad_cfi),
		cmocka_unit_test(test_no_registers),
		cmocka_unit_test(test_other_byte_order),
		cmocka_unit_test(test_many_frames),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_ends_have_texts),
	};

	return cmocka_run_group_tests(tests, build_functions, free_functions);
}
