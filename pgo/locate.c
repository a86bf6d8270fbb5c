#include "pgo/locate.h"

#include <string.h>

#include "base/array.h"
#include "pgo/sweep.h"

/* Bits of a line offset: LLVM keeps no more of them. */
enum { OFFSET_MASK = 0xffff };

struct locating {
	const struct profile *profile;
	const struct pgo_image *image;
	enum pgo_coding coding;
	struct pgo_counts *counts;
};

/* Position in the runs and in the samples while code is looked at in ascending order. */
struct position {
	struct pgo_sweep runs;
	size_t hit;
};

/* Length of a function's name without what the compiler adds to names of its copies and parts. */
static size_t plain_length(const char *name)
{
	static const char *const suffixes[] = { ".llvm.", ".part.", ".cold", ".constprop.",
		".isra." };
	size_t len = strlen(name);

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found > name && (size_t)(found - name) < len)
			len = (size_t)(found - name);
	}
	return len;
}

/* Find or add the name of a function. Returns PD_INTERN_NONE if memory ran out. */
static uint32_t name_of(const struct locating *l, struct prof_function_id id)
{
	const char *name = prof_string(l->profile, prof_function(l->profile, id)->linkage);

	return base_intern_add(&l->counts->names, name, plain_length(name));
}

static struct pgo_place place_of(const struct locating *l, const struct prof_line *line)
{
	uint32_t start = prof_function(l->profile, line->function)->start_line;

	return (struct pgo_place){ (line->line - start) & OFFSET_MASK,
		pgo_discriminator_block(line->discriminator, l->coding) };
}

/* Whether the functions are known by debug information: the outermost one has a declaration. */
static bool have_places(const struct profile *profile, const struct prof_line *lines, uint32_t n)
{
	return n && prof_function(profile, lines[n - 1].function)->start_line;
}

/* Find or add the node of the innermost of @p n functions. */
static uint32_t find_node(const struct locating *l, const struct prof_line *lines, uint32_t n)
{
	struct pgo_node node = { .outer = PGO_NO_NODE };

	for (uint32_t i = n; i-- > 0;) {
		node.name = name_of(l, lines[i].function);
		if (node.name == PD_INTERN_NONE)
			return PGO_NO_NODE;
		node.outer = pgo_counts_node(l->counts, &node);
		if (node.outer == PGO_NO_NODE)
			return PGO_NO_NODE;
		node.call = place_of(l, &lines[i]);
	}
	return node.outer;
}

/* Raise the count of the innermost line. *@p ret, unless that is NULL, is its index. */
static struct pd_error *add_line(const struct locating *l, const struct prof_line *lines,
	uint32_t n_lines, uint64_t n, uint32_t *ret)
{
	const struct pgo_line line = {
		.node = find_node(l, lines, n_lines),
		.place = place_of(l, &lines[0]),
	};

	if (line.node == PGO_NO_NODE)
		return &pd_enomem;
	uint32_t i = pgo_counts_line(
		l->counts, &line, n * pgo_discriminator_copies(lines[0].discriminator, l->coding));
	if (ret)
		*ret = i;
	return i == PD_INTERN_NONE ? &pd_enomem : NULL;
}

/* How often code with one location ran. */
struct executions {
	/* Number for the instruction that ran most often. */
	uint64_t most;
	/* Sum of all bytes. */
	uint64_t bytes;
};

/*
 * Count the executions of @p code. More runs than at the first instruction are only where others
 * start. A run that ends counts up to there as well: how long its last instruction is is not known.
 */
static struct executions count_code(
	struct position *at, const struct pgo_image *image, const struct pgo_code *code)
{
	struct executions ret = { 0 };
	struct pgo_sweep *runs = &at->runs;

	for (uint64_t start = code->start, next; start < code->end; start = next) {
		pgo_sweep_to(runs, start);
		next = code->end;
		if (runs->start < image->runs.n && image->runs.data[runs->start].start < next)
			next = image->runs.data[runs->start].start;
		ret.most = runs->n > ret.most ? runs->n : ret.most;
		ret.bytes += runs->n * (next - start);
	}
	while (at->hit < image->hits.n && image->hits.data[at->hit].addr < code->start)
		at->hit++;
	for (; at->hit < image->hits.n && image->hits.data[at->hit].addr < code->end; at->hit++) {
		uint64_t n = image->hits.data[at->hit].n;

		ret.most = n > ret.most ? n : ret.most;
		ret.bytes += n;
	}
	return ret;
}

static struct pd_error *add_code(const struct locating *l)
{
	struct position at = { 0 };
	struct pd_error *err = pgo_sweep_init(l->image, &at.runs);

	for (size_t i = 0; i < l->image->code.n && !err; i++) {
		const struct pgo_code *code = &l->image->code.data[i];
		const struct executions executions = count_code(&at, l->image, code);
		uint32_t n, line;
		const struct prof_line *lines = prof_code_lines(l->profile, code->id, &n);

		if (!have_places(l->profile, lines, n))
			continue;
		err = add_line(l, lines, n, executions.most, &line);
		if (!err)
			l->counts->node_counts.data[pgo_line(l->counts, line)->node].total +=
				executions.bytes;
	}
	pgo_sweep_deinit(&at.runs);
	return err;
}

/* Find the function that begins at a frame. Returns false if there is none with a name. */
static bool find_entered(
	const struct profile *profile, struct prof_frame_id id, struct prof_function_id *ret)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	if (!n || id.i >= profile->frame_offsets.n)
		return false;
	const struct prof_frame_offset *offset = &profile->frame_offsets.data[id.i];
	if (!offset->has_symbol || offset->in_symbol)
		return false;
	*ret = lines[n - 1].function;
	/* Entries of the PLT lead to other binaries. */
	return !strchr(prof_string(profile, prof_function(profile, *ret)->linkage), '@');
}

static struct pd_error *add_head(
	const struct locating *l, const struct pgo_branch *branch, uint32_t name)
{
	const struct pgo_node node = { .outer = PGO_NO_NODE, .name = name };
	uint32_t i = pgo_counts_node(l->counts, &node);

	if (i == PGO_NO_NODE)
		return &pd_enomem;
	l->counts->node_counts.data[i].head += branch->n;
	return NULL;
}

/* Count a branch to the start of a function, at the line that it is from. */
static struct pd_error *add_call(const struct locating *l, const struct pgo_branch *branch)
{
	struct prof_function_id function;
	struct pgo_target target;
	uint32_t n;

	if (branch->to == PGO_ELSEWHERE || !find_entered(l->profile, branch->to_frame, &function))
		return NULL;
	target.name = name_of(l, function);
	if (target.name == PD_INTERN_NONE)
		return &pd_enomem;
	struct pd_error *err = add_head(l, branch, target.name);
	if (err || branch->from == PGO_ELSEWHERE)
		return err;
	const struct prof_line *lines = prof_frame_lines(l->profile, branch->from_frame, &n);
	if (!have_places(l->profile, lines, n))
		return NULL;
	err = add_line(l, lines, n, 0, &target.line);
	if (err)
		return err;
	return pgo_counts_add_target(l->counts, &target, branch->n) ? NULL : &pd_enomem;
}

struct pd_error *pgo_locate(
	const struct pgo_flow *flow, size_t i, enum pgo_coding coding, struct pgo_counts *ret)
{
	const struct locating l = { flow->profile, &flow->images.data[i], coding, ret };

	ret->nodes.width = sizeof(struct pgo_node);
	ret->lines.width = sizeof(struct pgo_line);
	ret->targets.width = sizeof(struct pgo_target);
	struct pd_error *err = add_code(&l);
	for (size_t k = 0; k < l.image->branches.n && !err; k++)
		err = add_call(&l, &l.image->branches.data[k]);
	if (err)
		return err;
	return pgo_counts_sum(ret) ? NULL : &pd_enomem;
}
