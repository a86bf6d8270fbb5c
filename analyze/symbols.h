/**
 * @file Symbols: what tables and trees of a profile count by, a function of a binary.
 *
 * Functions of one name in several binaries of the same file name are one symbol, so that processes
 * that run copies of a program are added up. Functions of one name in one binary are one symbol if
 * they have the same prof_function_label(). The frames of a binary that have no name are one
 * symbol, too.
 */
#ifndef PD_ANALYZE_SYMBOLS_H
#define PD_ANALYZE_SYMBOLS_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/function_search.h"
#include "profile/profile.h"
#include "analyze/places.h"

/** A symbol. Symbols with equal bytes are the same symbol. */
struct ana_symbol {
	/**
	 * Ids in ana_symbols.texts of the name as it is shown, of that without a label, and of that
	 * in the form of patterns.
	 */
	uint32_t name;
	uint32_t plain_name;
	uint32_t pattern_name;
	/** Id of the last part of the binary's path in ana_symbols.texts; "" without a binary. */
	uint32_t binary;
	/**
	 * It stands for several functions: all frames without a name in the binary,
	 * or all closures that are called operator().
	 */
	uint32_t is_unnamed;
};

/** The symbols of a profile. A zeroed one is empty. */
struct ana_symbols {
	struct base_intern texts;
	/** struct ana_symbol, by symbol id. */
	struct base_intern list;
	/** Flags by symbol id: the symbol occurs as a function, not only inlined. */
	PD_VEC(bool) has_code;
	/** Symbol ids at each frame. */
	struct ana_places places;
};

/** Find the symbols at all frames of @p profile. Errors: NOMEM. */
struct pd_error *ana_symbols_create(
	const struct profile *profile, struct ana_symbols *ret) pd_must_check;
void ana_symbols_deinit(struct ana_symbols *symbols);

/**
 * Flag the symbols that @p wanted stands for: those of the functions (profile/function_search.h),
 * or frames without a name by what is shown for them, "[libfoo.so]". @p ret has a flag for each
 * symbol. Returns the functions in @p found. Errors: USAGE, NOMEM.
 */
struct pd_error *ana_symbols_find(const struct profile *profile, const struct ana_symbols *symbols,
	const char *wanted, bool *ret, struct prof_found_functions *found) pd_must_check;

/** Ids of the symbols at a frame, innermost first; at least one. All but the last are inlined. */
static inline const uint32_t *ana_symbols_at(
	const struct ana_symbols *symbols, struct prof_frame_id frame, uint32_t *n_ret)
{
	return ana_places_at(&symbols->places, frame, n_ret);
}

/** Name of a symbol: of its function, or "[libfoo.so]" for frames without a name. */
static inline const char *ana_symbol_name(const struct ana_symbols *symbols, uint32_t id)
{
	const struct ana_symbol *symbol = base_intern_bytes(&symbols->list, id);

	return base_intern_bytes(&symbols->texts, symbol->name);
}

/** Name of a symbol without the label that distinguishes it from others of that name. */
static inline const char *ana_symbol_plain_name(const struct ana_symbols *symbols, uint32_t id)
{
	const struct ana_symbol *symbol = base_intern_bytes(&symbols->list, id);

	return base_intern_bytes(&symbols->texts, symbol->plain_name);
}

/** Name of a symbol in the form that patterns have: prof_pattern_name(). */
static inline const char *ana_symbol_pattern_name(const struct ana_symbols *symbols, uint32_t id)
{
	const struct ana_symbol *symbol = base_intern_bytes(&symbols->list, id);

	return base_intern_bytes(&symbols->texts, symbol->pattern_name);
}

/** Whether a symbol occurs only inlined into other functions. */
static inline bool ana_symbol_is_inlined(const struct ana_symbols *symbols, uint32_t id)
{
	return !symbols->has_code.data[id];
}

/** File name of the binary of a symbol, without folders; "" for addresses in no mapping. */
static inline const char *ana_symbol_binary(const struct ana_symbols *symbols, uint32_t id)
{
	const struct ana_symbol *symbol = base_intern_bytes(&symbols->list, id);

	return base_intern_bytes(&symbols->texts, symbol->binary);
}

#endif
