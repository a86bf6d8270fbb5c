#include "api/live_chains.h"

#include <stdlib.h>

#include <pdconv/vec.h>

struct api_live_chains {
	struct pd_unwinder *unwinder;
	struct pd_stack_frames stack;
	PD_VEC(uint64_t) entries;
};

struct pd_error *api_live_chains_create(
	const struct pd_unwinder_opts *opts, struct api_live_chains **ret)
{
	struct api_live_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &pd_enomem;
	struct pd_error *err = pd_unwinder_create(NULL, opts, &chains->unwinder);
	if (err)
		free(chains);
	else
		*ret = chains;
	return err;
}

void api_live_chains_destroy(struct api_live_chains *chains)
{
	if (!chains)
		return;
	pd_stack_frames_deinit(&chains->stack);
	pd_unwinder_destroy(chains->unwinder);
	pd_vec_deinit(&chains->entries);
	free(chains);
}

static struct pd_error *add(void *ctx, const struct pd_events *events, const struct pd_record *rec)
{
	struct api_live_chains *chains = ctx;

	return pd_unwinder_add_record(chains->unwinder, events, rec);
}

/**
 * Append the entry of @p frame. As in the format perfdata, the address of a caller is inside its
 * call, and one that has not called follows another marker.
 */
static bool push(struct api_live_chains *chains, const struct pd_frame *frame)
{
	uint64_t entry = frame->pc - frame->is_return;

	/* These addresses would be read as markers, and are not valid in user space. */
	if (entry >= PD_CONTEXT_MIN)
		return true;
	if ((!frame->is_return || !chains->entries.n) &&
		!pd_vec_push(&chains->entries, PD_CONTEXT_USER))
		return false;
	return pd_vec_push(&chains->entries, entry);
}

static struct pd_error *unwind(
	void *ctx, const struct pd_sample *sample, uint16_t misc, struct cap_user_chain *ret)
{
	struct api_live_chains *chains = ctx;
	struct pd_stack_frames *stack = &chains->stack;
	struct pd_error *err = pd_unwinder_unwind(chains->unwinder, sample, misc, stack);

	if (err)
		return err;
	chains->entries.n = 0;
	for (size_t i = stack->n_kernel; i < stack->n; i++) {
		if (!push(chains, &stack->frames[i]))
			return &pd_enomem;
	}
	*ret = (struct cap_user_chain){ chains->entries.data, chains->entries.n, stack->end };
	return NULL;
}

struct cap_unwinder api_live_chains_unwinder(struct api_live_chains *chains)
{
	return (struct cap_unwinder){ .add = add, .unwind = unwind, .ctx = chains };
}
