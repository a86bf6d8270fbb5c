/**
 * @file Whose critical path is asked for.
 */
#ifndef PD_LEDGER_PATH_OWNER_H
#define PD_LEDGER_PATH_OWNER_H

#include <stddef.h>

#include "base/containers/intern.h"
#include "ledger/ledger.h"

/** Facts about the threads of a recording. Borrowed. */
struct led_owner_search {
	const struct ledger *ledger;
	/** Names of tasks. */
	const struct base_intern *names;
	/** The command line of the recorder, which has that of the recorded command in it. */
	const char *const *cmdline;
	size_t n_cmdline;
};

/**
 * Find a life by @p text: the number of a thread, else its name. "" stands for the main thread of
 * the recorded command, or of any process if that is not known. Of several, it is the one that
 * lived longest, and of those the one that ran longest. Returns an index, or LED_NONE.
 */
uint32_t led_path_owner(const struct led_owner_search *search, const char *text);

#endif
