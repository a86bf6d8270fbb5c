#include "ledger/timeline.h"

void led_timeline_deinit(struct led_timeline *t)
{
	pd_vec_deinit(&t->ranges);
	base_spill_deinit(&t->phases);
	base_spill_deinit(&t->turns);
	pd_error_destroy(t->err);
	t->err = NULL;
}

struct pd_error *led_timeline_count(struct led_timeline *t, struct led_range range)
{
	struct led_range *last = t->ranges.n ? &t->ranges.data[t->ranges.n - 1] : NULL;

	if (last && range.from <= last->to) {
		if (range.to > last->to)
			last->to = range.to;
		return NULL;
	}
	return pd_vec_push(&t->ranges, range) ? NULL : &pd_enomem;
}

/* Index of the first range that ends after @p time. */
static size_t find_range(const struct led_timeline *t, uint64_t time)
{
	size_t low = 0, high = t->ranges.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->ranges.data[middle].to > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t led_timeline_ns(const struct led_timeline *t, uint64_t from, uint64_t to)
{
	uint64_t ns = 0;

	if (!t->ranges.n)
		return to > from ? to - from : 0;
	for (size_t i = find_range(t, from); i < t->ranges.n && t->ranges.data[i].from < to; i++)
		ns += led_range_ns(led_range_clip(&t->ranges.data[i], from, to));
	return ns;
}

struct led_range led_timeline_bounds(const struct led_timeline *t)
{
	if (!t->ranges.n)
		return (struct led_range){ 0, UINT64_MAX };
	return (struct led_range){ t->ranges.data[0].from, t->ranges.data[t->ranges.n - 1].to };
}

/* Number of elements, which have to be numbered by 32 bits. */
static bool is_full(const struct led_timeline *t, size_t n)
{
	return t->err || n >= LED_IDLE_TASK;
}

void led_timeline_add(struct led_timeline *t, const struct led_phase *phase, uint32_t *last)
{
	if (is_full(t, t->phases.n))
		return;
	t->err = base_spill_push(&t->phases, *phase);
	if (!t->err)
		*last = (uint32_t)t->phases.n;
}

void led_timeline_turn(struct led_timeline *t, uint64_t time, uint32_t task, uint32_t *last)
{
	const struct led_turn turn = { time, *last, task };

	if (!t->is_kept || is_full(t, t->turns.n))
		return;
	t->err = base_spill_push(&t->turns, turn);
	if (!t->err)
		*last = (uint32_t)t->turns.n;
}
