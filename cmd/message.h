/**
 * @file Messages of the program, which begin with its name.
 */
#ifndef PD_CMD_MESSAGE_H
#define PD_CMD_MESSAGE_H

#include <stdio.h>

/** Beginning of a line of message. */
#define CMD_PREFIX "pdconv: "

/** Begin a line of message. Returns the stream for the rest of it. */
FILE *cmd_begin(void);

/** Write a line of message. */
__attribute__((format(printf, 1, 2))) void cmd_say(const char *format, ...);

#endif
