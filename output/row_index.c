#include "output/row_index.h"

#include <stdlib.h>

struct entry {
	struct prof_key key;
	struct prof_pcs_id chain;
};

struct out_row_index {
	/** By key. */
	PD_VEC(struct entry) list;
	/** Behind the one that was found last. */
	size_t next;
};

static int compare(const void *a, const void *b)
{
	const struct prof_key *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Of a record with several rows one is enough: they have the same chain. */
static bool add(struct out_row_index *index, const struct prof_key *key, struct prof_pcs_id chain)
{
	const struct entry entry = { *key, chain };
	size_t n = index->list.n;

	if (n && compare(&index->list.data[n - 1].key, key) == 0)
		return true;
	return pd_vec_push(&index->list, entry);
}

static bool add_all(struct out_row_index *index, const struct profile *profile)
{
	for (size_t i = 0; i < profile->rows.n; i++) {
		if (!add(index, &profile->rows.data[i].key, profile->rows.data[i].chain))
			return false;
	}
	for (size_t i = 0; i < profile->uncounted.n; i++) {
		if (!add(index, &profile->uncounted.data[i], prof_no_pcs()))
			return false;
	}
	return true;
}

struct pd_error *out_row_index_create(const struct profile *profile, struct out_row_index **ret)
{
	struct out_row_index *index = calloc(1, sizeof(*index));

	if (!index)
		return &pd_enomem;
	if (!add_all(index, profile)) {
		out_row_index_destroy(index);
		return &pd_enomem;
	}
	/* The key is the first member. */
	if (index->list.n)
		qsort(index->list.data, index->list.n, sizeof(*index->list.data), compare);
	*ret = index;
	return NULL;
}

void out_row_index_destroy(struct out_row_index *index)
{
	if (!index)
		return;
	pd_vec_deinit(&index->list);
	free(index);
}

static const struct entry *find(struct out_row_index *index, const struct prof_key *key)
{
	const struct entry *list = index->list.data;
	const struct entry *found = NULL;

	if (index->next < index->list.n && compare(key, &list[index->next]) == 0)
		found = &list[index->next];
	else if (index->list.n)
		found = bsearch(key, list, index->list.n, sizeof(*list), compare);
	if (found)
		index->next = (size_t)(found - list) + 1;
	return found;
}

bool out_row_index_find(
	struct out_row_index *index, const struct pd_record *rec, struct prof_pcs_id *chain_ret)
{
	const struct prof_key key = { rec->offset, rec->part, rec->ordinal };
	const struct entry *found = find(index, &key);

	if (!found)
		return false;
	*chain_ret = found->chain;
	return true;
}
