/**
 * @file Opening a file in the user's browser.
 */
#ifndef PD_CMD_BROWSER_H
#define PD_CMD_BROWSER_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "cmd/process/standby.h"

/**
 * Fork the process that cmd_browser_open() lets show the file @p path, for when processes can no
 * longer be created by then. The file need not exist yet. Call it while there is one thread.
 */
struct pd_error *cmd_browser_stand_by(const char *path, struct cmd_standby *ret) pd_must_check;

/**
 * Start a program that shows the file, and return without waiting for it. The programs of $BROWSER
 * are tried in turn (separated by ':', in which %s stands for the file), and then xdg-open if there
 * is a display. *@p opened_ret: one of them was started. Errors: OS.
 */
struct pd_error *cmd_browser_open(struct cmd_standby *standby, bool *opened_ret) pd_must_check;

#endif
