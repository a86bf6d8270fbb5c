/**
 * @file State of the pprof writer, for the files that write parts of a profile.
 *
 * Protobuf parsers merge concatenated messages, so the profile is written as a sequence of Profile
 * messages with a single element each. Only one element is in memory at a time.
 */
#ifndef PD_OUTPUT_PPROF_PPROF_H
#define PD_OUTPUT_PPROF_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/pprof/profile.pb-c.h"

#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "output/formats.h"
#include "output/gzip.h"

struct pprof_writer {
	const struct profile *profile;
	const struct out_pprof_opts *opts;
	/** Name of the recording and receiver of warnings; see out_write_opts. */
	const char *input;
	struct pd_diag *diag;
	struct out_gzip *gzip;
	/** Strings that the profile lacks. Their numbers follow those of profile->strings. */
	struct base_intern extra;
	/**
	 * pprof ids, consecutive from 1, indexed by frame, function and binary of the profile; 0 if
	 * no sample refers to the entry.
	 */
	uint32_t *location_ids;
	uint32_t *function_ids;
	uint32_t *mapping_ids;
	/**
	 * Index of the event's two values in a sample, indexed by event; PROF_NONE if not shown.
	 */
	uint32_t *value_index;
	size_t n_values;
	/** There are too many events for values of each of them: samples have labels instead. */
	bool labels_events;
	/** The packed message that is being written. */
	PD_VEC(uint8_t) buffer;
	/** Set once an allocation failed; the output is incomplete then. */
	bool no_memory;
};

/** Return the number of @p s in the string table. Sets no_memory on failure. */
int64_t pprof_text(struct pprof_writer *w, const char *s);

/** Like pprof_text(), for a formatted string. */
int64_t pprof_printf(struct pprof_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** Pack @p piece and append it to the gzip stream. Sets no_memory on failure. */
void pprof_put(struct pprof_writer *w, const Pprof__Profile *piece);

#endif
