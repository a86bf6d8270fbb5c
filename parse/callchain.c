#include "parse/callchain.h"

#include <pdconv/cursor.h>

#include "base/array.h"

static const struct {
	uint64_t marker;
	enum parse_callchain_context context;
} markers[] = {
	{ PD_CONTEXT_HV, PD_CALLCHAIN_HYPERVISOR },
	{ PD_CONTEXT_KERNEL, PD_CALLCHAIN_KERNEL },
	{ PD_CONTEXT_USER, PD_CALLCHAIN_USER },
	{ PD_CONTEXT_GUEST, PD_CALLCHAIN_GUEST },
	{ PD_CONTEXT_GUEST_KERNEL, PD_CALLCHAIN_GUEST_KERNEL },
	{ PD_CONTEXT_GUEST_USER, PD_CALLCHAIN_GUEST_USER },
};

const char *parse_callchain_context_name(enum parse_callchain_context context)
{
	static const char *const names[PD_N_CALLCHAIN_CONTEXTS] = {
		[PD_CALLCHAIN_HYPERVISOR] = "[hypervisor]",
		[PD_CALLCHAIN_GUEST] = "[guest]",
		[PD_CALLCHAIN_GUEST_KERNEL] = "[guest.kernel]",
		[PD_CALLCHAIN_GUEST_USER] = "[guest.user]",
	};
	return names[context];
}

enum parse_callchain_context parse_callchain_context_of(uint16_t cpumode)
{
	switch (cpumode) {
	case PD_MISC_KERNEL:
		return PD_CALLCHAIN_KERNEL;
	case PD_MISC_USER:
		return PD_CALLCHAIN_USER;
	case PD_MISC_HYPERVISOR:
		return PD_CALLCHAIN_HYPERVISOR;
	case PD_MISC_GUEST_KERNEL:
		return PD_CALLCHAIN_GUEST_KERNEL;
	case PD_MISC_GUEST_USER:
		return PD_CALLCHAIN_GUEST_USER;
	default:
		return PD_CALLCHAIN_NONE;
	}
}

enum parse_callchain_context parse_callchain_context_after(
	enum parse_callchain_context before, uint64_t marker)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(markers); i++) {
		if (markers[i].marker == marker)
			return markers[i].context;
	}
	return before;
}

void parse_callchain_deinit(struct parse_callchain *links)
{
	pd_vec_deinit(&links->system);
	pd_vec_deinit(&links->user);
}

struct pd_error *parse_callchain_entries_add(struct parse_callchain_entries *entries,
	const struct pd_sample *sample, uint16_t cpumode, unsigned parts)
{
	const struct pd_view *chain = &sample->callchain;
	unsigned part = cpumode == PD_MISC_USER ? PD_CALLCHAIN_PART_USER : PD_CALLCHAIN_PART_SYSTEM;

	for (size_t i = 0; i < chain->n; i++) {
		uint64_t entry = pd_view_u64(chain, i);

		if (entry >= PD_CONTEXT_MIN) {
			/* User links of CALLCHAIN_DEFERRED records have a separate marker. */
			bool is_user =
				entry == PD_CONTEXT_USER || entry == PD_CONTEXT_USER_DEFERRED;

			part = is_user ? PD_CALLCHAIN_PART_USER : PD_CALLCHAIN_PART_SYSTEM;
		}
		if (part & parts && !pd_vec_push(&entries->list, entry))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_link(struct parse_callchain *links, struct parse_callchain_link link)
{
	bool has_room = link.context == PD_CALLCHAIN_USER ? pd_vec_push(&links->user, link)
							  : pd_vec_push(&links->system, link);

	return has_room ? NULL : &pd_enomem;
}

struct pd_error *parse_callchain_read(
	struct parse_callchain *links, const struct pd_sample *sample, uint16_t cpumode)
{
	const struct pd_view *chain = &sample->callchain;
	struct parse_callchain_link link = { .context = parse_callchain_context_of(cpumode) };

	links->system.n = links->user.n = 0;
	links->is_deferred = parse_callchain_is_deferred(sample, &links->cookie);
	/* A deferred chain ends with a marker and the cookie of the record that completes it. */
	size_t n = links->is_deferred ? chain->n - 2 : chain->n;
	for (size_t i = 0; i < n; i++) {
		link.pc = pd_view_u64(chain, i);
		if (link.pc >= PD_CONTEXT_MIN) {
			link.context = parse_callchain_context_after(link.context, link.pc);
			/* The first address after a marker is where the context was interrupted. */
			link.is_return = false;
			continue;
		}
		struct pd_error *err =
			link.context == PD_CALLCHAIN_NONE ? NULL : add_link(links, link);
		if (err)
			return err;
		link.is_return = true;
	}
	return NULL;
}

bool parse_callchain_is_deferred(const struct pd_sample *sample, uint64_t *cookie_ret)
{
	const struct pd_view *chain = &sample->callchain;

	if (chain->n < 2 || pd_view_u64(chain, chain->n - 2) != PD_CONTEXT_USER_DEFERRED)
		return false;
	*cookie_ret = pd_view_u64(chain, chain->n - 1);
	return true;
}

struct pd_error *parse_callchain_add_deferred(
	struct parse_callchain *links, const struct pd_view *ips)
{
	for (size_t i = 0; i < ips->n; i++) {
		const struct parse_callchain_link link = {
			.pc = pd_view_u64(ips, i),
			.context = PD_CALLCHAIN_USER,
			.is_return = links->user.n > 0,
		};
		struct pd_error *err = link.pc >= PD_CONTEXT_MIN ? NULL : add_link(links, link);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * The innermost user link: where the sample was taken, or where the kernel was entered. The branch
 * stack does not contain it, because it only has calls.
 */
static struct parse_callchain_link user_leaf(const struct parse_callchain *links,
	const struct pd_sample *sample, uint16_t cpumode, const struct pd_branch *newest)
{
	struct parse_callchain_link leaf = { .pc = newest->to, .context = PD_CALLCHAIN_USER };

	if (links->user.n)
		leaf.pc = links->user.data[0].pc;
	else if (cpumode == PD_MISC_USER && sample->ip)
		leaf.pc = sample->ip;
	return leaf;
}

struct pd_error *parse_callchain_use_branches(
	struct parse_callchain *links, const struct pd_sample *sample, uint16_t cpumode)
{
	const struct pd_branches *branches = &sample->branch_stack;

	if (!branches->entries.n)
		return NULL;
	struct pd_branch branch = pd_branch_get(branches, 0);
	struct parse_callchain_link link = user_leaf(links, sample, cpumode, &branch);
	links->user.n = 0;
	struct pd_error *err = add_link(links, link);
	if (err)
		return err;
	/*
	 * `from` is the address of the call instruction, so these links are not return addresses.
	 */
	for (size_t i = 0; i < branches->entries.n; i++) {
		branch = pd_branch_get(branches, i);
		link.pc = branch.from;
		err = add_link(links, link);
		if (err)
			return err;
	}
	return NULL;
}
