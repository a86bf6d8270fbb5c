/**
 * @file Table of what is known about a binary's code: ranges of addresses, each with one answer.
 *
 * Names are answered from this table alone, whether it was filled from symbol tables and DWARF or
 * read from the cache. It is complete for the addresses that it covers: it stores names as the
 * linker knows them, and options only leave things out of the answers.
 *
 * All members except `languages` and `texts` are arrays of fixed-size integers that refer to each
 * other by index and to strings by offset, so that they can be written to a file and read back as
 * they are.
 *
 * Addresses are virtual addresses of the main file. A range includes its start but not its end.
 */
#ifndef PD_SYMBOLIZE_TABLE_RANGES_H
#define PD_SYMBOLIZE_TABLE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"

struct sym_image;

/** Index that stands for no element: no scope, no function. */
#define SYM_NONE UINT32_MAX

/**
 * Code with one location in the file, according to DWARF. Without scope, file and line nothing is
 * known about it.
 */
struct sym_location_range {
	uint64_t start;
	uint64_t end;
	/** Index of the innermost scope, or SYM_NONE. */
	uint32_t scope;
	/** Source file, a string; 0 if it is not known. */
	uint32_t file;
	/** Line; 0 if it is not known. */
	uint32_t line;
	/** Distinguishes blocks of code on one line; 0 for the first one, or if it is not known. */
	uint32_t discriminator;
};

/** Code with one symbol, or with none if it has no name. */
struct sym_symbol_range {
	uint64_t start;
	uint64_t end;
	/** Start of the symbol, which may be before that of the range. */
	uint64_t symbol_start;
	/** Name without a symbol version, a string; 0 if no symbol covers the range. */
	uint32_t name;
	/** Whether the symbol table has a size for the symbol. */
	uint32_t is_sized;
};

/** Function in its own code, or one inlined call of it. */
struct sym_range_scope {
	/** Index of the function, or SYM_NONE. */
	uint32_t function;
	/**
	 * Index of the scope into which the call was inlined, which is lower than its own; SYM_NONE
	 * for a function.
	 */
	uint32_t outer;
	/** Location of the call: file, a string, and line; 0 if not known. */
	uint32_t call_file;
	uint32_t call_line;
	/** Discriminator of the call, as that of a location. */
	uint32_t call_discriminator;
};

/** Names and declaration of a function. Strings are 0 if there is none. */
struct sym_range_function {
	/** Linkage name, or the plain name if it has none. */
	uint32_t linkage;
	/**
	 * Name qualified with namespaces and types, for a function without a linkage name, for
	 * those of Fortran, and for those whose linkage name cannot be demangled.
	 */
	uint32_t qualified;
	/** Location of the declaration: file, a string, and line; 0 if not known. */
	uint32_t file;
	uint32_t line;
	/** Languages that it may be written in (enum sym_language). */
	uint32_t languages;
};

enum sym_range_file_kind {
	SYM_RANGE_FILE_MAIN,
	/** Separate debug file. */
	SYM_RANGE_FILE_DEBUG,
	/** Supplementary file, into which dwz moves what debug files have in common. */
	SYM_RANGE_FILE_SUPPLEMENT,
	/** A .dwo file with one split unit, and a .dwp package of many. */
	SYM_RANGE_FILE_SPLIT,
	SYM_RANGE_FILE_PACKAGE,
};

/** File that was read for the table, or that was missing. */
struct sym_range_file {
	uint32_t kind;
	uint32_t is_found;
	/** Path at which it was found, or which was searched for, a string; 0 if it has none. */
	uint32_t path;
	/** Build id in hexadecimal, a string; 0 if it has none. */
	uint32_t build_id;
	/** Size of the file in bytes. */
	uint64_t size;
	/** Time of modification in nanoseconds since 1970. */
	int64_t mtime_ns;
	/** Id that the file of a split unit must have; 0 for other files. */
	uint64_t dwo_id;
};

/** Table of ranges. Zero-initialized it is empty. */
struct sym_ranges {
	/** Sorted by start, without overlaps. */
	PD_VEC(struct sym_location_range) locations;
	PD_VEC(struct sym_symbol_range) symbols;
	PD_VEC(struct sym_range_scope) scopes;
	PD_VEC(struct sym_range_function) functions;
	PD_VEC(struct sym_range_file) files;
	/** Strings, each with a NUL at its end; the one at offset 0 is empty. */
	PD_VEC(char) strings;
	/** Languages of the binary (enum sym_language). */
	uint32_t languages;
	/** Hash of a string -> its offset. Built on first use. */
	struct base_map texts;
};

void sym_ranges_deinit(struct sym_ranges *ranges);

/**
 * Check a table that was read from a file: references lead to elements that exist, scopes to outer
 * ones before them, and ranges are sorted. Only such a table may be passed to the other functions.
 */
bool sym_ranges_are_sound(const struct sym_ranges *ranges);

/**
 * Find or add the string @p text. *ret is its offset, or 0 for NULL, "", and if there are too many
 * strings. Errors: NOMEM.
 */
struct pd_error *sym_ranges_string(
	struct sym_ranges *ranges, const char *text, uint32_t *ret) pd_must_check;

/**
 * Record that @p image was read or, if it is NULL, that @p wanted (its name, or NULL) was not
 * found. @p dwo_id is 0 except for split units. Errors: NOMEM.
 */
struct pd_error *sym_note_range_file(struct sym_ranges *ranges, enum sym_range_file_kind kind,
	const struct sym_image *image, const char *wanted, uint64_t dwo_id) pd_must_check;

/**
 * Describe the files that were missing in one line, which names the first of them. *ret is to be
 * freed, and NULL if none was. The separate debug file is not included, because many binaries have
 * none. Errors: NOMEM.
 */
struct pd_error *sym_ranges_missing(const struct sym_ranges *ranges, char **ret) pd_must_check;

/**
 * Ranges that were read but not yet merged, in any order. Their references are those of the table
 * that they are for.
 */
struct sym_new_ranges {
	PD_VEC(struct sym_location_range) locations;
	PD_VEC(struct sym_symbol_range) symbols;
};

void sym_new_ranges_deinit(struct sym_new_ranges *fresh);

/**
 * Merge @p fresh, which this sorts, into @p ranges. Ranges of the table stay as they are; of new
 * ranges that overlap, the one that starts first gets the common part. Errors: NOMEM.
 */
struct pd_error *sym_ranges_merge(
	struct sym_ranges *ranges, struct sym_new_ranges *fresh) pd_must_check;

/** Ranges of the table that cover an address. */
struct sym_covering {
	/** Index in locations and in symbols; SYM_NONE if the address is not covered. */
	uint32_t location;
	uint32_t symbol;
};

/**
 * Look up the @p n addresses @p vaddrs, ascending, in one pass. Returns how many are not covered by
 * both a location and a symbol range.
 */
size_t sym_ranges_find(const struct sym_ranges *ranges, const uint64_t *vaddrs, size_t n,
	struct sym_covering *ret);

static inline const char *sym_ranges_text(const struct sym_ranges *ranges, uint32_t offset)
{
	return offset ? ranges->strings.data + offset : NULL;
}

#endif
