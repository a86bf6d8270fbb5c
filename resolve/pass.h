/**
 * @file Pass: everything that one pass over a recording needs, set up and torn down as a whole.
 */
#ifndef PD_RESOLVE_PASS_H
#define PD_RESOLVE_PASS_H

#include <stdbool.h>

#include <pdconv/arch.h>
#include <pdconv/error.h>
#include <pdconv/reader.h>

#include "base/system/huge.h"
#include "base/pool.h"
#include "ledger/feed.h"
#include "ledger/interrupts.h"
#include "ledger/intervals.h"
#include "parse/space/namesakes.h"
#include "parse/space/space.h"
#include "profile/profile.h"
#include "resolve/batch/assembler.h"
#include "resolve/binaries/binaries.h"
#include "resolve/batch/collector.h"
#include "resolve/batch/filter.h"
#include "resolve/stacks/frames.h"
#include "resolve/interrupt_names.h"
#include "resolve/binaries/jits.h"
#include "resolve/batch/joiner.h"
#include "resolve/lives.h"
#include "resolve/binaries/mapping_list.h"
#include "resolve/batch/plain.h"
#include "resolve/resolve.h"
#include "resolve/facts/recording_facts.h"
#include "resolve/stats.h"
#include "resolve/batch/switches.h"
#include "resolve/batch/tally.h"
#include "resolve/batch/pipeline.h"
#include "resolve/batch/walkers.h"
#include "resolve/batch/witness.h"

struct resolve_pass {
	/** Borrowed. Events and features of a stream are added while it is read. */
	struct pd_file *file;
	const struct resolve_opts *opts;
	/** Evidence of complete stacks about cut ones; is_survey: only that is wanted. Borrowed. */
	struct resolve_witness *witness;
	bool is_survey;

	/** Where files are looked for, and what is known about the machine of the recording. */
	struct sym_search search;
	const struct pd_arch *arch;
	/** arch is the architecture of the recording. */
	bool knows_arch;

	/** Records in order of time, and what they say about processes. */
	struct pd_reader *reader;
	struct parse_namesakes namesakes;
	struct parse_space *space;
	struct resolve_jits *jits;
	struct resolve_lives lives;
	/** Only used if mappings are requested. */
	struct resolve_mapping_list mappings;
	struct resolve_switches switches;
	/** Only used if the ledger is fed, or waits are requested. */
	bool follows_scheduler;
	struct led_sched_events sched;
	struct led_interrupts interrupts;
	struct resolve_interrupt_names interrupt_names;
	/** Only used if it is fed, because a ledger or a tag is requested that needs it. */
	struct led_feed ledger;
	/** Only used if intervals are requested. */
	struct led_intervals intervals;
	bool feeds_ledger;
	struct resolve_stats stats;

	/** Samples on their way to the profile, in the order of the drawing in resolve.c. */
	struct resolve_filter filter;
	struct resolve_plain_reader plain;
	struct resolve_collector collector;
	struct resolve_pipeline pipeline;
	struct base_pool *pool;
	struct resolve_walkers *walkers;
	/** Those that another thread uses share no cache line with what is above and below. */
	_Alignas(PD_CACHE_LINE) struct resolve_joiner joiner;
	_Alignas(PD_CACHE_LINE) struct resolve_assembler assembler;
	struct resolve_tally tally;
	_Alignas(PD_CACHE_LINE) struct resolve_frames *frames;
	struct resolve_binaries *binaries;
	struct resolve_facts facts;
	/** The caller takes it. */
	struct profile *profile;
};

/**
 * Set up @p pass, in which the first four members are set and everything else is zero. Must be torn
 * down after an error, too. Errors: NOMEM; those of the module list and of filters.
 */
struct pd_error *resolve_pass_set_up(struct resolve_pass *pass) pd_must_check;

/** Free everything but the profile. */
void resolve_pass_tear_down(struct resolve_pass *pass);

#endif
