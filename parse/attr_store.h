/**
 * @file Storing attrs in place, and the fixed period of one.
 */
#ifndef PD_PARSE_ATTR_STORE_H
#define PD_PARSE_ATTR_STORE_H

#include <pdconv/attr.h>

/**
 * Store the fields of @p attr in the encoded attr of @p size bytes at @p to, byteswapped if
 * @p swap. Other bytes of that attr are not changed.
 */
void parse_attr_store(const struct pd_attr *attr, size_t size, bool swap, uint8_t *to);

/**
 * Period of each sample if it is fixed, or 0. With a frequency the period varies, except for
 * clocks, whose unit is nanoseconds.
 */
uint64_t parse_attr_fixed_period(const struct pd_attr *attr);

#endif
