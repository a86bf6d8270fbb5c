#include "analyze/interval_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

static int compare(
	uint32_t a, uint32_t b, const struct prof_interval *x, const struct prof_interval *y)
{
	if (a != b)
		return a < b ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int compare_by_label(const void *a, const void *b)
{
	const struct prof_interval *x = *(const struct prof_interval *const *)a;
	const struct prof_interval *y = *(const struct prof_interval *const *)b;

	return compare(x->label.i, y->label.i, x, y);
}

static int compare_by_thread(const void *a, const void *b)
{
	const struct prof_interval *x = *(const struct prof_interval *const *)a;
	const struct prof_interval *y = *(const struct prof_interval *const *)b;

	return compare(x->thread.i, y->thread.i, x, y);
}

/* The comparison ends with an identity. */
static int compare_rows(const void *a, const void *b)
{
	const struct ana_interval_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->name.i != y->name.i)
		return x->name.i < y->name.i ? -1 : 1;
	return x->thread.i < y->thread.i ? -1 : x->thread.i > y->thread.i;
}

/* List the intervals of a kind. Allocated; NULL: no memory. */
static const struct prof_interval **list_kind(
	const struct profile *profile, uint32_t kind, size_t *n_ret)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->intervals.n; i++)
		n += profile->intervals.data[i].kind == kind;
	const struct prof_interval **list = base_calloc_n(n, sizeof(*list));
	*n_ret = 0;
	for (size_t i = 0; list && i < profile->intervals.n; i++) {
		if (profile->intervals.data[i].kind == kind)
			list[(*n_ret)++] = &profile->intervals.data[i];
	}
	return list;
}

/* The smallest time that @p percent of the sorted intervals do not exceed. */
static uint64_t percentile(const struct prof_interval *const *list, size_t n, unsigned percent)
{
	size_t rank = (n * percent + 99) / 100;

	return list[rank ? rank - 1 : 0]->ns;
}

/* Sum up intervals of one label or thread, which are sorted. */
static struct ana_interval_row sum_up(const struct profile *profile,
	const struct prof_interval *const *list, size_t n, enum ana_intervals_by by)
{
	const struct prof_interval *one = list[0];
	struct ana_interval_row row = {
		/* The label of an interval, or else the name of its kind. */
		.name = prof_is_none(one->label) ? profile->interval_kinds.data[one->kind].name
						 : one->label,
		.thread = by == ANA_INTERVALS_BY_THREAD ? one->thread : prof_no_thread(),
		.n = n,
		.p50 = percentile(list, n, 50),
		.p99 = percentile(list, n, 99),
		.max = list[n - 1]->ns,
	};

	if (by == ANA_INTERVALS_BY_THREAD)
		row.name = prof_no_string();
	for (size_t i = 0; i < n; i++) {
		row.total += list[i]->ns;
		row.n_failed += list[i]->has_failed;
	}
	return row;
}

static uint32_t id_of(const struct prof_interval *interval, enum ana_intervals_by by)
{
	return by == ANA_INTERVALS_BY_NAME ? interval->label.i : interval->thread.i;
}

struct pd_error *ana_interval_rows_create(const struct profile *profile, uint32_t kind,
	enum ana_intervals_by by, struct ana_interval_rows *ret)
{
	size_t n, first = 0;
	_cleanup_free_ const struct prof_interval **list = list_kind(profile, kind, &n);

	*ret = (struct ana_interval_rows){ .n = list ? n : 0 };
	if (!list)
		return &pd_enomem;
	qsort(list, n, sizeof(*list),
		by == ANA_INTERVALS_BY_NAME ? compare_by_label : compare_by_thread);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && id_of(list[i], by) == id_of(list[first], by))
			continue;
		const struct ana_interval_row row = sum_up(profile, &list[first], i - first, by);
		if (!pd_vec_push(&ret->list, row)) {
			ana_interval_rows_deinit(ret);
			return &pd_enomem;
		}
		first = i;
	}
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_rows);
	return NULL;
}

void ana_interval_rows_deinit(struct ana_interval_rows *rows)
{
	pd_vec_deinit(&rows->list);
}
