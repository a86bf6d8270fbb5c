/**
 * @file State of the format otlp, for the files that write parts of it.
 */
#ifndef PD_OUTPUT_OTLP_OTLP_H
#define PD_OUTPUT_OTLP_OTLP_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "analyze/executables.h"
#include "base/containers/map.h"
#include "output/otlp/otlp_dictionary.h"
#include "output/otlp/otlp_out.h"

/** Samples of one event, stack and set of attributes, which are written as one. */
struct otlp_series {
	struct prof_event_id event;
	/** Its first and its last sample; otlp_samples.next leads from one to the next. */
	uint32_t first;
	uint32_t last;
	/** Next series of the event; PROF_NONE: there is none. */
	uint32_t next;
};

/** Samples of a profile: from the first one to before the end. */
struct otlp_range {
	uint32_t first;
	uint32_t end;
};

struct otlp_samples {
	struct otlp_dictionary *dictionary;
	const struct profile *profile;
	struct ana_executables executables;
	/** Each series: its event, and the fields of its Sample that identify it. */
	struct base_intern keys;
	PD_VEC(struct otlp_series) series;
	/** First and last series of each event; PROF_NONE: it has none. */
	uint32_t *first_series;
	uint32_t *last_series;
	/** Next sample of the series, by sample. */
	uint32_t *next;
	/** Whether all samples of an event have a time, by event. */
	bool *has_times;
	/** Wall-clock time of the time 0 of samples, modulo 2^64. */
	uint64_t zero;
	/** First and last time of a sample; first > last: none has a time. */
	uint64_t first_time;
	uint64_t last_time;
	/** Indexes of attributes of threads, CPUs and so on; pieces has where those of each are. */
	PD_VEC(uint8_t) encoded;
	struct base_map pieces;
	/** Series or sample that is being encoded. */
	PD_VEC(uint8_t) buffer;
	bool no_memory;
};

/** Meaning of the values of a profile. */
enum otlp_values { OTLP_PERIODS, OTLP_COUNTS };

/**
 * Sort the samples @p range of @p profile into series, and add what they refer to to @p dictionary.
 * Errors: NOMEM. Deinit in any case.
 */
struct pd_error *otlp_samples_init(struct otlp_samples *s, const struct profile *profile,
	struct otlp_range range, struct otlp_dictionary *dictionary) pd_must_check;
void otlp_samples_deinit(struct otlp_samples *s);

/**
 * Write the samples of an event to @p out; NULL: only return how many bytes they take as fields of
 * a profile. Periods have times if all samples of the event have one. Sets no_memory on failure.
 */
uint64_t otlp_samples_put(struct otlp_samples *s, struct prof_event_id event,
	enum otlp_values values, struct otlp_out *out);

#endif
