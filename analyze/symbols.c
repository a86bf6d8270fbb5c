#include "analyze/symbols.h"

#include <string.h>

/* Add the symbol @p name of @p binary to those of the current frame. */
static bool add(struct ana_symbols *s, const char *name, const char *binary, bool is_unnamed)
{
	const struct ana_symbol symbol = {
		.name = pd_intern_str(&s->texts, name),
		.binary = pd_intern_str(&s->texts, binary),
		.is_unnamed = is_unnamed,
	};

	if (symbol.name == PD_INTERN_NONE || symbol.binary == PD_INTERN_NONE)
		return false;
	uint32_t id = pd_intern_add(&s->list, &symbol, sizeof(symbol));
	return id != PD_INTERN_NONE && pd_vec_push(&s->places.list, id);
}

static bool add_frame(struct ana_symbols *s, const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = profile_frame(profile, id);
	const char *binary = profile_binary_base(profile, frame->binary);
	char unnamed[256];
	uint32_t n;
	const struct prof_line *lines = profile_frame_lines(profile, id, &n);

	if (!lines)
		return add(
			s, profile_unnamed(profile, frame, unnamed, sizeof(unnamed)), binary, true);
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = profile_function(profile, lines[i].function);
		const char *name = profile_string(profile, function->name);

		/* Name of inlined C++ closures in debug information. */
		if (!add(s, name, binary, strcmp(name, "operator()") == 0))
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
	pd_intern_deinit(&symbols->texts);
	pd_intern_deinit(&symbols->list);
	ana_places_deinit(&symbols->places);
}
