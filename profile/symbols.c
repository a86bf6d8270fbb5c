#include "profile/symbols.h"

#include <string.h>

#include "base/text.h"

static const char *base_of(const struct profile *profile, struct prof_binary_id binary)
{
	if (prof_is_none(binary))
		return "";
	return pd_base_name(profile_string(profile, profile_binary(profile, binary)->name));
}

/* Add the symbol @p name of @p binary to those of the current frame. */
static bool add(struct prof_symbols *s, const char *name, const char *binary, bool is_unnamed)
{
	const struct prof_symbol symbol = {
		.name = pd_intern_str(&s->texts, name),
		.binary = pd_intern_str(&s->texts, binary),
		.is_unnamed = is_unnamed,
	};

	if (symbol.name == PD_INTERN_NONE || symbol.binary == PD_INTERN_NONE)
		return false;
	uint32_t id = pd_intern_add(&s->list, &symbol, sizeof(symbol));
	return id != PD_INTERN_NONE && pd_vec_push(&s->of_frames, id);
}

static bool add_frame(
	struct prof_symbols *s, const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = profile_frame(profile, id);
	const char *binary = base_of(profile, frame->binary);
	char unnamed[256];
	uint32_t n;
	const struct prof_line *lines = profile_frame_lines(profile, id, &n);

	if (!lines)
		return add(
			s, profile_unnamed(profile, frame, unnamed, sizeof(unnamed)), binary, true);
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = profile_function(profile, lines[i].function);

		if (!add(s, profile_string(profile, function->name), binary, false))
			return false;
	}
	return true;
}

struct pd_error *prof_symbols_create(const struct profile *profile, struct prof_symbols *ret)
{
	*ret = (struct prof_symbols){ 0 };
	bool ok = pd_vec_push(&ret->starts, 0);

	for (struct prof_frame_id id = { 0 }; ok && id.i < profile->frames.n; id.i++)
		ok = add_frame(ret, profile, id) &&
		     pd_vec_push(&ret->starts, (uint32_t)ret->of_frames.n);
	if (ok)
		return NULL;
	prof_symbols_deinit(ret);
	return &pd_enomem;
}

void prof_symbols_deinit(struct prof_symbols *symbols)
{
	pd_intern_deinit(&symbols->texts);
	pd_intern_deinit(&symbols->list);
	pd_vec_deinit(&symbols->starts);
	pd_vec_deinit(&symbols->of_frames);
}
