#include "resolve/batch/edges.h"

#include <pdconv/bitfield.h>
#include <pdconv/sample.h>

/* Sources of the branches after the one that is added. They refer to nothing at the newest one. */
struct newer {
	/* Source of any branch, and of one within user code. */
	struct prof_frame_id any;
	struct prof_frame_id user;
};

static bool is_kernel_half(uint64_t addr)
{
	return addr >> 63;
}

static struct pd_error *find_frame(struct resolve_frames *frames, const struct resolve_item *item,
	uint64_t addr, struct prof_frame_id *ret)
{
	const struct parse_callchain_link link = {
		.pc = addr,
		.context = is_kernel_half(addr) ? PD_CALLCHAIN_KERNEL : PD_CALLCHAIN_USER,
	};

	return resolve_frames_at(
		frames, is_kernel_half(addr) ? item->kernel_maps : item->maps, &link, 0, ret);
}

static struct pd_error *find_ends(struct resolve_frames *frames, const struct resolve_item *item,
	const struct pd_branch *branch, struct prof_edge *ret)
{
	struct pd_error *err = find_frame(frames, item, branch->from, &ret->from);

	if (is_kernel_half(branch->from) || is_kernel_half(branch->to))
		ret->flags = PROF_EDGE_KERNEL;
	return err ? err : find_frame(frames, item, branch->to, &ret->to);
}

/* Whether every branch that is taken is recorded, so that code between two of them is straight. */
static bool has_all_branches(const struct pd_event *event)
{
	return event->attr.branch_sample_type & PD_BRANCH_ANY;
}

static struct pd_error *add_branch(struct profile *profile, const struct pd_branch *branch,
	bool is_whole, struct newer *newer, struct prof_edge *edge)
{
	bool is_kernel = edge->flags & PROF_EDGE_KERNEL;
	uint64_t mispredicted = pd_bitfield_get(
		&pd_bitfields_branch_flags.fields[PD_BRANCH_mispred], branch->flags);
	const struct prof_edge_count once = { 1, mispredicted };

	edge->end = !is_whole ? prof_no_frame() : is_kernel ? newer->any : newer->user;
	newer->any = edge->from;
	if (!is_kernel)
		newer->user = edge->from;
	return prof_add_edge(profile, edge, &once);
}

struct pd_error *resolve_edges_add(struct profile *profile, struct resolve_frames *frames,
	const struct pd_event *event, const struct resolve_item *item)
{
	const struct pd_branches *branches = &item->sample.branch_stack;
	struct prof_branch_stats *stats = &profile->stats.branches;
	struct newer newer = { prof_no_frame(), prof_no_frame() };
	bool is_whole = has_all_branches(event);
	size_t n = branches->entries.n;

	stats->n_stacks += n > 0;
	stats->n_branches += n;
	stats->n_calls += item->has_calls ? n : 0;
	stats->n_chosen += item->has_calls || is_whole ? 0 : n;
	for (size_t i = 0; i < n && !item->has_calls; i++) {
		struct pd_branch branch = pd_branch_get(branches, i);
		struct prof_edge edge = { 0 };
		struct pd_error *err = find_ends(frames, item, &branch, &edge);

		if (!err)
			err = add_branch(profile, &branch, is_whole, &newer, &edge);
		if (err)
			return err;
	}
	return NULL;
}
