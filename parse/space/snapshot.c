#include "parse/space/snapshot.h"

#include <stdlib.h>

#include "parse/space/range_tree.h"

struct parse_maps *parse_maps_ref(struct parse_maps *maps)
{
	maps->refs++;
	return maps;
}

void parse_maps_unref(struct parse_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	parse_range_tree_unref(maps->entries);
	free(maps);
}

struct parse_maps *parse_maps_create(uint64_t id)
{
	struct parse_maps *maps = malloc(sizeof(*maps));

	if (maps)
		*maps = (struct parse_maps){ .id = id, .refs = 1 };
	return maps;
}

static const struct parse_maps_entry *find(const struct parse_maps *maps, uint64_t addr)
{
	const struct parse_maps_entry *entry = parse_range_tree_find(maps->entries, addr);

	return entry && entry->start <= addr ? entry : NULL;
}

const struct parse_mapping *parse_maps_find(const struct parse_maps *maps, uint64_t addr)
{
	const struct parse_maps_entry *entry = find(maps, addr);

	return entry ? entry->mapping : NULL;
}

const struct parse_mapping *parse_maps_find_before(const struct parse_maps *maps, uint64_t addr)
{
	const struct parse_maps_entry *entry = find(maps, addr);

	return entry && entry->start ? parse_maps_find(maps, entry->start - 1) : NULL;
}

const struct parse_maps_entry *parse_maps_first(
	const struct parse_maps *maps, uint64_t start, uint64_t end)
{
	const struct parse_maps_entry *entry = parse_range_tree_find(maps->entries, start);

	return entry && entry->start < end ? entry : NULL;
}

const struct parse_maps_entry *parse_maps_next(
	const struct parse_maps *maps, const struct parse_maps_entry *entry)
{
	return parse_range_tree_find(maps->entries, entry ? entry->end : 0);
}

/* Make the snapshot unshared. */
static bool make_own(struct parse_maps **maps)
{
	struct parse_maps *old = *maps;

	if (old->refs == 1)
		return true;
	struct parse_maps *own = malloc(sizeof(*own));
	if (!own)
		return false;
	*own = *old;
	own->refs = 1;
	parse_range_tree_ref(own->entries);
	parse_maps_unref(old);
	*maps = own;
	return true;
}

bool parse_maps_replace(struct parse_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct parse_mapping *mapping)
{
	const struct parse_maps_entry put = { start, end, mapping };

	if (!make_own(maps) || !parse_range_tree_replace(&(*maps)->entries, &put))
		return false;
	(*maps)->n = parse_range_tree_n((*maps)->entries);
	/* The unwinder caches by id, so changed mappings must have a new one. */
	(*maps)->id = id;
	return true;
}

bool parse_maps_set_kernel_image(
	struct parse_maps **maps, uint64_t id, const struct parse_mapping *image)
{
	if (!make_own(maps))
		return false;
	(*maps)->kernel_image = image;
	(*maps)->id = id;
	return true;
}

bool parse_maps_set_jit(
	struct parse_maps **maps, uint64_t id, const struct parse_jit *jit, uint32_t epoch)
{
	if (!make_own(maps))
		return false;
	if (!jit || (*maps)->jit != jit) {
		(*maps)->older_jit = jit ? (*maps)->jit : NULL;
		(*maps)->older_jit_epoch = (*maps)->jit_epoch;
	}
	(*maps)->jit = jit;
	(*maps)->jit_epoch = epoch;
	(*maps)->id = id;
	return true;
}
