/*
 * Comparisons of profiles of any shape, in every format that has them. Input: choices, and the calls
 * that build the profile, whose samples belong to up to four recordings.
 */
#include <stdlib.h>

#include "base/array.h"
#include "output/formats.h"
#include "tests/fuzz/built_profile.h"

enum { MAX_RECORDINGS = 4 };

static const struct out_format *take_format(struct fuzz_input *in)
{
	static const struct out_format *const formats[] = { &out_format_report,
		&out_format_folded };

	return formats[fuzz_choice(in, PD_ARRAY_LEN(formats))];
}

/* Choose recordings, which are the strings that samples have as input. */
static void take_sides(struct fuzz_input *in, const struct profile *profile, struct ana_sides *ret)
{
	struct prof_string_id labels[MAX_RECORDINGS];
	size_t n = 2 + fuzz_choice(in, MAX_RECORDINGS - 1);
	size_t n_before = 1 + fuzz_choice(in, n - 1);

	for (size_t i = 0; i < n; i++) {
		size_t label = fuzz_choice(in, profile->strings.n);

		labels[i] = (struct prof_string_id){ (uint32_t)label };
	}
	struct pd_error *err = ana_sides_create(profile, labels, n_before, n - n_before, ret);
	if (err)
		abort();
}

static void take_opts(struct fuzz_input *in, struct out_write_opts *ret)
{
	uint8_t flags = fuzz_byte(in);

	ret->has_all_events = flags & 1;
	ret->format.text.style = (flags >> 1 & 3) % 3;
	ret->format.text.has_color = flags & 8;
	ret->format.text.width = flags & 16 ? 60 : 0;
	ret->normalizes = flags & 32;
	ret->format.folded.counts_samples = flags & 64;
	ret->format.report.limit = fuzz_byte(in);
	ret->format.report.percent_limit = flags & 128 ? 0 : fuzz_byte(in) / 8.0;
}

void fuzz_target_diff(struct fuzz_input *in)
{
	struct fuzz_input choices = fuzz_take(in, 16);
	struct profile *profile = fuzz_build_profile(in);
	const struct out_format *format = take_format(&choices);
	struct out_growth growth = { .limit = fuzz_byte(&choices) };
	struct out_write_opts opts = {
		.event = prof_no_event(),
		.input = "fuzz",
		.jobs = 1,
		.growth = &growth,
	};
	struct ana_sides sides;

	take_opts(&choices, &opts);
	take_sides(&choices, profile, &sides);
	pd_error_destroy(format->write_diff(profile, &opts, &sides, fuzz_nowhere()));
	fflush(fuzz_nowhere());
	free(growth.name);
	ana_sides_deinit(&sides);
	prof_destroy(profile);
}
