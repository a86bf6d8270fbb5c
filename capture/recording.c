#include "capture/recording.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/analyzer.h"

#include "capture/offcpu.h"
#include "parse/write/splice.h"

/*
 * Copies of stacks need room. Users other than root may lock no more than the default
 * (perf_event_mlock_kb).
 */
enum { DEFAULT_PAGES = 128, PAGES_FOR_STACKS = 1024 };

/* Most processes of a machine with thousands are read in a part of this time. */
static const double default_mappings_seconds = 0.5;

void cap_recording_init(struct cap_recording *recording)
{
	*recording = (struct cap_recording){
		.sampling = { .clock = -1 },
		.opts = {
			.offcpu_event = -1,
			.stop_fd = -1,
			.begun_fd = -1,
			.request_fd = -1,
			.mappings_seconds = default_mappings_seconds,
		},
	};
	cap_target_init(&recording->target);
}

struct pd_attr cap_recording_attr(const struct cap_recording *recording, size_t i)
{
	struct pd_attr attr = recording->session.events.data[i].event->attr;

	if (!recording->opts.unwinder || !attr.sample_stack_user)
		return attr;
	/* The user's part stays excluded: the kernel did not find it by frame pointers. */
	pd_attr_splice(&attr);
	return attr;
}

void cap_recording_remove_probes(struct cap_recording *recording)
{
	cap_probes_destroy(recording->probes);
	recording->probes = NULL;
}

void cap_recording_deinit(struct cap_recording *recording)
{
	cap_synth_destroy(recording->synth);
	cap_postponed_deinit(&recording->postponed);
	cap_recording_remove_probes(recording);
	pd_vec_deinit(&recording->session.events);
	cap_events_deinit(&recording->events);
	cap_target_deinit(&recording->target);
}

struct pd_error *cap_recording_add_events(struct cap_recording *recording, const char *words)
{
	static const char prefix[] = "probe:";
	size_t len = strlen(prefix);

	if (strncmp(words, prefix, len) != 0)
		return cap_events_parse(&recording->events, words);
	if (!recording->probes) {
		struct pd_error *err =
			cap_probes_create(recording->events.tracing_dir, &recording->probes);

		if (err)
			return err;
	}
	return cap_probe_add(recording->probes, words + len, &recording->events);
}

struct pd_error *cap_recording_add_default(struct cap_recording *recording)
{
	const struct cap_target *target = &recording->target;
	pid_t tid = target->is_system_wide ? -1 : 0;
	int cpu = target->is_system_wide ? target->cpus.data[0] : -1;
	struct pd_error *err = cap_default_event(tid, cpu, &recording->default_event);

	if (err)
		return err;
	recording->is_default = true;
	if (pd_vec_push(&recording->events.list, recording->default_event.event))
		return NULL;
	cap_event_deinit(&recording->default_event.event);
	return &pd_enomem;
}

struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording)
{
	struct pd_error *err = cap_events_parse(&recording->events, "context-switches");

	if (err)
		return err;
	size_t last = recording->events.list.n - 1;
	struct cap_event *event = &recording->events.list.data[last];
	char *name = strdup(CAP_OFFCPU_NAME);
	PD_IS_OWNED(name, "cap_event_deinit() frees it with the list");
	free(event->name);
	event->name = name;
	event->has_period = true;
	event->needs_kernel = true;
	event->attr.sample_period = 1;
	/* Its samples become those of waits, whose length is the period. */
	event->attr.sample_type |= PERF_SAMPLE_PERIOD;
	recording->opts.offcpu_event = (int)last;
	return event->name ? NULL : &pd_enomem;
}

static void set_rings(struct cap_recording *recording)
{
	bool has_stacks = recording->sampling.stacks == CAP_STACKS_DWARF;

	if (!recording->opts.pages)
		recording->opts.pages =
			has_stacks && geteuid() == 0 ? PAGES_FOR_STACKS : DEFAULT_PAGES;
	recording->sampling.ring_bytes = recording->opts.pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct pd_error *cap_recording_prepare(struct cap_recording *recording)
{
	struct cap_session *session = &recording->session;
	size_t n = recording->events.list.n;

	set_rings(recording);
	for (size_t i = 0; i < n; i++) {
		struct cap_event *event = &recording->events.list.data[i];
		/* The session points into the list, so no event may be added from here on. */
		const struct cap_session_event entry = { .event = event };

		cap_sampling_apply(&recording->sampling, &recording->events, i);
		if (!pd_vec_push(&session->events, entry))
			return &pd_enomem;
	}
	for (size_t i = 0; i < n; i++) {
		size_t leader = recording->events.list.data[i].leader;

		session->events.data[i].is_in_group |= leader != i;
		session->events.data[leader].is_in_group |= leader != i;
	}
	return NULL;
}
