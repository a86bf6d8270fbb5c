/* Records of this machine, added to an unwinder or unwound as they are written. */
#include <pdconv/capture.h>
#include <pdconv/unwinder.h>

#include "base/clock.h"

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

/* Milliseconds between reads of the rings. */
enum { READ_MS = 100 };

static struct pd_error *read_for(struct pd_unwinder *unwinder, struct pd_perf_set *set,
	int milliseconds, pd_on_stack *fn, void *ctx)
{
	double end = pd_clock_now() + milliseconds / 1000.0;
	struct pd_error *err;

	do {
		double left = (end - pd_clock_now()) * 1000;
		int wait = milliseconds < 0 || left > READ_MS ? READ_MS : left > 0 ? (int)left : 0;

		err = pd_unwinder_read(unwinder, set, wait, fn, ctx);
	} while (!err && (milliseconds < 0 || pd_clock_now() < end));
	if (!err)
		err = pd_perf_set_enable(set, false);
	/* A disabled set passes on everything that is left. */
	return err ? err : pd_unwinder_read(unwinder, set, 0, fn, ctx);
}

struct pd_error *pd_unwinder_run(struct pd_unwinder *unwinder, const struct pd_capture_opts *opts,
	pid_t pid, int milliseconds, pd_on_stack *fn, void *ctx)
{
	struct pd_capture_opts tracking = opts ? *opts : (struct pd_capture_opts){ 0 };
	struct pd_perf_set *set;

	tracking.tracking = true;
	struct pd_error *err = pd_perf_set_open(&tracking, pid, &set);
	if (err)
		return err;
	err = pd_perf_set_enable(set, true);
	if (!err)
		err = pd_unwinder_add_process(unwinder, pid);
	if (!err)
		err = read_for(unwinder, set, milliseconds, fn, ctx);
	pd_perf_set_close(set);
	return err;
}
