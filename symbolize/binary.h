/**
 * @file A binary of a recording: searched for on this machine, opened, and held open. Its segments,
 * sections and machine code.
 *
 * A recording identifies a binary by its path on the recording machine and, in most cases, its
 * build id. A file with another build id is reported but not used, unless the search forces it.
 * Only regular files are opened.
 *
 * Addresses are virtual addresses of the ELF file unless said otherwise.
 */
#ifndef PD_SYMBOLIZE_BINARY_H
#define PD_SYMBOLIZE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "base/arch.h"
#include "base/limit.h"
#include "base/pclntab.h"
#include "symbolize/find/file_search.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/symbols/symbol_visit.h"

struct sym_binary;

/**
 * Search for the binary @p recorded. If it is not found, sym_binary_why() returns the reason.
 * Errors: NOMEM.
 */
struct pd_error *sym_binary_open(const struct sym_search *search,
	const struct sym_recorded *recorded, struct sym_binary **ret) pd_must_check;
void sym_binary_destroy(struct sym_binary *binary);

/**
 * Take what was read of the files of @p binary out of memory, when it has named its addresses. It
 * comes back when it is read again.
 */
void sym_binary_drop(const struct sym_binary *binary);

/** Return NOMEM if memory ran out while sections were read, which were then treated as absent. */
struct pd_error *sym_binary_check(const struct sym_binary *binary) pd_must_check;

/**
 * Report the limits that this thread has reached since it last opened, named or read a binary as
 * limits of @p binary. Functions declared here, and in symbolize/binary_names.h, do that
 * themselves, except for those that return sections.
 */
void sym_binary_note_limits(const struct sym_binary *binary);

/** Report the limits @p set as limits of @p binary. */
void sym_binary_add_limits(const struct sym_binary *binary, const struct base_limit_set *set);

enum sym_status sym_binary_status(const struct sym_binary *binary);
/** File in use, or NULL. Borrowed. */
const char *sym_binary_path(const struct sym_binary *binary);
/** File with DWARF debug information, which may be the same, or NULL. Borrowed. */
const char *sym_binary_debug_path(const struct sym_binary *binary);
/**
 * Whether the binary was not found, but its debug file, which is in use instead. It has names, but
 * neither code nor, in most cases, call frame information.
 */
bool sym_binary_is_debug_only(const struct sym_binary *binary);
/** Whether the file in use is of another build than the recorded one. */
bool sym_binary_is_mismatched(const struct sym_binary *binary);
/** Whether the build id was recorded for the path, and turned out to be of another file. */
bool sym_binary_is_id_refuted(const struct sym_binary *binary);
/** Files that were tried, in order. Borrowed. */
const struct sym_attempt *sym_binary_attempts(const struct sym_binary *binary, size_t *n_ret);
/**
 * Reason why the binary was not found, in one line: a file that was tried, and what was wrong with
 * it. Borrowed.
 */
const char *sym_binary_why(const struct sym_binary *binary);
/** Build id of the file; len 0 if it has none. */
const struct pd_build_id *sym_binary_build_id(const struct sym_binary *binary);
/**
 * Architecture in its ELF header; NULL if the binary was not found or the architecture is not
 * supported.
 */
const struct pd_arch *sym_binary_arch(const struct sym_binary *binary);

/** Entry point in its ELF header; 0 if the binary was not found or has none. */
uint64_t sym_binary_entry(const struct sym_binary *binary);

/** Supplementary debug file (dwz) of a binary. */
struct sym_supplement {
	/** From malloc(); NULL: the binary needs none, or it was not found. */
	char *path;
	struct pd_build_id id;
	/** The separate debug file refers to it, not the binary itself. */
	bool is_of_separate;
};

/** Search for the supplementary debug file of @p binary. Errors: NOMEM. */
struct pd_error *sym_binary_supplement(
	const struct sym_binary *binary, struct sym_supplement *ret) pd_must_check;

/**
 * Search for the debug file on servers, which sym_binary_open() does not do because only names need
 * it. To be called before sym_binary_names(), by one thread. Errors: NOMEM.
 */
struct pd_error *sym_binary_fetch_debug(struct sym_binary *binary) pd_must_check;

/**
 * Contents of the section @p name, decompressed, borrowed from the binary. Returns false if the
 * main file (or the debug file in case of .debug_frame) has none.
 */
bool sym_binary_section(struct sym_binary *binary, const char *name, struct sym_section *ret);

/**
 * Code of the main file in one piece, borrowed from the binary: see sym_image_text(). Returns false
 * if it has no .text.
 */
bool sym_binary_text(const struct sym_binary *binary, struct sym_section *ret);

/**
 * Call @p visit for each function in the full symbol table of the binary or of its debug file, in
 * the order of that table. Names may occur more than once. Stripped binaries have none.
 */
void sym_binary_visit_functions(
	const struct sym_binary *binary, sym_visit_function *visit, void *ctx);

/**
 * Find Go's table of functions. *ret is borrowed from the binary, and NULL if it has none. One call
 * at a time for one binary. Errors: NOMEM.
 */
struct pd_error *sym_binary_go_functions(
	struct sym_binary *binary, const struct base_pclntab **ret) pd_must_check;

/** PT_LOAD segment. */
struct sym_segment {
	uint64_t vaddr;
	uint64_t mem_size;
	/** Offset and size in the file, in bytes. */
	uint64_t offset;
	uint64_t file_size;
	bool is_executable;
};

/**
 * Find the first PT_LOAD segment of the mapping of the @p size bytes from @p offset of the file on,
 * preferably an executable one. A mapping consists of whole pages, whose size is that of the
 * machine, so it may begin with the end of another segment. Returns false if it has nothing of any
 * segment. The virtual address of the byte at offset @p o of the file is o - segment.offset +
 * segment.vaddr.
 */
bool sym_binary_segment(
	const struct sym_binary *binary, uint64_t offset, uint64_t size, struct sym_segment *ret);

/**
 * Find the PT_LOAD segment that a mapping of data from @p offset of the file on belongs to. Returns
 * false if none does. If the page of 4 KiB at @p offset belongs to two segments, the mapping is of
 * the later one. The size of the mapping says nothing: that of the first segment covers all.
 */
bool sym_binary_data_segment(
	const struct sym_binary *binary, uint64_t offset, struct sym_segment *ret);

/** Whether @p vaddr is in memory that a segment has in addition to its bytes in the file: .bss. */
bool sym_binary_is_zeroed(const struct sym_binary *binary, uint64_t vaddr);

/**
 * Find the file offset of the byte at @p vaddr, preferably in an executable segment. Returns false
 * if no PT_LOAD segment contains it.
 */
bool sym_binary_offset(const struct sym_binary *binary, uint64_t vaddr, uint64_t *ret);

/** Code of a symbol: the addresses [start, end). Both are 0 if no symbol covers an address. */
struct sym_code_extent {
	uint64_t start;
	uint64_t end;
};

/**
 * Find the symbol that sym_binary_names() names @p vaddr after. One call at a time for one binary.
 * Errors: NOMEM.
 */
struct pd_error *sym_binary_code_extent(
	struct sym_binary *binary, uint64_t vaddr, struct sym_code_extent *ret) pd_must_check;

/**
 * Bytes of the file at @p vaddr, borrowed from the binary. *n_ret is their number, at most @p size;
 * it is less if the section or segment ends earlier. Returns NULL if the file has no bytes there.
 * One call at a time for one binary.
 */
const uint8_t *sym_binary_code(
	struct sym_binary *binary, uint64_t vaddr, size_t size, size_t *n_ret);

/** sym_visit_mapping_symbols() of the binary and its debug file. */
void sym_binary_visit_mapping_symbols(
	const struct sym_binary *binary, sym_visit_mapping_symbol *visit, void *ctx);

#endif
