/* Finding a function by its name. */
#include "annotate/functions.h"

#include <string.h>

#include "annotate/short_name.h"
#include "base/array.h"
#include "base/nearest.h"

/* How the name of a function is compared with the one that is looked for. */
typedef bool compare_fn(const struct ann_functions *functions, const struct ann_function *function,
	const char *want);

static bool is_name(const struct profile *profile, struct prof_function_id id, const char *want)
{
	const struct prof_function *function = prof_function(profile, id);

	return strcmp(prof_string(profile, function->name), want) == 0 ||
	       strcmp(prof_function_name(profile, id), want) == 0 ||
	       strcmp(prof_string(profile, function->linkage), want) == 0;
}

static bool is_equal(const struct ann_functions *functions, const struct ann_function *function,
	const char *want)
{
	return is_name(functions->profile, function->function, want);
}

/* Whether @p name is @p want with template arguments or parameters. */
static bool is_instance(const char *name, const char *want)
{
	size_t len = strlen(want);

	return strncmp(name, want, len) == 0 && (name[len] == '<' || name[len] == '(');
}

static bool is_instance_of(const struct ann_functions *functions,
	const struct ann_function *function, const char *want)
{
	return is_instance(ann_function_name(functions, function), want);
}

static bool is_last_part(const struct ann_functions *functions, const struct ann_function *function,
	const char *want)
{
	size_t len;
	const char *part = ann_last_part(ann_function_name(functions, function), &len);

	return is_instance(part, want) || (strlen(want) == len && strncmp(part, want, len) == 0);
}

static bool has_inlined(const struct ann_functions *functions, const struct ann_function *function,
	const char *want)
{
	const struct profile *profile = functions->profile;

	for (size_t i = function->first; i < function->first + function->n; i++) {
		uint32_t n;
		const struct prof_line *lines =
			prof_frame_lines(profile, functions->leaves.data[i].frame, &n);

		for (uint32_t k = 0; k < n; k++) {
			if (is_name(profile, lines[k].function, want))
				return true;
		}
	}
	return false;
}

/* Look at the functions, hottest first. */
static bool find_by(const struct ann_functions *functions, const char *want, compare_fn *compare,
	struct ann_match *ret)
{
	for (size_t i = 0; i < functions->list.n; i++) {
		const struct ann_function *function = &functions->list.data[i];

		if (!compare(functions, function, want))
			continue;
		if (!ret->function)
			ret->function = function;
		else if (!ret->second)
			ret->second = function;
		ret->n++;
	}
	return ret->function;
}

struct ann_match ann_functions_find(const struct ann_functions *functions, const char *name)
{
	static compare_fn *const ways[] = { is_equal, is_instance_of, is_last_part };
	struct ann_match match = { 0 };
	struct pd_nearest nearest;

	for (size_t i = 0; i < PD_ARRAY_LEN(ways); i++) {
		if (find_by(functions, name, ways[i], &match))
			return match;
	}
	match.is_inlined = find_by(functions, name, has_inlined, &match);
	if (match.function)
		return match;
	pd_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < functions->list.n; i++)
		pd_nearest_try(&nearest, ann_function_name(functions, &functions->list.data[i]));
	match.similar = nearest.name;
	return match;
}
