/**
 * @file Files that shrink while they are read.
 *
 * The library maps recordings and binaries. If another program truncates one of them meanwhile, the
 * kernel sends SIGBUS to the thread that reads beyond the new end. With the guard of this file the
 * library gets zeros there instead, and what it was called for ends with a PD_ERROR_OS that names
 * the file.
 *
 * The handler of a signal is shared by the whole process, so the library sets it only if it is
 * asked to. It handles only faults in files that it has mapped.
 */
#ifndef PDCONV_FILE_GUARD_H
#define PDCONV_FILE_GUARD_H

#include <stdbool.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>

PD_DECLS_BEGIN

/**
 * Set a handler of SIGBUS for the rest of the process. For all other faults it calls the handler
 * that was set before, or ends the process as without a handler. Further calls have no effect.
 * Thread-safe. Errors: OS.
 */
struct pd_error *pd_file_guard_install(void) pd_must_check;

/**
 * For programs with a handler of SIGBUS of their own, which must have SA_SIGINFO: call this in it
 * with si_addr, if si_code is BUS_ADRERR. Returns true if @p address was in a file that the library
 * has mapped, so that the handler can return; false if the fault is not the library's.
 * Async-signal-safe.
 */
bool pd_file_guard_handle(const void *address);

PD_DECLS_END

#endif
