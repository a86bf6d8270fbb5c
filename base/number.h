/**
 * @file Numbers in text that a user or a file wrote.
 *
 * No signs, no leading spaces, and nothing is cut off: a number that is out of range is not parsed.
 */
#ifndef PD_BASE_NUMBER_H
#define PD_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Parse the number at the start of @p text, decimal or hexadecimal with 0x. @p end_ret receives the
 * first character after it. Returns false if a number is missing or larger than @p max.
 */
bool pd_number_parse(const char *text, uint64_t max, const char **end_ret, uint64_t *ret);

/**
 * Parse the decimal number at the start of @p text, like "12" or "0.5". Otherwise like
 * pd_number_parse().
 */
bool pd_decimal_parse(const char *text, const char **end_ret, double *ret);

#endif
