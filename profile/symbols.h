/**
 * @file Symbols: what tables and trees of a profile count by, a function of a binary.
 *
 * Functions of one name in several files of the same name are one symbol, so that processes that
 * run copies of a program are added up. The frames of a binary that have no name are one symbol,
 * too.
 */
#ifndef PD_PROFILE_SYMBOLS_H
#define PD_PROFILE_SYMBOLS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/intern.h"
#include "profile/profile.h"

/** A symbol. Symbols with equal bytes are the same symbol. */
struct prof_symbol {
	/** Id of the name in prof_symbols.texts. */
	uint32_t name;
	/** Id of the last part of the binary's path in prof_symbols.texts; "" without a binary. */
	uint32_t binary;
	/** It stands for all frames without a name in the binary, whatever function they are in. */
	uint32_t is_unnamed;
};

/** The symbols of a profile. A zeroed one is empty. */
struct prof_symbols {
	struct pd_intern texts;
	/** struct prof_symbol, by symbol id. */
	struct pd_intern list;
	/** Index of the first symbol of each frame in of_frames, and the end of the last one. */
	PD_VEC(uint32_t) starts;
	PD_VEC(uint32_t) of_frames;
};

/** Find the symbols at all frames of @p profile. Errors: no memory. */
struct pd_error *prof_symbols_create(
	const struct profile *profile, struct prof_symbols *ret) pd_must_check;
void prof_symbols_deinit(struct prof_symbols *symbols);

/** Ids of the symbols at a frame, innermost first; at least one. All but the last are inlined. */
static inline const uint32_t *prof_symbols_at(
	const struct prof_symbols *symbols, struct prof_frame_id frame, uint32_t *n_ret)
{
	uint32_t start = symbols->starts.data[frame.i];

	*n_ret = symbols->starts.data[frame.i + 1] - start;
	return &symbols->of_frames.data[start];
}

/** Name of a symbol: of its function, or "[libfoo.so]" for frames without a name. */
static inline const char *prof_symbol_name(const struct prof_symbols *symbols, uint32_t id)
{
	const struct prof_symbol *symbol = pd_intern_bytes(&symbols->list, id);

	return pd_intern_bytes(&symbols->texts, symbol->name);
}

/** File name of the binary of a symbol, without folders; "" for addresses in no mapping. */
static inline const char *prof_symbol_binary(const struct prof_symbols *symbols, uint32_t id)
{
	const struct prof_symbol *symbol = pd_intern_bytes(&symbols->list, id);

	return pd_intern_bytes(&symbols->texts, symbol->binary);
}

#endif
