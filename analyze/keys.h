/**
 * @file Keys by which tables of samples are made: see analyze/key_defs.h.
 */
#ifndef PD_ANALYZE_KEYS_H
#define PD_ANALYZE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/key_defs.h"
#include "profile/profile.h"
#include "profile/request.h"

/** Most keys of a table. */
enum { ANA_MAX_KEYS = 16 };

enum ana_key {
#define ANA_KEY_ENUM(name, ...) ANA_KEY_##name,
	ANA_KEYS(ANA_KEY_ENUM)
#undef ANA_KEY_ENUM
		ANA_N_KEYS,
};

/** Things that a key is a property of: see analyze/key_defs.h. */
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

/** Keys of a table in their order. Zero-initialise. */
struct ana_keys {
	enum ana_key list[ANA_MAX_KEYS];
	size_t n;
	/** Keys that are columns of sums, in their order. They are not in list. */
	enum ana_key sums[ANA_MAX_KEYS];
	size_t n_sums;
	enum ana_counted counted;
	/** A key is a property of frames. */
	bool has_frame;
};

const struct ana_key_row *ana_key_row(enum ana_key key);

/** Append the key @p name. Errors: USAGE, no such key, too many, or one that does not go along. */
struct pd_error *ana_keys_add(struct ana_keys *keys, const char *name) pd_must_check;

/** Add to @p request what the keys need. */
void ana_keys_request(const struct ana_keys *keys, struct prof_request *request);

/** Whether the keys need single samples: prof_request.rows. */
bool ana_keys_need_rows(const struct ana_keys *keys);

/** Check that the recording has the data of the keys. Errors: USAGE, a key has none. */
struct pd_error *ana_keys_check(
	const struct ana_keys *keys, const struct profile *profile) pd_must_check;

/** Names of a key besides its own: "symbol" of sym. NULL after the last one. Static storage. */
const char *ana_key_alias(enum ana_key key, size_t i);

/** Keys of perf that there are not, by index, and why. False after the last one. */
bool ana_missing_key(size_t i, const char **name_ret, const char **why_ret);

#endif
