#include "capture/run/recording_private.h"

#include <pdconv/sample.h>

#include "base/clock.h"

#include "capture/synth/synth.h"

static struct pd_error *emit(void *ctx, const void *record, size_t size)
{
	return cap_sink_add(ctx, record, size);
}

/* A command that is started needs no records: the kernel reports its exec and mappings. */
static struct pd_error *synthesize_processes(
	const struct cap_target *target, struct cap_synth *synth)
{
	if (target->is_system_wide)
		return cap_synth_all(synth);
	for (size_t i = 0; i < target->processes.n; i++) {
		struct pd_error *err =
			cap_synth_process(synth, (uint32_t)target->processes.data[i]);

		if (err)
			return err;
	}
	for (size_t i = 0; i < target->threads.n; i++) {
		struct pd_error *err = cap_synth_thread(synth, (uint32_t)target->threads.data[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *synthesize(const struct cap_recording *recording, struct cap_synth *synth)
{
	struct pd_error *err = cap_synth_kernel(synth);

	if (err)
		return err;
	if (recording->session.target.is_system_wide) {
		err = cap_synth_bpf(synth);
		if (err)
			return err;
	}
	if (recording->session.sampling.with_cgroups) {
		err = cap_synth_cgroups(synth);
		if (err)
			return err;
	}
	return synthesize_processes(&recording->session.target, synth);
}

static struct pd_error *create_synth(struct cap_recording *recording, struct cap_sink *sink)
{
	struct pd_plan plan;

	pd_plan_compile(&recording->session.opened.data[0].event->attr, &plan);
	const struct cap_synth_opts opts = {
		.sid_bytes = plan.sid_bytes,
		.build_ids = recording->session.sampling.with_build_ids,
		.data = recording->session.sampling.stacks == CAP_STACKS_DWARF,
		.namespaces = recording->session.sampling.with_namespaces,
		.no_forks = !recording->session.target.is_system_wide,
		.postponed = &recording->postponed,
		.seconds = recording->opts.mappings_seconds,
	};
	return cap_synth_create(&opts, emit, sink, &recording->synth);
}

struct pd_error *cap_preamble_write(struct cap_recording *recording, struct cap_sink *sink)
{
	struct pd_error *err;

	/*
	 * Readers of a stream need the features before the first sample, so the sample times are
	 * not in them.
	 */
	if (recording->opts.is_pipe) {
		err = cap_recording_add_features(recording, sink->writer, NULL);
		if (err)
			return err;
	}
	err = cap_recording_add_early_records(recording, sink->writer, sink->pack);
	if (err)
		return err;
	err = create_synth(recording, sink);
	if (err)
		return err;
	err = synthesize(recording, recording->synth);
	if (recording->postponed.pids.n)
		sink->postponed = &recording->postponed;
	return err;
}

struct pd_error *cap_preamble_write_postponed(struct cap_recording *recording, bool *has_more_ret)
{
	/* Rings fill up while mappings are read, so return to the rings soon. */
	static const double longest_seconds = 0.02;
	double end = pd_clock_now() + longest_seconds;
	const struct cap_synth_counts *counts = cap_synth_counts(recording->synth);
	uint64_t n_gone = counts->gone;
	struct pd_error *err = NULL;
	uint32_t pid;

	while (!err && pd_clock_now() < end && cap_postponed_take(&recording->postponed, &pid))
		err = cap_synth_maps(recording->synth, pid);
	recording->result.n_late += counts->gone - n_gone;
	*has_more_ret = recording->postponed.n_taken < recording->postponed.seen.n;
	return err;
}
