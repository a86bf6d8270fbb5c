/**
 * @file The parts of functions' names: scopes, and what is between brackets, in the languages that
 * programs are written in. Names may be of any kind; nothing is an error.
 */
#ifndef PD_BASE_NAME_PARTS_H
#define PD_BASE_NAME_PARTS_H

#include <stddef.h>

/** Most pairs that are found in a name. What is in further ones counts as plain text. */
enum { BASE_MAX_BRACKETS = 256 };

enum base_bracket_kind {
	/** Arguments of a template or of a function, which can be left out: "<int>", "(char)". */
	BASE_BRACKET_ARGUMENTS,
	/** A type that holds the method: "<A as B>::f" of Rust, "(*T).f" of Go. */
	BASE_BRACKET_TYPE,
	/** Part of the name itself: "{lambda()#1}", "[libc.so.6]". */
	BASE_BRACKET_NAME,
};

/** A pair of brackets. */
struct base_bracket {
	/** Offsets of the brackets in the name. */
	size_t open;
	size_t close;
	/** Number of pairs around it. */
	size_t depth;
	enum base_bracket_kind kind;
};

/** The pairs of a name in the order in which they open. */
struct base_brackets {
	struct base_bracket list[BASE_MAX_BRACKETS];
	size_t n;
};

/** Find the pairs in @p name. Brackets of operators, of arrows, and without a partner are text. */
void base_brackets_find(const char *name, struct base_brackets *ret);

/** Length of the separator of scopes at @p at: "::" or "."; 0 if it is none. */
size_t base_separator_length(const char *text, size_t at);

/**
 * Offset of the separator before the part of @p text that ends at offset @p end; 0: there is none.
 * @p pairs are the brackets of @p text.
 */
size_t base_part_before(const char *text, const struct base_brackets *pairs, size_t end);

#endif
