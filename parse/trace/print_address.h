/**
 * @file Texts of addresses of networks and hardware, and of UUIDs, as the kernel prints them
 * (Documentation/core-api/printk-formats.rst of Linux).
 */
#ifndef PD_PARSE_PRINT_ADDRESS_H
#define PD_PARSE_PRINT_ADDRESS_H

#include <stdbool.h>

#include <pdconv/record.h>

enum { PD_ADDRESS_TEXT_SIZE = 64 };

/**
 * Make text of @p bytes. @p kind: the extension of %p, such as "I4", "I6c", "ISpc", "M", "U". False
 * if it is not known, or if there are too few bytes.
 */
bool parse_print_address(
	const char *kind, const struct pd_view *bytes, char text[static PD_ADDRESS_TEXT_SIZE]);

#endif
