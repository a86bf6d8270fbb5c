/**
 * @file What the binaries of a profile are, for viewers that colour frames by it.
 */
#ifndef PD_OUTPUT_BINARY_KINDS_H
#define PD_OUTPUT_BINARY_KINDS_H

#include "profile/profile.h"

enum out_binary_kind {
	OUT_BINARY_PROGRAM,
	OUT_BINARY_LIBRARY,
	OUT_BINARY_KERNEL,
	/** Code that a program generated at run time. */
	OUT_BINARY_GENERATED,
	/** Memory without a file. */
	OUT_BINARY_OTHER,
};

/** Return what @p binary is. Libraries are recognized by ".so" in their names. */
enum out_binary_kind out_binary_kind(
	const struct profile *profile, const struct prof_binary *binary);

#endif
