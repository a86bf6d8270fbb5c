/* Records of this machine, added to an unwinder or unwound as they are written. */
#include <pdconv/capture.h>
#include <pdconv/unwinder.h>

struct live {
	struct pd_unwinder *unwinder;
	const struct pd_events *events;
	struct pd_stack_frames stack;
	pd_on_stack *fn;
	void *ctx;
};

static struct pd_error *take_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct live *live = ctx;

	if (!sample)
		return pd_unwinder_add_record(live->unwinder, live->events, rec);
	struct pd_error *err = pd_unwinder_unwind(live->unwinder, sample, rec->misc, &live->stack);
	if (!err)
		err = pd_stack_frames_name(&live->stack);
	return err ? err : live->fn(live->ctx, sample, &live->stack);
}

struct pd_error *pd_unwinder_read(struct pd_unwinder *unwinder, struct pd_perf_set *set,
	int timeout_ms, pd_on_stack *fn, void *ctx)
{
	struct live live = {
		.unwinder = unwinder,
		.events = pd_perf_set_events(set),
		.fn = fn,
		.ctx = ctx,
	};
	struct pd_error *err = pd_perf_set_read(set, timeout_ms, take_record, &live);

	pd_stack_frames_deinit(&live.stack);
	return err;
}
