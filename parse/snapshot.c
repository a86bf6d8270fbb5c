#include "parse/snapshot.h"

#include <stdlib.h>

#include "parse/range_tree.h"

struct pd_maps *pd_maps_ref(struct pd_maps *maps)
{
	maps->refs++;
	return maps;
}

void pd_maps_unref(struct pd_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	pd_range_tree_unref(maps->entries);
	free(maps);
}

struct pd_maps *pd_maps_create(uint64_t id)
{
	struct pd_maps *maps = malloc(sizeof(*maps));

	if (maps)
		*maps = (struct pd_maps){ .id = id, .refs = 1 };
	return maps;
}

static const struct pd_maps_entry *find(const struct pd_maps *maps, uint64_t addr)
{
	const struct pd_maps_entry *entry = pd_range_tree_find(maps->entries, addr);

	return entry && entry->start <= addr ? entry : NULL;
}

const struct pd_mapping *pd_maps_find(const struct pd_maps *maps, uint64_t addr)
{
	const struct pd_maps_entry *entry = find(maps, addr);

	return entry ? entry->mapping : NULL;
}

const struct pd_mapping *pd_maps_find_before(const struct pd_maps *maps, uint64_t addr)
{
	const struct pd_maps_entry *entry = find(maps, addr);

	return entry && entry->start ? pd_maps_find(maps, entry->start - 1) : NULL;
}

const struct pd_maps_entry *pd_maps_first(const struct pd_maps *maps, uint64_t start, uint64_t end)
{
	const struct pd_maps_entry *entry = pd_range_tree_find(maps->entries, start);

	return entry && entry->start < end ? entry : NULL;
}

const struct pd_maps_entry *pd_maps_next(
	const struct pd_maps *maps, const struct pd_maps_entry *entry)
{
	return pd_range_tree_find(maps->entries, entry ? entry->end : 0);
}

/* Make the snapshot unshared. */
static bool make_own(struct pd_maps **maps)
{
	struct pd_maps *old = *maps;

	if (old->refs == 1)
		return true;
	struct pd_maps *own = malloc(sizeof(*own));
	if (!own)
		return false;
	*own = *old;
	own->refs = 1;
	pd_range_tree_ref(own->entries);
	pd_maps_unref(old);
	*maps = own;
	return true;
}

bool pd_maps_replace(struct pd_maps **maps, uint64_t id, uint64_t start, uint64_t end,
	const struct pd_mapping *mapping)
{
	const struct pd_maps_entry put = { start, end, mapping };

	if (!make_own(maps) || !pd_range_tree_replace(&(*maps)->entries, &put))
		return false;
	(*maps)->n = pd_range_tree_n((*maps)->entries);
	/* The unwinder caches by id, so changed mappings must have a new one. */
	(*maps)->id = id;
	return true;
}

bool pd_maps_set_kernel_image(struct pd_maps **maps, uint64_t id, const struct pd_mapping *image)
{
	if (!make_own(maps))
		return false;
	(*maps)->kernel_image = image;
	(*maps)->id = id;
	return true;
}

bool pd_maps_set_jit(struct pd_maps **maps, uint64_t id, const struct pd_jit *jit, uint32_t epoch)
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
