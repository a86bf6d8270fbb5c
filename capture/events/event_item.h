/**
 * @file Parsing one event of a list: words of the text, events that need no PMU, and the event that
 * is appended.
 */
#ifndef PD_CAPTURE_EVENTS_EVENT_ITEM_H
#define PD_CAPTURE_EVENTS_EVENT_ITEM_H

#include <dirent.h>
#include <string.h>

#include "base/array.h"
#include "capture/events/event_list.h"

#define CAP_FLAG(name) ((uint64_t)1 << PD_ATTR_##name)

/** A part of the parsed text, not followed by a NUL. */
struct cap_word {
	const char *at;
	size_t n;
};

static inline struct cap_word cap_word(const char *text)
{
	return (struct cap_word){ text, strlen(text) };
}

static inline bool cap_word_is(struct cap_word word, const char *text)
{
	return strlen(text) == word.n && memcmp(word.at, text, word.n) == 0;
}

/**
 * Split @p word at the first @p c: return the part before it, and keep the part after it. Without a
 * @p c return all.
 */
static inline struct cap_word cap_word_split(struct cap_word *word, char c)
{
	const char *end = memchr(word->at, c, word->n);
	struct cap_word first = { word->at, end ? (size_t)(end - word->at) : word->n };
	size_t taken = first.n + (end != NULL);

	word->at += taken;
	word->n -= taken;
	return first;
}

/**
 * Parse a decimal number or a hexadecimal one with 0x. False if @p word is not a number, or too
 * large.
 */
bool cap_word_number(struct cap_word word, uint64_t *ret);

/** Parse a hexadecimal number without 0x. */
bool cap_word_hex(struct cap_word word, uint64_t *ret);

/** One event of the list that is parsed, and the list that its events are appended to. */
struct cap_item {
	struct cap_events *events;
	/** The whole text without surrounding spaces, for names and messages. */
	struct cap_word whole;
	/** Modifiers at the end of the text. */
	struct cap_word modifiers;
};

/** Create a PD_ERROR_USAGE: "event 'WORD': MESSAGE". */
struct pd_error *cap_item_bad(const struct cap_item *item, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/** Append an event at the end of the list. */
struct pd_error *cap_item_add(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name) pd_must_check;

/** The attr that all events start from. */
struct pd_attr cap_attr(uint32_t type, uint64_t config);

/** Entries of a directory, sorted by name. */
struct cap_names {
	struct dirent **entries;
	int n;
};
void cap_names_deinit(struct cap_names *names);
/** List the entries of @p dir. Returns 0 or an errno. */
int cap_names_list(const char *dir, struct cap_names *ret);

/**
 * Read the first line of a file without its newline. Returns 0 or an errno. Free @p ret with
 * free().
 */
int cap_read_line(const char *path, char **ret) pd_must_check;

/** Parse an event without a PMU: NAME, CACHE-OP-RESULT, rNNN. */
bool cap_generic_parse(struct cap_word word, struct pd_attr *ret);

/**
 * Names under which a PMU may have the hardware event @p word; both NULL: it is not a hardware
 * event.
 */
struct cap_symbol_names {
	const char *names[2];
};
struct cap_symbol_names cap_hardware_names(struct cap_word word);

#endif
