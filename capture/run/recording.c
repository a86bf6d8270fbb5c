#include "capture/run/recording.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "capture/run/offcpu.h"
#include "parse/write/splice.h"

/* Most processes of a machine with thousands are read in a part of this time. */
static const double default_mappings_seconds = 0.5;

void cap_recording_init(struct cap_recording *recording)
{
	*recording = (struct cap_recording){
		.opts = {
			.offcpu_event = -1,
			.stop_fd = -1,
			.begun_fd = -1,
			.request_fd = -1,
			.mappings_seconds = default_mappings_seconds,
		},
	};
	cap_session_init(&recording->session);
}

void cap_recording_deinit(struct cap_recording *recording)
{
	cap_synth_destroy(recording->synth);
	cap_postponed_deinit(&recording->postponed);
	cap_session_deinit(&recording->session);
}

struct pd_attr cap_recording_attr(const struct cap_recording *recording, size_t i)
{
	struct pd_attr attr = recording->session.opened.data[i].event->attr;

	if (!recording->opts.unwinder || !attr.sample_stack_user)
		return attr;
	/* The user's part stays excluded: the kernel did not find it by frame pointers. */
	pd_attr_splice(&attr);
	return attr;
}

struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording)
{
	struct pd_error *err = cap_events_parse(&recording->session.events, "context-switches");

	if (err)
		return err;
	size_t last = recording->session.events.list.n - 1;
	struct cap_event *event = &recording->session.events.list.data[last];
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
