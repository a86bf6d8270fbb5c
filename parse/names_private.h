/**
 * @file Names of the numbers of a format, for parse/visit.c.
 */
#ifndef PD_PARSE_NAMES_PRIVATE_H
#define PD_PARSE_NAMES_PRIVATE_H

#include <pdconv/visitor.h>

/** Make an integer whose format has names, see enum pd_field_format, a value with names. */
void pd_value_set_names(struct pd_value *value);

#endif
