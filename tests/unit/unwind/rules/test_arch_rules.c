/*
 * Unwind hand-made stacks of every architecture, with functions of known call frame information.
 * Covers what differs between architectures.
 */
#include "base/array.h"
#include "tests/unit/test.h"
#include "tests/unit/unwind/bytes.h"
#include "unwind/unwind.h"

/** Addresses of functions of 0x100 bytes each. Process addresses equal vaddrs. */
enum {
	LEAF = 0x1000,	      // CFA = sp at entry, the return address was not moved
	FRAME = 0x1100,	      // CFA = sp at entry + 48, the return address is saved
	BY_FP = 0x1200,	      // CFA = fp + 48, fp and the return address are saved
	ROOT = 0x1300,	      // the return address is undefined
	IN_F8 = 0x1400,	      // like LEAF, but the return address is in another register
	RESTORES_FP = 0x1500, // like LEAF, but fp is saved below the CFA
	SAVES_RA = 0x1600,    // like LEAF, but the return address is saved
	CODE_END = 0x1700,
	PLT = 0x1800,
	PLT_END = 0x1900,
	ENTRY = 0x1a00,	   // the program's entry point, like LEAF
	RESOLVER = 0x1b00, // the return address is saved above the CFA
	GAP = 0x1c00,	   // without call frame information
	MODULE_END = 0x2000,
	JIT = 0x3000, // module without call frame information
	JIT_END = 0x4000,
	VDSO = 0x5000,
	VDSO_END = 0x6000,
	SP = 0x7ef00000,
	MAX_STACK_BYTES = 2048,
	FRAME_SIZE = 48,
};

/** Architecture and its test functions. Registers go by their DWARF number. */
struct machine {
	const struct pd_arch *arch;
	uint8_t sp;
	uint8_t fp;
	uint8_t ra;
	/** Distance from the CFA to the saved return address. */
	int8_t ra_off;
	/** Distance from the stack pointer to the CFA: after a call returned, and at its target. */
	uint8_t cfa_above_sp;
	uint8_t cfa_at_entry;
	bool has_link;
};

static const struct machine x86_64 = { &base_arch_x86_64, 7, 6, 16, -8, 0, 8, false };
static const struct machine x86_32 = { &base_arch_i386, 4, 5, 8, -4, 0, 4, false };
static const struct machine aarch64 = { &base_arch_aarch64, 31, 29, 30, -40, 0, 0, true };
static const struct machine arm = { &base_arch_arm, 13, 11, 14, -4, 0, 0, true };
static const struct machine riscv64 = { &base_arch_riscv64, 2, 8, 1, -8, 0, 0, true };
static const struct machine s390x = { &base_arch_s390x, 15, 11, 14, -48, 160, 160, true };
static const struct machine ppc64 = { &base_arch_ppc64, 1, 31, 65, 16, 0, 0, true };
static const struct machine ppc64le = { &base_arch_ppc64le, 1, 31, 65, 16, 0, 0, true };

static const struct machine *const machines[] = { &x86_32, &aarch64, &arm, &riscv64, &s390x, &ppc64,
	&ppc64le };
enum { N_MACHINES = PD_ARRAY_LEN(machines) };

/** Stack under construction, and the expected result. */
struct scene {
	const struct machine *machine;
	struct test_bytes eh_frame;
	struct unw_binary *binary;
	struct unw_module module;
	uint64_t regs_mask;
	uint64_t reg[64];
	uint8_t stack[MAX_STACK_BYTES];
	struct unw_opts opts;
	enum pd_unwind_end end;
	size_t n;
	uint64_t pc[16];
	uint32_t flags[16];
};

static struct unw_module *the_module;
static const struct unw_module jit = {
	.start = JIT, .end = JIT_END, .missing = PD_UNWIND_END_NO_FILE
};
static const struct unw_module vdso = {
	.start = VDSO, .end = VDSO_END, .missing = PD_UNWIND_END_NO_FILE, .is_vdso = true
};

static const struct unw_module *find_module(const struct unw_space *space, uint64_t addr)
{
	const struct unw_module *const modules[] = { the_module, &jit, &vdso };

	(void)space;
	for (size_t i = 0; i < 3; i++) {
		if (addr >= modules[i]->start && addr < modules[i]->end)
			return modules[i];
	}
	return NULL;
}

static const struct unw_space space = { .id = 7, .find = find_module };

static void put_machine_cie(struct test_bytes *b, const struct machine *m)
{
	size_t start = begin_entry(b);

	put(b, 0, 4);
	put(b, 1, 1);
	put_bytes(b, "zR", 3);
	put(b, 1, 1);
	put(b, 0x7f, 1); // -1
	put(b, m->ra, 1);
	put(b, 1, 1);
	put(b, DW_EH_PE_udata4, 1);
	put(b, DW_CFA_def_cfa, 1);
	put(b, m->sp, 1);
	put(b, (m->cfa_at_entry & 0x7f) | 0x80, 1);
	put(b, m->cfa_at_entry >> 7, 1);
	end_entry(b, start);
}

static void put_machine_fde(
	struct test_bytes *b, uint64_t vaddr, const uint8_t *program, size_t len)
{
	size_t start = begin_entry(b);

	put(b, b->n, 4);
	put(b, vaddr, 4);
	put(b, 0x100, 4);
	put(b, 0, 1);
	put_bytes(b, program, len);
	end_entry(b, start);
}

#define FDE(b, vaddr, ...) \
	put_machine_fde(b, vaddr, (const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

/** Append a LEB128 number of one byte. */
static uint8_t leb(int value)
{
	return value & 0x7f;
}

static void put_functions(struct test_bytes *b, const struct machine *m)
{
	const uint8_t save_ra[] = { DW_CFA_offset_extended_sf, m->ra, leb(-m->ra_off) };
	const uint8_t size = FRAME_SIZE + m->cfa_above_sp;

	put_machine_cie(b, m);
	FDE(b, LEAF, DW_CFA_nop);
	FDE(b, FRAME, DW_CFA_def_cfa_offset, leb(size) | 0x80, size >> 7, save_ra[0], save_ra[1],
		save_ra[2]);
	FDE(b, BY_FP, DW_CFA_def_cfa, m->fp, leb(size) | 0x80, size >> 7, save_ra[0], save_ra[1],
		save_ra[2], DW_CFA_offset | m->fp, FRAME_SIZE);
	FDE(b, ROOT, DW_CFA_undefined, m->ra);
	FDE(b, IN_F8, DW_CFA_register, m->ra, m == &s390x ? 24 : 12);
	FDE(b, RESTORES_FP, DW_CFA_offset | m->fp, 8);
	FDE(b, SAVES_RA, save_ra[0], save_ra[1], save_ra[2]);
	FDE(b, ENTRY, DW_CFA_nop);
	FDE(b, RESOLVER, DW_CFA_offset_extended_sf, m->ra, leb(-8));
}

/** Code at GAP + 0x10: a return instruction of riscv64. */
static const uint8_t text[] = { 0x82, 0x80 };

/** Set up a scene whose module has the @p size bytes @p code at GAP + 0x10. */
static void set_up_code(struct scene *s, const struct machine *m, const uint8_t *code, size_t size)
{
	*s = (struct scene){ .machine = m };
	s->eh_frame.is_big_endian = m->arch->is_big_endian;
	put_functions(&s->eh_frame, m);
	const struct unw_binary_input input = {
		.arch = m->arch,
		.eh_frame = { .data = s->eh_frame.data, .size = s->eh_frame.n, .vaddr = 0x8000 },
		.text = { .data = code, .size = size, .vaddr = GAP + 0x10 },
		.plts = { .list = { { .start = PLT, .end = PLT_END } }, .has_header = true },
		.entry_vaddr = ENTRY,
	};
	assert_ok(unw_binary_create(&input, &s->binary));
	s->module = (struct unw_module){ .start = LEAF, .end = MODULE_END, .binary = s->binary };
	the_module = &s->module;
}

static void set_up(struct scene *s, const struct machine *m)
{
	set_up_code(s, m, text, sizeof(text));
}

static void tear_down(struct scene *s)
{
	unw_binary_destroy(s->binary);
}

static const struct pd_reg *reg_by_dwarf(const struct pd_arch *arch, uint8_t dwarf)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		if (arch->regs[i].dwarf == dwarf)
			return &arch->regs[i];
	}
	fail();
	return NULL;
}

static void set_bit(struct scene *s, uint8_t bit, uint64_t value)
{
	s->regs_mask |= UINT64_C(1) << bit;
	s->reg[bit] = value;
}

static void set_reg(struct scene *s, uint8_t dwarf, uint64_t value)
{
	set_bit(s, reg_by_dwarf(s->machine->arch, dwarf)->perf, value);
}

static void set_leaf(struct scene *s, uint64_t pc, uint64_t fp)
{
	set_bit(s, s->machine->arch->pc, pc);
	set_reg(s, s->machine->sp, SP);
	set_reg(s, s->machine->fp, fp);
}

static void set_word(struct scene *s, int64_t off, uint64_t value)
{
	size_t word = s->machine->arch->word;

	assert_uint_in_range(off, 0, MAX_STACK_BYTES - word);
	store(s->stack + off, value, word, s->machine->arch->is_big_endian);
}

/** Set the return address of the frame whose caller's stack pointer is SP + @p sp_off. */
static void set_ra(struct scene *s, int64_t sp_off, uint64_t ra)
{
	set_word(s, sp_off + s->machine->cfa_above_sp + s->machine->ra_off, ra);
}

/** Add a LEAF called from @p ra. Returns the distance from SP to the caller's stack pointer. */
static int64_t call_leaf(struct scene *s, uint64_t ra)
{
	if (s->machine->has_link) {
		set_reg(s, s->machine->ra, ra);
		return 0;
	}
	set_word(s, 0, ra);
	return s->machine->arch->word;
}

static void expect(struct scene *s, uint64_t pc, uint32_t flags)
{
	s->pc[s->n] = pc;
	s->flags[s->n++] = flags;
}

static void check_walk(struct scene *s, struct unw_walker *walker)
{
	uint8_t regs[8 * 64];
	struct unw_stack stack = { 0 };
	size_t n = 0;

	for (size_t bit = 0; bit < 64; bit++) {
		if (s->regs_mask >> bit & 1)
			memcpy(regs + 8 * n++, &s->reg[bit], 8);
	}
	const struct unw_input input = {
		.space = &space,
		.regs_mask = s->regs_mask,
		.regs = regs,
		.stack = s->stack,
		.stack_size = sizeof(s->stack),
	};
	assert_ok(unw_walk(walker, &input, &stack));
	for (size_t i = 0; i < s->n && i < stack.frames.n; i++) {
		const struct unw_frame *frame = unw_walker_frame(walker, stack.frames.data[i]);

		assert_int_equal(frame->pc, s->pc[i]);
		assert_int_equal(frame->flags, s->flags[i]);
	}
	assert_int_equal(stack.frames.n, s->n);
	assert_string_equal(pd_unwind_end_text(stack.end), pd_unwind_end_text(s->end));
	pd_vec_deinit(&stack.frames);
}

/** Unwind twice: the cached steps must give the same result. */
static void check(struct scene *s)
{
	struct unw_walker *walker;

	assert_ok(unw_walker_create(s->machine->arch, &s->opts, &walker));
	check_walk(s, walker);
	check_walk(s, walker);
	unw_walker_destroy(walker);
	s->n = 0;
}

enum { RET = UNW_FRAME_RETURN, CHAIN = UNW_FRAME_RETURN | UNW_FRAME_BY_FP };

static void calls(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		set_up(&s, machines[i]);
		set_leaf(&s, LEAF + 0x10, SP + 0x80);
		int64_t sp = call_leaf(&s, FRAME + 0x10) + FRAME_SIZE;
		set_ra(&s, sp, BY_FP + 0x10);
		/* The frame pointer is saved at CFA - 48, where it points to. */
		set_word(&s, 0x80 + s.machine->cfa_above_sp, 0x1234);
		set_ra(&s, 0x80 + FRAME_SIZE, ROOT + 0x10);
		expect(&s, LEAF + 0x10, 0);
		expect(&s, FRAME + 0x10, RET);
		expect(&s, BY_FP + 0x10, RET);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
}

/** The link register is used in the leaf only, and only if it was recorded. */
static void link_register_is_used_once(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		if (!machines[i]->has_link)
			continue;
		set_up(&s, machines[i]);
		set_leaf(&s, LEAF + 0x10, 0);
		s.end = PD_UNWIND_END_LOST_REG;
		expect(&s, LEAF + 0x10, 0);
		check(&s);

		call_leaf(&s, LEAF + 0x20);
		expect(&s, LEAF + 0x10, 0);
		expect(&s, LEAF + 0x20, RET);
		check(&s);

		/* The entry point has no caller. */
		s.end = PD_UNWIND_END_ROOT;
		call_leaf(&s, ENTRY + 0x20);
		expect(&s, LEAF + 0x10, 0);
		expect(&s, ENTRY + 0x20, RET);
		check(&s);

		/* In a leaf, a return address of zero does not prove that it is the root. */
		s.end = PD_UNWIND_END_NO_CFI;
		call_leaf(&s, 0);
		expect(&s, LEAF + 0x10, 0);
		check(&s);
		tear_down(&s);
	}
}

/** A frame that has called used some stack. If it seems not to, the stack contains a cycle. */
static void frames_that_called_use_stack(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		if (machines[i] != &s390x && machines[i] != &ppc64)
			continue;
		set_up(&s, machines[i]);
		set_leaf(&s, SAVES_RA + 0x10, 0);
		set_ra(&s, 0, SAVES_RA + 0x20);
		s.end = PD_UNWIND_END_CYCLE;
		expect(&s, SAVES_RA + 0x10, 0);
		expect(&s, SAVES_RA + 0x20, RET);
		check(&s);
		tear_down(&s);
	}
}

static void return_address_in_another_register(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		if (!machines[i]->has_link)
			continue;
		set_up(&s, machines[i]);
		set_leaf(&s, IN_F8 + 0x10, 0);
		set_reg(&s, machines[i]->ra, 0x1234);
		set_reg(&s, machines[i] == &s390x ? 24 : 12, ROOT + 0x10);
		expect(&s, IN_F8 + 0x10, 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
}

static void return_addresses_are_stripped(void **state)
{
	enum { THUMB = 1 };
	const uint64_t signature = UINT64_C(0x002a) << 48;
	struct scene s;

	(void)state;
	set_up(&s, &aarch64);
	set_leaf(&s, LEAF + 0x10, 0);
	call_leaf(&s, (FRAME + 0x10) | signature);
	set_ra(&s, FRAME_SIZE, (ROOT + 0x10) | signature);
	expect(&s, LEAF + 0x10, 0);
	expect(&s, FRAME + 0x10, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);

	set_up(&s, &arm);
	set_leaf(&s, LEAF + 0x10, 0);
	call_leaf(&s, (FRAME + 0x10) | THUMB);
	set_ra(&s, FRAME_SIZE, (ROOT + 0x10) | THUMB);
	expect(&s, LEAF + 0x10, 0);
	expect(&s, FRAME + 0x10, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

/** glibc's CFA for _dl_runtime_resolve() does not include what the PLT header has pushed. */
static void resolver_of_aarch64(void **state)
{
	struct scene s;

	(void)state;
	set_up(&s, &aarch64);
	set_leaf(&s, RESOLVER + 0x10, 0);
	set_word(&s, 8, FRAME + 0x10);
	set_ra(&s, 16 + FRAME_SIZE, ROOT + 0x10);
	expect(&s, RESOLVER + 0x10, 0);
	expect(&s, FRAME + 0x10, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

/** A 64-bit kernel reports the registers of 32-bit programs in 64 bits. */
static void high_halves_are_no_part_of_short_registers(void **state)
{
	struct scene s;

	(void)state;
	set_up(&s, &arm);
	set_leaf(&s, LEAF + 0x10, 0);
	call_leaf(&s, ROOT + 0x10);
	set_reg(&s, arm.sp, SP | UINT64_C(0xabcd) << 32);
	expect(&s, LEAF + 0x10, 0);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

static void plt_entries(void **state)
{
	/** Offset in the section, and whether the return address is on the stack there. */
	static const struct {
		const struct machine *machine;
		uint8_t off;
		uint8_t pushed;
	} cases[] = {
		{ &x86_32, 0, 4 },
		{ &x86_32, 6, 8 },
		{ &x86_32, 16, 0 },
		{ &x86_32, 26, 0 },
		{ &x86_32, 27, 4 },
		{ &aarch64, 0, 0 },
		{ &aarch64, 4, 16 },
		{ &aarch64, 32, 0 },
		{ &arm, 0, 0 },
		{ &arm, 4, 4 },
		{ &arm, 20, 0 },
		{ &riscv64, 8, 0 },
		{ &riscv64, 40, 0 },
		{ &s390x, 24, 0 },
		{ &s390x, 64, 0 },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct machine *m = cases[i].machine;
		uint8_t pushed = cases[i].pushed;

		set_up(&s, m);
		set_leaf(&s, PLT + cases[i].off, 0);
		if (m->has_link && !pushed)
			set_reg(&s, m->ra, ROOT + 0x10);
		else
			set_word(&s, m->has_link ? pushed - m->arch->word : pushed, ROOT + 0x10);
		expect(&s, PLT + cases[i].off, 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		/* Without the frame pointer the full path unwinds from the leaf on. */
		s.regs_mask &= ~(UINT64_C(1) << reg_by_dwarf(m->arch, m->fp)->perf);
		expect(&s, PLT + cases[i].off, 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
}

/** Caller found by the chain, and the distance from SP to its stack pointer. */
static void chains(void **state)
{
	struct scene s;

	(void)state;
	/* The frame record of AArch64 holds the frame pointer, but not the stack pointer. */
	set_up(&s, &aarch64);
	set_leaf(&s, JIT + 0x10, SP + 16);
	set_word(&s, 16, SP + 0x80);
	set_word(&s, 24, BY_FP + 0x10);
	set_word(&s, 0x80, SP + 0x100);
	set_ra(&s, 0x80 + FRAME_SIZE, FRAME + 0x20);
	set_ra(&s, 0x80 + 2 * FRAME_SIZE, ROOT + 0x10);
	expect(&s, JIT + 0x10, 0);
	expect(&s, BY_FP + 0x10, CHAIN);
	expect(&s, FRAME + 0x20, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	/* The return address may still be in the link register, unless the frame has the same. */
	set_reg(&s, aarch64.ra, BY_FP + 0x10);
	expect(&s, JIT + 0x10, 0);
	expect(&s, BY_FP + 0x10, CHAIN);
	expect(&s, FRAME + 0x20, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	set_reg(&s, aarch64.ra, JIT + 0x40);
	s.end = PD_UNWIND_END_ROOT_DOUBTFUL;
	expect(&s, JIT + 0x10, 0);
	expect(&s, BY_FP + 0x10, CHAIN);
	expect(&s, FRAME + 0x20, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	set_reg(&s, aarch64.ra, 0);
	s.end = PD_UNWIND_END_ROOT;
	/* If the row needs the unknown stack pointer, the chain leads on. */
	set_word(&s, 24, FRAME + 0x10);
	set_word(&s, 0x80 + 8, ROOT + 0x10);
	expect(&s, JIT + 0x10, 0);
	expect(&s, FRAME + 0x10, CHAIN);
	expect(&s, ROOT + 0x10, CHAIN);
	check(&s);
	tear_down(&s);

	set_up(&s, &riscv64);
	set_leaf(&s, JIT + 0x10, SP + 0x40);
	set_word(&s, 0x40 - 16, SP + 0x80);
	set_word(&s, 0x40 - 8, FRAME + 0x10);
	set_ra(&s, 0x40 + FRAME_SIZE, ROOT + 0x10);
	expect(&s, JIT + 0x10, 0);
	expect(&s, FRAME + 0x10, CHAIN);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

static void back_chain(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		if (machines[i] != &ppc64 && machines[i] != &ppc64le)
			continue;
		set_up(&s, machines[i]);
		set_leaf(&s, JIT + 0x10, 0);
		set_word(&s, 0, SP + 0x40);
		set_word(&s, 0x40 + 16, JIT + 0x20);
		set_word(&s, 0x40, SP + 0x60);
		set_word(&s, 0x60 + 16, JIT + 0x30);
		set_word(&s, 0x60, 0);
		expect(&s, JIT + 0x10, 0);
		expect(&s, JIT + 0x20, CHAIN);
		expect(&s, JIT + 0x30, CHAIN);
		check(&s);
		/* The link must point upwards. */
		set_word(&s, 0x40, SP + 0x20);
		s.end = PD_UNWIND_END_NO_FILE;
		expect(&s, JIT + 0x10, 0);
		expect(&s, JIT + 0x20, CHAIN);
		check(&s);
		tear_down(&s);
	}
}

/** Registers saved below the stack pointer were not captured, but the back chain leads on. */
static void registers_in_the_red_zone(void **state)
{
	struct scene s;

	(void)state;
	set_up(&s, &ppc64);
	set_leaf(&s, RESTORES_FP + 0x10, SP + 0x80);
	call_leaf(&s, BY_FP + 0x10);
	set_word(&s, 0, SP + 0x40);
	set_word(&s, 0x40 + 16, ROOT + 0x10);
	expect(&s, RESTORES_FP + 0x10, 0);
	expect(&s, BY_FP + 0x10, RET);
	expect(&s, ROOT + 0x10, CHAIN);
	check(&s);
	tear_down(&s);

	/* Without a red zone the register has the caller's value again. */
	set_up(&s, &aarch64);
	set_leaf(&s, RESTORES_FP + 0x10, SP + 0x80);
	call_leaf(&s, BY_FP + 0x10);
	set_ra(&s, 0x80 + FRAME_SIZE, ROOT + 0x10);
	expect(&s, RESTORES_FP + 0x10, 0);
	expect(&s, BY_FP + 0x10, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

/** Offsets of registers in signal frames, from the kernel's headers. */
struct signal_case {
	const struct machine *machine;
	int16_t pc;
	int16_t sp;
	/** Offset of the register, or -1. */
	int16_t link;
	/** Offset of a required word or of a copy of the stack pointer, or -1. */
	int16_t mark;
	uint64_t mark_value;
};

static const struct signal_case signal_cases[] = {
	{ &x86_32, 160 + 56, 160 + 28, -1, 160 + 68, 0 },
	{ &x86_32, 4 + 56, 4 + 28, -1, 4 + 68, 0 },
	{ &aarch64, 568, 560, 312 + 8 * 30, -1, 0 },
	{ &arm, 128 + 92, 128 + 84, 128 + 88, -1, 0 },
	{ &arm, 92, 84, 88, 0, 0x5ac3c35a },
	{ &riscv64, 304, 320, 312, -1, 0 },
	{ &s390x, 336 + 8, 336 + 16 + 8 * 15, 336 + 16 + 8 * 14, 0, 0 },
	{ &s390x, 176 + 8, 176 + 16 + 8 * 15, 176 + 16 + 8 * 14, 0, 0 },
	{ &ppc64, 128 + 168 + 64 + 8 * 32, 128 + 168 + 64 + 8, 128 + 168 + 64 + 8 * 36, 0, 0 },
	{ &ppc64le, 128 + 168 + 64 + 8 * 32, 128 + 168 + 64 + 8, 128 + 168 + 64 + 8 * 36, 0, 0 },
	{ &x86_64, 40 + 8 * 16, 40 + 8 * 15, -1, -1, 0 },
};
/* The last one has no trampoline in the vDSO. */
enum { N_SIGNAL_CASES = PD_ARRAY_LEN(signal_cases) - 1, HIGHER = 0x400 };

/** Add a signal frame at SP + @p sp, whose handler interrupted a LEAF called by ROOT. */
static void put_signal(struct scene *s, const struct signal_case *c, int64_t sp)
{
	set_word(s, sp + c->pc, LEAF + 0x20);
	set_word(s, sp + c->sp, SP + HIGHER);
	if (c->link >= 0)
		set_word(s, sp + c->link, ROOT + 0x10);
	else
		set_word(s, HIGHER, ROOT + 0x10);
	if (c->mark >= 0)
		set_word(s, sp + c->mark, c->mark_value ? c->mark_value : SP + HIGHER);
}

static void signals_without_an_image(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_SIGNAL_CASES; i++) {
		const struct signal_case *c = &signal_cases[i];

		set_up(&s, c->machine);
		set_leaf(&s, LEAF + 0x10, 0);
		/* The trampoline is at the start of its mapping. */
		put_signal(&s, c, call_leaf(&s, VDSO));
		expect(&s, LEAF + 0x10, 0);
		expect(&s, VDSO, UNW_FRAME_SIGNAL);
		expect(&s, LEAF + 0x20, 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
}

static bool is_by_copy(const struct signal_case *c)
{
	return c->mark >= 0 && !c->mark_value;
}

/** A leaf in the trampoline is recognized by the link register or by the signal frame. */
static void interrupted_trampolines(void **state)
{
	struct scene s;

	(void)state;
	for (size_t i = 0; i < N_SIGNAL_CASES; i++) {
		const struct signal_case *c = &signal_cases[i];

		set_up(&s, c->machine);
		set_leaf(&s, VDSO + 4, 0);
		put_signal(&s, c, 0);
		if (c->machine->has_link)
			set_reg(&s, c->machine->ra, VDSO);
		expect(&s, VDSO + 4, 0);
		/* Two equal words prove less than the link register. */
		expect(&s, LEAF + 0x20, is_by_copy(c) ? UNW_FRAME_INEXACT : 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
	set_up(&s, &riscv64);
	set_leaf(&s, VDSO + 4, 0);
	put_signal(&s, &signal_cases[5], 0);
	set_reg(&s, riscv64.ra, FRAME + 0x10);
	s.end = PD_UNWIND_END_NO_FILE;
	expect(&s, VDSO + 4, 0);
	check(&s);
	tear_down(&s);
}

static void trampolines_on_the_stack(void **state)
{
	static const struct {
		size_t signal_case;
		uint8_t code[12];
	} cases[] = {
		{ 1, { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 } },
		{ 2, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
		{ 3, { 0xad, 0x70, 0xa0, 0xe3, 0xad, 0, 0x90, 0xef } },
		{ 5, { 0x93, 0x08, 0xb0, 0x08, 0x73 } },
		{ 6, { 0x0a, 173 } },
		{ 8, { 0x38, 0x21, 0, 0x80, 0x38, 0, 0, 0xac, 0x44, 0, 0, 0x02 } },
	};
	enum { CODE = 0x700 };
	struct scene s;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct signal_case *c = &signal_cases[cases[i].signal_case];

		set_up(&s, c->machine);
		set_leaf(&s, LEAF + 0x10, 0);
		put_signal(&s, c, call_leaf(&s, SP + CODE));
		memcpy(s.stack + CODE, cases[i].code, sizeof(cases[i].code));
		expect(&s, LEAF + 0x10, 0);
		expect(&s, SP + CODE, RET);
		expect(&s, LEAF + 0x20, 0);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		/* Other code on the stack is not a trampoline. */
		s.stack[CODE] ^= 1;
		s.end = PD_UNWIND_END_NO_MAPPING;
		expect(&s, LEAF + 0x10, 0);
		check(&s);
		tear_down(&s);
	}
}

struct program_trampoline {
	size_t signal_case;
	uint8_t code[12];
	uint8_t size;
	/** Offset of the system call; 0 if a sample after the trampoline proves nothing. */
	uint8_t syscall;
};

/** Trampolines of C libraries and of Go, which have no call frame information. */
static const struct program_trampoline program_trampolines[] = {
	{ 10, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9, 7 },
	{ 10, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 7, 5 },
	{ 0, { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 }, 7, 5 },
	{ 1, { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 }, 8, 0 },
	{ 2, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8, 4 },
	{ 3, { 0xad, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, 8, 4 },
	{ 4, { 0x77, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef }, 8, 4 },
	{ 6, { 0x0a, 173 }, 2, 0 },
};

/** Set the registers that show that the system call before @p pc is executed. */
static void enter_kernel(struct scene *s, uint64_t pc, uint64_t trampoline)
{
	enum { AX = 0, CX = 2, FLAGS = 9, R11 = 19, MINUS_ENOSYS = -38 };

	if (s->machine->has_link) {
		set_reg(s, s->machine->ra, trampoline);
		return;
	}
	if (s->machine == &x86_32) {
		set_bit(s, AX, (uint32_t)MINUS_ENOSYS);
		return;
	}
	set_bit(s, CX, pc);
	set_bit(s, R11, 0x246);
	set_bit(s, FLAGS, 0x246);
}

/** The handler has returned to @p pc, which is in the trampoline, or is about to. */
static void check_trampoline(const struct program_trampoline *t, uint64_t pc, bool is_leaf)
{
	const struct signal_case *c = &signal_cases[t->signal_case];
	bool is_after = is_leaf && pc == (uint64_t)GAP + 0x10 + t->size;
	struct scene s;

	set_up_code(&s, c->machine, t->code, t->size);
	set_leaf(&s, is_leaf ? pc : LEAF + 0x10, 0);
	put_signal(&s, c, is_leaf ? 0 : call_leaf(&s, pc));
	if (!is_leaf)
		expect(&s, LEAF + 0x10, 0);
	if (is_after)
		enter_kernel(&s, pc, GAP + 0x10);
	/* After the last instruction, the name is looked up before it. */
	expect(&s, pc, UNW_FRAME_SIGNAL | (is_after ? UNW_FRAME_RETURN : 0));
	expect(&s, LEAF + 0x20, 0);
	expect(&s, ROOT + 0x10, RET);
	s.opts.cfi_only = true;
	check(&s);
	tear_down(&s);
}

static void trampolines_of_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(program_trampolines); i++) {
		const struct program_trampoline *t = &program_trampolines[i];

		check_trampoline(t, GAP + 0x10, false);
		check_trampoline(t, GAP + 0x10, true);
		if (!t->syscall)
			continue;
		check_trampoline(t, GAP + 0x10 + t->syscall, true);
		check_trampoline(t, GAP + 0x10 + t->size, true);
	}
}

enum { R12 = 12, R12_OFF = 72, UC_OFF = 8 };

/** Registers that a handler gets from the interrupted code, with their offsets in x86-64's uc. */
static const struct {
	uint8_t reg;
	int16_t off;
} kept_regs[] = { { 8, 40 }, { 9, 48 }, { 10, 56 }, { 11, 64 }, { R12, R12_OFF }, { 13, 80 },
	{ 14, 88 }, { 15, 96 }, { 6, 120 }, { 3, 128 }, { 2, 152 } };

/**
 * Set up a sample of the kernel between writing the handler's stack pointer and its program
 * counter. The interrupted code is a LEAF called by ROOT.
 */
static void set_up_delivery(struct scene *s, int64_t frame)
{
	set_up(s, &x86_64);
	set_leaf(s, LEAF + 0x20, 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(kept_regs); i++) {
		set_reg(s, kept_regs[i].reg, 0x1000 + i);
		set_word(s, frame + UC_OFF + kept_regs[i].off, 0x1000 + i);
	}
	put_signal(s, &signal_cases[N_SIGNAL_CASES], frame + UC_OFF);
}

static void signal_being_delivered(void **state)
{
	struct scene s;

	(void)state;
	set_up_delivery(&s, 0);
	expect(&s, LEAF + 0x20, 0);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	/* All registers are followed with the interrupted code's stack pointer, too. */
	set_word(&s, HIGHER, IN_F8 + 0x10);
	set_reg(&s, R12, ROOT + 0x10);
	set_word(&s, UC_OFF + R12_OFF, ROOT + 0x10);
	expect(&s, LEAF + 0x20, 0);
	expect(&s, IN_F8 + 0x10, RET);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);

	/* A frame in which one register differs is an old one. */
	for (size_t i = 0; i < PD_ARRAY_LEN(kept_regs); i++) {
		set_up_delivery(&s, 0);
		set_word(&s, 0, ROOT + 0x20);
		set_word(&s, UC_OFF + kept_regs[i].off, 0x2000);
		expect(&s, LEAF + 0x20, 0);
		expect(&s, ROOT + 0x20, RET);
		check(&s);
		tear_down(&s);
	}
}

/** Code after a trampoline is the entry of a function, unless registers show something else. */
static void functions_after_trampolines(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(program_trampolines); i++) {
		const struct program_trampoline *t = &program_trampolines[i];
		const struct machine *m = signal_cases[t->signal_case].machine;
		uint64_t pc = GAP + 0x10 + t->size;
		struct scene s;

		set_up_code(&s, m, t->code, t->size);
		set_leaf(&s, pc, 0);
		put_signal(&s, &signal_cases[t->signal_case], 0);
		if (m->has_link)
			set_reg(&s, m->ra, LEAF + 0x10);
		s.end = PD_UNWIND_END_NO_CFI;
		s.opts.cfi_only = true;
		expect(&s, pc, 0);
		check(&s);
		tear_down(&s);
	}
}

/** Samples in __kernel_vsyscall after 0 to 3 pushes. */
static void system_call_of_i386(void **state)
{
	enum { INEXACT = UNW_FRAME_RETURN | UNW_FRAME_INEXACT, EDX = 2 };
	struct scene s;

	(void)state;
	for (int n = 0; n <= 3; n++) {
		set_up(&s, &x86_32);
		/* The pushed ebp is reported. Before the push it has the caller's value. */
		set_leaf(&s, VDSO + 0x10, SP + 0x40);
		if (n == 3)
			set_word(&s, 0, SP + 0x40);
		set_word(&s, 4 * n, BY_FP + 0x10);
		set_ra(&s, 0x40 + FRAME_SIZE, ROOT + 0x10);
		expect(&s, VDSO + 0x10, 0);
		expect(&s, BY_FP + 0x10, INEXACT);
		expect(&s, ROOT + 0x10, RET);
		check(&s);
		tear_down(&s);
	}
	/* edx equals ebp, and the caller has pushed nothing. */
	set_up(&s, &x86_32);
	set_leaf(&s, VDSO + 0x10, SP + 0x40);
	set_reg(&s, EDX, SP + 0x40);
	set_word(&s, 0, SP + 0x40);
	set_word(&s, 8, BY_FP + 0x10);
	set_word(&s, 12, ROOT + 0x10);
	set_ra(&s, 0x40 + FRAME_SIZE, ROOT + 0x10);
	expect(&s, VDSO + 0x10, 0);
	expect(&s, BY_FP + 0x10, INEXACT);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	tear_down(&s);
}

/** Frames from analysed code are marked as inexact, and cfi_only excludes them. */
static void code_without_information(void **state)
{
	struct scene s;

	(void)state;
	set_up(&s, &riscv64);
	set_leaf(&s, GAP + 0x10, 0);
	call_leaf(&s, FRAME + 0x10);
	set_ra(&s, FRAME_SIZE, ROOT + 0x10);
	expect(&s, GAP + 0x10, 0);
	expect(&s, FRAME + 0x10, RET | UNW_FRAME_INEXACT);
	expect(&s, ROOT + 0x10, RET);
	check(&s);
	/* After an inexact frame, a return address of zero does not prove the root. */
	set_ra(&s, FRAME_SIZE, 0);
	s.end = PD_UNWIND_END_NO_CFI;
	expect(&s, GAP + 0x10, 0);
	expect(&s, FRAME + 0x10, RET | UNW_FRAME_INEXACT);
	check(&s);
	s.opts.cfi_only = true;
	expect(&s, GAP + 0x10, 0);
	check(&s);
	tear_down(&s);
}

/** Call frame information of another architecture is not used. */
static void modules_of_another_machine(void **state)
{
	struct scene s;
	struct scene other;

	(void)state;
	set_up(&other, &ppc64le);
	set_up(&s, &ppc64);
	other.module.missing = PD_UNWIND_END_NO_CFI;
	the_module = &other.module;
	set_leaf(&s, LEAF + 0x10, 0);
	call_leaf(&s, ROOT + 0x10);
	s.end = PD_UNWIND_END_NO_CFI;
	s.opts.cfi_only = true;
	expect(&s, LEAF + 0x10, 0);
	check(&s);
	tear_down(&s);
	tear_down(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(link_register_is_used_once),
		cmocka_unit_test(frames_that_called_use_stack),
		cmocka_unit_test(return_address_in_another_register),
		cmocka_unit_test(return_addresses_are_stripped),
		cmocka_unit_test(resolver_of_aarch64),
		cmocka_unit_test(high_halves_are_no_part_of_short_registers),
		cmocka_unit_test(plt_entries),
		cmocka_unit_test(chains),
		cmocka_unit_test(back_chain),
		cmocka_unit_test(registers_in_the_red_zone),
		cmocka_unit_test(signals_without_an_image),
		cmocka_unit_test(interrupted_trampolines),
		cmocka_unit_test(trampolines_on_the_stack),
		cmocka_unit_test(trampolines_of_programs),
		cmocka_unit_test(signal_being_delivered),
		cmocka_unit_test(functions_after_trampolines),
		cmocka_unit_test(system_call_of_i386),
		cmocka_unit_test(code_without_information),
		cmocka_unit_test(modules_of_another_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
