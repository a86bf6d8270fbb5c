#include "annotate/marks.h"

#include <stdlib.h>

/* Collection of the marks in an extent. */
struct marking {
	uint64_t bias;
	const struct sym_code_extent *extent;
	struct ann_marks *marks;
	/** Last mark at the start of the extent or before it. */
	struct sym_mark first;
	bool has_failed;
};

/* Order of marks: by address; at the same address a mapping symbol follows, and so decides. */
static bool precedes(const struct sym_mark *a, const struct sym_mark *b)
{
	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr;
	return a->is_mapping < b->is_mapping;
}

static void take_mark(void *ctx, const struct sym_mark *mark)
{
	struct marking *marking = ctx;
	struct sym_mark own = *mark;

	own.vaddr += marking->bias;
	if (own.vaddr >= marking->extent->end)
		return;
	if (own.vaddr > marking->extent->start)
		marking->has_failed |= !pd_vec_push(&marking->marks->list, own);
	else if (!precedes(&own, &marking->first))
		marking->first = own;
}

static int compare_marks(const void *a, const void *b)
{
	return precedes(b, a) - precedes(a, b);
}

struct pd_error *ann_marks_create(const struct sym_binary *binary, uint64_t bias,
	const struct sym_code_extent *extent, struct ann_marks *ret)
{
	struct marking marking = { .bias = bias, .extent = extent, .marks = ret };

	*ret = (struct ann_marks){ 0 };
	if (binary)
		sym_binary_visit_marks(binary, take_mark, &marking);
	if (marking.has_failed || !pd_vec_push(&ret->list, marking.first)) {
		ann_marks_deinit(ret);
		return &pd_enomem;
	}
	qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_marks);
	return NULL;
}

void ann_marks_deinit(struct ann_marks *marks)
{
	pd_vec_deinit(&marks->list);
}

enum sym_code_kind ann_marks_kind(
	const struct ann_marks *marks, uint64_t addr, size_t *at, uint64_t *end_ret)
{
	while (*at + 1 < marks->list.n && marks->list.data[*at + 1].vaddr <= addr)
		++*at;
	*end_ret = *at + 1 < marks->list.n ? marks->list.data[*at + 1].vaddr : UINT64_MAX;
	return marks->list.data[*at].kind;
}
