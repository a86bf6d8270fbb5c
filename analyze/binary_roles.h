/**
 * @file What binaries are to a profile: the program that it is about, libraries, the kernel.
 */
#ifndef PD_ANALYZE_BINARY_ROLES_H
#define PD_ANALYZE_BINARY_ROLES_H

#include <pdconv/error.h>

#include "profile/profile.h"

enum ana_binary_kind {
	ANA_BINARY_PROGRAM,
	ANA_BINARY_LIBRARY,
	ANA_BINARY_KERNEL,
	/** Code that a program generated at run time. */
	ANA_BINARY_GENERATED,
	/** Memory without a file. */
	ANA_BINARY_OTHER,
};

/**
 * Return what @p binary is, by which viewers colour frames. Libraries are recognized by ".so" in
 * their names.
 */
enum ana_binary_kind ana_binary_kind(
	const struct profile *profile, const struct prof_binary *binary);

/**
 * Find the binary of the program with the most samples. It is the one at the root of the stacks of
 * main threads that were unwound to the root; else one at an end of the stacks of a thread that is
 * named after it; else the one with the most samples at the leaf. The id refers to nothing if there
 * is no sample in user space. Errors: NOMEM.
 */
struct pd_error *ana_find_main_binary(
	const struct profile *profile, struct prof_binary_id *ret) pd_must_check;

#endif
