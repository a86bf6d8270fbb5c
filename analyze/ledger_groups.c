#include "analyze/ledger_groups.h"

#include <stdlib.h>

#include "base/containers/map.h"

static struct ana_ledger_group *find(struct ana_ledger_groups *groups, struct base_map *index,
	uint32_t key, const struct ana_ledger_group *fresh)
{
	bool is_new;
	uint64_t *at = base_map_add(index, key, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = groups->list.n;
		if (!pd_vec_push(&groups->list, *fresh))
			return NULL;
	}
	return &groups->list.data[*at];
}

static bool add(struct ana_ledger_groups *groups, struct base_map *index,
	const struct profile *profile, const struct prof_ledger_thread *row, enum ana_ledger_by by)
{
	const struct prof_thread *thread = prof_thread(profile, row->thread);
	bool is_process = by == ANA_BY_PROCESS;
	const struct ana_ledger_group fresh = {
		.pid = is_process ? thread->pid : 0,
		.name = is_process ? thread->comm : row->cgroup,
	};
	struct ana_ledger_group *group =
		find(groups, index, is_process ? thread->pid : row->cgroup.i, &fresh);

	if (!group)
		return false;
	if (is_process && thread->pid == thread->tid)
		group->name = thread->comm;
	group->n_threads++;
	group->life_ns += row->life_ns;
	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++)
		group->ns[i] += row->ns[i];
	return true;
}

/* The comparison ends with an identity. */
static int compare(const void *a, const void *b)
{
	const struct ana_ledger_group *x = a;
	const struct ana_ledger_group *y = b;

	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++) {
		if (x->ns[i] != y->ns[i])
			return x->ns[i] > y->ns[i] ? -1 : 1;
	}
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->name.i < y->name.i ? -1 : x->name.i > y->name.i;
}

struct pd_error *ana_ledger_groups_create(
	const struct profile *profile, enum ana_ledger_by by, struct ana_ledger_groups *ret)
{
	struct base_map index = { 0 };
	bool ok = true;

	*ret = (struct ana_ledger_groups){ 0 };
	for (size_t i = 0; ok && i < profile->ledger_threads.n; i++)
		ok = add(ret, &index, profile, &profile->ledger_threads.data[i], by);
	base_map_deinit(&index);
	if (!ok) {
		ana_ledger_groups_deinit(ret);
		return &pd_enomem;
	}
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare);
	return NULL;
}

void ana_ledger_groups_deinit(struct ana_ledger_groups *groups)
{
	pd_vec_deinit(&groups->list);
}
