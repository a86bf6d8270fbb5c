#include "analyze/locations.h"

/* Add the location of @p function, called @p name, to those of the current frame. */
static bool add(
	struct ana_locations *l, const char *name, struct ana_function function, uint32_t line)
{
	function.name = base_intern_str(&l->names, name);
	if (function.name == PD_INTERN_NONE)
		return false;
	const struct ana_location location = {
		.function = base_intern_add(&l->functions, &function, sizeof(function)),
		.line = line,
	};
	return location.function != PD_INTERN_NONE && pd_vec_push(&l->list, location);
}

static bool add_unnamed(
	struct ana_locations *l, const struct profile *profile, const struct prof_frame *frame)
{
	char unnamed[256];

	return add(l, prof_unnamed(profile, frame, unnamed, sizeof(unnamed)),
		(struct ana_function){ .binary = frame->binary }, 0);
}

static bool add_frame(
	struct ana_locations *l, const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	if (!lines)
		return add_unnamed(l, profile, frame);
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = prof_function(profile, lines[i].function);
		const struct ana_function entry = {
			.file = function->file,
			.start_line = function->start_line,
			.binary = frame->binary,
		};

		if (!add(l, prof_function_name(profile, lines[i].function), entry, lines[i].line))
			return false;
	}
	return true;
}

struct pd_error *ana_locations_create(const struct profile *profile, struct ana_locations *ret)
{
	*ret = (struct ana_locations){ 0 };
	bool ok = pd_vec_push(&ret->starts, 0);

	for (struct prof_frame_id id = { 0 }; ok && id.i < profile->frames.n; id.i++)
		ok = add_frame(ret, profile, id) &&
		     pd_vec_push(&ret->starts, (uint32_t)ret->list.n);
	if (ok)
		return NULL;
	ana_locations_deinit(ret);
	return &pd_enomem;
}

void ana_locations_deinit(struct ana_locations *locations)
{
	base_intern_deinit(&locations->names);
	base_intern_deinit(&locations->functions);
	pd_vec_deinit(&locations->starts);
	pd_vec_deinit(&locations->list);
}
