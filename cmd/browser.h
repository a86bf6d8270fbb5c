/**
 * @file Opening a file in the user's browser.
 */
#ifndef PD_CMD_BROWSER_H
#define PD_CMD_BROWSER_H

#include <stdbool.h>

#include <pdconv/error.h>

/**
 * Start a program that shows the file @p path, and return without waiting for it. The programs of
 * $BROWSER are tried in turn (separated by ':', in which %s stands for the file), and then xdg-open
 * if there is a display. *@p opened_ret: one of them was started. Errors: OS, no memory.
 */
struct pd_error *cmd_browser_open(const char *path, bool *opened_ret) pd_must_check;

#endif
