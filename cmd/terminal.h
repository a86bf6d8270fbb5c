/**
 * @file The terminal that text is written to.
 */
#ifndef PD_CMD_TERMINAL_H
#define PD_CMD_TERMINAL_H

#include <stddef.h>

/** Columns of standard output: $COLUMNS, or those of the terminal; 0 if there is neither. */
size_t cmd_terminal_width(void);

#endif
