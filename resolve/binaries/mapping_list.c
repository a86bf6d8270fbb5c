#include "resolve/binaries/mapping_list.h"

#include <string.h>

#include "base/cleanup.h"
#include "parse/space/region.h"

void resolve_mapping_list_deinit(struct resolve_mapping_list *mappings)
{
	pd_vec_deinit(&mappings->list);
	base_intern_deinit(&mappings->names);
}

/* Return what is mapped there, NULL if it is data. */
static const struct parse_dso *dso_at(struct parse_space *space, const struct parse_region *region)
{
	const struct parse_maps *maps = region->pid == UINT32_MAX
						? parse_space_kernel_maps(space)
						: parse_space_maps(space, region->pid);
	const struct parse_mapping *mapping = maps ? parse_maps_find(maps, region->start) : NULL;

	return mapping && mapping->start == region->start ? mapping->dso : NULL;
}

struct pd_error *resolve_mapping_list_take(struct resolve_mapping_list *mappings,
	struct parse_space *space, const struct pd_record *rec, size_t sid_bytes)
{
	struct parse_region region;
	union pd_body body;
	const char *wrong;

	/* Invalid records are reported when they are applied. */
	if ((rec->type != PD_RECORD_MMAP && rec->type != PD_RECORD_MMAP2) ||
		!pd_record_decode(rec, sid_bytes, &body, &wrong) ||
		!parse_region_of(rec, &body, &region))
		return NULL;
	const struct resolve_mapping mapping = {
		.row = {
			.time = rec->time && rec->time < PD_FIRST_FAKE_TIME ? rec->time
									    : PD_NO_TIME,
			.start = region.start,
			.size = region.len,
			.pgoff = region.pgoff,
			.pid = region.pid,
			.prot = region.prot,
		},
		.name = base_intern_add(
			&mappings->names, region.name, strlen(region.name) + 1),
		.dso = dso_at(space, &region),
	};
	bool ok = mapping.name != PD_INTERN_NONE && pd_vec_push(&mappings->list, mapping);
	return ok ? NULL : &pd_enomem;
}

/* Map the address of what is mapped to the id of its binary in the profile, plus 1. */
static bool index_binaries(const struct resolve_binaries *binaries, struct base_map *ret)
{
	for (size_t i = 0; i < resolve_binaries_n(binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(binaries, i);
		uint64_t *id = base_map_add(ret, (uintptr_t)binary->dso, NULL);

		if (!id)
			return false;
		if (!prof_is_none(binary->profile_id))
			*id = (uint64_t)binary->profile_id.i + 1;
	}
	return true;
}

static struct prof_binary_id binary_of(
	const struct resolve_mapping *mapping, const struct base_map *index)
{
	const uint64_t *id = base_map_find(index, (uintptr_t)mapping->dso);

	return id && *id ? (struct prof_binary_id){ (uint32_t)(*id - 1) } : prof_no_binary();
}

struct pd_error *resolve_mapping_list_finish(const struct resolve_mapping_list *mappings,
	const struct resolve_binaries *binaries, struct profile *profile)
{
	_cleanup_(base_map_deinit) struct base_map index = { 0 };

	if (!index_binaries(binaries, &index))
		return &pd_enomem;
	for (size_t i = 0; i < mappings->list.n; i++) {
		const struct resolve_mapping *mapping = &mappings->list.data[i];
		struct prof_mapping row = mapping->row;

		row.name = prof_add_string(
			profile, base_intern_bytes(&mappings->names, mapping->name));
		row.binary = binary_of(mapping, &index);
		if (prof_is_none(row.name) || !pd_vec_push(&profile->mappings, row))
			return &pd_enomem;
	}
	return NULL;
}
