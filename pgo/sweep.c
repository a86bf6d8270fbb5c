#include "pgo/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int compare_ends(const void *a, const void *b)
{
	const struct pgo_run *x = a, *y = b;

	return (x->last > y->last) - (x->last < y->last);
}

struct pd_error *pgo_sweep_init(const struct pgo_image *image, struct pgo_sweep *ret)
{
	size_t n = image->runs.n;

	*ret = (struct pgo_sweep){ .image = image, .ends = base_calloc_n(n, sizeof(*ret->ends)) };
	if (!ret->ends)
		return &pd_enomem;
	if (!n)
		return NULL;
	memcpy(ret->ends, image->runs.data, n * sizeof(*ret->ends));
	qsort(ret->ends, n, sizeof(*ret->ends), compare_ends);
	return NULL;
}

void pgo_sweep_deinit(struct pgo_sweep *sweep)
{
	free(sweep->ends);
}

void pgo_sweep_to(struct pgo_sweep *s, uint64_t addr)
{
	while (s->start < s->image->runs.n && s->image->runs.data[s->start].start <= addr)
		s->n += s->image->runs.data[s->start++].n;
	while (s->end < s->start && s->ends[s->end].last < addr)
		s->n -= s->ends[s->end++].n;
}

uint64_t pgo_sweep_next(const struct pgo_sweep *s)
{
	size_t n = s->image->runs.n;
	uint64_t start = s->start < n ? s->image->runs.data[s->start].start : UINT64_MAX;
	uint64_t last = s->end < n ? s->ends[s->end].last : UINT64_MAX;

	return start <= last || last == UINT64_MAX ? start : last + 1;
}
