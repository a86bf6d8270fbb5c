/**
 * @file Brackets in names of functions.
 */
#ifndef PD_OUTPUT_DOC_BRACKETS_H
#define PD_OUTPUT_DOC_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>

/** Most pairs that are found in a name. What is in further ones counts as plain text. */
enum { OUT_MAX_BRACKETS = 256 };

enum out_bracket_kind {
	/** Arguments of a template or of a function, which can be left out: "<int>", "(char)". */
	OUT_BRACKET_ARGUMENTS,
	/** A type that holds the method: "<A as B>::f" of Rust, "(*T).f" of Go. */
	OUT_BRACKET_TYPE,
	/** Part of the name itself: "{lambda()#1}", "[libc.so.6]". */
	OUT_BRACKET_NAME,
};

/** A pair of brackets. */
struct out_bracket {
	/** Offsets of the brackets in the name. */
	size_t open;
	size_t close;
	/** Number of pairs around it. */
	size_t depth;
	enum out_bracket_kind kind;
};

/** The pairs of a name in the order in which they open. */
struct out_brackets {
	struct out_bracket list[OUT_MAX_BRACKETS];
	size_t n;
};

/** Find the pairs in @p name. Brackets of operators, of arrows, and without a partner are text. */
void out_brackets_find(const char *name, struct out_brackets *ret);

/** Return whether offset @p at of the name is a bracket of @p pair, or between its brackets. */
static inline bool out_bracket_holds(const struct out_bracket *pair, size_t at)
{
	return pair->open <= at && at <= pair->close;
}

#endif
