/**
 * @file One recording: what is recorded, how, and what stands in the file besides.
 *
 *	cap_recording_init(&recording);
 *	... its target, sampling and opts ...
 *	cap_recording_add_events(&recording, "cpu-clock");
 *	cap_recording_run(&recording, out, &result);
 *	cap_recording_deinit(&recording);
 */
#ifndef PD_CAPTURE_RECORDING_H
#define PD_CAPTURE_RECORDING_H

#include <stdbool.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "capture/events.h"
#include "capture/open.h"
#include "capture/probe.h"
#include "capture/recorder.h"
#include "capture/sampling.h"
#include "capture/session.h"
#include "capture/synth.h"
#include "capture/target.h"

struct cap_recording {
	/** For the caller to fill in. */
	struct cap_target target;
	struct cap_sampling sampling;
	/** But for before, after and their ctx. No pages: as many as are usual. */
	struct cap_record_opts opts;
	/** The recorder's command line, ends with a NULL; borrowed. NULL: it has none. */
	char *const *argv;
	/** "KEY=VALUE" each, what the recording is to say of itself; a stream cannot. Borrowed. */
	const char *const *tags;
	size_t n_tags;

	struct cap_events events;
	/** Made for this recording; NULL: none were. */
	struct cap_probes *probes;
	/** Nobody asked for events: the usual one was taken; its strings belong to the events. */
	bool is_usual;
	struct cap_default usual;
	/** Prepared by the run, and closed by it; what became of its events stays. */
	struct cap_session session;

	/**
	 * A recording of the machine begins when the mappings of processes have been read for so long, seconds;
	 * those of the rest are read when they have samples.
	 */
	double mappings_seconds;
	struct cap_postponed postponed;
	/** Of these, those that had samples and ended before their mappings were read. */
	uint64_t n_late;
	/** What tells of what was there before. */
	struct cap_synth *synth;
};

/** No event, nothing to record. Call the deinit whatever comes of it. */
void cap_recording_init(struct cap_recording *recording);
void cap_recording_deinit(struct cap_recording *recording);

/**
 * Append the events of @p words: as capture/events.h has them, or one probe, "probe:" and what
 * capture/probe.h takes, which is made now. Errors: USAGE; the probe cannot be made.
 */
struct pd_error *cap_recording_add_events(
	struct cap_recording *recording, const char *words) pd_must_check;

/**
 * Append hardware cycles or what is nearest to them, which usual tells, for the target. Errors: not
 * even that opens.
 */
struct pd_error *cap_recording_add_usual(struct cap_recording *recording) pd_must_check;

/** Append what tells how long threads waited. */
struct pd_error *cap_recording_add_offcpu(struct cap_recording *recording) pd_must_check;

/** Have session hold the events, sampled as the rest says, to be opened for the target. Once only. */
struct pd_error *cap_recording_prepare(struct cap_recording *recording) pd_must_check;

/**
 * Prepare, and record into @p out, until it ends as cap_record says. Once only. Probes go then. Signals
 * that would end it are blocked meanwhile. Errors: those of recording; probes cannot be removed.
 */
struct pd_error *cap_recording_run(
	struct cap_recording *recording, FILE *out, struct cap_record_result *ret) pd_must_check;

#endif
