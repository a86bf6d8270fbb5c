#include "capture/recording.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/about.h"
#include "capture/offcpu.h"

/* Copies of stacks want room; others than root may lock no more than the first. */
enum { USUAL_PAGES = 128, PAGES_FOR_STACKS = 1024 };

/* Of a machine with thousands of processes; most are done in a part of it. */
static const double mappings_seconds = 0.5;

void cap_recording_init(struct cap_recording *recording)
{
	*recording = (struct cap_recording){
		.sampling = { .clock = -1 },
		.opts = { .offcpu_event = -1, .stop_fd = -1, .begun_fd = -1 },
		.mappings_seconds = mappings_seconds,
	};
	cap_target_init(&recording->target);
}

void cap_recording_deinit(struct cap_recording *recording)
{
	cap_synth_destroy(recording->synth);
	cap_postponed_deinit(&recording->postponed);
	cap_probes_destroy(recording->probes);
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
	struct pd_error *err =
		recording->probes ? NULL : cap_probes_create(NULL, &recording->probes);
	return err ? err : cap_probe_add(recording->probes, words + len, &recording->events);
}

struct pd_error *cap_recording_add_usual(struct cap_recording *recording)
{
	const struct cap_target *target = &recording->target;
	pid_t tid = target->is_system_wide ? -1 : 0;
	int cpu = target->is_system_wide ? target->cpus.data[0] : -1;
	struct pd_error *err = cap_default_event(tid, cpu, &recording->usual);

	if (err)
		return err;
	recording->is_usual = true;
	if (pd_vec_push(&recording->events.list, recording->usual.event))
		return NULL;
	cap_event_deinit(&recording->usual.event);
	return &pd_enomem;
}

struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording)
{
	struct pd_error *err = cap_events_parse(&recording->events, "context-switches");

	if (err)
		return err;
	size_t last = recording->events.list.n - 1;
	struct cap_event *event = &recording->events.list.data[last];
	free(event->name);
	event->name = strdup(CAP_OFFCPU_NAME);
	event->has_period = true;
	event->attr.sample_period = 1;
	recording->opts.offcpu_event = (int)last;
	return event->name ? NULL : &pd_enomem;
}

static void set_rings(struct cap_recording *recording)
{
	bool has_stacks = recording->sampling.stacks == CAP_STACKS_DWARF;

	if (!recording->opts.pages)
		recording->opts.pages =
			has_stacks && geteuid() == 0 ? PAGES_FOR_STACKS : USUAL_PAGES;
	recording->sampling.ring_bytes = recording->opts.pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct pd_error *cap_recording_prepare(struct cap_recording *recording)
{
	struct cap_session *session = &recording->session;
	size_t n = recording->events.list.n;

	set_rings(recording);
	for (size_t i = 0; i < n; i++) {
		struct cap_event *event = &recording->events.list.data[i];
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

static struct pd_error *record(
	struct cap_recording *recording, FILE *out, struct cap_record_result *ret)
{
	struct pd_error *err =
		cap_record(&recording->session, &recording->target, out, &recording->opts, ret);
	struct pd_error *left = recording->probes ? cap_probes_remove(recording->probes) : NULL;

	if (!err)
		return left;
	pd_error_destroy(left);
	return err;
}

/* What ended the recording may have come once more, and is not to end what is done with it. */
static void forget_signals(const sigset_t *signals)
{
	const struct timespec now = { 0 };

	while (sigtimedwait(signals, NULL, &now) > 0)
		;
}

struct pd_error *cap_recording_run(
	struct cap_recording *recording, FILE *out, struct cap_record_result *ret)
{
	struct cap_record_opts *opts = &recording->opts;
	const sigset_t signals = cap_record_signals();
	sigset_t before;

	*ret = (struct cap_record_result){ 0 };
	opts->before = cap_about_before;
	opts->during = cap_about_during;
	opts->after = cap_about_after;
	opts->ctx = recording;
	struct pd_error *err = cap_recording_prepare(recording);
	if (err)
		return err;
	/* Whoever has a stop_fd sees to signals himself. */
	if (opts->stop_fd >= 0)
		return record(recording, out, ret);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = record(recording, out, ret);
	forget_signals(&signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}
