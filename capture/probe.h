/**
 * @file Tracepoints in functions of programs and of the kernel, made for one recording.
 *
 * A probe is written as
 *
 *     [NAME=]PATH:PLACE [ARG ...]      in a program or library; PATH has a '/'
 *     [NAME=]PLACE [ARG ...]           in the kernel
 *
 * where PLACE is FUNCTION[+OFFSET], an address 0xNUMBER (of programs: the offset in the file) or
 * FUNCTION%return, where it returns. FUNCTION is a symbol of the binary as it is in its table, so that
 * of C++ is its mangled name. ARGs are what the kernel takes for fetch arguments (trace/uprobetracer,
 * trace/kprobetrace in the kernel's documentation): [NAME=]%REG[:TYPE], $retval, +8(%sp):u64, ...
 *
 *     malloc=/lib/x86_64-linux-gnu/libc.so.6:malloc size=%di:u64
 *     ./server:handle%return status=$retval:s32
 *
 * NAME is by default the function's, with "__return" behind it for returns and "_1", "_2" ... if there is
 * one of that name. The tracepoints are pdconv_PID:NAME, so they meet no others; they are removed with
 * cap_probes_destroy, or, if the process is killed before, by the next cap_probes_create of any other.
 */
#ifndef PD_CAPTURE_PROBE_H
#define PD_CAPTURE_PROBE_H

#include "capture/events.h"

/** The probes that one recording has. */
struct cap_probes;

/**
 * @p tracing_dir is where tracefs is, NULL: where it is mounted; borrowed. What recorders that are gone
 * have left is removed, as far as it can be.
 */
struct pd_error *cap_probes_create(const char *tracing_dir, struct cap_probes **ret) pd_must_check;

/** Remove the probes from the kernel; events of theirs must be closed. NULL is fine. */
void cap_probes_destroy(struct cap_probes *probes);

/**
 * Remove the probes from the kernel, and forget those. An error is about the first that is still there;
 * others are removed all the same.
 */
struct pd_error *cap_probes_remove(struct cap_probes *probes) pd_must_check;

/**
 * Define the probe @p text and append its tracepoint to @p events, as cap_events_parse does.
 * PD_ERROR_USAGE if it is not written as above, or the binary has no such function.
 */
struct pd_error *cap_probe_add(
	struct cap_probes *probes, const char *text, struct cap_events *events) pd_must_check;

/**
 * The offset in the file @p path, an ELF binary, of the code of @p function plus @p offset bytes.
 * PD_ERROR_USAGE if there is no such function, or two, or it is not that long.
 */
struct pd_error *cap_function_offset(
	const char *path, const char *function, uint64_t offset, uint64_t *ret) pd_must_check;

#endif
