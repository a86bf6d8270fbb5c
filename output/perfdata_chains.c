#include "output/perfdata_chains.h"

#include <stdlib.h>

struct entry {
	struct prof_key key;
	struct prof_pcs_id chain;
};

struct perfdata_chains {
	/** Sorted by key. */
	PD_VEC(struct entry) list;
	/** Index of the entry after the one that was found last: the next one in file order. */
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

/* Add an entry. A record with the counters of a group has several rows, which share a chain. */
static bool add(
	struct perfdata_chains *chains, const struct prof_key *key, struct prof_pcs_id chain)
{
	const struct entry entry = { *key, chain };
	size_t n = chains->list.n;

	if (n && compare(&chains->list.data[n - 1].key, key) == 0)
		return true;
	return pd_vec_push(&chains->list, entry);
}

static bool add_all(struct perfdata_chains *chains, const struct profile *profile)
{
	for (size_t i = 0; i < profile->rows.n; i++) {
		if (!add(chains, &profile->rows.data[i].key, profile->rows.data[i].chain))
			return false;
	}
	/* Samples whose counters had not changed have no row, but their records are kept. */
	for (size_t i = 0; i < profile->uncounted.n; i++) {
		if (!add(chains, &profile->uncounted.data[i], prof_no_pcs()))
			return false;
	}
	return true;
}

struct pd_error *perfdata_chains_create(const struct profile *profile, struct perfdata_chains **ret)
{
	struct perfdata_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &pd_enomem;
	if (!add_all(chains, profile)) {
		perfdata_chains_destroy(chains);
		return &pd_enomem;
	}
	/* The key is the first member, so an entry compares like its key. */
	if (chains->list.n)
		qsort(chains->list.data, chains->list.n, sizeof(*chains->list.data), compare);
	*ret = chains;
	return NULL;
}

void perfdata_chains_destroy(struct perfdata_chains *chains)
{
	if (!chains)
		return;
	pd_vec_deinit(&chains->list);
	free(chains);
}

/*
 * Find an entry. Records come in file order, except for those of a directory, whose parts are
 * merged by time: usually the next entry is the right one, and the binary search is the exception.
 */
static const struct entry *find(struct perfdata_chains *chains, const struct prof_key *key)
{
	const struct entry *list = chains->list.data;
	const struct entry *found = NULL;

	if (chains->next < chains->list.n && compare(key, &list[chains->next]) == 0)
		found = &list[chains->next];
	else if (chains->list.n)
		found = bsearch(key, list, chains->list.n, sizeof(*list), compare);
	if (found)
		chains->next = (size_t)(found - list) + 1;
	return found;
}

bool perfdata_chains_find(
	struct perfdata_chains *chains, const struct pd_record *rec, struct prof_pcs_id *chain_ret)
{
	const struct prof_key key = { rec->offset, rec->part, rec->ordinal };
	const struct entry *found = find(chains, &key);

	if (!found)
		return false;
	*chain_ret = found->chain;
	return true;
}
