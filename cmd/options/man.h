/**
 * @file The manual pages, from the same tables as the help texts.
 */
#ifndef PD_CMD_MAN_H
#define PD_CMD_MAN_H

#include <stdio.h>

#include "cmd/options/options.h"

/** Write the manual page of @p command in the language of man(7). */
void cmd_man(enum cmd_command command, FILE *out);

#endif
