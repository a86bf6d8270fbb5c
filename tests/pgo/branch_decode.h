/**
 * @file Branches in x86-64 code, as far as a program that is single-stepped needs them.
 */
#ifndef PD_TESTS_PGO_BRANCH_DECODE_H
#define PD_TESTS_PGO_BRANCH_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum branch_kind {
	/** Not a branch of user code. */
	BRANCH_NONE,
	BRANCH_CONDITIONAL,
	/** A jump or call to a fixed address. */
	BRANCH_DIRECT,
	/** A jump or call to an address in a register or in memory. */
	BRANCH_INDIRECT,
	BRANCH_RETURN,
};

/** Bytes of an instruction, at most. */
enum { BRANCH_CODE_BYTES = 16 };

/**
 * Find out which branch the instruction with the bytes @p code is. *@p length_ret is its length;
 * only set for conditional branches.
 */
enum branch_kind branch_decode(const uint8_t code[BRANCH_CODE_BYTES], size_t *length_ret);

#endif
