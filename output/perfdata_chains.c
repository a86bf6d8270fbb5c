#include "output/perfdata_chains.h"

#include <stdlib.h>

#include "base/merge_sort.h"
#include "base/spill.h"

struct entry {
	struct prof_key key;
	struct prof_pcs_id chain;
};

struct perfdata_chains {
	/** Sorted by key. */
	PD_SPILL_VEC(struct entry) list;
	/** An entry was added after one with a larger key. */
	bool needs_sort;
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

/* The key is the first member, so an entry compares like its key. */
static bool is_before(const void *a, const void *b)
{
	return compare(a, b) < 0;
}

static const struct pd_merge_order by_key = { sizeof(struct entry), is_before };

/* Add an entry. A record with the counters of a group has several rows, which share a chain. */
static struct pd_error *add(
	struct perfdata_chains *chains, const struct prof_key *key, struct prof_pcs_id chain)
{
	const struct entry entry = { *key, chain };
	size_t n = chains->list.n;

	if (n && compare(&chains->list.data[n - 1].key, key) == 0)
		return NULL;
	chains->needs_sort |= n && compare(&chains->list.data[n - 1].key, key) > 0;
	return pd_spill_push(&chains->list, entry);
}

static struct pd_error *add_all(struct perfdata_chains *chains, const struct profile *profile)
{
	for (size_t i = 0; i < profile->origins.n; i++) {
		const struct prof_origin *origin = &profile->origins.data[i];
		struct pd_error *err = add(chains, &origin->key, origin->chain);

		if (err)
			return err;
		pd_spill_pass(&profile->origins, i);
	}
	/* Samples whose counters had not changed have no row, but their records are kept. */
	for (size_t i = 0; i < profile->uncounted.n; i++) {
		struct pd_error *err = add(chains, &profile->uncounted.data[i], prof_no_pcs());

		if (err)
			return err;
		pd_spill_pass(&profile->uncounted, i);
	}
	return NULL;
}

/*
 * Rows are in order of time. A recording without rounds, or of one CPU, is in the order of the file
 * then; others consist of ascending runs. Merging those reads and writes in order, which is what a
 * list in a file needs.
 */
static struct pd_error *sort(struct perfdata_chains *chains)
{
	PD_SPILL_VEC(struct entry) scratch = { .spill.max_bytes = chains->list.spill.max_bytes };
	size_t n = chains->list.n;

	if (!chains->needs_sort)
		return NULL;
	struct pd_error *err = pd_spill_reserve(&scratch, n);
	if (!err)
		pd_merge_sort(chains->list.data, scratch.data, n, &by_key);
	pd_spill_deinit(&scratch);
	return err;
}

struct pd_error *perfdata_chains_create(const struct profile *profile, struct perfdata_chains **ret)
{
	struct perfdata_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &pd_enomem;
	chains->list.spill.max_bytes = profile->rows.spill.max_bytes;
	struct pd_error *err = add_all(chains, profile);
	if (!err)
		err = sort(chains);
	if (err) {
		perfdata_chains_destroy(chains);
		return err;
	}
	*ret = chains;
	return NULL;
}

void perfdata_chains_destroy(struct perfdata_chains *chains)
{
	if (!chains)
		return;
	pd_spill_deinit(&chains->list);
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
	pd_spill_pass(&chains->list, chains->next);
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
