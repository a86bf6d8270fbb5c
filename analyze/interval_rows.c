#include "analyze/interval_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/sort.h"

/* An interval and what it is summed up by: a string, a thread or a path. */
struct keyed {
	uint32_t key;
	const struct prof_interval *interval;
};

struct summing {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	enum ana_intervals_by by;
	struct ana_interval_rows *rows;
	/** The symbols of a stack. */
	PD_VEC(uint32_t) path;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return base_compare_u32(x->key, y->key);
	return base_compare_u64(x->interval->ns, y->interval->ns);
}

/* The comparison ends with an identity. */
static int compare_rows(const void *a, const void *b)
{
	const struct ana_interval_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->name.i != y->name.i)
		return x->name.i < y->name.i ? -1 : 1;
	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x->thread.i < y->thread.i ? -1 : x->thread.i > y->thread.i;
}

static bool is_kernel(const struct profile *profile, struct prof_frame_id id)
{
	struct prof_binary_id binary = prof_frame(profile, id)->binary;

	return !prof_is_none(binary) && prof_binary(profile, binary)->is_kernel;
}

/* Number of frames of the kernel below which the program is. */
static uint32_t n_kernel_frames(
	const struct profile *profile, const struct prof_frame_id *frames, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!is_kernel(profile, frames[i]))
			return i;
	}
	return 0;
}

/* Number of the path of a stack. PD_INTERN_NONE: no memory. */
static uint32_t path_of(struct summing *s, struct prof_stack_id stack)
{
	uint32_t n_frames, n;
	const struct prof_frame_id *frames = prof_stack(s->profile, stack, &n_frames);

	s->path.n = 0;
	for (uint32_t i = n_kernel_frames(s->profile, frames, n_frames); i < n_frames; i++) {
		const uint32_t *symbols = ana_symbols_at(s->symbols, frames[i], &n);

		for (uint32_t k = 0; k < n; k++) {
			if (!pd_vec_push(&s->path, symbols[k]))
				return PD_INTERN_NONE;
		}
	}
	return base_intern_add(&s->rows->paths, s->path.data, s->path.n * sizeof(*s->path.data));
}

/* Whether the interval counts, and by what. False with PD_INTERN_NONE: no memory. */
static bool find_key(struct summing *s, const struct prof_interval *interval, uint32_t *ret)
{
	uint32_t n_frames;

	switch (s->by) {
	case ANA_INTERVALS_BY_NAME:
		*ret = interval->label.i;
		return true;
	case ANA_INTERVALS_BY_THREAD:
		*ret = interval->thread.i;
		return true;
	default:
		*ret = 0;
		if (prof_is_none(interval->stack))
			return false;
		prof_stack(s->profile, interval->stack, &n_frames);
		if (!n_frames)
			return false;
		*ret = path_of(s, interval->stack);
		return *ret != PD_INTERN_NONE;
	}
}

/* List the intervals of a kind that count. Allocated; NULL: no memory. */
static struct keyed *list_kind(struct summing *s, uint32_t kind, size_t *n_ret)
{
	const struct profile *profile = s->profile;
	size_t n = 0;

	for (size_t i = 0; i < profile->intervals.n; i++)
		n += profile->intervals.data[i].kind == kind;
	struct keyed *list = base_calloc_n(n, sizeof(*list));
	*n_ret = 0;
	for (size_t i = 0; list && i < profile->intervals.n; i++) {
		const struct prof_interval *interval = &profile->intervals.data[i];
		uint32_t key;

		if (interval->kind != kind)
			continue;
		if (find_key(s, interval, &key))
			list[(*n_ret)++] = (struct keyed){ key, interval };
		else if (key == PD_INTERN_NONE)
			free(take_ptr(list));
	}
	return list;
}

/* The smallest time that @p percent of the sorted intervals do not exceed. */
static uint64_t percentile(const struct keyed *list, size_t n, unsigned percent)
{
	size_t rank = (n * percent + 99) / 100;

	return list[rank ? rank - 1 : 0].interval->ns;
}

/* The label of an interval, or else the name of its kind. */
static struct prof_string_id name_of(
	const struct profile *profile, const struct prof_interval *interval)
{
	return prof_is_none(interval->label) ? profile->interval_kinds.data[interval->kind].name
					     : interval->label;
}

/* Sum up intervals of one key, which are sorted. */
static struct ana_interval_row sum_up(const struct summing *s, const struct keyed *list, size_t n)
{
	const struct prof_interval *one = list[0].interval;
	struct ana_interval_row row = {
		.name = s->by == ANA_INTERVALS_BY_NAME ? name_of(s->profile, one)
						       : prof_no_string(),
		.thread = s->by == ANA_INTERVALS_BY_THREAD ? one->thread : prof_no_thread(),
		.path = s->by == ANA_INTERVALS_BY_STACK ? list[0].key : PD_INTERN_NONE,
		.n = n,
		.p50 = percentile(list, n, 50),
		.p99 = percentile(list, n, 99),
		.max = list[n - 1].interval->ns,
	};

	for (size_t i = 0; i < n; i++) {
		row.total += list[i].interval->ns;
		row.n_failed += list[i].interval->has_failed;
	}
	return row;
}

static bool add_rows(const struct summing *s, const struct keyed *list, size_t n)
{
	size_t first = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i < n && list[i].key == list[first].key)
			continue;
		const struct ana_interval_row row = sum_up(s, &list[first], i - first);
		if (!pd_vec_push(&s->rows->list, row))
			return false;
		first = i;
	}
	return true;
}

struct pd_error *ana_interval_rows_create(const struct profile *profile,
	const struct ana_symbols *symbols, uint32_t kind, enum ana_intervals_by by,
	struct ana_interval_rows *ret)
{
	struct summing s = { .profile = profile, .symbols = symbols, .by = by, .rows = ret };
	size_t n;

	*ret = (struct ana_interval_rows){ 0 };
	_cleanup_free_ struct keyed *list = list_kind(&s, kind, &n);
	pd_vec_deinit(&s.path);
	if (list) {
		qsort(list, n, sizeof(*list), compare_keyed);
		ret->n = n;
	}
	if (!list || !add_rows(&s, list, n)) {
		ana_interval_rows_deinit(ret);
		return &pd_enomem;
	}
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_rows);
	return NULL;
}

const uint32_t *ana_interval_path(
	const struct ana_interval_rows *rows, uint32_t path, uint32_t *n_ret)
{
	*n_ret = base_intern_len(&rows->paths, path) / sizeof(uint32_t);
	return base_intern_bytes(&rows->paths, path);
}

void ana_interval_rows_deinit(struct ana_interval_rows *rows)
{
	pd_vec_deinit(&rows->list);
	base_intern_deinit(&rows->paths);
}
