#include "resolve/stacks/sample_walk.h"

#include "base/cleanup.h"

struct pd_error *resolve_walk_init(struct resolve_walk *walk, const struct unw_opts *opts)
{
	const struct pd_arch *other =
		pd_arch_of_abi(walk->arch, walk->arch->word == 8 ? PD_REGS_ABI_32 : PD_REGS_ABI_64);
	struct pd_error *err = unw_walker_create(walk->arch, opts, &walk->walkers[0]);

	if (err || !other)
		return err;
	return unw_walker_create(other, opts, &walk->walkers[1]);
}

void resolve_walk_deinit(struct resolve_walk *walk)
{
	for (size_t i = 0; i < RESOLVE_N_ABIS; i++)
		unw_walker_destroy(walk->walkers[i]);
}

/* Whether the kernel is in execve(2), where the stack of the old program is already gone. */
static bool is_replaced(const struct pd_arch *arch, const struct parse_space *space,
	const struct pd_sample *sample, uint16_t cpumode)
{
	uint64_t pc;

	return cpumode == PD_MISC_KERNEL && pd_regs_get(&sample->regs_user, arch->pc, &pc) &&
	       parse_space_is_replaced(space, sample->pid, pc);
}

bool resolve_has_walk(const struct pd_arch *arch, const struct pd_sample *sample)
{
	return pd_arch_of_abi(arch, sample->regs_user.abi) && sample->regs_user.values.n &&
	       sample->stack_user.reserved;
}

bool resolve_can_walk(const struct pd_arch *arch, const struct parse_space *space,
	const struct pd_sample *sample, uint16_t cpumode)
{
	return resolve_has_walk(arch, sample) && !is_replaced(arch, space, sample, cpumode);
}

struct unw_input resolve_walk_input(const struct pd_sample *sample)
{
	return (struct unw_input){
		.regs_mask = sample->regs_user.mask,
		.regs = sample->regs_user.values.data,
		.stack = sample->stack_user.bytes.data,
		.stack_size = sample->stack_user.bytes.n,
		.is_stack_full = sample->stack_user.bytes.n == sample->stack_user.reserved,
		.swap = sample->regs_user.values.swap,
	};
}

struct pd_error *resolve_walk_sample(struct resolve_walk *walk, const struct pd_sample *sample,
	struct parse_maps *maps, struct unw_stack *ret, size_t *which_ret)
{
	struct resolve_space space = resolve_space_init(walk->binaries, maps);
	struct unw_input input = resolve_walk_input(sample);

	input.space = &space.unw;
	*which_ret = pd_arch_of_abi(walk->arch, sample->regs_user.abi) != walk->arch;
	struct pd_error *err = unw_walk(walk->walkers[*which_ret], &input, ret);
	if (!err)
		err = take_ptr(space.err);
	pd_error_destroy(space.err);
	return err;
}
