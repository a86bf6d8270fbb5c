/**
 * @file Operators in names of C++ functions, whose brackets do not pair.
 */
#ifndef PD_BASE_OPERATOR_H
#define PD_BASE_OPERATOR_H

#include <stddef.h>

/**
 * Return the length of an operator name such as "operator<<" or "operator=" at @p at in @p name, 0
 * if there is none. For operators of pairing brackets and of words, such as "operator()" and
 * "operator new", it is 0, too.
 */
size_t base_operator_length(const char *name, const char *at);

#endif
