/**
 * @file Functions of ELF files, for probes.
 */
#ifndef PD_CAPTURE_EVENTS_PROBE_FUNCTION_H
#define PD_CAPTURE_EVENTS_PROBE_FUNCTION_H

#include <stdint.h>

#include <pdconv/error.h>

/**
 * Find the offset in the ELF file @p path of the code of @p function plus @p offset bytes. Errors:
 * USAGE, the function is missing, ambiguous or shorter.
 */
struct pd_error *cap_function_offset(
	const char *path, const char *function, uint64_t offset, uint64_t *ret) pd_must_check;

#endif
