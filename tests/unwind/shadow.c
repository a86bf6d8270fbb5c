#include "tests/unwind/shadow.h"

#include <elf.h>

#include "base/analyzer.h"
#include "tests/unwind/die.h"

enum {
	MAX_X86_INSN = 15,
	MAX_LINKED_INSN = 6,
	/* Largest offset of the interrupted registers in a signal frame. */
	SIGNAL_FRAME_BYTES = 2048,
};

void shadow_init(struct shadow *shadow, struct target *target)
{
	*shadow = (struct shadow){ .target = target, .current = SHADOW_NOWHERE };
}

void shadow_deinit(struct shadow *shadow)
{
	for (size_t i = 0; i < shadow->stacks.n; i++) {
		pd_vec_deinit(&shadow->stacks.data[i].open);
		pd_vec_deinit(&shadow->stacks.data[i].returns);
	}
	pd_vec_deinit(&shadow->stacks);
}

static size_t find_stack(const struct shadow *shadow, uint64_t sp)
{
	for (size_t i = 0; i < shadow->stacks.n; i++) {
		const struct shadow_stack *stack = &shadow->stacks.data[i];

		/* The pointer of an empty stack is at its end. */
		if (stack->lo < sp && sp <= stack->hi)
			return i;
	}
	return SHADOW_NOWHERE;
}

void shadow_add_stack(struct shadow *shadow, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < shadow->stacks.n; i++) {
		if (shadow->stacks.data[i].hi == hi)
			return;
	}
	if (!pd_vec_push(&shadow->stacks, ((struct shadow_stack){ .lo = lo, .hi = hi })))
		die("no memory");
}

static struct shadow_stack *current(const struct shadow *shadow)
{
	return shadow->current == SHADOW_NOWHERE ? NULL : &shadow->stacks.data[shadow->current];
}

static struct shadow_entry *top(struct shadow_stack *stack)
{
	return stack->open.n ? &stack->open.data[stack->open.n - 1] : NULL;
}

static void push(struct shadow *shadow, struct shadow_entry entry)
{
	struct shadow_stack *stack = current(shadow);

	if (stack && !pd_vec_push(&stack->open, entry))
		die("no memory");
}

static bool has_link(const struct shadow *shadow)
{
	return shadow->target->arch->lr != NO_LINK;
}

/* Bit 0 of a return address on ARM is set for Thumb code. */
static uint64_t code_addr(const struct shadow *shadow, uint64_t addr)
{
	return shadow->target->arch->e_machine == EM_ARM ? addr & ~(uint64_t)1 : addr;
}

void shadow_begin(struct shadow *shadow, const struct cpu *cpu)
{
	shadow->current = find_stack(shadow, arch_sp(shadow->target->arch, cpu));
	if (current(shadow))
		current(shadow)->is_used = true;
}

void shadow_adopt_caller(struct shadow *shadow, const struct cpu *cpu)
{
	const struct arch *arch = shadow->target->arch;
	struct shadow_entry entry = { .sp = arch_sp(arch, cpu) };

	if (has_link(shadow)) {
		entry.addr = code_addr(shadow, cpu->reg[arch->lr]);
	} else {
		entry.addr = target_word(shadow->target, entry.sp);
		entry.sp += arch->word;
	}
	/* On s390x a context starts at the return address of its function. */
	if (entry.addr && entry.addr != arch_pc(arch, cpu))
		push(shadow, entry);
}

/* Address after the instruction at before->pc. Only where the length of instructions is known. */
static uint64_t next_insn(const struct shadow *shadow, const struct cpu *before)
{
	const struct arch *arch = shadow->target->arch;
	uint64_t pc = arch_pc(arch, before);
	uint8_t insn[4] = { 0 };

	target_read(shadow->target, pc, insn, sizeof(insn));
	return pc + arch_insn_size(arch, insn, before->reg[CPU_IS_THUMB]);
}

static bool is_sequential(
	const struct shadow *shadow, const struct cpu *before, const struct cpu *after)
{
	const struct arch *arch = shadow->target->arch;
	uint64_t from = arch_pc(arch, before), to = arch_pc(arch, after);

	if (has_link(shadow))
		return to == next_insn(shadow, before);
	return from <= to && to <= from + MAX_X86_INSN;
}

/*
 * Return true if link register @lr was set to the following instruction, and execution continued
 * elsewhere.
 */
static bool is_link(
	const struct shadow *shadow, unsigned lr, const struct cpu *before, const struct cpu *after)
{
	const struct arch *arch = shadow->target->arch;
	uint64_t from = arch_pc(arch, before);
	uint64_t link = code_addr(shadow, after->reg[lr]);

	return link > from && link <= from + MAX_LINKED_INSN && arch_pc(arch, after) != link &&
	       link == next_insn(shadow, before);
}

static bool is_linked(const struct shadow *shadow, const struct cpu *before,
	const struct cpu *after, struct shadow_entry *ret)
{
	const struct arch *arch = shadow->target->arch;

	ret->is_helper = arch->lr2 != NO_LINK && is_link(shadow, arch->lr2, before, after);
	unsigned lr = ret->is_helper ? arch->lr2 : arch->lr;
	ret->addr = code_addr(shadow, after->reg[lr]);
	return is_link(shadow, lr, before, after);
}

/* Get the call, if the instruction was one. */
static bool is_call(const struct shadow *shadow, const struct cpu *before, const struct cpu *after,
	struct shadow_entry *ret)
{
	const struct arch *arch = shadow->target->arch;
	uint64_t from = arch_pc(arch, before), to = arch_pc(arch, after);

	ret->sp = arch_sp(arch, before);
	if (has_link(shadow))
		return is_linked(shadow, before, after, ret);
	if (arch_sp(arch, after) != ret->sp - arch->word)
		return false;
	ret->addr = target_word(shadow->target, ret->sp - arch->word);
	bool is_behind = ret->addr > from && ret->addr <= from + MAX_X86_INSN;
	/* Exclude a push of a nearby address, and `call next`, which reads the program counter. */
	return is_behind && to != ret->addr && !(from < to && to < ret->addr);
}

/*
 * Return true if no callee of @p entry can be running at stack pointer @p sp. Pushed return
 * addresses and signal frames are below the caller's stack pointer; other callees may share it.
 */
static bool is_passed(const struct shadow *shadow, const struct shadow_entry *entry, uint64_t sp)
{
	return has_link(shadow) && !entry->is_signal ? entry->sp < sp : entry->sp <= sp;
}

/* Return from a signal's stack to the one that it interrupted, or to an outer one. */
static void switch_stack(struct shadow *shadow, size_t to)
{
	struct shadow_stack *from = current(shadow);

	if (from && from->open.n && from->open.data[0].is_signal) {
		from->open.n = 0;
		from->is_used = false;
	}
	shadow->current = to;
	shadow->in_transit = true;
	shadow->passed = (struct shadow_entry){ 0 };
}

static bool pop_passed(struct shadow *shadow, uint64_t sp)
{
	struct shadow_stack *stack = current(shadow);
	bool popped = false;

	for (const struct shadow_entry *last; (last = top(stack)) && is_passed(shadow, last, sp);) {
		shadow->passed = *last;
		stack->open.n--;
		popped = true;
	}
	return popped;
}

/* A return address was popped into a register and pushed again, so the call is still open. */
static bool unpop(struct shadow *shadow, uint64_t sp)
{
	size_t word = shadow->target->arch->word;

	if (has_link(shadow) || !shadow->in_transit || !shadow->passed.addr ||
		shadow->passed.sp != sp + word ||
		target_word(shadow->target, sp) != shadow->passed.addr)
		return false;
	push(shadow, shadow->passed);
	shadow->in_transit = false;
	return true;
}

static bool pop_returned(struct shadow *shadow, uint64_t pc, uint64_t sp)
{
	struct shadow_stack *stack = current(shadow);
	const struct shadow_entry *last = top(stack);

	if (!last || last->addr != pc || (last->sp != sp && !last->is_helper))
		return false;
	stack->open.n--;
	if (!pd_vec_push(&stack->returns, ((struct shadow_return){ pc, sp, stack->open.n })))
		die("no memory");
	return true;
}

/* longjmp returns to where setjmp returned before; as many calls are open as at that time. */
static void pop_as_once(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	for (size_t i = stack->returns.n; i-- > 0;) {
		const struct shadow_return *once = &stack->returns.data[i];

		if (once->addr != pc || once->sp != sp)
			continue;
		if (once->n_open < stack->open.n)
			stack->open.n = once->n_open;
		return;
	}
}

/* The program counter has followed the stack pointer: the calls from here have ended. */
static void arrive(struct shadow *shadow, const struct cpu *cpu, bool by_call)
{
	struct shadow_stack *stack = current(shadow);
	uint64_t sp = arch_sp(shadow->target->arch, cpu);

	PD_IS_TRUE(stack, "every step is on a stack");
	shadow->in_transit = false;
	for (const struct shadow_entry *last; (last = top(stack)) && !by_call && last->sp <= sp;)
		stack->open.n--;
	pop_as_once(stack, arch_pc(shadow->target->arch, cpu), sp);
	if (!stack->is_used && !by_call)
		shadow_adopt_caller(shadow, cpu);
	stack->is_used = true;
}

void shadow_step(struct shadow *shadow, const struct cpu *before, const struct cpu *after)
{
	const struct arch *arch = shadow->target->arch;
	uint64_t pc = arch_pc(arch, after), sp = arch_sp(arch, after);
	size_t stack = find_stack(shadow, sp);
	struct shadow_entry call = { 0 };

	if (stack != shadow->current)
		switch_stack(shadow, stack);
	if (!current(shadow))
		return;
	if (is_call(shadow, before, after, &call)) {
		if (shadow->in_transit)
			arrive(shadow, after, true);
		push(shadow, call);
		return;
	}
	if (unpop(shadow, sp))
		return;
	bool sequential = is_sequential(shadow, before, after);
	/*
	 * A return may lead to a nearby address; where that matters, no other instruction can do
	 * so.
	 */
	if ((!sequential || !has_link(shadow)) && pop_returned(shadow, pc, sp))
		sequential = false;
	if (pop_passed(shadow, sp) && sequential)
		shadow->in_transit = true;
	if (shadow->in_transit && !sequential)
		arrive(shadow, after, false);
}

void shadow_signal(struct shadow *shadow, const struct cpu *before, const struct cpu *after)
{
	const struct arch *arch = shadow->target->arch;
	struct shadow_entry entry = {
		.addr = arch_pc(arch, before),
		.sp = arch_sp(arch, before),
		.is_signal = true,
		.stack = shadow->current,
	};

	shadow->current = find_stack(shadow, arch_sp(arch, after));
	if (!current(shadow))
		die("signal handler on an unknown stack at %#lx", arch_sp(arch, after));
	current(shadow)->is_used = true;
	push(shadow, entry);
	shadow_adopt_caller(shadow, after);
}

bool shadow_is_known(const struct shadow *shadow)
{
	return shadow->current != SHADOW_NOWHERE && !shadow->in_transit;
}

static void add_frame(struct shadow_chain *chain, uint64_t addr, uint64_t reach)
{
	if (!pd_vec_push(&chain->frames, ((struct shadow_frame){ addr, reach })))
		die("no memory");
}

void shadow_chain(const struct shadow *shadow, const struct cpu *cpu, struct shadow_chain *ret)
{
	const struct arch *arch = shadow->target->arch;
	const struct shadow_stack *stack = current(shadow);
	uint64_t sp = arch_sp(arch, cpu);
	/* Only the signal frame is captured of other stacks. */
	bool is_elsewhere = false;

	ret->frames.n = 0;
	add_frame(ret, arch_pc(arch, cpu), 0);
	for (size_t i = stack->open.n; i-- > 0;) {
		const struct shadow_entry *entry = &stack->open.data[i];
		bool leaves = entry->is_signal && &shadow->stacks.data[entry->stack] != stack;
		uint64_t reach =
			leaves ? ret->frames.data[ret->frames.n - 1].reach + SIGNAL_FRAME_BYTES
			       : entry->sp + arch->linkage - sp;

		add_frame(ret, entry->addr, is_elsewhere ? UINT64_MAX : reach);
		if (leaves) {
			is_elsewhere = true;
			stack = &shadow->stacks.data[entry->stack];
			i = stack->open.n;
		}
	}
}

uint64_t shadow_room(const struct shadow *shadow, uint64_t sp)
{
	const struct shadow_stack *stack = current(shadow);

	return stack && stack->hi > sp ? stack->hi - sp : 0;
}
