#include "capture/about.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "base/clock.h"

#include "capture/build_ids.h"
#include "capture/features.h"
#include "capture/synth.h"
#include "capture/tracing.h"

/* What was there before. */

static struct pd_error *emit(void *ctx, const void *record, size_t size)
{
	return cap_sink_add(ctx, record, size);
}

/* A program that is started tells of itself. */
static struct pd_error *synthesize_processes(
	const struct cap_target *target, struct cap_synth *synth)
{
	struct pd_error *err = NULL;

	if (target->is_system_wide)
		return cap_synth_all(synth);
	for (size_t i = 0; i < target->processes.n && !err; i++)
		err = cap_synth_process(synth, (uint32_t)target->processes.data[i]);
	for (size_t i = 0; i < target->threads.n && !err; i++)
		err = cap_synth_thread(synth, (uint32_t)target->threads.data[i]);
	return err;
}

static struct pd_error *synthesize(const struct cap_recording *recording, struct cap_synth *synth)
{
	struct pd_error *err = cap_synth_kernel(synth);

	if (!err && recording->target.is_system_wide)
		err = cap_synth_bpf(synth);
	if (!err && recording->sampling.with_cgroups)
		err = cap_synth_cgroups(synth);
	return err ? err : synthesize_processes(&recording->target, synth);
}

/* What a recording says of itself. */

struct about {
	struct cap_about about;
	PD_VEC(struct cap_about_event) events;
	PD_VEC(struct cap_about_binary) binaries;
	PD_VEC(const char *) args;
	PD_VEC(const char *) tracepoints;
	struct pd_bytes tracing_data;
	struct cap_clock clock;
};

static struct pd_error *add_events(struct about *about, const struct cap_session *session)
{
	for (size_t i = 0; i < session->events.n; i++) {
		const struct cap_session_event *from = &session->events.data[i];
		const struct cap_about_event event = {
			.attr = &from->event->attr,
			.name = from->event->name,
			.ids = from->ids.data,
			.n_ids = from->ids.n,
			.leader = from->event->leader,
			.group_name = from->event->group_name,
		};

		if (!pd_vec_push(&about->events, event) ||
			(from->event->is_tracepoint &&
				!pd_vec_push(&about->tracepoints, from->event->name)))
			return &pd_enomem;
	}
	about->about.events = about->events.data;
	about->about.n_events = about->events.n;
	return NULL;
}

/* Where this program has the vdso, which all have. */
static bool find_vdso(struct cap_mapping *ret)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	*ret = (struct cap_mapping){ .name = "[vdso]" };
	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &ret->start, &ret->end) == 2)
			return true;
	}
	return false;
}

/* Mappings tell their build ids themselves; those of the kernel and of the vdso do not. */
static struct pd_error *add_binaries(struct about *about)
{
	const struct cap_machine machine = cap_machine_init(NULL);
	struct cap_about_binary kernel = { .name = "[kernel.kallsyms]", .is_kernel = true };
	struct cap_about_binary vdso = { .name = "[vdso]" };
	struct cap_mapping mapping;

	if (cap_build_id_kernel(&machine, &kernel.id) && !pd_vec_push(&about->binaries, kernel))
		return &pd_enomem;
	if (find_vdso(&mapping) &&
		cap_build_id_vdso(&machine, (uint32_t)getpid(), &mapping, &vdso.id) &&
		!pd_vec_push(&about->binaries, vdso))
		return &pd_enomem;
	about->about.binaries = about->binaries.data;
	about->about.n_binaries = about->binaries.n;
	return NULL;
}

static struct pd_error *add_args(struct about *about, char *const *argv)
{
	for (char *const *arg = argv; arg && *arg; arg++) {
		if (!pd_vec_push(&about->args, *arg))
			return &pd_enomem;
	}
	about->about.argv = about->args.data;
	about->about.n_args = about->args.n;
	return NULL;
}

static struct pd_error *add_tracing(struct about *about)
{
	if (!about->tracepoints.n)
		return NULL;
	about->about.tracing_data = &about->tracing_data;
	return cap_tracing_data(
		NULL, about->tracepoints.data, about->tracepoints.n, &about->tracing_data);
}

static struct pd_error *add_clock(struct about *about, int clock)
{
	if (clock < 0)
		return NULL;
	about->about.clock = &about->clock;
	return cap_clock_read((uint32_t)clock, &about->clock);
}

static void deinit(struct about *about)
{
	pd_vec_deinit(&about->events);
	pd_vec_deinit(&about->binaries);
	pd_vec_deinit(&about->args);
	pd_vec_deinit(&about->tracepoints);
	pd_bytes_deinit(&about->tracing_data);
}

/* @p counts: NULL before there are samples. */
static struct pd_error *tell(const struct cap_recording *recording, struct pd_writer *writer,
	const struct cap_session *session, const struct cap_counts *counts)
{
	struct about about = { 0 };
	struct pd_error *err = add_events(&about, session);

	if (!err)
		err = add_binaries(&about);
	if (!err)
		err = add_args(&about, recording->argv);
	if (!err)
		err = add_tracing(&about);
	if (!err)
		err = add_clock(&about, recording->sampling.clock);
	if (counts) {
		about.about.has_sample_time = true;
		about.about.first_sample = counts->first_ns;
		about.about.last_sample = counts->last_ns;
	}
	about.about.tags = recording->tags;
	about.about.n_tags = recording->n_tags;
	about.about.has_branch_stacks = recording->sampling.stacks == CAP_STACKS_LBR;
	if (!err)
		err = cap_add_features(writer, &about.about);
	deinit(&about);
	return err;
}

struct pd_error *cap_about_before(
	void *ctx, struct cap_sink *sink, const struct cap_session *session)
{
	struct cap_recording *recording = ctx;
	struct pd_plan plan;

	pd_plan_compile(&session->events.data[0].event->attr, &plan);
	const struct cap_synth_opts opts = {
		.sid_bytes = plan.sid_bytes,
		.build_ids = recording->sampling.with_build_ids,
		.data = recording->sampling.stacks == CAP_STACKS_DWARF,
		.namespaces = recording->sampling.with_namespaces,
		.no_forks = !recording->target.is_system_wide,
		.postponed = &recording->postponed,
		.seconds = recording->mappings_seconds,
	};
	/* Whoever reads a stream wants to know before there are samples. */
	struct pd_error *err =
		recording->opts.is_pipe ? tell(recording, sink->writer, session, NULL) : NULL;
	if (!err)
		err = cap_synth_create(&opts, emit, sink, &recording->synth);
	if (!err)
		err = synthesize(recording, recording->synth);
	if (recording->postponed.pids.n)
		sink->postponed = &recording->postponed;
	return err;
}

struct pd_error *cap_about_during(void *ctx, bool *has_more_ret)
{
	/* Meanwhile rings fill. */
	static const double longest_seconds = 0.02;
	struct cap_recording *recording = ctx;
	double end = pd_clock_now() + longest_seconds;
	struct pd_error *err = NULL;
	uint32_t pid;

	const struct cap_synth_counts *counts = cap_synth_counts(recording->synth);
	uint64_t n_gone = counts->gone;

	while (!err && pd_clock_now() < end && cap_postponed_take(&recording->postponed, &pid))
		err = cap_synth_maps(recording->synth, pid);
	recording->n_late += counts->gone - n_gone;
	*has_more_ret = recording->postponed.n_taken < recording->postponed.seen.n;
	return err;
}

struct pd_error *cap_about_after(void *ctx, struct pd_writer *writer,
	const struct cap_session *session, const struct cap_counts *counts)
{
	const struct cap_recording *recording = ctx;

	return recording->opts.is_pipe ? NULL : tell(recording, writer, session, counts);
}
