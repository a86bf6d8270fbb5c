#include "output/callchain.h"

#include <pdconv/cursor.h>

static const struct {
	uint64_t marker;
	enum out_context context;
} markers[] = {
	{ PD_CONTEXT_HV, OUT_CONTEXT_HYPERVISOR },
	{ PD_CONTEXT_KERNEL, OUT_CONTEXT_KERNEL },
	{ PD_CONTEXT_USER, OUT_CONTEXT_USER },
	{ PD_CONTEXT_GUEST, OUT_CONTEXT_GUEST },
	{ PD_CONTEXT_GUEST_KERNEL, OUT_CONTEXT_GUEST_KERNEL },
	{ PD_CONTEXT_GUEST_USER, OUT_CONTEXT_GUEST_USER },
};

const char *out_context_name(enum out_context context)
{
	static const char *const names[OUT_N_CONTEXTS] = {
		[OUT_CONTEXT_HYPERVISOR] = "[hypervisor]",
		[OUT_CONTEXT_GUEST] = "[guest]",
		[OUT_CONTEXT_GUEST_KERNEL] = "[guest.kernel]",
		[OUT_CONTEXT_GUEST_USER] = "[guest.user]",
	};
	return names[context];
}

enum out_context out_context_of(uint16_t cpumode)
{
	switch (cpumode) {
	case PD_MISC_KERNEL:
		return OUT_CONTEXT_KERNEL;
	case PD_MISC_USER:
		return OUT_CONTEXT_USER;
	case PD_MISC_HYPERVISOR:
		return OUT_CONTEXT_HYPERVISOR;
	case PD_MISC_GUEST_KERNEL:
		return OUT_CONTEXT_GUEST_KERNEL;
	case PD_MISC_GUEST_USER:
		return OUT_CONTEXT_GUEST_USER;
	default:
		return OUT_CONTEXT_NONE;
	}
}

/* A marker that is not known changes nothing. */
static enum out_context context_after(enum out_context before, uint64_t marker)
{
	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		if (markers[i].marker == marker)
			return markers[i].context;
	}
	return before;
}

void out_links_deinit(struct out_links *links)
{
	pd_vec_deinit(&links->system);
	pd_vec_deinit(&links->user);
}

/* A user's part that is still to come is a marker of its own, and a cookie. */
static bool is_user_marker(uint64_t marker)
{
	return marker == PD_CONTEXT_USER || marker == PD_CONTEXT_USER_DEFERRED;
}

struct pd_error *out_entries_add(struct out_entries *entries, const struct pd_sample *sample,
	uint16_t cpumode, bool swap, unsigned parts)
{
	const struct pd_view *chain = &sample->callchain;
	unsigned part = cpumode == PD_MISC_USER ? OUT_PART_USER : OUT_PART_SYSTEM;

	for (size_t i = 0; i < chain->n; i++) {
		uint64_t entry = pd_view_u64(chain, i, swap);

		if (entry >= PD_CONTEXT_MIN)
			part = is_user_marker(entry) ? OUT_PART_USER : OUT_PART_SYSTEM;
		if (part & parts && !pd_vec_push(&entries->list, entry))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_link(struct out_links *links, struct out_link link)
{
	bool has_room = link.context == OUT_CONTEXT_USER ? pd_vec_push(&links->user, link)
							 : pd_vec_push(&links->system, link);

	return has_room ? NULL : &pd_enomem;
}

struct pd_error *out_links_read(
	struct out_links *links, const struct pd_sample *sample, uint16_t cpumode, bool swap)
{
	const struct pd_view *chain = &sample->callchain;
	struct out_link link = { .context = out_context_of(cpumode) };

	links->system.n = links->user.n = 0;
	links->is_deferred = out_links_wait(sample, swap, &links->cookie);
	size_t n = links->is_deferred ? chain->n - 2 : chain->n;
	for (size_t i = 0; i < n; i++) {
		link.pc = pd_view_u64(chain, i, swap);
		if (link.pc >= PD_CONTEXT_MIN) {
			link.context = context_after(link.context, link.pc);
			link.is_return = false;
			continue;
		}
		struct pd_error *err =
			link.context == OUT_CONTEXT_NONE ? NULL : add_link(links, link);
		if (err)
			return err;
		link.is_return = true;
	}
	return NULL;
}

bool out_links_wait(const struct pd_sample *sample, bool swap, uint64_t *cookie_ret)
{
	const struct pd_view *chain = &sample->callchain;

	if (chain->n < 2 || pd_view_u64(chain, chain->n - 2, swap) != PD_CONTEXT_USER_DEFERRED)
		return false;
	*cookie_ret = pd_view_u64(chain, chain->n - 1, swap);
	return true;
}

struct pd_error *out_links_add_deferred(
	struct out_links *links, const struct pd_view *ips, bool swap)
{
	for (size_t i = 0; i < ips->n; i++) {
		const struct out_link link = {
			.pc = pd_view_u64(ips, i, swap),
			.context = OUT_CONTEXT_USER,
			.is_return = links->user.n > 0,
		};
		struct pd_error *err = link.pc >= PD_CONTEXT_MIN ? NULL : add_link(links, link);
		if (err)
			return err;
	}
	return NULL;
}

/* Where the user part begins: at the sample itself, or where the kernel was entered. */
static struct out_link user_leaf(const struct out_links *links, const struct pd_sample *sample,
	uint16_t cpumode, const struct pd_branch *newest)
{
	struct out_link leaf = { .pc = newest->to, .context = OUT_CONTEXT_USER };

	if (links->user.n)
		leaf.pc = links->user.data[0].pc;
	else if (cpumode == PD_MISC_USER && sample->ip)
		leaf.pc = sample->ip;
	return leaf;
}

struct pd_error *out_links_use_branches(
	struct out_links *links, const struct pd_sample *sample, uint16_t cpumode, bool swap)
{
	const struct pd_branches *branches = &sample->branch_stack;

	if (!branches->entries.n)
		return NULL;
	struct pd_branch branch = pd_branch_get(branches, 0, swap);
	struct out_link link = user_leaf(links, sample, cpumode, &branch);
	links->user.n = 0;
	struct pd_error *err = add_link(links, link);
	/* The address of a call, not the one behind it. */
	for (size_t i = 0; i < branches->entries.n && !err; i++) {
		branch = pd_branch_get(branches, i, swap);
		link.pc = branch.from;
		err = add_link(links, link);
	}
	return err;
}
