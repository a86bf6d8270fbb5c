#include "capture/run/recording_context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/feature.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoint_formats.h"
#include "capture/features/features.h"
#include "capture/machine/build_ids.h"
#include "capture/synth/synth.h"
#include "capture/synth/synth_kernel.h"
#include "capture/synth/synth_maps.h"

/* The header data, and the lists that it points to. */
struct collected {
	struct cap_header_data data;
	PD_VEC(struct cap_header_event) events;
	PD_VEC(struct pd_attr) attrs;
	PD_VEC(struct cap_header_binary) binaries;
	PD_VEC(const char *) args;
	PD_VEC(const char *) tracepoints;
	struct pd_bytes tracing_data;
	struct cap_clock clock;
};

static void collected_deinit(struct collected *c)
{
	pd_vec_deinit(&c->events);
	pd_vec_deinit(&c->attrs);
	pd_vec_deinit(&c->binaries);
	pd_vec_deinit(&c->args);
	pd_vec_deinit(&c->tracepoints);
	pd_bytes_deinit(&c->tracing_data);
}

static struct pd_error *add_events(struct collected *c, const struct cap_recording *recording)
{
	const struct cap_session *session = &recording->session;

	/* The list must not move, because events point into it. */
	if (!pd_vec_reserve(&c->attrs, session->opened.n))
		return &pd_enomem;
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *from = &session->opened.data[i];

		c->attrs.data[i] = cap_recording_attr(recording, i);
		const struct cap_header_event event = {
			.attr = &c->attrs.data[i],
			.name = from->event->name,
			.ids = from->ids.data,
			.n_ids = from->ids.n,
			.leader = from->event->leader,
			.group_name = from->event->group_name,
		};

		if (!pd_vec_push(&c->events, event) ||
			(from->event->is_tracepoint &&
				!pd_vec_push(&c->tracepoints, from->event->name)))
			return &pd_enomem;
	}
	/* Set the pointer only now, because the list moves while it grows. */
	c->data.events = c->events.data;
	c->data.n_events = c->events.n;
	return NULL;
}

/* The vdso of this process: all processes of the same class have this one. */
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

/*
 * MMAP2 records carry the build ids of files, but the kernel's own mapping and the vdso have none
 * in theirs.
 */
static struct pd_error *add_binaries(struct collected *c)
{
	const struct cap_machine machine = cap_machine_init(NULL);
	struct cap_header_binary kernel = { .name = "[kernel.kallsyms]", .is_kernel = true };
	struct cap_header_binary vdso = { .name = "[vdso]" };
	struct cap_mapping mapping;

	if (cap_build_id_kernel(&machine, &kernel.id) && !pd_vec_push(&c->binaries, kernel))
		return &pd_enomem;
	if (find_vdso(&mapping) &&
		cap_build_id_vdso(&machine, (uint32_t)getpid(), &mapping, &vdso.id) &&
		!pd_vec_push(&c->binaries, vdso))
		return &pd_enomem;
	c->data.binaries = c->binaries.data;
	c->data.n_binaries = c->binaries.n;
	return NULL;
}

static struct pd_error *add_args(struct collected *c, char *const *argv)
{
	for (char *const *arg = argv; arg && *arg; arg++) {
		if (!pd_vec_push(&c->args, *arg))
			return &pd_enomem;
	}
	c->data.argv = c->args.data;
	c->data.n_args = c->args.n;
	return NULL;
}

static struct pd_error *add_tracing(struct collected *c)
{
	if (!c->tracepoints.n)
		return NULL;
	c->data.tracing_data = &c->tracing_data;
	return cap_tracing_data(NULL, c->tracepoints.data, c->tracepoints.n, &c->tracing_data);
}

static struct pd_error *add_clock(struct collected *c, int clock)
{
	if (clock < 0)
		return NULL;
	c->data.clock = &c->clock;
	return cap_clock_read((uint32_t)clock, &c->clock);
}

static struct pd_error *collect(const struct cap_recording *recording, struct collected *c)
{
	struct pd_error *err = add_events(c, recording);

	if (err)
		return err;
	err = add_binaries(c);
	if (err)
		return err;
	err = add_args(c, recording->opts.argv);
	if (err)
		return err;
	err = add_tracing(c);
	if (err)
		return err;
	c->data.tags = recording->opts.tags;
	c->data.n_tags = recording->opts.n_tags;
	c->data.has_branch_stacks = recording->session.sampling.stacks == CAP_STACKS_LBR;
	return add_clock(c, recording->session.sampling.clock);
}

struct pd_error *cap_recording_add_features(const struct cap_recording *recording,
	struct pd_writer *writer, const struct cap_counts *counts)
{
	_cleanup_(collected_deinit) struct collected c = { 0 };
	struct pd_error *err = collect(recording, &c);

	if (err)
		return err;
	if (counts) {
		c.data.has_sample_time = true;
		c.data.first_sample = counts->first_ns;
		c.data.last_sample = counts->last_ns;
	}
	return cap_add_features(writer, &c.data);
}

/* EVENT_UPDATE with the name of an event. It goes by one of the event's ids. */
static void put_name(const struct cap_opened *event, struct pd_bytes *out)
{
	if (!event->ids.n)
		return;
	size_t start = pd_record_begin(PD_RECORD_EVENT_UPDATE, 0, out);

	pd_bytes_u64(out, PD_EVENT_UPDATE_NAME);
	pd_bytes_u64(out, event->ids.data[0]);
	pd_bytes_put(out, event->event->name, strlen(event->event->name) + 1);
	/* A name that does not fit a record is not written; the record is dropped. */
	(void)!pd_record_end(start, out);
}

static void put_compression(const struct parse_pack *pack, struct pd_bytes *out)
{
	size_t start = pd_record_begin(PD_RECORD_FEATURE, 0, out);

	pd_bytes_u64(out, PD_FEATURE_COMPRESSED);
	parse_pack_describe(pack, out);
	(void)!pd_record_end(start, out);
}

struct pd_error *cap_recording_add_early_records(const struct cap_recording *recording,
	struct pd_writer *writer, const struct parse_pack *pack)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes records = { 0 };

	for (size_t i = 0; i < recording->session.opened.n; i++)
		put_name(&recording->session.opened.data[i], &records);
	if (pack && !recording->opts.is_pipe)
		put_compression(pack, &records);
	if (records.failed)
		return &pd_enomem;
	return pd_writer_add_records(writer, records.buf.data, records.buf.n);
}

/* Records of what existed before. */

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
	double end = base_clock_now() + longest_seconds;
	const struct cap_synth_counts *counts = cap_synth_counts(recording->synth);
	uint64_t n_gone = counts->gone;
	struct pd_error *err = NULL;
	uint32_t pid;

	while (!err && base_clock_now() < end && cap_postponed_take(&recording->postponed, &pid))
		err = cap_synth_maps(recording->synth, pid);
	recording->result.n_late += counts->gone - n_gone;
	*has_more_ret = recording->postponed.n_taken < recording->postponed.seen.n;
	return err;
}
