#include "output/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pd_error *profile_create(struct profile **ret)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return &pd_enomem;
	if (pd_intern_str(&profile->strings, "") != 0) {
		profile_destroy(profile);
		return &pd_enomem;
	}
	*ret = profile;
	return NULL;
}

void profile_destroy(struct profile *profile)
{
	if (!profile)
		return;
	pd_intern_deinit(&profile->strings);
	pd_vec_deinit(&profile->binaries);
	pd_vec_deinit(&profile->attempts);
	pd_vec_deinit(&profile->unused);
	pd_intern_deinit(&profile->frames);
	pd_vec_deinit(&profile->frame_lines);
	pd_vec_deinit(&profile->lines);
	pd_intern_deinit(&profile->functions);
	pd_intern_deinit(&profile->stacks);
	pd_intern_deinit(&profile->threads);
	pd_vec_deinit(&profile->events);
	pd_intern_deinit(&profile->samples);
	pd_intern_deinit(&profile->pcs);
	pd_vec_deinit(&profile->rows);
	pd_vec_deinit(&profile->values);
	free(profile);
}

struct pd_error *profile_add(struct profile *profile, const struct prof_sample *sample,
	uint64_t period, uint32_t *id_ret)
{
	uint32_t id = pd_intern_add(&profile->samples, sample, sizeof(*sample));
	struct prof_value none = { 0 };

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	if (id == profile->values.n && !pd_vec_push(&profile->values, none))
		return &pd_enomem;
	profile->values.data[id].samples++;
	profile->values.data[id].period += period;
	struct prof_value *total = &profile->events.data[sample->event].total;
	total->samples++;
	total->period += period;
	if (id_ret)
		*id_ret = id;
	return NULL;
}

const char *profile_unnamed(
	const struct profile *profile, const struct prof_frame *frame, char *buf, size_t size)
{
	if (frame->binary == PROF_NONE)
		return "[unknown]";
	const char *name = profile_string(profile, profile->binaries.data[frame->binary].name);
	const char *slash = strrchr(name, '/');
	const char *base = slash && slash[1] ? slash + 1 : name;

	/* Names such as [vdso] have brackets already; "//anon" says nothing to a person. */
	if (strncmp(name, "//anon", 6) == 0)
		return "[unknown]";
	snprintf(buf, size, base[0] == '[' ? "%s" : "[%s]", base);
	return buf;
}

bool profile_is_conserved(const struct profile *profile)
{
	uint64_t n = 0;

	for (size_t i = 0; i < profile->values.n; i++)
		n += profile->values.data[i].samples;
	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		n += profile->stats.skipped[i];
	return n == profile->stats.n_samples;
}
