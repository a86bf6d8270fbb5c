/*
 * The functions of one name in binaries of one name are a group. In each group, parameters, source
 * files and lines are tried one after the other: each is added to the labels of those functions of
 * which it distinguishes two of one binary. Copies of a program at several paths get the same
 * labels, and so do builds of it in several folders.
 */
#include "resolve/naming/apart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/system/libc.h"
#include "symbolize/symbols/demangle.h"

/* Largest number of parts of a path in a label. */
enum { MAX_PARTS = 4 };

struct apart_function {
	struct prof_function_id id;
	struct prof_function function;
	/** Id of the binary's file name. */
	uint32_t base;
	const char *name;
	const char *linkage;
	const char *label;
	/** Name with template arguments, and what follows it in the full form; NULL: not known. */
	const char *instance;
	const char *parameters;
	/** Source file of the declaration without "." and ".."; "" if not known. */
	const char *file;
	/** The linkage name is mangled: it has the types around the function and its parameters. */
	bool is_mangled;
	/** The label ends with the file. */
	bool has_file;
};

/* The functions of a profile, or of one group of it. */
struct apart {
	struct profile *profile;
	struct apart_function *list;
	size_t n;
	/** Texts of labels and their parts. */
	struct base_arena arena;
	/** File names of binaries. */
	struct base_intern bases;
	/** Number of parts of paths in labels. */
	unsigned n_parts;
};

static void apart_deinit(struct apart *apart)
{
	free(apart->list);
	base_arena_deinit(&apart->arena);
	base_intern_deinit(&apart->bases);
}

static int compare_ids(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_by_name(const void *x, const void *y)
{
	const struct apart_function *a = x;
	const struct apart_function *b = y;
	int order = compare_ids(a->function.name.i, b->function.name.i);

	order = order ? order : compare_ids(a->base, b->base);
	order = order ? order : compare_ids(a->function.binary.i, b->function.binary.i);
	return order ? order : compare_ids(a->id.i, b->id.i);
}

static int compare_by_label(const void *x, const void *y)
{
	const struct apart_function *a = x;
	const struct apart_function *b = y;
	int order = strcmp(a->label, b->label);

	order = order ? order : compare_ids(a->function.binary.i, b->function.binary.i);
	return order ? order : compare_ids(a->id.i, b->id.i);
}

/*
 * Whether there can be several functions of this linkage name. Mangled names of C++ have an L in
 * front of a name that is static, and the namespace _GLOBAL__N_1 for one without a name.
 */
static bool is_internal(const struct apart_function *f)
{
	const char *at = f->linkage;

	if (!f->is_mangled || strstr(at, "_GLOBAL__N_"))
		return true;
	while ((at = strchr(at, 'L'))) {
		at++;
		if (*at >= '1' && *at <= '9')
			return true;
	}
	return false;
}

/* Begin of the last part of the path that ends at @p end, after a slash. */
static char *find_last_part(char *path, char *end)
{
	char *at = end > path ? end - 1 : path;

	while (at > path && at[-1] != '/')
		at--;
	return at;
}

/* Copy a path without "." and "..", as far as it has folders for them. NULL: no memory. */
static const char *plain_path(struct base_arena *arena, const char *path)
{
	char *ret = base_arena_strndup(arena, path, strlen(path));
	char *to = ret;
	size_t len;

	for (const char *at = path; ret && *at; at += len) {
		size_t part = strcspn(at, "/");
		char *last = find_last_part(ret, to);

		len = part + !!at[part];
		if ((part == 0 && to > ret) || (part == 1 && *at == '.'))
			continue;
		if (part == 2 && strncmp(at, "..", 2) == 0 && last < to && *last != '/' &&
			strncmp(last, "../", 3) != 0) {
			to = last;
			continue;
		}
		memmove(to, at, len);
		to += len;
	}
	if (ret)
		*to = '\0';
	return ret;
}

/* Find the parameters of a function by its linkage name. Returns false if memory ran out. */
static bool find_parameters(struct base_arena *arena, struct apart_function *f)
{
	const char *instance = sym_demangle(arena, f->linkage, PD_NAME_FORM_TEMPLATES, 0);
	const char *full = sym_demangle(arena, f->linkage, PD_NAME_FORM_FULL, 0);

	if (!instance || !full)
		return false;
	f->is_mangled = instance != f->linkage;
	const char *at = f->is_mangled ? strstr(full, instance) : NULL;
	if (!at || at[strlen(instance)] != '(')
		return true;
	f->instance = instance;
	f->parameters = at + strlen(instance);
	return true;
}

/* Whether two functions differ in parameters, and not in arguments of templates. */
static bool have_other_parameters(const struct apart_function *a, const struct apart_function *b)
{
	return a->parameters && b->parameters && strcmp(a->parameters, b->parameters) != 0 &&
	       strcmp(a->instance, b->instance) == 0;
}

static bool have_other_files(const struct apart_function *a, const struct apart_function *b)
{
	if (a->function.linkage.i == b->function.linkage.i && !is_internal(a))
		return false;
	return *a->file && *b->file && strcmp(a->file, b->file) != 0;
}

static bool have_other_lines(const struct apart_function *a, const struct apart_function *b)
{
	if (a->function.linkage.i == b->function.linkage.i && a->is_mangled)
		return false;
	return a->function.start_line && b->function.start_line &&
	       a->function.start_line != b->function.start_line && strcmp(a->file, b->file) == 0;
}

/* The last @p n parts of a path. */
static const char *last_parts(const char *path, unsigned n)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --n))
		at--;
	return at;
}

/* Copy a label to the arena and free it. NULL: no memory. */
static const char *keep(struct apart *apart, char *label)
{
	const char *ret = label ? base_arena_strndup(&apart->arena, label, strlen(label)) : NULL;

	free(label);
	return ret;
}

static const char *add_parameters(struct apart *apart, const struct apart_function *f)
{
	return f->parameters ? keep(apart, base_format("%s%s", f->label, f->parameters)) : f->label;
}

static const char *add_file(struct apart *apart, const struct apart_function *f)
{
	const char *file = last_parts(f->file, apart->n_parts);

	return *file ? keep(apart, base_format("%s (%s)", f->label, file)) : f->label;
}

static const char *add_line(struct apart *apart, const struct apart_function *f)
{
	const char *file = last_parts(f->file, 1);
	uint32_t line = f->function.start_line;

	if (!line)
		return f->label;
	if (!*file)
		return keep(apart, base_format("%s (line %" PRIu32 ")", f->label, line));
	/* The file may be in the label already. */
	if (f->has_file)
		return keep(apart, base_format("%.*s:%" PRIu32 ")", (int)strlen(f->label) - 1,
					   f->label, line));
	return keep(apart, base_format("%s (%s:%" PRIu32 ")", f->label, file, line));
}

/* A property by which functions of one label may differ. */
struct property {
	bool (*differs)(const struct apart_function *a, const struct apart_function *b);
	/** Return the label with the property, if it is known. NULL: no memory. */
	const char *(*add)(struct apart *apart, const struct apart_function *f);
	bool is_file;
};

/* Whether two of the @p n functions, which have one label and binary, differ in the property. */
static bool tells_apart(
	const struct property *property, const struct apart_function *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (property->differs(&list[i - 1], &list[i]) ||
			property->differs(&list[0], &list[i]))
			return true;
	}
	return false;
}

/* Add the property to the labels of the @p n functions of one label if it is of use. */
static bool add_to_label(
	struct apart *apart, const struct property *property, struct apart_function *list, size_t n)
{
	bool is_of_use = false;

	for (size_t i = 0, end; i < n && !is_of_use; i = end) {
		for (end = i + 1;
			end < n && list[end].function.binary.i == list[i].function.binary.i;)
			end++;
		is_of_use = tells_apart(property, list + i, end - i);
	}
	for (size_t i = 0; i < n && is_of_use; i++) {
		const char *label = property->add(apart, &list[i]);

		if (!label)
			return false;
		list[i].has_file |= property->is_file && label != list[i].label;
		list[i].label = label;
	}
	return true;
}

/* Add the property to the labels in a group. */
static bool add_property(
	struct apart *apart, const struct property *property, struct apart_function *list, size_t n)
{
	qsort(list, n, sizeof(*list), compare_by_label);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(list[end].label, list[i].label) == 0;)
			end++;
		if (!add_to_label(apart, property, list + i, end - i))
			return false;
	}
	return true;
}

/* Compare binaries, and then the last parts of the files. */
static int compare_by_parts(const void *x, const void *y, void *n_parts)
{
	const struct apart_function *a = x;
	const struct apart_function *b = y;
	unsigned n = *(const unsigned *)n_parts;
	int order = compare_ids(a->function.binary.i, b->function.binary.i);

	order = order ? order : strcmp(last_parts(a->file, n), last_parts(b->file, n));
	return order ? order : strcmp(a->file, b->file);
}

/* Whether two files of a binary have the same last parts. The list is sorted by these. */
static bool have_equal_parts(const struct apart_function *list, size_t n, unsigned n_parts)
{
	for (size_t i = 1; i < n; i++) {
		const struct apart_function *a = &list[i - 1], *b = &list[i];

		if (a->function.binary.i == b->function.binary.i && strcmp(a->file, b->file) &&
			strcmp(last_parts(a->file, n_parts), last_parts(b->file, n_parts)) == 0)
			return true;
	}
	return false;
}

/* Number of parts in which the paths of a group differ: "a.cc", or "x/a.cc" and "y/a.cc". */
static unsigned count_parts(struct apart_function *list, size_t n)
{
	unsigned n_parts = 1;

	for (; n_parts < MAX_PARTS; n_parts++) {
		base_sort_with(list, n, sizeof(*list), compare_by_parts, &n_parts);
		if (!have_equal_parts(list, n, n_parts))
			break;
	}
	return n_parts;
}

static bool find_texts(struct apart *apart, struct apart_function *f)
{
	f->file = plain_path(&apart->arena, prof_string(apart->profile, f->function.decl_file));
	return f->file && find_parameters(&apart->arena, f);
}

/* Label the @p n functions of a group. */
static bool label_group(struct apart *apart, struct apart_function *list, size_t n)
{
	static const struct property properties[] = {
		{ have_other_parameters, add_parameters, false },
		{ have_other_files, add_file, true },
		{ have_other_lines, add_line, false },
	};

	for (size_t i = 0; i < n; i++) {
		if (!find_texts(apart, &list[i]))
			return false;
	}
	apart->n_parts = count_parts(list, n);
	for (size_t i = 0; i < PD_ARRAY_LEN(properties); i++) {
		if (!add_property(apart, &properties[i], list, n))
			return false;
	}
	return true;
}

/* Enter the labels of a group that are not names. */
static bool enter_labels(struct apart *apart, const struct apart_function *list, size_t n)
{
	struct profile *profile = apart->profile;

	for (size_t i = 0; i < n; i++) {
		if (list[i].label == list[i].name)
			continue;
		while (profile->function_labels.n < profile->functions.n) {
			if (!pd_vec_push(&profile->function_labels, (struct prof_string_id){ 0 }))
				return false;
		}
		struct prof_string_id label = prof_add_string(profile, list[i].label);
		if (prof_is_none(label))
			return false;
		profile->function_labels.data[list[i].id.i] = label;
	}
	return true;
}

/* Whether a binary has several of the @p n functions of a group. */
static bool do_meet(const struct apart_function *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (list[i].function.binary.i == list[i - 1].function.binary.i)
			return true;
	}
	return false;
}

static bool label_groups(struct apart *apart)
{
	struct apart_function *list = apart->list;

	qsort(list, apart->n, sizeof(*list), compare_by_name);
	for (size_t i = 0, end; i < apart->n; i = end) {
		for (end = i + 1; end < apart->n && list[end].base == list[i].base &&
				  list[end].function.name.i == list[i].function.name.i;)
			end++;
		if (do_meet(list + i, end - i) && (!label_group(apart, list + i, end - i) ||
							  !enter_labels(apart, list + i, end - i)))
			return false;
	}
	return true;
}

/* List the functions that are of a binary. Texts of the profile do not move. */
static bool list_functions(struct apart *apart)
{
	const struct profile *profile = apart->profile;

	apart->list = base_calloc_n(profile->functions.n, sizeof(*apart->list));
	for (struct prof_function_id id = { 0 }; apart->list && id.i < profile->functions.n;
		id.i++) {
		struct apart_function *f = &apart->list[apart->n];

		f->id = id;
		f->function = *prof_function(profile, id);
		f->linkage = prof_string(profile, f->function.linkage);
		f->name = f->label = prof_string(profile, f->function.name);
		f->base = base_intern_str(
			&apart->bases, prof_binary_base(profile, f->function.binary));
		if (f->base == PD_INTERN_NONE)
			return false;
		apart->n += !prof_is_none(f->function.binary);
	}
	return apart->list;
}

struct pd_error *resolve_tell_apart(struct profile *profile)
{
	_cleanup_(apart_deinit) struct apart apart = { .profile = profile };

	profile->function_labels.n = 0;
	return list_functions(&apart) && label_groups(&apart) ? NULL : &pd_enomem;
}

/* Return the name of a function in the form of patterns; "" if it has it already. */
static struct prof_string_id pattern_name(
	struct profile *profile, struct base_arena *arena, struct prof_function_id id)
{
	const struct prof_function *function = prof_function(profile, id);
	const char *linkage = prof_string(profile, function->linkage);
	const char *name = sym_demangle(arena, linkage, PD_NAME_FORM_TEMPLATES, 0);

	if (!name)
		return prof_no_string();
	if (name == linkage || strcmp(name, prof_string(profile, function->name)) == 0)
		return (struct prof_string_id){ 0 };
	return prof_add_string(profile, name);
}

struct pd_error *resolve_add_pattern_names(struct profile *profile)
{
	_cleanup_(base_arena_deinit) struct base_arena arena = { 0 };

	profile->pattern_names.n = 0;
	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		struct prof_string_id name = pattern_name(profile, &arena, id);

		if (prof_is_none(name) || !pd_vec_push(&profile->pattern_names, name))
			return &pd_enomem;
	}
	return NULL;
}
