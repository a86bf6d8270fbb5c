/**
 * @file A binary that a recording names: found on this machine, opened, and held open.
 *
 * A recording knows a binary by its path on the recording machine and, mostly, its build id. A file
 * with another build id is never used; that it was there is told. Only regular files are opened.
 *
 * Addresses are vaddrs of the ELF file unless said otherwise.
 */
#ifndef PD_SYMBOLIZE_BINARY_H
#define PD_SYMBOLIZE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "base/arch.h"
#include "symbolize/find/attempts.h"
#include "symbolize/find/search.h"
#include "symbolize/file/section.h"

struct sym_binary;

/**
 * Look for the binary @p recorded. Not finding it is no error: there is a sym_binary that says why.
 * Errors: no memory.
 */
struct pd_error *sym_binary_open(const struct sym_search *search,
	const struct sym_recorded *recorded, struct sym_binary **ret) pd_must_check;
void sym_binary_destroy(struct sym_binary *binary);

enum sym_status sym_binary_status(const struct sym_binary *binary);
/** The file in use, or NULL. Borrowed. */
const char *sym_binary_path(const struct sym_binary *binary);
/** The file that holds its DWARF debug information, or NULL. May be the same. Borrowed. */
const char *sym_binary_debug_path(const struct sym_binary *binary);
/** The file in use is of another build than the recorded one. */
bool sym_binary_is_mismatched(const struct sym_binary *binary);
/** The files that were tried, in their order. Borrowed. */
const struct sym_attempt *sym_binary_attempts(const struct sym_binary *binary, size_t *n_ret);
/** When it was not found: which file was tried and what was wrong, one line. Borrowed. */
const char *sym_binary_why(const struct sym_binary *binary);
/** Its own build id; len 0 if it has none. */
const struct pd_build_id *sym_binary_build_id(const struct sym_binary *binary);
/** What its ELF header says it is for; NULL if it was not found or that is not known here. */
const struct pd_arch *sym_binary_arch(const struct sym_binary *binary);

/** Where its ELF header says that it begins to run; 0 if it was not found or does not say. */
uint64_t sym_binary_entry(const struct sym_binary *binary);

/**
 * Look for the debug file on servers too, which opening a binary does not do: only names need it.
 * Before sym_binary_names, by one thread. Errors: no memory.
 */
struct pd_error *sym_binary_fetch_debug(struct sym_binary *binary) pd_must_check;

/**
 * The section @p name, uncompressed, borrowed from the binary; false if there is none with bytes in
 * the main file (or, for .debug_frame, in the debug file).
 */
bool sym_binary_section(struct sym_binary *binary, const char *name, struct sym_section *ret);

/** An executable PT_LOAD segment. */
struct sym_segment {
	uint64_t vaddr;
	uint64_t mem_size;
	/** Bytes in the file. */
	uint64_t offset;
	uint64_t file_size;
};

/**
 * The PT_LOAD segment that holds the byte at @p offset of the file, executable ones first; false if
 * none does. A mapping's vaddr is offset - segment.offset + segment.vaddr.
 */
bool sym_binary_segment(const struct sym_binary *binary, uint64_t offset, struct sym_segment *ret);

/** Where the byte at @p vaddr is in the file, of code if there is some; false if no PT_LOAD segment has it. */
bool sym_binary_offset(const struct sym_binary *binary, uint64_t vaddr, uint64_t *ret);

#endif
