/**
 * @file Encoders of features. Each appends the body of one feature to @p out and returns whether it
 * is known; if it is not, the caller removes what was appended. If memory runs out, @a failed of
 * the machine or of @p out is set.
 */
#ifndef PD_CAPTURE_FEATURES_FEATURE_ENCODER_H
#define PD_CAPTURE_FEATURES_FEATURE_ENCODER_H

#include <string.h>

#include <pdconv/feature.h>

#include "capture/features/features.h"
#include "capture/machine/machine.h"

typedef bool cap_feature(struct cap_machine *machine, struct pd_bytes *out);

/** The list of the @p n structs that were appended to @p elements. */
static inline struct pd_list cap_list(const struct pd_bytes *elements, size_t n)
{
	return (struct pd_list){
		.data = elements->buf.data, .size = elements->buf.n, .n = n, .swap = elements->swap
	};
}

static inline struct pd_str cap_feature_str(const char *text)
{
	return (struct pd_str){ .s = text, .len = strlen(text) };
}

/** Append @p body, a struct of @p layout, in this machine's order. */
static inline void cap_encode(
	const struct pd_layout *layout, const void *body, struct pd_bytes *out)
{
	pd_layout_encode(layout, body, NULL, out);
}

/** Append a feature of one string; false for NULL. */
static inline bool cap_encode_string(const char *text, struct pd_bytes *out)
{
	struct pd_string body;

	if (!text)
		return false;
	body.value = cap_feature_str(text);
	cap_encode(&pd_layout_string, &body, out);
	return true;
}

#endif
