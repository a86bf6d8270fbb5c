/**
 * @file What the parts of the pprof writer share. Private to output/pprof*.c.
 *
 * Messages that stand one behind the other merge, so the profile is written in pieces, each a
 * Profile with a single element: no more than one of them is in memory.
 */
#ifndef PD_OUTPUT_PPROF_WRITER_H
#define PD_OUTPUT_PPROF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/intern.h"
#include "output/formats.h"
#include "output/gzip.h"
#include "output/profile.pb-c.h"

struct pprof_writer {
	const struct profile *profile;
	const struct out_pprof_opts *opts;
	struct out_gzip *gzip;
	/** Strings of the profile keep their numbers; those added here follow. */
	struct pd_intern extra;
	/** Ids of what samples refer to, dense from 1; 0: nothing refers to it. By numbers of the profile. */
	uint32_t *location_ids;
	uint32_t *function_ids;
	uint32_t *mapping_ids;
	/** Of an event: place of its two values in a sample, or PROF_NONE if it is not shown. */
	uint32_t *value_index;
	size_t n_values;
	PD_VEC(uint8_t) buffer;
	bool no_memory;
};

/** The number of @p s in the string table. */
int64_t pprof_text(struct pprof_writer *w, const char *s);

/** The same of text that is made for it. */
int64_t pprof_printf(struct pprof_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** Write @p piece. */
void pprof_put(struct pprof_writer *w, const Pprof__Profile *piece);
/** The same, if it is known that it packs to @p most bytes at most. */
void pprof_put_within(struct pprof_writer *w, const Pprof__Profile *piece, size_t most);

/** What the values of samples mean, when and from where they are; sets value_index and n_values. */
void pprof_put_head(struct pprof_writer *w);

/** All samples, with their labels. */
void pprof_put_samples(struct pprof_writer *w);

#endif
