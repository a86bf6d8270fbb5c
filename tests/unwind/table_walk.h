/**
 * @file The walker of bpf/walk.h on this machine: stacks of a recording, by tables of its binaries
 * and by the unwinder.
 */
#ifndef PD_TESTS_UNWIND_TABLE_WALK_H
#define PD_TESTS_UNWIND_TABLE_WALK_H

#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "base/array.h"
#include "base/containers/map.h"
#include "bpf/walk.h"
#include "parse/open_file.h"
#include "parse/space/space.h"
#include "resolve/binaries/binaries.h"
#include "resolve/stacks/sample_walk.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/bpf_table.h"

struct table_env {
	struct bw_walk walk;
	const struct pd_arch *arch;
	const struct pd_sample *sample;
	struct resolve_binaries *binaries;
	const struct parse_maps *maps;
	/** Tables by the address of their struct unw_binary, as pointers. */
	struct base_map tables;
	/** Process address of the first captured byte of the stack. */
	uint64_t stack_start;
	/** Address that could not be read last. */
	uint64_t bad_addr;
	uint64_t pcs[BW_MAX_FRAMES];
	bool is_by_fp[BW_MAX_FRAMES];
	struct pd_error *err;
};

static struct table_env *env_of(struct bw_walk *w)
{
	return base_container_of(w, struct table_env, walk);
}

static bool table_walk_reg(
	const struct table_env *env, uint8_t number, bool is_dwarf, uint64_t *ret)
{
	const struct pd_sample *sample = env->sample;

	for (size_t i = 0; i < env->arch->n_regs; i++) {
		const struct pd_reg *reg = &env->arch->regs[i];
		uint64_t bit = UINT64_C(1) << reg->perf;

		if ((is_dwarf ? reg->dwarf : reg->perf) != number)
			continue;
		if (!(sample->regs_user.mask & bit))
			return false;
		*ret = pd_view_u64(&sample->regs_user.values,
			(uint64_t)__builtin_popcountll(sample->regs_user.mask & (bit - 1)));
		return *ret != UINT64_MAX;
	}
	return false;
}

static bool bw_read_reg(struct bw_walk *w, uint8_t number, uint64_t *ret)
{
	return table_walk_reg(env_of(w), number, true, ret);
}

static bool bw_read_word(struct bw_walk *w, uint64_t addr, uint64_t *ret)
{
	struct table_env *env = env_of(w);
	const struct pd_sample *sample = env->sample;
	uint64_t off = addr - env->stack_start;

	env->bad_addr = addr;
	if (off > sample->stack_user.bytes.n || sample->stack_user.bytes.n - off < 8)
		return false;
	*ret = pd_load_u64(sample->stack_user.bytes.data + off, false);
	return true;
}

static const struct unw_table *table_walk_table(
	struct table_env *env, const struct resolve_module *module)
{
	struct unw_table *table = NULL;
	bool is_new;

	if (!module->unw.binary || sym_binary_arch(module->binary->symbols) != env->arch)
		return NULL;
	uint64_t *slot = base_map_add(&env->tables, (uintptr_t)module->unw.binary, &is_new);
	if (!slot)
		abort();
	if (is_new) {
		env->err = unw_table_create(module->unw.binary, module->unw.is_vdso, &table);
		*slot = (uintptr_t)table;
	}
	return (const struct unw_table *)(uintptr_t)*slot;
}

static void bw_find(struct bw_walk *w, uint64_t addr, struct bw_place *ret)
{
	struct table_env *env = env_of(w);
	const struct resolve_module *module;

	*ret = (struct bw_place){ .found = BW_FOUND_NOTHING };
	env->err = env->err ? env->err
			    : resolve_binaries_find(env->binaries, env->maps, addr, &module);
	if (env->err || !module)
		return;
	ret->found = BW_FOUND_MAPPING;
	const struct unw_table *table = table_walk_table(env, module);
	if (!table && module->unw.is_vdso && env->arch == &base_arch_aarch64) {
		/* A page of qemu, which is not recorded. Only a trampoline is returned to there. */
		ret->found = BW_FOUND_ROW;
		ret->row = (struct bw_row){ .kind = BW_ROW_SIGNAL, .flags = BW_ROW_IF_RETURNED };
	}
	if (!table)
		return;
	uint64_t vaddr = addr - module->unw.bias;
	const struct bw_row *row = unw_table_find(table, vaddr);
	/* Code that the table does not reach is a gap, as nothing describes it. */
	ret->found = BW_FOUND_ROW;
	ret->row = row ? *row : (struct bw_row){ .kind = BW_ROW_GAP };
	ret->is_first = row && vaddr - table->base == row->start;
	ret->low_bits = (uint8_t)vaddr;
}

static void bw_add_frame(struct bw_walk *w, uint32_t i, uint64_t pc, bool is_by_fp)
{
	env_of(w)->pcs[i] = pc;
	env_of(w)->is_by_fp[i] = is_by_fp;
}

/** Whether registers show that the leaf is in a system call: see unwind/machines/x86_64.c. */
static bool table_walk_is_in_syscall(const struct table_env *env, uint64_t pc)
{
	enum { FLAGS = 9, CX = 2, R11 = 19 };
	uint64_t cx, r11, flags;

	return env->arch == &base_arch_x86_64 && table_walk_reg(env, CX, false, &cx) && cx == pc &&
	       table_walk_reg(env, R11, false, &r11) && table_walk_reg(env, FLAGS, false, &flags) &&
	       r11 == flags;
}

/** Walk the stack of env->sample. Returns false if its registers were not captured. */
static bool table_walk(struct table_env *env)
{
	struct bw_walk *w = &env->walk;
	static const struct bw_arch x86_64 = BW_ARCH_X86_64, aarch64 = BW_ARCH_AARCH64;
	const struct bw_arch *arch = env->arch == &base_arch_x86_64 ? &x86_64 : &aarch64;
	enum { FP_X86_64 = 6, SP_X86_64 = 7, FP_AARCH64 = 29, LINK_AARCH64 = 30, SP_AARCH64 = 31 };
	bool is_x86 = arch == &x86_64;

	*w = (struct bw_walk){ .knows_sp = true, .knows_mappings = true };
	if (!table_walk_reg(env, env->arch->pc, false, &w->pc) ||
		!table_walk_reg(env, is_x86 ? SP_X86_64 : SP_AARCH64, true, &w->sp))
		return false;
	w->knows_fp = table_walk_reg(env, is_x86 ? FP_X86_64 : FP_AARCH64, true, &w->fp);
	w->knows_kept = is_x86 && table_walk_reg(env, BW_KEPT_X86_64, true, &w->kept);
	if (is_x86 || !table_walk_reg(env, LINK_AARCH64, true, &w->link))
		w->link = 0;
	w->link &= arch->ra_mask;
	w->is_in_syscall = table_walk_is_in_syscall(env, w->pc) ||
			   (w->link && w->pc - w->link - 1 < UNW_MAX_SIGNAL_CODE);
	env->stack_start = w->sp;
	while (bw_step(w, arch))
		;
	return true;
}

/** A stack that was walked in both ways. The unwinder's frames are those of its walker. */
struct table_walk_stack {
	const struct pd_sample *sample;
	const struct table_env *env;
	const struct unw_walker *walker;
	const struct unw_stack *unwound;
};

typedef void table_walk_visit(void *ctx, const struct table_walk_stack *stack);

static struct pd_error *table_walk_sample(struct table_env *env, struct unw_walker *walker,
	struct parse_maps *maps, const struct pd_sample *sample, table_walk_visit *visit, void *ctx)
{
	struct resolve_space space = resolve_space_init(env->binaries, maps);
	struct unw_input input = resolve_walk_input(sample);
	struct unw_stack stack = { 0 };

	env->sample = sample;
	env->maps = maps;
	if (!table_walk(env))
		return env->err;
	input.space = &space.unw;
	struct pd_error *err = unw_walk(walker, &input, &stack);
	const struct table_walk_stack both = { sample, env, walker, &stack };
	if (!err && !space.err && !env->err)
		visit(ctx, &both);
	unw_stack_deinit(&stack);
	return err ? err : space.err ? space.err : env->err;
}

static struct pd_error *table_walk_all(struct table_env *env, struct pd_file *file,
	struct unw_walker *walker, struct parse_space *space, table_walk_visit *visit, void *ctx)
{
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_sample sample;
	const char *field;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_TIME, &reader);

	if (err)
		return err;
	while (!err && !(err = pd_reader_next(reader, &rec)) && rec.bytes) {
		const struct pd_plan *plan = pd_events_plan(&file->events, &rec);

		if (rec.type != PD_RECORD_SAMPLE)
			err = parse_space_apply(space, &rec, plan ? plan->sid_bytes : 0);
		else if (plan && pd_sample_decode(plan, &rec, &sample, &field) == PD_SAMPLE_OK &&
			 resolve_has_walk(env->arch, &sample) &&
			 pd_arch_of_abi(env->arch, sample.regs_user.abi) == env->arch)
			err = table_walk_sample(env, walker, parse_space_maps(space, sample.pid),
				&sample, visit, ctx);
	}
	env->sample = NULL;
	pd_reader_destroy(reader);
	return err;
}

/**
 * Call @p visit for every sample of @p file with a user stack of the machine's word size, in order
 * of time. Errors: those of reading and unwinding.
 */
static struct pd_error *table_walk_file(
	struct pd_file *file, const struct sym_search *search, table_walk_visit *visit, void *ctx)
{
	struct table_env env = { .arch = pd_arch_find(file->text[PD_FEATURE_ARCH]) };
	struct unw_walker *walker = NULL;
	struct parse_space *space = NULL;
	struct pd_error *err = parse_space_create(file, &space);

	if (!err)
		err = resolve_binaries_create(env.arch, search, &env.binaries);
	if (!err)
		err = unw_walker_create(env.arch, NULL, &walker);
	if (!err)
		err = table_walk_all(&env, file, walker, space, visit, ctx);
	base_map_each(slot, &env.tables)
		unw_table_destroy((struct unw_table *)(uintptr_t)slot->value);
	base_map_deinit(&env.tables);
	unw_walker_destroy(walker);
	resolve_binaries_destroy(env.binaries);
	parse_space_destroy(space);
	return err;
}

#endif
