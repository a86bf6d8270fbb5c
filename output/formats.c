#include "output/formats.h"

#include <string.h>

#include "base/array.h"

#define FORMAT_ROW(name) &out_format_##name,
static const struct out_format *const formats[] = { OUT_FORMATS(FORMAT_ROW) };

enum { N_FORMATS = PD_ARRAY_LEN(formats) };

const struct out_format *const *out_formats(size_t *n_ret)
{
	*n_ret = N_FORMATS;
	return formats;
}

const struct out_format *out_format_find(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

uint32_t out_event(const struct profile *profile, const struct out_write_opts *opts)
{
	if (opts->event != PROF_NONE)
		return opts->event;
	for (uint32_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples)
			return i;
	}
	return PROF_NONE;
}

bool out_shows_event(
	const struct profile *profile, const struct out_write_opts *opts, uint32_t event)
{
	if (opts->has_all_events)
		return profile->events.data[event].total.samples > 0;
	return event == out_event(profile, opts);
}

void out_side_totals(const struct profile *profile, const struct out_sides *sides, uint32_t event,
	struct prof_value ret[static OUT_N_SIDES])
{
	for (size_t i = 0; i < OUT_N_SIDES; i++)
		ret[i] = (struct prof_value){ 0 };
	for (uint32_t i = 0; i < profile->samples.n; i++) {
		const struct prof_sample *sample = profile_sample(profile, i);
		struct prof_value *total = &ret[out_side(profile, sides, sample)];

		if (sample->event != event)
			continue;
		total->samples += profile->values.data[i].samples;
		total->period += profile->values.data[i].period;
	}
}
