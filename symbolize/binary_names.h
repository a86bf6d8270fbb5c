/**
 * @file Functions, files and lines at addresses of a binary.
 */
#ifndef PD_SYMBOLIZE_BINARY_NAMES_H
#define PD_SYMBOLIZE_BINARY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "base/arena.h"
#include "symbolize/binary.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/table/ranges.h"

/** Function at an address: the one that contains it, or one inlined there. */
struct sym_name {
	/** Demangled name in the wanted form; NULL if nothing is known. */
	const char *function;
	/** Name as the linker knows it; equal to function if it is not mangled. */
	const char *linkage;
	/** Source file, absolute if the debug information says so, or NULL. */
	const char *file;
	/** Line of the address, or of the call that was inlined there; 0 if it is not known. */
	uint32_t line;
	/** Distinguishes blocks of code on that line; 0: the first one, or not known. */
	uint32_t discriminator;
	/** Line of the function's declaration; 0 if it is not known. */
	uint32_t start_line;
	/** Source file of the declaration, or NULL. A function may have lines of other files. */
	const char *decl_file;
};

/**
 * Functions at one address: inlined ones first, the function that contains them last. n is 0 if
 * neither a symbol nor DWARF covers the address. The last function is named after its symbol if
 * that has a size, so that its name does not depend on debug information.
 */
struct sym_names {
	/** Addresses of one line of a function share the array. */
	struct sym_name *names;
	uint32_t n;
	/** Start of the symbol that covers the address; 0 if there is none. */
	uint64_t symbol_start;
	bool has_symbol;
};

/**
 * Name the @p n addresses @p vaddrs, ascending and distinct. @p ret has n elements, whose texts
 * come from @p arena. One call at a time for one binary; binaries with different arenas may be used
 * by different threads. Damaged debug information is treated as missing. Errors: NOMEM.
 */
struct pd_error *sym_binary_names(struct sym_binary *binary, const struct pd_name_opts *opts,
	const uint64_t *vaddrs, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

/**
 * Name the objects (variables) at the @p n addresses @p vaddrs, ascending and distinct, by the
 * symbols of data. @p ret has n elements: an object is a single name without a location, and
 * nothing covers the other addresses. Otherwise like sym_binary_names().
 */
struct pd_error *sym_binary_name_data(struct sym_binary *binary, const struct pd_name_opts *opts,
	const uint64_t *vaddrs, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

/**
 * Table that names are answered from, owned by the binary. sym_binary_names() adds what it lacks.
 * Before that it may be replaced by a table that was stored, if sym_ranges_are_sound().
 */
struct sym_ranges *sym_binary_ranges(struct sym_binary *binary);

#endif
