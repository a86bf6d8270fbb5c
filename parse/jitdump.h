/**
 * @file jitdump: which generated code was where, and when.
 *
 * Addresses are used again for other code as time goes on. Time is cut into epochs: within one, code
 * is only added; where code takes the place of other code, the next begins. So what is at an address
 * in an epoch is the same for ever, and can be remembered.
 */
#ifndef PD_PARSE_JITDUMP_H
#define PD_PARSE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/layout.h>

#include "parse/jitdump_defs.h"

#define PD_JITDUMP_DECLARE(name, id, member, fields) PD_DECLARE_STRUCT(member, fields)
PD_JITDUMP_RECORDS(PD_JITDUMP_DECLARE)
#undef PD_JITDUMP_DECLARE
PD_JITDUMP_STRUCTS(PD_DECLARE_STRUCT)

#define PD_JITDUMP_MAGIC UINT32_C(0x4a695444)

/** Code at one place. */
struct pd_jit_code {
	/** Process addresses, end not included. */
	uint64_t start;
	uint64_t end;
	/** Of its bytes in the dump: what tells it from other code that was at the same place. */
	uint64_t offset;
	/** Borrowed from the dump. */
	const char *name;
	/** .eh_frame, which lies, for the addresses in it, behind the code, at the next multiple of 8. */
	const uint8_t *eh_frame;
	/** 0: there is none. */
	size_t eh_frame_size;
	/** It is there from first_epoch to end_epoch - 1. */
	uint32_t first_epoch;
	uint32_t end_epoch;
};

struct pd_jit;

/**
 * Read the dump @p bytes, which are borrowed and outlive the result. A record that was not finished
 * ends it. Errors: FORMAT, no memory.
 */
struct pd_error *pd_jit_read(
	const uint8_t *bytes, size_t size, const char *path, struct pd_jit **ret) pd_must_check;
void pd_jit_destroy(struct pd_jit *jit);

/** EM_* of elf.h, and whether the dump is in the other byte order than this machine. */
uint16_t pd_jit_machine(const struct pd_jit *jit);
bool pd_jit_swap(const struct pd_jit *jit);

/** The epoch at @p time, ns of CLOCK_MONOTONIC; the last one if the time is not known (PD_NO_TIME). */
uint32_t pd_jit_epoch(const struct pd_jit *jit, uint64_t time);

/** What is at the process address @p addr in @p epoch, or NULL. From any thread. */
const struct pd_jit_code *pd_jit_find(const struct pd_jit *jit, uint32_t epoch, uint64_t addr);

/** The code whose bytes are at @p offset of the dump, or NULL. */
const struct pd_jit_code *pd_jit_at_offset(const struct pd_jit *jit, uint64_t offset);

/** Codes have numbers 0 to this - 1. */
size_t pd_jit_n_codes(const struct pd_jit *jit);
size_t pd_jit_number(const struct pd_jit *jit, const struct pd_jit_code *code);

/** Whether @p path is that of a dump: jit-PID.dump. */
bool pd_jit_is_path(const char *path);

#endif
