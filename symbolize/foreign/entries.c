#include "symbolize/foreign/entries.h"

void sym_entries_deinit(struct sym_entries *entries)
{
	base_intern_deinit(&entries->keys);
	pd_vec_deinit(&entries->known);
}

struct pd_error *sym_entries_append(struct sym_entries *entries, const void *key, size_t len)
{
	uint32_t index = entries->n++;
	uint32_t id = base_intern_add(&entries->keys, key, len);

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	/* References to equal entries are to the first one. */
	if (id < entries->known.n)
		return NULL;
	return pd_vec_push(&entries->known, index) ? NULL : &pd_enomem;
}

struct pd_error *sym_entries_find(
	struct sym_entries *entries, const char *path, const void *key, size_t len, uint32_t *ret)
{
	uint32_t id = base_intern_add(&entries->keys, key, len);
	uint32_t first = sym_entries_first_added(entries);

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	if (id < first) {
		*ret = entries->known.data[id];
		return NULL;
	}
	if (id - first > INT32_MAX - entries->n)
		return pd_error_create(PD_ERROR_FORMAT, path, "no indexes are left for names");
	*ret = entries->n + (id - first);
	return NULL;
}
