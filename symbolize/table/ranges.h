/**
 * @file What is known of a binary's code: ranges of addresses, each with one answer.
 *
 * The table is what names are answered from, whether it was filled from symbol tables and DWARF just
 * now or comes from somewhere else. It is complete for the addresses that it covers: names are
 * stored as the linker knows them, and what options leave out is left out of the answers.
 *
 * Everything but `texts` is plain arrays of numbers of fixed size, which refer to each other by
 * index and to strings by offset, so they can be written to a file and read back as they are.
 *
 * Addresses are vaddrs of the main file; ranges hold their start and end before their end.
 */
#ifndef PD_SYMBOLIZE_TABLE_RANGES_H
#define PD_SYMBOLIZE_TABLE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/map.h"

/** No scope, no function. */
#define SYM_NONE UINT32_MAX

/** Code with one place in the source, as DWARF tells it. Without scope, file and line: it does not. */
struct sym_location_range {
	uint64_t start;
	uint64_t end;
	/** The innermost one, in scopes, or SYM_NONE. */
	uint32_t scope;
	/** String; 0 if it is not known. */
	uint32_t file;
	/** 0 if it is not known. */
	uint32_t line;
	uint32_t reserved;
};

/** Code with one symbol. Without a name: there is none. */
struct sym_symbol_range {
	uint64_t start;
	uint64_t end;
	/** Where the symbol begins, which may be before the range. */
	uint64_t symbol_start;
	/** String, without a version; 0 if no symbol covers the range. */
	uint32_t name;
	/** The symbol table gives its size. */
	uint32_t is_sized;
};

/** A function in its own code, or one call of it that was inlined. */
struct sym_range_scope {
	/** In functions, or SYM_NONE. */
	uint32_t function;
	/** What it was inlined into, which stands before it; SYM_NONE for a function. */
	uint32_t outer;
	/** Of the call: string, or 0; and line, or 0. */
	uint32_t call_file;
	uint32_t call_line;
};

/** Strings, 0 where there is none. */
struct sym_range_function {
	/** The linkage name, or else the name. */
	uint32_t linkage;
	/** Of a function without a linkage name: the name with namespaces and types before it. */
	uint32_t qualified;
	/** Of its declaration. */
	uint32_t file;
	uint32_t line;
};

enum sym_source_kind {
	SYM_SOURCE_MAIN,
	/** The separate debug file. */
	SYM_SOURCE_DEBUG,
	/** The file that dwz moves common parts to. */
	SYM_SOURCE_SUPPLEMENT,
	/** A .dwo file, and a .dwp file. */
	SYM_SOURCE_SPLIT,
	SYM_SOURCE_PACKAGE,
};

/** A file that was read for the table, or was missed. */
struct sym_range_source {
	uint32_t kind;
	uint32_t is_found;
	/** String: where it was found, or what was looked for; 0 if it has no name. */
	uint32_t path;
	/** String: its build id, in hexadecimal; 0 if it has none. */
	uint32_t build_id;
	/** In bytes. */
	uint64_t size;
	/** Nanoseconds since 1970. */
	int64_t mtime_ns;
	/** Of split units: the id that the file must have; else 0. */
	uint64_t dwo_id;
};

/** A zeroed one is empty. */
struct sym_ranges {
	/** Sorted by start; no two overlap. */
	PD_VEC(struct sym_location_range) locations;
	PD_VEC(struct sym_symbol_range) symbols;
	PD_VEC(struct sym_range_scope) scopes;
	PD_VEC(struct sym_range_function) functions;
	PD_VEC(struct sym_range_source) sources;
	/** Each ends with a NUL; the one at offset 0 is empty. */
	PD_VEC(char) strings;
	/** Hash of a string -> its offset. Made when it is needed. */
	struct pd_map texts;
};

void sym_ranges_deinit(struct sym_ranges *ranges);

/**
 * Whether a table that comes from a file is sound: references lead to what is there, scopes to outer
 * ones before them, ranges are sorted. Only such a table may be handed to the other functions.
 */
bool sym_ranges_are_sound(const struct sym_ranges *ranges);

/** Where @p text is among the strings, to which it is added; 0 for NULL and "", or if they are too many. */
struct pd_error *sym_ranges_string(
	struct sym_ranges *ranges, const char *text, uint32_t *ret) pd_must_check;

/** Note a file. One that is there already (by kind, path and dwo_id) is replaced. */
struct pd_error *sym_ranges_note_source(
	struct sym_ranges *ranges, const struct sym_range_source *source) pd_must_check;

/**
 * Which files were missed, in a line that begins with the first of them; *ret is NULL if none was. To
 * be freed. The binary's own debug file is not among them: binaries without are normal.
 */
struct pd_error *sym_ranges_missing(const struct sym_ranges *ranges, char **ret) pd_must_check;

/** Ranges newly read, in any order, which refer to the table that they are for. */
struct sym_new_ranges {
	PD_VEC(struct sym_location_range) locations;
	PD_VEC(struct sym_symbol_range) symbols;
};

void sym_new_ranges_deinit(struct sym_new_ranges *fresh);

/**
 * Enter @p fresh, which is sorted by this. What the table covers already stays as it is; of new
 * ranges that overlap, the one that starts first has the common part.
 */
struct pd_error *sym_ranges_merge(
	struct sym_ranges *ranges, struct sym_new_ranges *fresh) pd_must_check;

/** What the table has for an address. */
struct sym_covering {
	/** In places and in symbols; SYM_NONE where the address is not covered. */
	uint32_t location;
	uint32_t symbol;
};

/**
 * Look up @p n addresses, ascending, in one sweep. Returns how many are not covered by both a place
 * and a symbol range.
 */
size_t sym_ranges_find(const struct sym_ranges *ranges, const uint64_t *vaddrs, size_t n,
	struct sym_covering *ret);

static inline const char *sym_ranges_text(const struct sym_ranges *ranges, uint32_t offset)
{
	return offset ? ranges->strings.data + offset : NULL;
}

#endif
