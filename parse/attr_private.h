/**
 * @file Attrs that are changed where they are.
 */
#ifndef PD_PARSE_ATTR_PRIVATE_H
#define PD_PARSE_ATTR_PRIVATE_H

#include <pdconv/attr.h>

/**
 * Put the fields of @p attr in their places at @p to, an attr of @p size bytes in the other order than
 * this machine if @p swap. What it holds besides stays.
 */
void pd_attr_store(const struct pd_attr *attr, size_t size, bool swap, uint8_t *to);

#endif
