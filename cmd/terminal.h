/**
 * @file The terminal that text is written to.
 */
#ifndef PD_CMD_TERMINAL_H
#define PD_CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/** Columns of standard output: $COLUMNS, or those of the terminal; 0 if there is neither. */
size_t cmd_terminal_width(void);

/** Whether standard output is a terminal that can do more than print lines, by $TERM. */
bool cmd_terminal_is_capable(void);

/** Whether standard output is a terminal with colours and $NO_COLOR does not forbid them. */
bool cmd_terminal_has_color(void);

#endif
