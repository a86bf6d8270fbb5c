/**
 * @file Messages of the program, which begin with its name, and errors about the command line.
 */
#ifndef PD_CMD_MESSAGE_H
#define PD_CMD_MESSAGE_H

#include <stdio.h>

#include <pdconv/error.h>

#include "base/nearest.h"

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

#endif
