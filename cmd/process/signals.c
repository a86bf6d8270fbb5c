#include "cmd/process/signals.h"

#include <signal.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/pager.h"

static volatile sig_atomic_t is_ignored;

static void end_unless_ignored(int signal_number)
{
	if (is_ignored) {
		is_ignored = 0;
		return;
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void cmd_signals_handle(const int *signals, size_t n, void (*handler)(int signal_number))
{
	const struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction now;

	for (size_t i = 0; i < n; i++) {
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
}

/* Recordings and binaries are mapped: SIGBUS means that one of them was truncated since. */
static void end_on_bus_error(int signal)
{
	static const char text[] = CMD_PREFIX "a file was truncated while it was read\n";

	(void)signal;
	cmd_pager_abandon();
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(CMD_FAILED);
}

void cmd_bus_error_watch(void)
{
	const struct sigaction act = { .sa_handler = end_on_bus_error };

	sigaction(SIGBUS, &act, NULL);
}

void cmd_late_signal_watch(void)
{
	static const int signals[] = { SIGINT, SIGTERM };

	cmd_signals_handle(signals, PD_ARRAY_LEN(signals), end_unless_ignored);
}

void cmd_late_signal_ignore(bool is_next_ignored)
{
	is_ignored = is_next_ignored;
}
