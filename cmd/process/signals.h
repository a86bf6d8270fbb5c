/**
 * @file Signals, above all SIGINT and SIGTERM that come again after they have ended a recording.
 *
 * timeout(1) signals both its child and the group of the child, and people press Ctrl-C twice. On
 * a busy machine the second signal arrives when the recording is complete. It must not end what
 * follows: the conversion, the archive, or the copies for the build-id cache.
 */
#ifndef PD_CMD_SIGNALS_H
#define PD_CMD_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Let @p handler handle the @p n @p signals. Those that are ignored stay so: nohup and the
 * background of a shell ignore signals on purpose. System calls are restarted.
 */
void cmd_signals_handle(const int *signals, size_t n, void (*handler)(int signal_number));

/**
 * End the program with a message if a file is truncated while it is mapped (SIGBUS), until the
 * library guards its files.
 */
void cmd_bus_error_watch(void);

/** Handle the two signals, unless they are ignored. They still end the process. */
void cmd_late_signal_watch(void);

/**
 * Set whether the next of the two signals is ignored. Those after it end the process. Call with
 * both signals blocked if one may arrive meanwhile.
 */
void cmd_late_signal_ignore(bool is_next_ignored);

#endif
