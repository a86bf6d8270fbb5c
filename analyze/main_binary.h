/**
 * @file The program that a profile is about.
 */
#ifndef PD_ANALYZE_MAIN_BINARY_H
#define PD_ANALYZE_MAIN_BINARY_H

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Find the binary of the program with the most samples. It is the one at the root of the stacks of
 * main threads that were unwound to the root; else one at an end of the stacks of a thread that is
 * named after it; else the one with the most samples at the leaf. The id refers to nothing if there
 * is no sample in user space. Errors: no memory.
 */
struct pd_error *ana_find_main_binary(
	const struct profile *profile, struct prof_binary_id *ret) pd_must_check;

#endif
