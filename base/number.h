/**
 * @file Numbers in text that a user or a file wrote.
 *
 * No signs, no leading spaces, and nothing is cut off: a number that is out of range is not parsed.
 */
#ifndef PD_BASE_NUMBER_H
#define PD_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Parse the number at the start of @p text, decimal or hexadecimal with 0x. @p end_ret receives the
 * first character after it. Returns false if a number is missing or larger than @p max.
 */
bool base_number_parse(const char *text, uint64_t max, const char **end_ret, uint64_t *ret);

/**
 * Parse the decimal number at the start of @p text, like "12" or "0.5". Otherwise like
 * base_number_parse().
 */
bool base_decimal_parse(const char *text, const char **end_ret, double *ret);

/** Digits that a number of 64 bits has at most. */
enum { PD_DECIMAL_DIGITS = 20 };

/**
 * Put the decimal digits of @p number at the end of @p buf, and return the index of the first. For
 * millions of numbers: fprintf() parses its format for each.
 */
static inline size_t base_decimal_digits(uint64_t number, char buf[static PD_DECIMAL_DIGITS])
{
	size_t at = PD_DECIMAL_DIGITS;

	do {
		buf[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return at;
}

#endif
