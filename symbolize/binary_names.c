#include "symbolize/binary_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/binary_files.h"
#include "symbolize/cache.h"
#include "symbolize/fill_ranges.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/languages.h"

/*
 * State while addresses are named. Many addresses share names and files, so each of these is copied
 * to the arena once.
 */
struct job {
	const struct sym_ranges *ranges;
	const struct pd_name_opts *opts;
	struct base_arena *arena;
	/** Offset of a string -> its copy. */
	struct base_map texts;
	/**
	 * Offset of a linkage name with its languages << 32, or of a qualified name << 32 -> the
	 * name as it is shown.
	 */
	struct base_map shown;
};

static struct pd_error *copy_text(struct job *job, uint32_t offset, const char **ret)
{
	bool is_new;

	*ret = NULL;
	if (!offset)
		return NULL;
	uint64_t *copy = base_map_add(&job->texts, offset, &is_new);
	if (!copy)
		return &pd_enomem;
	if (is_new) {
		const char *text = sym_ranges_text(job->ranges, offset);

		*copy = (uintptr_t)base_arena_strndup(job->arena, text, strlen(text));
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	*ret = (const char *)(uintptr_t)*copy;
	return *ret ? NULL : &pd_enomem;
}

/*
 * Bring a qualified name into the wanted form. It has no parameters, but may have template
 * arguments.
 */
static const char *to_form(struct job *job, const char *qualified)
{
	char *text = base_arena_strndup(job->arena, qualified, strlen(qualified));

	if (text && job->opts->form == PD_NAME_FORM_SHORT)
		sym_shorten(text);
	return text;
}

/* Name a function after its qualified name or, if it has none, after its linkage name. */
static struct pd_error *name_function(
	struct job *job, const struct sym_range_function *f, struct sym_name *ret)
{
	bool is_new;
	struct pd_error *err = copy_text(job, f->linkage, &ret->linkage);

	ret->function = ret->linkage;
	if (err || !f->linkage || job->opts->form == PD_NAME_FORM_MANGLED)
		return err;
	/*
	 * The keys differ for the same text, because one function's linkage name may be another
	 * one's qualified name.
	 */
	uint64_t key = (uint64_t)f->languages << 32 | f->linkage;
	if (f->qualified)
		key = (uint64_t)f->qualified << 32;
	uint64_t *text = base_map_add(&job->shown, key, &is_new);
	if (!text)
		return &pd_enomem;
	if (is_new && f->qualified)
		*text = (uintptr_t)to_form(job, sym_ranges_text(job->ranges, f->qualified));
	else if (is_new)
		*text = (uintptr_t)sym_demangle(
			job->arena, ret->linkage, job->opts->form, f->languages);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	ret->function = (const char *)(uintptr_t)*text;
	return ret->function ? NULL : &pd_enomem;
}

static uint32_t depth_of(const struct sym_ranges *ranges, uint32_t scope)
{
	uint32_t depth = 0;

	for (; scope != SYM_NONE; scope = ranges->scopes.data[scope].outer)
		depth++;
	return depth;
}

/* A location in the source. */
struct place {
	uint32_t file;
	uint32_t line;
	uint32_t discriminator;
};

/* Name the function of @p scope, at @p place. */
static struct pd_error *name_scope(struct job *job, const struct sym_range_scope *scope,
	const struct place *place, struct sym_name *ret)
{
	*ret = (struct sym_name){ 0 };
	if (!job->opts->no_lines) {
		struct pd_error *err = copy_text(job, place->file, &ret->file);

		ret->line = place->line;
		ret->discriminator = place->discriminator;
		if (err)
			return err;
	}
	if (!scope || scope->function == SYM_NONE)
		return NULL;
	const struct sym_range_function *f = &job->ranges->functions.data[scope->function];
	ret->start_line = f->line;
	if (!job->opts->no_lines) {
		struct pd_error *err = copy_text(job, f->file, &ret->decl_file);

		if (err)
			return err;
	}
	return name_function(job, f, ret);
}

/* Add the names from DWARF: as many as there is room for, outermost ones first. */
static struct pd_error *name_location(
	struct job *job, const struct sym_location_range *location, struct sym_names *ret)
{
	const struct sym_range_scope *scopes = job->ranges->scopes.data;
	uint32_t depth = depth_of(job->ranges, location->scope);
	struct place place = { location->file, location->line, location->discriminator };

	if (!depth)
		return name_scope(job, NULL, &place, &ret->names[0]);
	/*
	 * The line of a caller is that of the call inlined into it, so scopes are followed from the
	 * inside even if there is no room for their names.
	 */
	for (uint32_t i = location->scope; depth; depth--) {
		if (depth <= ret->n) {
			struct pd_error *err =
				name_scope(job, &scopes[i], &place, &ret->names[ret->n - depth]);

			if (err)
				return err;
		}
		place = (struct place){ scopes[i].call_file, scopes[i].call_line,
			scopes[i].call_discriminator };
		i = scopes[i].outer;
	}
	return NULL;
}

/* Function in whose code @p location is, or NULL. */
static const struct sym_range_function *outermost_function(
	const struct sym_ranges *ranges, const struct sym_location_range *location)
{
	uint32_t scope = location->scope;

	if (scope == SYM_NONE)
		return NULL;
	while (ranges->scopes.data[scope].outer != SYM_NONE)
		scope = ranges->scopes.data[scope].outer;
	uint32_t function = ranges->scopes.data[scope].function;
	return function == SYM_NONE ? NULL : &ranges->functions.data[function];
}

/*
 * Whether @p symbol says less than the qualified name of @p f, its function in DWARF. Symbols of
 * Fortran do not show the module of a nested procedure, or that of a program. A linkage name that
 * cannot be demangled shows no name at all.
 */
static bool is_better_qualified(const struct job *job, const struct sym_range_function *f,
	const struct sym_symbol_range *symbol)
{
	if (!f || !f->qualified || !f->linkage)
		return false;
	const char *linkage = sym_ranges_text(job->ranges, f->linkage);
	const char *name = sym_ranges_text(job->ranges, symbol->name);
	size_t len = strlen(linkage);
	bool is_same = strncmp(name, linkage, len) == 0 && (!name[len] || name[len] == '.');
	return f->languages & SYM_FORTRAN || (is_same && sym_is_mangled(linkage));
}

/*
 * Name the outermost function, which is @p f or NULL, after its symbol, so that its name does not
 * depend on debug information. Only if the symbol has no size, and may therefore extend too far, is
 * the name from DWARF preferred.
 */
static struct pd_error *apply_symbol(struct job *job, const struct sym_symbol_range *symbol,
	const struct sym_range_function *f, struct sym_names *ret)
{
	struct sym_name *outermost = &ret->names[ret->n - 1];
	struct sym_range_function named = {
		.linkage = symbol->name,
		.languages = f ? f->languages : job->ranges->languages,
	};

	ret->symbol_start = symbol->symbol_start;
	ret->has_symbol = true;
	if (outermost->function && !symbol->is_sized)
		return NULL;
	if (is_better_qualified(job, f, symbol))
		named.qualified = f->qualified;
	return name_function(job, &named, outermost);
}

static struct pd_error *answer(
	struct job *job, const struct sym_covering *covering, struct sym_names *ret)
{
	static const struct sym_location_range nowhere = { .scope = SYM_NONE };
	static const struct sym_symbol_range none;
	const struct sym_location_range *location = &nowhere;
	const struct sym_symbol_range *symbol = &none;

	*ret = (struct sym_names){ 0 };
	if (covering->location != SYM_NONE)
		location = &job->ranges->locations.data[covering->location];
	if (covering->symbol != SYM_NONE)
		symbol = &job->ranges->symbols.data[covering->symbol];
	bool has_location = location->line || location->file;
	uint32_t depth = depth_of(job->ranges, location->scope);
	/*
	 * Without inlining only the outermost function remains. Without a function, a location or a
	 * symbol still makes one name.
	 */
	ret->n = depth && !job->opts->no_inline ? depth : depth || has_location || symbol->name;
	if (!ret->n)
		return NULL;
	ret->names = base_arena_alloc(job->arena, ret->n * sizeof(*ret->names));
	if (!ret->names)
		return &pd_enomem;
	struct pd_error *err = name_location(job, location, ret);
	if (err || !symbol->name)
		return err;
	return apply_symbol(job, symbol, outermost_function(job->ranges, location), ret);
}

/*
 * Read what the table lacks about the addresses. @p covering receives the ranges that cover them.
 */
static struct pd_error *complete(
	struct sym_binary *binary, const uint64_t *vaddrs, size_t n, struct sym_covering *covering)
{
	struct pd_error *err = sym_cache_load(binary);
	if (err)
		return err;
	size_t n_missing = sym_ranges_find(&binary->ranges, vaddrs, n, covering);
	_cleanup_free_ uint64_t *missing = reallocarray(NULL, n_missing + 1, sizeof(*missing));
	size_t k = 0;

	if (!missing)
		return &pd_enomem;
	/* With a table from the cache, usually nothing is missing. */
	if (!n_missing)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (covering[i].location == SYM_NONE || covering[i].symbol == SYM_NONE)
			missing[k++] = vaddrs[i];
	}
	err = sym_fill_ranges(binary, missing, n_missing);
	if (err)
		return err;
	sym_ranges_find(&binary->ranges, vaddrs, n, covering);
	/* A table that lacks something is made again each time, so that the limit is reported. */
	if (!base_limit_is_reached())
		sym_cache_save(binary);
	return NULL;
}

static bool is_same_range(const struct sym_covering *a, const struct sym_covering *b)
{
	return a->location == b->location && a->symbol == b->symbol;
}

static struct pd_error *answer_all(
	struct job *job, const struct sym_covering *covering, size_t n, struct sym_names *ret)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = NULL;

		if (i && is_same_range(&covering[i - 1], &covering[i]))
			ret[i] = ret[i - 1];
		else
			err = answer(job, &covering[i], &ret[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *sym_binary_names(struct sym_binary *binary, const struct pd_name_opts *opts,
	const uint64_t *vaddrs, size_t n, struct base_arena *arena, struct sym_names *ret)
{
	static const struct pd_name_opts defaults;
	struct job job = {
		.ranges = &binary->ranges,
		.opts = opts ? opts : &defaults,
		.arena = arena,
	};
	_cleanup_free_ struct sym_covering *covering = base_calloc_n(n, sizeof(*covering));

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_names){ 0 };
	if (!binary->main || !n)
		return NULL;
	if (!covering)
		return &pd_enomem;
	/*
	 * The table is completed for all addresses at once, so that each unit of DWARF is read
	 * once. It does not change while they are answered, so that indexes in it stay valid.
	 */
	PD_LIMIT_SCOPE();
	struct pd_error *err = complete(binary, vaddrs, n, covering);
	if (err)
		return err;
	err = answer_all(&job, covering, n, ret);
	sym_binary_note_limits(binary);
	base_map_deinit(&job.texts);
	base_map_deinit(&job.shown);
	return err;
}

static struct pd_error *read_data(struct sym_binary *binary)
{
	if (binary->has_data)
		return NULL;
	struct pd_error *err = sym_symtab_init_data(&binary->data, binary->main, binary->separate);
	if (err)
		return err;
	binary->has_data = true;
	return NULL;
}

static struct pd_error *name_object(const struct sym_symbol *object,
	const struct pd_name_opts *opts, uint32_t languages, struct base_arena *arena,
	struct sym_names *ret)
{
	struct sym_name *name = base_arena_alloc(arena, sizeof(*name));
	char *linkage =
		base_arena_strndup(arena, object->name, sym_unversioned_length(object->name));

	if (!name || !linkage)
		return &pd_enomem;
	*name = (struct sym_name){ .function = linkage, .linkage = linkage };
	if (opts->form != PD_NAME_FORM_MANGLED)
		name->function = sym_demangle(arena, linkage, opts->form, languages);
	if (!name->function)
		return &pd_enomem;
	*ret = (struct sym_names){
		.names = name,
		.n = 1,
		.symbol_start = object->start,
		.has_symbol = true,
	};
	return NULL;
}

struct pd_error *sym_binary_name_data(struct sym_binary *binary, const struct pd_name_opts *opts,
	const uint64_t *vaddrs, size_t n, struct base_arena *arena, struct sym_names *ret)
{
	static const struct pd_name_opts defaults;
	size_t hint = 0;

	memset(ret, 0, n * sizeof(*ret));
	if (!binary->main)
		return NULL;
	PD_LIMIT_SCOPE();
	struct pd_error *err = read_data(binary);
	for (size_t i = 0; !err && i < n; i++) {
		const struct sym_symbol *object = sym_symtab_find(&binary->data, vaddrs[i], &hint);

		if (object)
			err = name_object(object, opts ? opts : &defaults, binary->data.languages,
				arena, &ret[i]);
	}
	sym_binary_note_limits(binary);
	return err;
}

struct sym_ranges *sym_binary_ranges(struct sym_binary *binary)
{
	return &binary->ranges;
}
