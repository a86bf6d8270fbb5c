/**
 * @file Probes: tracepoints in functions of programs or the kernel (uprobes, kprobes), defined for
 * one recording.
 *
 * A probe is written as
 *
 *     [NAME=]PATH:LOCATION [ARG ...]      in a program or library; PATH contains a '/'
 *     [NAME=]LOCATION [ARG ...]           in the kernel
 *
 * where LOCATION is FUNCTION[+OFFSET], an address 0xNUMBER (for programs, the offset in the file),
 * or FUNCTION%return for where the function returns. FUNCTION is a symbol as the symbol table has
 * it: for C++, the mangled name. ARGs are the kernel's fetch arguments (trace/uprobetracer and
 * trace/kprobetrace in its documentation): [NAME=]%REG[:TYPE], $retval, +8(%sp):u64, ...
 *
 *     malloc=/lib/x86_64-linux-gnu/libc.so.6:malloc size=%di:u64
 *     ./server:handle%return status=$retval:s32
 *
 * The default NAME is that of the function, followed by "__return" for returns, and by "_1", "_2"
 * ... if the name exists. In the kernel, the tracepoint is pdconv_PID:NAME, so that recorders do
 * not collide; in the recording it is probe:NAME, so that recordings of the same probe can be
 * compared and merged. cap_probes_destroy removes the tracepoints; if the process is killed before
 * that, the next cap_probes_create of any process does.
 */
#ifndef PD_CAPTURE_EVENTS_PROBE_H
#define PD_CAPTURE_EVENTS_PROBE_H

#include <stdint.h>

#include <pdconv/error.h>

#include "capture/events/event_list.h"

/** The probes of one recording. */
struct cap_probes;

/**
 * Create an empty set of probes, and remove those left over by recorders that no longer run. @p
 * tracing_dir is the mount point of tracefs, borrowed; NULL: the one of this machine. Errors: OS,
 * there is no tracefs or it may not be entered.
 */
struct pd_error *cap_probes_create(const char *tracing_dir, struct cap_probes **ret) pd_must_check;

/**
 * Remove the probes from the kernel and free @p probes. Their events must be closed. NULL is fine.
 */
void cap_probes_destroy(struct cap_probes *probes);

/**
 * Remove the probes from the kernel. All are tried; the error is about the first that could not be
 * removed, and those stay in the set.
 */
struct pd_error *cap_probes_remove(struct cap_probes *probes) pd_must_check;

/**
 * Define the probe @p text in the kernel and append its tracepoint to @p events, like
 * cap_events_parse. Errors: USAGE, the text is invalid or the binary has no such function; OS.
 */
struct pd_error *cap_probe_add(
	struct cap_probes *probes, const char *text, struct cap_events *events) pd_must_check;

/**
 * Find the offset in the ELF file @p path of the code of @p function plus @p offset bytes. Errors:
 * USAGE, the function is missing, ambiguous or shorter.
 */
struct pd_error *cap_function_offset(
	const char *path, const char *function, uint64_t offset, uint64_t *ret) pd_must_check;

#endif
