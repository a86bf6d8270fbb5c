/**
 * @file The identity of this program.
 */
#ifndef PD_INDEX_PROGRAM_H
#define PD_INDEX_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Compute a number from the build ids of the program and the libraries that are loaded, the vdso
 * included. Any change of the code gives another one. Returns false if the program has no build id.
 */
bool index_program_id(uint64_t *ret);

#endif
