/**
 * @file What the parts of the parser of events share.
 */
#ifndef PD_CAPTURE_EVENT_PRIVATE_H
#define PD_CAPTURE_EVENT_PRIVATE_H

#include <string.h>

#include "base/array.h"
#include "capture/events.h"

#define CAP_FLAG(name) ((uint64_t)1 << PD_ATTR_##name)

/** A part of the text that is parsed; no NUL behind it. */
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

/** The part of @p word before the first @p c, which is taken off it; all if there is none. */
static inline struct cap_word cap_word_split(struct cap_word *word, char c)
{
	const char *end = memchr(word->at, c, word->n);
	struct cap_word first = { word->at, end ? (size_t)(end - word->at) : word->n };
	size_t taken = first.n + (end != NULL);

	word->at += taken;
	word->n -= taken;
	return first;
}

/** A number in decimal or 0x hexadecimal; false if @p word is none, or too large. */
bool cap_word_number(struct cap_word word, uint64_t *ret);

/** Digits of a hexadecimal number, without 0x. */
bool cap_word_hex(struct cap_word word, uint64_t *ret);

/** One word of events, and where its events go. */
struct cap_item {
	struct cap_events *events;
	/** All of it, without spaces around; for names and messages. */
	struct cap_word whole;
	/** The letters at its end. */
	struct cap_word modifiers;
};

/** A PD_ERROR_USAGE: "event 'WORD': MESSAGE". */
struct pd_error *cap_item_bad(const struct cap_item *item, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/** Append an event; it is the last of the list then. */
struct pd_error *cap_item_add(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name) pd_must_check;

/** The attr that events begin with. */
struct pd_attr cap_attr(uint32_t type, uint64_t config);

/** The first line of a file, to be freed, without its end; 0 or an errno. */
int cap_read_line(const char *path, char **ret) pd_must_check;

/** Of a hardware event, the names that a PMU may have it under; both NULL if @p word is none. */
struct cap_symbol_names {
	const char *names[2];
};
struct cap_symbol_names cap_hardware_names(struct cap_word word);

/** capture/event_pmu.c */

/** Append the events of PMU/TERMS/; @p found_ret says whether there is such a PMU. */
struct pd_error *cap_pmu_add(const struct cap_item *item, struct cap_word pmu,
	struct cap_word terms, bool *found_ret) pd_must_check;

/** Append an event for each PMU that has an event @p name; @p found_ret says whether one has. */
struct pd_error *cap_pmu_add_named(
	const struct cap_item *item, struct cap_word name, bool *found_ret) pd_must_check;

/** Let the terms behind an event that is of no PMU change it, the last of the list. */
struct pd_error *cap_terms_apply(const struct cap_item *item, struct cap_word terms) pd_must_check;

/**
 * Append a hardware or cache event, and @p terms: one, or where there are cores of two
 * kinds one for each, named PMU/NAME/MODIFIERS.
 */
struct pd_error *cap_pmu_add_generic(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name, struct cap_word terms) pd_must_check;

/** capture/event_tracepoint.c */

/** Append the tracepoints that the patterns match. */
struct pd_error *cap_tracepoint_add(
	const struct cap_item *item, struct cap_word system, struct cap_word name) pd_must_check;

#endif
