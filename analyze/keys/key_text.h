/**
 * @file The text of a key for a sample.
 */
#ifndef PD_ANALYZE_KEY_TEXT_H
#define PD_ANALYZE_KEY_TEXT_H

#include <stddef.h>

#include "analyze/keys/keys.h"
#include "analyze/waits/sample_wakers.h"
#include "base/names/pattern.h"
#include "profile/profile.h"

/** Long enough for texts that are put together. */
enum { ANA_KEY_TEXT_SIZE = 4096 };

/** Parts of a sample that a text describes. Members that do not apply to the key may be NULL. */
struct ana_at {
	const struct profile *profile;
	/** Steps of the key time in ns; 0: none. */
	uint64_t time_quantum;
	/** For keys of wakers: see ana_keys_need_wakers(). */
	const struct ana_sample_wakers *wakers;
	/** Functions that are a parent. */
	const struct base_pattern *parent;
	struct prof_sample_id sample_id;
	const struct prof_sample *sample;
	/** For keys that need single samples: see ana_keys_need_rows(). */
	const struct prof_row *row;
	const struct prof_detail *detail;
	const struct prof_branch *branch;
	/** Field that ANA_KEY_FIELD shows. */
	const struct ana_field *field;
	/** Frame of the stack, or target of the branch; NULL: the stack has none. */
	const struct prof_frame *frame;
	/** NULL if the frame has no name. */
	const struct prof_line *line;
};

/**
 * Return the text of @p key at @p at, which is in @p buf, ANA_KEY_TEXT_SIZE bytes, or belongs to
 * the profile.
 */
const char *ana_key_text(enum ana_key key, const struct ana_at *at, char *buf);

/** Cost of the sample at @p at: its weight. */
uint64_t ana_weight(const struct ana_at *at);

/** Set the frame of @p at to the frame @p id of its profile, and the line to its function. */
void ana_at_frame(struct ana_at *at, struct prof_frame_id id);

#endif
