#include "analyze/waits/delay_classes.h"

#include <stdlib.h>

#include "base/array.h"

static void add(struct ana_delay_class *to, const struct prof_ledger_delay *delay)
{
	to->n++;
	to->ns += delay->ns;
	to->idle_ns += delay->idle_ns;
}

static unsigned class_of(uint64_t ns)
{
	return ns ? 63u - (unsigned)__builtin_clzll(ns) : 0;
}

/* Whether delay @p a of the list comes before @p b: it is longer, or as long and earlier. */
static bool precedes(const struct profile *profile, uint32_t a, uint32_t b)
{
	uint64_t x = profile->ledger_delays.data[a].ns, y = profile->ledger_delays.data[b].ns;

	return x != y ? x > y : a < b;
}

/* Let the last one of a heap, whose first one is the least of the longest, move to its place. */
static void sift_down(const struct profile *profile, uint32_t *heap, size_t n, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		uint32_t moved = heap[at];

		if (child + 1 < n && precedes(profile, heap[child], heap[child + 1]))
			child++;
		if (!precedes(profile, moved, heap[child]))
			return;
		heap[at] = heap[child];
		heap[child] = moved;
	}
}

static void find_longest(const struct profile *profile, struct ana_delays *ret)
{
	uint32_t *heap = ret->longest;
	size_t n = ret->n_longest;

	for (uint32_t i = 0; i < n; i++)
		heap[i] = i;
	for (size_t i = n / 2; i-- > 0;)
		sift_down(profile, heap, n, i);
	for (uint32_t i = (uint32_t)n; n && i < profile->ledger_delays.n; i++) {
		base_spill_pass(&profile->ledger_delays, i);
		if (!precedes(profile, i, heap[0]))
			continue;
		heap[0] = i;
		sift_down(profile, heap, n, 0);
	}
	/* The least one goes to the end of what is left. */
	while (n > 1) {
		uint32_t least = heap[0];

		heap[0] = heap[--n];
		heap[n] = least;
		sift_down(profile, heap, n, 0);
	}
}

struct pd_error *ana_delays_count(const struct profile *profile, size_t n, struct ana_delays *ret)
{
	*ret = (struct ana_delays){ 0 };
	for (size_t i = 0; i < profile->ledger_delays.n; i++) {
		const struct prof_ledger_delay *delay = &profile->ledger_delays.data[i];

		base_spill_pass(&profile->ledger_delays, i);
		add(&ret->classes[class_of(delay->ns)], delay);
		add(&ret->all, delay);
		ret->n_after[delay->after]++;
	}
	ret->n_longest = n < profile->ledger_delays.n ? n : profile->ledger_delays.n;
	ret->longest = base_calloc_n(ret->n_longest, sizeof(*ret->longest));
	if (!ret->longest)
		return &pd_enomem;
	find_longest(profile, ret);
	return NULL;
}

void ana_delays_deinit(struct ana_delays *delays)
{
	free(delays->longest);
}
