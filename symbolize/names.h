/**
 * @file From addresses to functions, files and lines.
 */
#ifndef PD_SYMBOLIZE_NAMES_H
#define PD_SYMBOLIZE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/arena.h"
#include "symbolize/binary.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/table/ranges.h"

/** One function at an address: the function itself, or one that the compiler put inside it. */
struct sym_name {
	/** As a person reads it (demangled, in the form that was asked for); NULL if nothing is known. */
	const char *function;
	/** As the linker knows it; the same as function if it is not mangled. */
	const char *linkage;
	/** Source file, absolute where the debug information says so, or NULL. */
	const char *file;
	/** Line of the address (or of the call that was inlined here); 0 if not known. */
	uint32_t line;
	/** Line of the function's declaration; 0 if not known. */
	uint32_t start_line;
};

/**
 * What is at one address: inlined functions first, the function that holds them last. n is 0 if
 * nothing is known. The last one is named after its symbol where that has a size, so its name does
 * not depend on debug information. Addresses that no symbol and no DWARF covers have no name.
 */
struct sym_names {
	struct sym_name *names;
	uint32_t n;
	/** First address of the symbol-table symbol that covers it; 0 if there is none. */
	uint64_t symbol_start;
	bool has_symbol;
};

struct sym_opts {
	/** One name an address: the function that holds it, at the line of its own source. */
	bool no_inline;
	/** No file and line. */
	bool no_lines;
	/** Of function; if it is SYM_FORM_NONE, function is linkage. */
	enum sym_form form;
};

/**
 * Name the @p n addresses @p vaddrs, ascending and distinct. @p ret has n elements; what they
 * point to comes from @p arena. One call at a time for one binary; different binaries (with
 * different arenas) at the same time. Errors: no memory. Damaged debug information is like none.
 */
struct pd_error *sym_binary_names(struct sym_binary *binary, const struct sym_opts *opts,
	const uint64_t *vaddrs, size_t n, struct pd_arena *arena,
	struct sym_names *ret) pd_must_check;

/**
 * The table that names are answered from, which belongs to the binary. sym_binary_names() adds to it
 * what it does not cover. A table that was kept (sym_ranges_are_sound()) may be put in its place before.
 */
struct sym_ranges *sym_binary_ranges(struct sym_binary *binary);

#endif
