/**
 * @file Tracks of the perfetto format: slices and moments of threads and of the whole recording.
 */
#ifndef PD_OUTPUT_PERFETTO_PERFETTO_TRACKS_H
#define PD_OUTPUT_PERFETTO_PERFETTO_TRACKS_H

#include "output/perfetto/perfetto.h"

/**
 * Add a track called @p name to @p thread, or to the whole trace if it is NULL. Returns its uuid.
 */
uint64_t perfetto_add_track(struct perfetto *p, const struct prof_thread *thread, const char *name);

/** Begin a slice called @p name at @p time. Slices of a track nest. */
void perfetto_put_slice(struct perfetto *p, uint64_t track, uint64_t time, const char *name);
/** End the slice that began last on the track. */
void perfetto_put_slice_end(struct perfetto *p, uint64_t track, uint64_t time);

/** Write the intervals of the profile, and what the recorder lost. */
void perfetto_put_tracks(struct perfetto *p);

#endif
