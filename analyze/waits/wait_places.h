/**
 * @file Places: where the program is in a stack, and what it waits for there.
 *
 * The place is the innermost function that is neither of the kernel nor of the C library or a
 * language runtime.
 */
#ifndef PD_ANALYZE_WAIT_PLACES_H
#define PD_ANALYZE_WAIT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/symbols.h"
#include "analyze/waits/wait_defs.h"
#include "profile/profile.h"

enum ana_wait_kind {
#define ANA_WAIT_ENUM(id, ...) ANA_WAIT_##id,
	ANA_WAIT_KINDS(ANA_WAIT_ENUM)
#undef ANA_WAIT_ENUM
		ANA_N_WAIT_KINDS,
};

/** Facts about a symbol. */
struct ana_wait_mark {
	/** Number of the first pattern that matches it, or ANA_NO_WAIT_PATTERN. */
	uint8_t pattern;
	/** It is in the kernel, the C library or a language runtime. */
	bool is_outside;
};

enum { ANA_NO_WAIT_PATTERN = UINT8_MAX };

/** Symbols of a profile. Both are borrowed. */
struct ana_wait_places {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	/** Indexed by symbol. */
	struct ana_wait_mark *marks;
};

struct ana_wait_place {
	enum ana_wait_kind kind;
	/** PROF_NONE: no function of the program is in the stack. */
	uint32_t symbol;
};

/** Look at all symbols. Returns false if out of memory. */
bool ana_wait_places_create(const struct profile *profile, const struct ana_symbols *symbols,
	struct ana_wait_places *ret);
void ana_wait_places_deinit(struct ana_wait_places *places);

/** Find the place in a stack, and what was called there. */
struct ana_wait_place ana_wait_place(
	const struct ana_wait_places *places, struct prof_stack_id stack);

/** Kind of a wait whose stack shows @p kind, and that began in @p state (enum prof_wait_state). */
enum ana_wait_kind ana_wait_kind_in_state(enum ana_wait_kind kind, uint32_t state);

/** Name of a kind: "lock". Static storage. */
const char *ana_wait_kind_name(enum ana_wait_kind kind);

/** Whether @p name is in the list of patterns @p list, as analyze/waits/wait_defs.h has them. */
bool ana_wait_matches(const char *list, const char *name);

#endif
