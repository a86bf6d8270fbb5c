/**
 * @file jitdump: addresses and times of generated code.
 *
 * Addresses are reused for other code over time. Time is divided into epochs: within an epoch code
 * is only added, and when code replaces other code, the next epoch begins. So the code at an
 * address in an epoch never changes and may be cached.
 */
#ifndef PD_PARSE_JITDUMP_H
#define PD_PARSE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/layout.h>

#include "parse/jitdump_defs.h"
#include "parse/member.h"

#define PD_JITDUMP_DECLARE(name, id, member, fields) PD_DECLARE_STRUCT(member, fields)
PD_JITDUMP_RECORDS(PD_JITDUMP_DECLARE)
#undef PD_JITDUMP_DECLARE
PD_JITDUMP_STRUCTS(PD_DECLARE_STRUCT)

#define PD_JITDUMP_MAGIC UINT32_C(0x4a695444)

/** Piece of generated code at one address. */
struct parse_jit_code {
	/** Process virtual addresses [start, end). */
	uint64_t start;
	uint64_t end;
	/** Offset of the code in the dump, in bytes. It distinguishes codes at the same address. */
	uint64_t offset;
	/** The end - start bytes of the code, borrowed from the dump; NULL if it lacks some. */
	const uint8_t *bytes;
	/** Name, borrowed from the dump. */
	const char *name;
	/** .eh_frame. Addresses in it assume that it follows the code at the next multiple of 8. */
	const uint8_t *eh_frame;
	/** Size in bytes; 0: no .eh_frame. */
	size_t eh_frame_size;
	/** The code exists in the epochs [first_epoch, end_epoch). */
	uint32_t first_epoch;
	uint32_t end_epoch;
};

struct parse_jit;

/**
 * Read the dump @p bytes, which are borrowed and must outlive the result. Reading ends at an
 * incomplete record. Errors: FORMAT, NOMEM.
 */
struct pd_error *parse_jit_read(
	const uint8_t *bytes, size_t size, const char *path, struct parse_jit **ret) pd_must_check;
void parse_jit_destroy(struct parse_jit *jit);

/**
 * Machine of the code (EM_* of elf.h), and whether the byte order of the dump is the opposite of
 * the host's.
 */
uint16_t parse_jit_machine(const struct parse_jit *jit);
bool parse_jit_swap(const struct parse_jit *jit);

/** Epoch at @p time, in ns of CLOCK_MONOTONIC; the last epoch for PD_NO_TIME. */
uint32_t parse_jit_epoch(const struct parse_jit *jit, uint64_t time);

/** Find the code at the process virtual address @p addr in @p epoch, or NULL. Thread-safe. */
const struct parse_jit_code *parse_jit_find(
	const struct parse_jit *jit, uint32_t epoch, uint64_t addr);

/** Find the code whose bytes contain @p offset of the dump, or NULL. */
const struct parse_jit_code *parse_jit_at_offset(const struct parse_jit *jit, uint64_t offset);

/** Number of codes. */
size_t parse_jit_n_codes(const struct parse_jit *jit);
size_t parse_jit_number(const struct parse_jit *jit, const struct parse_jit_code *code);

/** Whether @p path has the name of a dump: jit-PID.dump, or jit-TID-PID.dump of JavaScriptCore. */
bool parse_jit_is_path(const char *path);

#endif
