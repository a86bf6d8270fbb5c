/**
 * @file Messages of the program, which begin with its name, errors about the command line, and the
 * terminal that text is written to.
 */
#ifndef PD_CMD_MESSAGE_H
#define PD_CMD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "base/names/nearest.h"

/** Beginning of a line of message. */
#define CMD_PREFIX "pdconv: "

/** Begin a line of message. Returns the stream for the rest of it. */
FILE *cmd_begin(void);

/** Write a line of message. */
__attribute__((format(printf, 1, 2))) void cmd_say(const char *format, ...);

/**
 * Put the name of an option in front of the message of @p err, which is taken over. NULL stays
 * NULL, and NOMEM stays as it is.
 */
struct pd_error *cmd_option_error(const char *name, struct pd_error *err);

/**
 * Return the error for the word of @p nearest, which names no @p what: with the nearest name, or
 * else with @p otherwise, unless that is NULL. USAGE.
 */
struct pd_error *cmd_unknown(
	const char *what, const struct base_nearest *nearest, const char *otherwise);

/** Columns of standard output: $COLUMNS, or those of the terminal; 0 if there is neither. */
size_t cmd_terminal_width(void);

/** Whether standard output is a terminal that can do more than print lines, by $TERM. */
bool cmd_terminal_is_capable(void);

/** Whether standard output is a terminal with colours and $NO_COLOR does not forbid them. */
bool cmd_terminal_has_color(void);

#endif
