#include "profile/function_search.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/names/name_fit.h"
#include "base/system/libc.h"
#include "profile/scaffolding.h"

/* Compare all names of a function with the one that was given. */
static enum base_closeness compare(const struct profile *profile, struct prof_function_id id,
	const struct base_wanted_name *wanted)
{
	const struct prof_function *function = prof_function(profile, id);
	const char *const names[] = {
		prof_string(profile, function->name),
		prof_function_name(profile, id),
		prof_string(profile, function->linkage),
		prof_pattern_name(profile, id),
	};
	enum base_closeness best = BASE_NAME_OTHER;

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (i && names[i] == names[0])
			continue;
		enum base_closeness closeness = base_wanted_name_compare(wanted, names[i]);

		best = closeness < best ? closeness : best;
	}
	return best;
}

/* Count the different names among the functions that were found. */
static bool count_names(const struct profile *profile, struct prof_found_functions *found)
{
	_cleanup_free_ bool *is_counted = base_calloc_n(profile->strings.n, sizeof(*is_counted));

	if (!is_counted)
		return false;
	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		struct prof_string_id name = prof_function_label(profile, id);

		if (!found->is_found[id.i])
			continue;
		found->n++;
		found->n_names += !is_counted[name.i];
		is_counted[name.i] = true;
	}
	return true;
}

static bool find(const struct profile *profile, const struct base_wanted_name *wanted,
	const bool *is_candidate, struct prof_found_functions *ret)
{
	size_t n = profile->functions.n;
	_cleanup_free_ uint8_t *closeness = base_calloc_n(n, sizeof(*closeness));

	*ret = (struct prof_found_functions){ .closeness = BASE_NAME_OTHER };
	ret->is_found = base_calloc_n(n, sizeof(*ret->is_found));
	if (!closeness || !ret->is_found)
		return false;
	for (struct prof_function_id id = { 0 }; id.i < n; id.i++) {
		closeness[id.i] = is_candidate && !is_candidate[id.i]
					  ? BASE_NAME_OTHER
					  : (uint8_t)compare(profile, id, wanted);
		if (closeness[id.i] < ret->closeness)
			ret->closeness = closeness[id.i];
	}
	for (size_t i = 0; i < n; i++)
		ret->is_found[i] =
			closeness[i] == ret->closeness && ret->closeness != BASE_NAME_OTHER;
	return count_names(profile, ret);
}

struct pd_error *prof_find_functions(const struct profile *profile, const char *wanted_text,
	const bool *is_candidate, struct prof_found_functions *ret)
{
	struct base_wanted_name *wanted;
	struct pd_error *err = base_wanted_name_create(wanted_text, &wanted);

	if (err)
		return err;
	bool ok = find(profile, wanted, is_candidate, ret);
	base_wanted_name_destroy(wanted);
	if (ok)
		return NULL;
	prof_found_functions_deinit(ret);
	return &pd_enomem;
}

void prof_found_functions_deinit(struct prof_found_functions *found)
{
	free(found->is_found);
}

/* Whether a function says where in a program a sample is. */
static bool is_telling(const struct profile *profile, struct prof_function_id id)
{
	return *prof_function_name(profile, id) != '[' &&
	       !prof_is_scaffolding(prof_pattern_name(profile, id));
}

/* A name, and what it has of the samples. */
struct named {
	struct prof_string_id name;
	uint64_t period;
	/** See base_wanted_name_distance(). */
	size_t distance;
};

/* Names of functions by id of their string. */
struct names {
	const struct profile *profile;
	struct named *list;
	/** Index in list + 1 by string id, and the last sample that was counted there. */
	uint32_t *at;
	uint32_t *last_sample;
	size_t n;
	uint64_t whole;
};

static void names_deinit(struct names *names)
{
	free(names->list);
	free(names->at);
	free(names->last_sample);
}

/* List the names of the functions that were found; NULL: of all but scaffolding. */
static bool names_init(const struct profile *profile, const bool *is_found, struct names *ret)
{
	*ret = (struct names){
		.profile = profile,
		.list = base_calloc_n(profile->functions.n, sizeof(*ret->list)),
		.at = base_calloc_n(profile->strings.n, sizeof(*ret->at)),
		.last_sample = base_calloc_n(profile->functions.n, sizeof(*ret->last_sample)),
	};
	if (!ret->list || !ret->at || !ret->last_sample)
		return false;
	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		struct prof_string_id name = prof_function_label(profile, id);

		if (ret->at[name.i] || !(is_found ? is_found[id.i] : is_telling(profile, id)))
			continue;
		ret->list[ret->n].name = name;
		ret->at[name.i] = (uint32_t)++ret->n;
	}
	return true;
}

/* The event whose samples count: the first one that has any. */
static struct prof_event_id counted_event(const struct profile *profile)
{
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(profile, id);

		if (event->is_wanted && event->total.period)
			return id;
	}
	return (struct prof_event_id){ 0 };
}

static void count_frame(
	struct names *names, struct prof_frame_id frame, uint32_t sample, uint64_t period)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(names->profile, frame, &n);

	for (uint32_t i = 0; lines && i < n; i++) {
		struct prof_string_id name = prof_function_label(names->profile, lines[i].function);
		uint32_t at = names->at[name.i];

		if (!at || names->last_sample[at - 1] == sample + 1)
			continue;
		names->last_sample[at - 1] = sample + 1;
		names->list[at - 1].period += period;
	}
}

static void count_samples(struct names *names)
{
	const struct profile *profile = names->profile;
	struct prof_event_id event = counted_event(profile);

	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		uint64_t period = prof_value(profile, id)->period;
		uint32_t n;
		const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);

		if (!prof_same_event(sample->event, event))
			continue;
		names->whole += period;
		for (uint32_t i = 0; i < n; i++)
			count_frame(names, frames[i], id.i, period);
	}
}

/* Order names by distance, then the hottest first. */
static int compare_named(const void *x, const void *y, void *profile)
{
	const struct named *a = x, *b = y;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	return strcmp(prof_string(profile, a->name), prof_string(profile, b->name));
}

enum { MAX_LISTED = 5, NAME_COLUMNS = 60 };

/* Write the first names. They can be given back as they are shown. */
static void write_names(const struct names *names, size_t n, FILE *out)
{
	for (size_t i = 0; i < n && i < MAX_LISTED; i++) {
		const struct named *named = &names->list[i];
		_cleanup_free_ char *fitted =
			base_name_fit(prof_string(names->profile, named->name), NULL, NAME_COLUMNS);

		if (!fitted)
			base_stream_fail(out);
		else
			fprintf(out, "%s%s (%.2f %%)", i ? ", " : "", fitted,
				names->whole ? 100.0 * (double)named->period / (double)names->whole
					     : 0.0);
	}
	if (n > MAX_LISTED)
		fprintf(out, ", and %zu more", n - MAX_LISTED);
}

static void sort(struct names *names)
{
	count_samples(names);
	if (names->n)
		base_sort_with(names->list, names->n, sizeof(*names->list), compare_named,
			(void *)names->profile);
}

struct pd_error *prof_list_functions(
	const struct profile *profile, const struct prof_found_functions *found, char **ret)
{
	_cleanup_(names_deinit) struct names names;
	size_t size;

	if (!names_init(profile, found->is_found, &names))
		return &pd_enomem;
	sort(&names);
	FILE *out = base_memstream_open(ret, &size);
	if (!out)
		return &pd_enomem;
	write_names(&names, names.n, out);
	return base_memstream_close(out, ret) ? NULL : &pd_enomem;
}

static void write_suggestions(struct names *names, FILE *out)
{
	size_t n = 0, n_all = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (names->list[i].period)
			names->list[n_all++] = names->list[i];
	}
	while (n < n_all && names->list[n].distance != SIZE_MAX)
		n++;
	if (!n_all)
		return;
	/* As many as there is room for, of one kind. */
	fputs(n ? "functions like it: " : "the hottest functions are ", out);
	n = n ? n : n_all;
	write_names(names, n < MAX_LISTED ? n : MAX_LISTED, out);
}

struct pd_error *prof_suggest_functions(
	const struct profile *profile, const char *wanted_text, char **ret)
{
	_cleanup_(names_deinit) struct names names = { 0 };
	struct base_wanted_name *wanted;
	size_t size;
	struct pd_error *err = base_wanted_name_create(wanted_text, &wanted);

	if (err)
		return err;
	bool ok = names_init(profile, NULL, &names);
	for (size_t i = 0; ok && i < names.n; i++)
		names.list[i].distance =
			base_wanted_name_distance(wanted, prof_string(profile, names.list[i].name));
	base_wanted_name_destroy(wanted);
	if (!ok)
		return &pd_enomem;
	sort(&names);
	FILE *out = base_memstream_open(ret, &size);
	if (!out)
		return &pd_enomem;
	write_suggestions(&names, out);
	return base_memstream_close(out, ret) ? NULL : &pd_enomem;
}
