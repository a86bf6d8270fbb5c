/*
 * The unwinder. Input: the architecture; a byte with flags; the mask of registers, 8 bytes; their
 * values; a piece with .eh_frame, a piece with code, and the words of the stack. Registers and
 * words are numbers that lead somewhere: see take_word().
 *
 * A stack is unwound twice by a walker, and once by a new one: what a walker has cached must not
 * change its result.
 */
#include <stdlib.h>
#include <string.h>

#include <pdconv/bytes.h>

#include "base/array.h"
#include "tests/fuzz/fuzz.h"
#include "unwind/unwind.h"

enum {
	BINARY = 0x400000,
	JIT = 0x500000,
	VDSO = 0x600000,
	STACK = 0x7ef00000,
	MODULE_SIZE = 0x2000,
	EH_FRAME = 0x8000,
	TEXT = 0x1000,
	MAX_WORDS = 256,
};

static struct unw_module modules[] = {
	{ .start = BINARY + TEXT, .end = BINARY + MODULE_SIZE, .bias = BINARY },
	{ .start = JIT, .end = JIT + MODULE_SIZE, .missing = PD_UNWIND_END_NO_FILE },
	{ .start = VDSO + TEXT, .end = VDSO + MODULE_SIZE, .bias = VDSO, .is_vdso = true },
};

static const struct unw_module *find_module(const struct unw_space *space, uint64_t addr)
{
	(void)space;
	for (size_t i = 0; i < PD_ARRAY_LEN(modules); i++) {
		if (addr >= modules[i].start && addr < modules[i].end)
			return &modules[i];
	}
	return NULL;
}

/* Take an address in a module or on the stack, or any number. */
static uint64_t take_word(struct fuzz_input *in)
{
	static const uint64_t starts[] = { BINARY + TEXT, JIT, VDSO + TEXT, STACK };
	size_t kind = fuzz_choice(in, PD_ARRAY_LEN(starts) + 2);

	if (kind == PD_ARRAY_LEN(starts))
		return fuzz_number(in, 8);
	if (kind > PD_ARRAY_LEN(starts))
		return fuzz_byte(in);
	return starts[kind] + fuzz_number(in, 2) % 0x1000;
}

/* Registers and stack in the byte order of the architecture. */
struct state {
	struct pd_bytes regs;
	struct pd_bytes stack;
	struct unw_input input;
};

static void take_state(struct fuzz_input *in, const struct pd_arch *arch, uint64_t mask,
	uint8_t flags, struct state *ret)
{
	static const struct unw_space space = { .id = 7, .find = find_module };
	bool swap = arch->is_big_endian != pd_is_big_endian(false);

	*ret = (struct state){ .regs.swap = swap, .stack.swap = swap };
	for (int i = 0; i < 64; i++) {
		if (mask >> i & 1)
			pd_bytes_u64(&ret->regs, take_word(in));
	}
	for (size_t i = 0; in->size && i < MAX_WORDS; i++)
		pd_bytes_uint(&ret->stack, take_word(in), arch->word);
	if (ret->regs.failed || ret->stack.failed)
		abort();
	ret->input = (struct unw_input){
		.space = &space,
		.regs_mask = mask,
		.regs = ret->regs.buf.data,
		.stack = ret->stack.buf.data,
		.stack_size = ret->stack.buf.n,
		.is_stack_full = flags & 1,
		.swap = swap,
	};
}

static bool are_equal(const struct unw_walker *a_walker, const struct unw_stack *a,
	const struct unw_walker *b_walker, const struct unw_stack *b)
{
	if (a->frames.n != b->frames.n || a->end != b->end || a->caller_sp != b->caller_sp)
		return false;
	for (size_t i = 0; i < a->frames.n; i++) {
		const struct unw_frame *x = unw_walker_frame(a_walker, a->frames.data[i]);
		const struct unw_frame *y = unw_walker_frame(b_walker, b->frames.data[i]);

		if (x->pc != y->pc || x->flags != y->flags || x->module != y->module)
			return false;
	}
	return true;
}

static struct pd_error *unwind(
	const struct pd_arch *arch, const struct unw_input *input, const struct unw_opts *opts)
{
	struct unw_walker *walker = NULL, *other = NULL;
	struct unw_stack stacks[3] = { 0 };
	struct pd_error *err = unw_walker_create(arch, opts, &walker);

	if (!err)
		err = unw_walker_create(arch, opts, &other);
	if (!err)
		err = unw_walk(walker, input, &stacks[0]);
	if (!err)
		err = unw_walk(walker, input, &stacks[1]);
	if (!err)
		err = unw_walk(other, input, &stacks[2]);
	if (!err && (!are_equal(walker, &stacks[0], walker, &stacks[1]) ||
			    !are_equal(walker, &stacks[0], other, &stacks[2])))
		__builtin_trap();
	for (size_t i = 0; i < PD_ARRAY_LEN(stacks); i++)
		unw_stack_deinit(&stacks[i]);
	unw_walker_destroy(walker);
	unw_walker_destroy(other);
	return err;
}

void fuzz_target_unwind(struct fuzz_input *in)
{
	struct unw_binary_input cfi_input = { .arch = fuzz_arch(in) };
	uint8_t flags = fuzz_byte(in);
	uint64_t mask = fuzz_number(in, 8);
	const struct unw_opts opts = { .max_stack = 64, .cfi_only = flags & 2, .keep_sps = true };
	struct fuzz_input eh_frame = fuzz_piece(in), text = fuzz_piece(in);
	struct unw_binary *binary = NULL;
	struct state state;

	uint8_t *frame_bytes = fuzz_copy(&eh_frame), *text_bytes = fuzz_copy(&text);
	if (eh_frame.size)
		cfi_input.eh_frame = (struct unw_section){
			.data = frame_bytes, .size = eh_frame.size, .vaddr = EH_FRAME
		};
	if (text.size)
		cfi_input.text = (struct unw_section){
			.data = text_bytes, .size = text.size, .vaddr = TEXT
		};
	take_state(in, cfi_input.arch, mask, flags, &state);
	struct pd_error *err = unw_binary_create(&cfi_input, &binary);
	if (!err) {
		modules[0].binary = modules[2].binary = binary;
		modules[1].prefers_chain = flags & 4;
		err = unwind(cfi_input.arch, &state.input, &opts);
		unw_binary_destroy(binary);
	}
	pd_error_destroy(err);
	pd_bytes_deinit(&state.regs);
	pd_bytes_deinit(&state.stack);
	free(frame_bytes);
	free(text_bytes);
}
