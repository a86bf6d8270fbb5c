#include "analyze/symbols.h"

#include <string.h>

/* A symbol of the current frame. */
struct found {
	const char *name;
	const char *plain_name;
	const char *pattern_name;
	const char *binary;
	bool is_unnamed;
	/** Its code is part of another function. */
	bool is_inlined;
};

/* Add a symbol to those of the current frame. */
static bool add(struct ana_symbols *s, const struct found *found)
{
	const struct ana_symbol symbol = {
		.name = base_intern_str(&s->texts, found->name),
		.plain_name = base_intern_str(&s->texts, found->plain_name),
		.pattern_name = base_intern_str(&s->texts, found->pattern_name),
		.binary = base_intern_str(&s->texts, found->binary),
		.is_unnamed = found->is_unnamed,
	};

	if (symbol.name == PD_INTERN_NONE || symbol.plain_name == PD_INTERN_NONE ||
		symbol.pattern_name == PD_INTERN_NONE || symbol.binary == PD_INTERN_NONE)
		return false;
	uint32_t id = base_intern_add(&s->list, &symbol, sizeof(symbol));
	if (id == PD_INTERN_NONE || !pd_vec_push(&s->places.list, id))
		return false;
	if (id == s->has_code.n && !pd_vec_push(&s->has_code, false))
		return false;
	s->has_code.data[id] |= !found->is_inlined;
	return true;
}

static bool add_frame(struct ana_symbols *s, const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	struct found found = { .binary = prof_binary_base(profile, frame->binary) };
	char unnamed[256];
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	if (!lines) {
		found.name = prof_unnamed(profile, frame, unnamed, sizeof(unnamed));
		found.plain_name = found.pattern_name = found.name;
		found.is_unnamed = true;
		return add(s, &found);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = prof_function(profile, lines[i].function);

		found.name = prof_function_name(profile, lines[i].function);
		found.plain_name = prof_string(profile, function->name);
		found.pattern_name = prof_pattern_name(profile, lines[i].function);
		/* Name of inlined C++ closures in debug information. */
		found.is_unnamed = strcmp(found.name, "operator()") == 0;
		found.is_inlined = i + 1 < n;
		if (!add(s, &found))
			return false;
	}
	return true;
}

struct pd_error *ana_symbols_create(const struct profile *profile, struct ana_symbols *ret)
{
	*ret = (struct ana_symbols){ 0 };
	bool ok = ana_places_next(&ret->places);

	for (struct prof_frame_id id = { 0 }; ok && id.i < profile->frames.n; id.i++)
		ok = add_frame(ret, profile, id) && ana_places_next(&ret->places);
	if (ok)
		return NULL;
	ana_symbols_deinit(ret);
	return &pd_enomem;
}

void ana_symbols_deinit(struct ana_symbols *symbols)
{
	base_intern_deinit(&symbols->texts);
	base_intern_deinit(&symbols->list);
	pd_vec_deinit(&symbols->has_code);
	ana_places_deinit(&symbols->places);
}

static void flag_frame(const struct profile *profile, const struct ana_symbols *symbols,
	struct prof_frame_id frame, const bool *is_found, bool *ret)
{
	uint32_t n_lines, n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n_lines);
	const uint32_t *at = ana_symbols_at(symbols, frame, &n);

	/* Each line has a symbol. */
	for (uint32_t i = 0; lines && i < n; i++)
		ret[at[i]] |= is_found[lines[i].function.i];
}

struct pd_error *ana_symbols_find(const struct profile *profile, const struct ana_symbols *symbols,
	const char *wanted, bool *ret, struct prof_found_functions *found)
{
	struct pd_error *err = prof_find_functions(profile, wanted, NULL, found);

	if (err)
		return err;
	for (uint32_t i = 0; i < symbols->list.n; i++)
		ret[i] = strcmp(ana_symbol_name(symbols, i), wanted) == 0;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++)
		flag_frame(profile, symbols, id, found->is_found, ret);
	return NULL;
}
