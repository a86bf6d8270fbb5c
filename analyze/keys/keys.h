/**
 * @file Keys by which tables of samples are made: see analyze/keys/key_defs.h. Ratios of their
 * events, such as instructions per cycle: see analyze/keys/ratio_defs.h.
 */
#ifndef PD_ANALYZE_KEYS_H
#define PD_ANALYZE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/keys/key_defs.h"
#include "profile/profile.h"
#include "profile/request.h"

/** A ratio of two events. All strings have static storage. */
struct ana_event_ratio {
	const char *key;
	const char *title;
	const char *numerator;
	const char *denominator;
	double scale;
	const char *help;
};

/** Return all ratios, *@p n_ret entries. */
const struct ana_event_ratio *ana_ratios(size_t *n_ret);

/**
 * Whether the event @p event is @p name of a ratio: "cpu_core/cycles/u" and "cpu-cycles:u" are
 * cycles.
 */
bool ana_ratio_is_event(const char *event, const char *name);

/** Most keys of a table. */
enum { ANA_MAX_KEYS = 16 };

enum ana_key {
#define ANA_KEY_ENUM(name, ...) ANA_KEY_##name,
	ANA_KEYS(ANA_KEY_ENUM)
#undef ANA_KEY_ENUM
		ANA_N_KEYS,
};

/** Things that a key is a property of: see analyze/keys/key_defs.h. */
enum ana_key_of {
	ANA_OF_SAMPLE,
	ANA_OF_FRAME,
	ANA_OF_BRANCH,
	ANA_OF_ACCESS,
	ANA_OF_SUM,
};

struct ana_key_row {
	const char *name;
	const char *title;
	enum ana_key_of of;
	/** Bit of the enum prof_tag that samples must be kept apart by; 0: none. */
	unsigned tag;
	/** PROF_FIELD_BIT()s, of which an event must have one; 0: every event has the key. */
	uint32_t fields;
	const char *help;
};

/** Units that the keys of a table count. */
enum ana_counted {
	/** Samples, by their properties and those of their frames. */
	ANA_COUNT_SAMPLES,
	/** Branches in branch stacks. Properties of frames are those of the target. */
	ANA_COUNT_BRANCHES,
	/** Memory accesses by their cost. Properties of frames are those of the leaf. */
	ANA_COUNT_ACCESSES,
};

/** Field of a tracepoint that a key of the kind ANA_KEY_FIELD shows. Texts are borrowed. */
struct ana_field {
	/** Name of the key as it was given, "sched:sched_switch.prev_comm"; NULL for other keys. */
	const char *key;
	/** Event, or the part of its name after ':'; event_len 0: any event. */
	const char *event;
	size_t event_len;
	const char *name;
	size_t name_len;
};

/** Keys of a table in their order. Zero-initialise. */
struct ana_keys {
	enum ana_key list[ANA_MAX_KEYS];
	/** Fields of the keys in list. */
	struct ana_field fields[ANA_MAX_KEYS];
	size_t n;
	/** Keys that are columns of sums, in their order. They are not in list. */
	enum ana_key sums[ANA_MAX_KEYS];
	size_t n_sums;
	enum ana_counted counted;
	/** A key is a property of frames. */
	bool has_frame;
};

const struct ana_key_row *ana_key_row(enum ana_key key);

/**
 * Append the key @p name, which is borrowed. A name that is not a key may be a field of a
 * tracepoint, which ana_keys_check() finds out. Errors: USAGE, not a name, too many, or one that
 * does not go along.
 */
struct pd_error *ana_keys_add(struct ana_keys *keys, const char *name) pd_must_check;

/** Name and title of key @p i of the list. Borrowed like the key. */
const char *ana_keys_name(const struct ana_keys *keys, size_t i);
const char *ana_keys_title(const struct ana_keys *keys, size_t i);

/** Whether samples of the event @p name may have the field. */
bool ana_field_is_of(const struct ana_field *field, const char *name);

/** Add to @p request what the keys need. */
void ana_keys_request(const struct ana_keys *keys, struct prof_request *request);

/** Whether the keys need single samples: prof_request.rows. */
bool ana_keys_need_rows(const struct ana_keys *keys);
/** Whether a key is about the waker of a wait: prof_request.phases. */
bool ana_keys_need_wakers(const struct ana_keys *keys);

/** Check that the recording has the data of the keys. Errors: USAGE, a key has none. */
struct pd_error *ana_keys_check(
	const struct ana_keys *keys, const struct profile *profile) pd_must_check;

/** Names of a key besides its own: "symbol" of sym. NULL after the last one. Static storage. */
const char *ana_key_alias(enum ana_key key, size_t i);

/** Keys of perf that there are not, by index, and why. False after the last one. */
bool ana_missing_key(size_t i, const char **name_ret, const char **why_ret);

#endif
