#include "advice/unnamed.h"

#include <stdlib.h>

#include "base/cleanup.h"

enum { NAMED = ADVICE_N_UNNAMED, A_MARK };

static const struct {
	const char *key;
	const char *text;
	const char *remedy;
} reasons[ADVICE_N_UNNAMED] = {
#define REASON(name, ...) [ADVICE_UNNAMED_##name] = { __VA_ARGS__ },
	ADVICE_UNNAMED(REASON)
#undef REASON
};

static uint8_t why_of_binary(const struct prof_binary *binary)
{
	if (binary->is_generated)
		return ADVICE_UNNAMED_GENERATED;
	if (binary->is_kernel)
		return binary->is_found ? ADVICE_UNNAMED_NO_SYMBOL : ADVICE_UNNAMED_KERNEL;
	if (!binary->has_image)
		return ADVICE_UNNAMED_GENERATED;
	return binary->is_found ? ADVICE_UNNAMED_NO_SYMBOL : ADVICE_UNNAMED_NO_FILE;
}

/* Return NAMED, A_MARK or an enum advice_unnamed_why. */
static uint8_t classify(const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n_lines;

	if (frame->flags & (PROF_FRAME_TRUNCATED | PROF_FRAME_STITCHED))
		return A_MARK;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n_lines);
	if (lines && !prof_function(profile, lines[0].function)->made_size)
		return NAMED;
	if (prof_is_none(frame->binary))
		return ADVICE_UNNAMED_NO_MAPPING;
	return why_of_binary(prof_binary(profile, frame->binary));
}

static void count_stack(const struct profile *profile, const uint8_t *classes,
	struct prof_sample_id sample, struct advice_unnamed *ret)
{
	uint64_t times = prof_value(profile, sample)->samples;
	unsigned seen = 0;
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, sample)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t class = classes[frames[i].i];

		/* A mark is not a frame of the program. */
		ret->n_frames += class == A_MARK ? 0 : times;
		if (class >= ADVICE_N_UNNAMED)
			continue;
		ret->n[class] += times;
		seen |= 1U << class;
		struct prof_binary_id binary = prof_frame(profile, frames[i])->binary;
		if (!prof_is_none(binary))
			ret->by_binary[binary.i] += times;
	}
	for (unsigned why = 0; why < ADVICE_N_UNNAMED; why++)
		ret->samples[why] += seen >> why & 1 ? times : 0;
}

bool advice_unnamed_is_cold_vdso(
	const struct profile *profile, const struct advice_unnamed *unnamed, size_t binary)
{
	enum { HOT_PERCENT = 1 };
	const char *name = prof_string(profile, profile->binaries.data[binary].name);

	return strncmp(name, "[vdso", 5) == 0 && unnamed->by_binary &&
	       unnamed->by_binary[binary] * 100 < unnamed->n_frames * HOT_PERCENT;
}

/* Count the binaries whose frames, one at least, all lack a name. */
static bool count_bare(
	const struct profile *profile, const uint8_t *classes, struct advice_unnamed *ret)
{
	_cleanup_free_ bool *has_names = calloc(profile->binaries.n + 1, sizeof(*has_names));

	if (!has_names)
		return false;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		struct prof_binary_id binary = prof_frame(profile, id)->binary;

		if (classes[id.i] == NAMED && !prof_is_none(binary))
			has_names[binary.i] = true;
	}
	for (size_t i = 0; i < profile->binaries.n; i++) {
		bool is_file =
			why_of_binary(&profile->binaries.data[i]) != ADVICE_UNNAMED_GENERATED;

		ret->n_bare_binaries += is_file && ret->by_binary[i] && !has_names[i] &&
					!advice_unnamed_is_cold_vdso(profile, ret, i);
	}
	return true;
}

struct pd_error *advice_unnamed_count(const struct profile *profile, struct advice_unnamed *ret)
{
	_cleanup_free_ uint8_t *classes = malloc(profile->frames.n + 1);

	*ret = (struct advice_unnamed){ 0 };
	ret->by_binary = calloc(profile->binaries.n + 1, sizeof(*ret->by_binary));
	if (!classes || !ret->by_binary)
		return &pd_enomem;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++)
		classes[id.i] = classify(profile, id);
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++)
		count_stack(profile, classes, id, ret);
	return count_bare(profile, classes, ret) ? NULL : &pd_enomem;
}

void advice_unnamed_deinit(struct advice_unnamed *unnamed)
{
	free(unnamed->by_binary);
	unnamed->by_binary = NULL;
}

uint64_t advice_unnamed_sum(const struct advice_unnamed *unnamed)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ADVICE_N_UNNAMED; i++)
		sum += unnamed->n[i];
	return sum;
}

const char *advice_unnamed_key(enum advice_unnamed_why why)
{
	return reasons[why].key;
}

const char *advice_unnamed_text(enum advice_unnamed_why why)
{
	return reasons[why].text;
}

const char *advice_unnamed_remedy(enum advice_unnamed_why why)
{
	return reasons[why].remedy;
}
