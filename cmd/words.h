/**
 * @file The words that some arguments of options are chosen from.
 */
#ifndef PD_CMD_WORDS_H
#define PD_CMD_WORDS_H

#include <stddef.h>

#include <pdconv/error.h>

#include "base/nearest.h"
#include "cmd/tables.h"

struct cmd_word {
	const char *name;
	/** Value of the option's member, as a number. */
	int value;
	/** Meaning, or NULL. */
	const char *help;
};

/** The words of a kind of options. n is 0 if their arguments are not chosen from words. */
struct cmd_words {
	/** Name of such a word in messages: "format". */
	const char *what;
	const struct cmd_word *rows;
	size_t n;
};

/** Return the words of @p kind. Static storage. */
struct cmd_words cmd_words_of(enum cmd_option_kind kind);

/**
 * Find the word of @p wanted among those of @p kind. Errors: USAGE, with the nearest word or a list
 * of all.
 */
struct pd_error *cmd_words_find(
	enum cmd_option_kind kind, struct pd_nearest *wanted, int *ret) pd_must_check;

#endif
