#include "pgo/flow.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/containers/sort.h"
#include "pgo/pgo_image.h"

/** Bytes of a run, at most. Straight code of a function is hardly ever as long. */
enum { LONGEST_RUN = 1 << 20 };

/* An end of a branch: its image, or PROF_NONE, and the address in it. */
struct place {
	uint32_t image;
	uint64_t addr;
};

static struct place place_of(const struct pgo_flow *flow, struct prof_frame_id id)
{
	struct place ret = { PROF_NONE, PGO_ELSEWHERE };

	if (prof_is_none(id))
		return ret;
	const struct prof_frame *frame = prof_frame(flow->profile, id);
	if (prof_is_none(frame->binary) || flow->image_of[frame->binary.i] == PROF_NONE)
		return ret;
	return (struct place){
		.image = flow->image_of[frame->binary.i],
		.addr = pgo_image_addr(prof_binary(flow->profile, frame->binary), frame->addr),
	};
}

static bool is_kernel_image(const struct pgo_flow *flow, uint32_t image)
{
	return prof_binary(flow->profile, flow->images.data[image].binary)->is_kernel;
}

/* Like place_of(), for an edge. User programs see no branches into the kernel or out of it. */
static struct place end_of(
	const struct pgo_flow *flow, const struct prof_edge *edge, struct prof_frame_id id)
{
	struct place ret = place_of(flow, id);

	if (ret.image != PROF_NONE && edge->flags & PROF_EDGE_KERNEL &&
		!is_kernel_image(flow, ret.image))
		ret = (struct place){ PROF_NONE, PGO_ELSEWHERE };
	return ret;
}

/* Find the start of the symbol at a frame. Returns false if no symbol covers it. */
static bool find_function(const struct profile *profile, struct prof_frame_id id, uint64_t *ret)
{
	if (id.i >= profile->frame_offsets.n)
		return false;
	const struct prof_frame_offset *offset = &profile->frame_offsets.data[id.i];
	*ret = prof_frame(profile, id)->addr - offset->in_symbol;
	return offset->has_symbol;
}

static bool are_in_one_function(
	const struct profile *profile, struct prof_frame_id a, struct prof_frame_id b)
{
	uint64_t function_a, function_b;

	return prof_same_binary(prof_frame(profile, a)->binary, prof_frame(profile, b)->binary) &&
	       find_function(profile, a, &function_a) && find_function(profile, b, &function_b) &&
	       function_a == function_b;
}

static struct pd_error *add_branch(struct pgo_flow *flow, const struct prof_edge *edge,
	const struct place *from, const struct place *to, const struct prof_edge_count *count)
{
	bool is_one = from->image == to->image;
	struct pgo_branch branch = {
		.from = from->addr,
		.to = is_one ? to->addr : PGO_ELSEWHERE,
		.n = count->n,
		.mispredicted = count->mispredicted,
		.from_frame = edge->from,
		.to_frame = edge->to,
	};

	if (from->image != PROF_NONE &&
		!pd_vec_push(&flow->images.data[from->image].branches, branch))
		return &pd_enomem;
	if (is_one || to->image == PROF_NONE)
		return NULL;
	branch.from = PGO_ELSEWHERE;
	branch.to = to->addr;
	return pd_vec_push(&flow->images.data[to->image].branches, branch) ? NULL : &pd_enomem;
}

/* Note a run that cannot be, and count it. */
static struct pd_error *add_misfit(
	struct pgo_image *image, uint64_t *count, const struct pgo_run *run)
{
	const struct pgo_hit start = { run->start, run->n };

	*count += run->n;
	return pd_vec_push(&image->unfit, start) ? NULL : &pd_enomem;
}

static struct pd_error *add_run(struct pgo_flow *flow, const struct prof_edge *edge,
	const struct place *start, const struct place *last, uint64_t n)
{
	struct pgo_image *image = &flow->images.data[start->image];
	const struct pgo_run run = {
		.start = start->addr,
		.last = last->addr,
		.is_entry = !are_in_one_function(flow->profile, edge->from, edge->to),
		.n = n,
	};

	if (prof_is_none(edge->end)) {
		image->n_newest += n;
		return NULL;
	}
	if (last->image != start->image)
		return add_misfit(image, &image->misfits.n_outside, &run);
	if (run.last < run.start)
		return add_misfit(image, &image->misfits.n_inverted, &run);
	if (run.last - run.start > LONGEST_RUN)
		return add_misfit(image, &image->misfits.n_overlong, &run);
	return pd_vec_push(&image->runs, run) ? NULL : &pd_enomem;
}

static bool leads_to_user_code(const struct profile *profile, const struct prof_edge *edge)
{
	struct prof_binary_id binary = prof_frame(profile, edge->to)->binary;

	return edge->flags & PROF_EDGE_KERNEL && !prof_is_none(binary) &&
	       !prof_binary(profile, binary)->is_kernel;
}

/* Count an edge that leads to no image. */
static void count_left_out(struct pgo_flow *flow, const struct prof_edge *edge, uint64_t n)
{
	if (leads_to_user_code(flow->profile, edge))
		flow->left_out.n_kernel_exits += n;
	else
		flow->left_out.n_branches += n;
}

static struct pd_error *add_edge(struct pgo_flow *flow, struct prof_edge_id id)
{
	const struct prof_edge *edge = prof_edge(flow->profile, id);
	const struct prof_edge_count *count = &flow->profile->edge_counts.data[id.i];
	struct place from = end_of(flow, edge, edge->from), to = end_of(flow, edge, edge->to);
	struct place last = end_of(flow, edge, edge->end);

	if (to.image == PROF_NONE)
		count_left_out(flow, edge, count->n);
	if (from.image == PROF_NONE && to.image == PROF_NONE)
		return NULL;
	struct pd_error *err = add_branch(flow, edge, &from, &to, count);
	return err || to.image == PROF_NONE ? err : add_run(flow, edge, &to, &last, count->n);
}

static struct pd_error *add_hit(struct pgo_flow *flow, struct prof_sample_id id)
{
	const struct profile *profile = flow->profile;
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, id)->stack, &n);
	struct place place = place_of(flow, n ? frames[0] : prof_no_frame());
	const struct pgo_hit hit = { place.addr, prof_value(profile, id)->samples };

	if (place.image == PROF_NONE) {
		flow->left_out.n_hits += hit.n;
		return NULL;
	}
	return pd_vec_push(&flow->images.data[place.image].hits, hit) ? NULL : &pd_enomem;
}

static struct pd_error *add_edges(struct pgo_flow *flow)
{
	struct pd_error *err = NULL;

	for (struct prof_edge_id id = { 0 }; id.i < flow->profile->edges.n && !err; id.i++)
		err = add_edge(flow, id);
	return err;
}

static struct pd_error *add_hits(struct pgo_flow *flow, struct prof_event_id event)
{
	const struct profile *profile = flow->profile;
	struct pd_error *err = NULL;

	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n && !err; id.i++) {
		if (prof_same_event(prof_sample(profile, id)->event, event))
			err = add_hit(flow, id);
	}
	return err;
}

static struct pd_error *add_code(struct pgo_flow *flow)
{
	const struct profile *profile = flow->profile;

	for (struct prof_code_id id = { 0 }; id.i < profile->code.n; id.i++) {
		const struct prof_code *code = prof_code(profile, id);
		const struct prof_binary *binary = prof_binary(profile, code->binary);
		uint32_t image = flow->image_of[code->binary.i];
		const struct pgo_code piece = {
			.start = pgo_image_addr(binary, code->start),
			.end = pgo_image_addr(binary, code->end),
			.id = id,
		};

		if (image != PROF_NONE && !pd_vec_push(&flow->images.data[image].code, piece))
			return &pd_enomem;
	}
	return NULL;
}

static int compare_branches(const void *a, const void *b)
{
	const struct pgo_branch *x = a, *y = b;
	int order = base_compare_u64(x->from, y->from);

	return order ? order : base_compare_u64(x->to, y->to);
}

static int compare_runs(const void *a, const void *b)
{
	const struct pgo_run *x = a, *y = b;
	int order = base_compare_u64(x->start, y->start);

	order = order ? order : base_compare_u64(x->last, y->last);
	return order ? order : base_compare_u64(x->is_entry, y->is_entry);
}

static int compare_hits(const void *a, const void *b)
{
	const struct pgo_hit *x = a, *y = b;

	return base_compare_u64(x->addr, y->addr);
}

/* Sort a list, and join elements that differ only in their counts, which @p add sums. */
#define join(list, compare_elements, add) \
	do { \
		size_t n_ = 0; \
\
		if ((list)->n) \
			qsort((list)->data, (list)->n, sizeof(*(list)->data), compare_elements); \
		for (size_t i_ = 0; i_ < (list)->n; i_++) { \
			if (n_ && !compare_elements(&(list)->data[n_ - 1], &(list)->data[i_])) \
				add(&(list)->data[n_ - 1], &(list)->data[i_]); \
			else \
				(list)->data[n_++] = (list)->data[i_]; \
		} \
		(list)->n = n_; \
	} while (0)

static void add_to_branch(struct pgo_branch *a, const struct pgo_branch *b)
{
	a->n += b->n;
	a->mispredicted += b->mispredicted;
}

static void add_to_run(struct pgo_run *a, const struct pgo_run *b)
{
	a->n += b->n;
}

static void add_to_hit(struct pgo_hit *a, const struct pgo_hit *b)
{
	a->n += b->n;
}

static int compare_code(const void *a, const void *b)
{
	const struct pgo_code *x = a, *y = b;
	int order = base_compare_u64(x->start, y->start);

	return order ? order : base_compare_u64(x->id.i, y->id.i);
}

/* Sort the code of an image. Of pieces that overlap, the first one stays. */
static void sort_code(struct pgo_image *image)
{
	struct pgo_code *list = image->code.data;
	size_t n = 0;

	if (image->code.n)
		qsort(list, image->code.n, sizeof(*list), compare_code);
	for (size_t i = 0; i < image->code.n; i++) {
		if (!n || list[n - 1].end <= list[i].start)
			list[n++] = list[i];
	}
	image->code.n = n;
}

static void join_image(struct pgo_image *image)
{
	sort_code(image);
	join(&image->branches, compare_branches, add_to_branch);
	join(&image->runs, compare_runs, add_to_run);
	join(&image->hits, compare_hits, add_to_hit);
	join(&image->unfit, compare_hits, add_to_hit);
}

/* Give each binary with a file an image. */
static struct pd_error *find_images(struct pgo_flow *flow)
{
	const struct profile *profile = flow->profile;

	flow->image_of = base_calloc_n(profile->binaries.n, sizeof(*flow->image_of));
	if (!flow->image_of)
		return &pd_enomem;
	for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
		const struct pgo_image image = { .binary = id };
		struct pd_error *err =
			pgo_image_find(profile, id, &flow->names, &flow->image_of[id.i]);

		if (err)
			return err;
		if (flow->names.n > flow->images.n && !pd_vec_push(&flow->images, image))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *pgo_flow_create(
	const struct profile *profile, struct prof_event_id event, struct pgo_flow *ret)
{
	*ret = (struct pgo_flow){
		.profile = profile,
		.has_branches = profile->stats.branches.n_branches,
	};
	struct pd_error *err = find_images(ret);

	if (err)
		return err;
	err = ret->has_branches ? add_edges(ret) : add_hits(ret, event);
	if (!err)
		err = add_code(ret);
	for (size_t i = 0; i < ret->images.n && !err; i++)
		join_image(&ret->images.data[i]);
	return err;
}

void pgo_flow_deinit(struct pgo_flow *flow)
{
	for (size_t i = 0; i < flow->images.n; i++) {
		pd_vec_deinit(&flow->images.data[i].branches);
		pd_vec_deinit(&flow->images.data[i].runs);
		pd_vec_deinit(&flow->images.data[i].hits);
		pd_vec_deinit(&flow->images.data[i].unfit);
		pd_vec_deinit(&flow->images.data[i].code);
	}
	pd_vec_deinit(&flow->images);
	base_intern_deinit(&flow->names);
	free(flow->image_of);
}

uint32_t pgo_image_at(const struct pgo_flow *flow, struct prof_frame_id id)
{
	return place_of(flow, id).image;
}

const char *pgo_image_name(const struct pgo_flow *flow, size_t i)
{
	return base_intern_bytes(&flow->names, (uint32_t)i);
}
