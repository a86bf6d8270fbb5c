/*
 * tables [--compare] FILE: the call chain of every sample by tables (bpf/walk.h), in the format of
 * chains.c, for comparison with the truth. Ends that the unwinder does not have are END. With
 * --compare prints instead how the chains differ from those of the unwinder, and where they end.
 */
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tests/unwind/table_walk.h"

static const char *const end_names[] = {
#define END_NAME(name, text) #name,
	BW_ENDS(END_NAME)
#undef END_NAME
};

struct totals {
	bool is_comparison;
	uint64_t n;
	uint64_t n_equal;
	/** The chain by tables is the beginning of the other one. */
	uint64_t n_shorter;
	uint64_t n_longer;
	uint64_t n_other;
	/** Number of chains by end, and of those that are shorter. */
	uint64_t ends[BW_N_ENDS];
	uint64_t shorter_ends[BW_N_ENDS];
};

/** Name of the end, so that a walk which lacks memory counts as cut. */
static const char *end_name(const struct table_walk_stack *stack)
{
	uint8_t end = stack->env->walk.end;

	if (end == BW_END_MEMORY)
		return stack->env->bad_addr >= stack->env->stack_start ? "STACK_SHORT"
								       : "BAD_MEMORY";
	return end_names[end];
}

static void print_chain(const struct table_walk_stack *stack)
{
	const struct bw_walk *walk = &stack->env->walk;

	printf("S %" PRIu64 " %s\n", stack->sample->time, end_name(stack));
	for (uint32_t i = 0; i < walk->n; i++)
		printf("%" PRIx64 "%s\n", stack->env->pcs[i], stack->env->is_by_fp[i] ? " fp" : "");
}

static uint64_t unwound_pc(const struct table_walk_stack *stack, size_t i)
{
	return unw_walker_frame(stack->walker, stack->unwound->frames.data[i])->pc;
}

static void print_difference(const struct table_walk_stack *stack, size_t common)
{
	fprintf(stderr, "%" PRIu64 " differs at frame %zu: %s, %s\n", stack->sample->time, common,
		end_names[stack->env->walk.end], pd_unwind_end_name(stack->unwound->end));
	for (size_t i = 0; i < stack->env->walk.n || i < stack->unwound->frames.n; i++)
		fprintf(stderr, "  %16" PRIx64 " %16" PRIx64 "\n",
			i < stack->env->walk.n ? stack->env->pcs[i] : 0,
			i < stack->unwound->frames.n ? unwound_pc(stack, i) : 0);
}

static void compare(struct totals *totals, const struct table_walk_stack *stack)
{
	size_t n = stack->env->walk.n, theirs = stack->unwound->frames.n, common = 0;

	while (common < n && common < theirs &&
		stack->env->pcs[common] == unwound_pc(stack, common))
		common++;
	totals->n++;
	totals->ends[stack->env->walk.end]++;
	if (common == n && common == theirs) {
		totals->n_equal++;
	} else if (common == n) {
		totals->n_shorter++;
		totals->shorter_ends[stack->env->walk.end]++;
	} else if (common == theirs) {
		totals->n_longer++;
		print_difference(stack, common);
	} else {
		totals->n_other++;
		print_difference(stack, common);
	}
}

static void visit(void *ctx, const struct table_walk_stack *stack)
{
	struct totals *totals = ctx;

	if (totals->is_comparison)
		compare(totals, stack);
	else
		print_chain(stack);
}

static void print_totals(const struct totals *totals)
{
	printf("%" PRIu64 " stacks: %" PRIu64 " equal, %" PRIu64 " shorter, %" PRIu64
	       " longer, %" PRIu64 " other\n",
		totals->n, totals->n_equal, totals->n_shorter, totals->n_longer, totals->n_other);
	for (size_t i = 0; i < PD_ARRAY_LEN(end_names); i++) {
		if (totals->ends[i])
			printf("%8" PRIu64 " end with %s, %" PRIu64 " of them shorter\n",
				totals->ends[i], end_names[i], totals->shorter_ends[i]);
	}
}

int main(int argc, char **argv)
{
	struct totals totals = { .is_comparison = argc == 3 && !strcmp(argv[1], "--compare") };
	struct pd_file *file = NULL;

	if (argc != 2 + totals.is_comparison)
		return 2;
	_cleanup_free_ char *copy = strdup(argv[argc - 1]);
	if (!copy)
		return 1;
	/* Recordings in testdata/ have their programs next to them. */
	const struct sym_search search = { .debug_dirs = dirname(copy) };
	struct pd_error *err = pd_file_open(argv[argc - 1], NULL, &file);
	if (!err)
		err = table_walk_file(file, &search, visit, &totals);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "tables: %s\n", text);
		pd_error_destroy(err);
	}
	if (totals.is_comparison)
		print_totals(&totals);
	pd_file_close(file);
	return err || totals.n_other || totals.n_longer ? 1 : 0;
}
