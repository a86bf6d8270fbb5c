#include "tables/folded_groups.h"

#include "base/text.h"

/* Symbols of a stack, root first. */
struct path {
	PD_VEC(uint32_t) symbols;
};

static bool find_path(const struct profile *profile, const struct ana_symbols *symbols,
	struct prof_stack_id stack, struct path *path)
{
	uint32_t n_frames;
	const struct prof_frame_id *frames = prof_stack(profile, stack, &n_frames);

	path->symbols.n = 0;
	for (uint32_t i = n_frames; i > 0; i--) {
		uint32_t n;
		const uint32_t *ids = ana_symbols_at(symbols, frames[i - 1], &n);

		for (uint32_t k = n; k > 0; k--) {
			if (!pd_vec_push(&path->symbols, ids[k - 1]))
				return false;
		}
	}
	return true;
}

static uint32_t binary_of(const struct profile *profile, struct prof_stack_id stack)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(profile, stack, &n);

	return n ? prof_frame(profile, frames[0])->binary.i : PROF_NONE;
}

static bool add(struct tab_folded_groups *groups, const struct profile *profile,
	struct prof_sample_id id, const struct path *path)
{
	const struct prof_sample *sample = prof_sample(profile, id);
	const struct prof_tags *tags = prof_tags(profile, sample->tags);
	const struct prof_value *value = prof_value(profile, id);
	const uint32_t none = 0, *symbols = path->symbols.n ? path->symbols.data : &none;
	const struct tab_folded_group group = {
		.event = sample->event.i,
		.comm = prof_thread(profile, sample->thread)->comm,
		.cgroup = tags ? tags->cgroup : (struct prof_string_id){ 0 },
		.binary = binary_of(profile, sample->stack),
		.stack = base_intern_add(
			&groups->stacks, symbols, path->symbols.n * sizeof(*symbols)),
	};
	const struct prof_value nothing = { 0 };

	if (group.stack == PD_INTERN_NONE)
		return false;
	uint32_t i = base_intern_add(&groups->groups, &group, sizeof(group));
	if (i == PD_INTERN_NONE ||
		(i == groups->values.n && !pd_vec_push(&groups->values, nothing)))
		return false;
	groups->values.data[i].samples += value->samples;
	groups->values.data[i].period += value->period;
	return true;
}

bool tab_folded_groups_create(const struct profile *profile, const struct ana_symbols *symbols,
	struct tab_folded_groups *ret)
{
	struct path path = { 0 };
	bool ok = true;

	for (struct prof_sample_id id = { 0 }; ok && id.i < profile->samples.n; id.i++)
		ok = find_path(profile, symbols, prof_sample(profile, id)->stack, &path) &&
		     add(ret, profile, id, &path);
	pd_vec_deinit(&path.symbols);
	return ok;
}

void tab_folded_groups_deinit(struct tab_folded_groups *groups)
{
	base_intern_deinit(&groups->stacks);
	base_intern_deinit(&groups->groups);
	pd_vec_deinit(&groups->values);
	pd_vec_deinit(&groups->text);
}

static bool append(struct tab_folded_groups *groups, const char *name, size_t len)
{
	/* The separator, and one byte more: an empty buffer has no address. */
	if (!pd_vec_reserve(&groups->text, groups->text.n + len + 2))
		return false;
	if (groups->text.n)
		groups->text.data[groups->text.n++] = ';';
	groups->text.n += base_text_copy_folded(groups->text.data + groups->text.n, name, len, ' ');
	return true;
}

bool tab_folded_groups_write(
	struct tab_folded_groups *groups, const struct ana_symbols *symbols, uint32_t id)
{
	const uint32_t *ids = base_intern_bytes(&groups->stacks, id);
	size_t n = base_intern_len(&groups->stacks, id) / sizeof(*ids);

	groups->text.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ana_symbol *symbol = base_intern_bytes(&symbols->list, ids[i]);

		if (!append(groups, base_intern_bytes(&symbols->texts, symbol->name),
			    base_intern_len(&symbols->texts, symbol->name)))
			return false;
	}
	return true;
}
