/**
 * @file Mappings of processes, from /proc/PID/maps.
 */
#ifndef PD_CAPTURE_SYNTH_SYNTH_MAPS_H
#define PD_CAPTURE_SYNTH_SYNTH_MAPS_H

#include "capture/machine/build_ids.h"
#include "capture/synth/synth.h"

/**
 * Parse a line of /proc/PID/maps in place. Names stay escaped as they are there. False if the line
 * is invalid.
 */
bool cap_mapping_parse(char *line, struct cap_mapping *ret) pd_must_check;

/** Emit only the mappings of the process @p pid. Errors: those of emit; NOMEM. */
struct pd_error *cap_synth_maps(struct cap_synth *synth, uint32_t pid) pd_must_check;

#endif
