#include "annotate/arrows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
/*
 * Rows that an arrow may pass. Longer ones do not show where a jump leads, and damaged code may
 * have very many of them.
 */
enum { MAX_LENGTH = 1000 };

/* Jumps to one target share an arrow. */
struct arrow {
	uint32_t first;
	uint32_t last;
	uint32_t target;
};

struct drawing {
	const struct ann_listing *listing;
	PD_VEC(struct arrow) arrows;
	/** Index in arrows + 1 by the row of the target. */
	uint32_t *by_target;
	/** For each lane and row: index in arrows + 1 of the arrow that passes, or 0. */
	uint32_t *lanes;
	size_t n_lanes;
};

/* Whether the jump of row @p i has an arrow. */
static bool is_drawn(const struct drawing *d, uint32_t i)
{
	const struct ann_row *row = &d->listing->rows.data[i];

	if (row->branch != ANN_BRANCH_JUMP || row->target_row == ANN_NO_ROW)
		return false;
	uint32_t length = row->target_row > i ? row->target_row - i : i - row->target_row;
	return length && length <= MAX_LENGTH;
}

static struct pd_error *list_arrows(struct drawing *d)
{
	for (uint32_t i = 0; i < d->listing->rows.n; i++) {
		const struct ann_row *row = &d->listing->rows.data[i];

		if (!is_drawn(d, i))
			continue;
		uint32_t *number = &d->by_target[row->target_row];
		if (!*number) {
			struct arrow arrow = { row->target_row, row->target_row, row->target_row };

			if (!pd_vec_push(&d->arrows, arrow))
				return &pd_enomem;
			*number = (uint32_t)d->arrows.n;
		}
		struct arrow *arrow = &d->arrows.data[*number - 1];
		arrow->first = i < arrow->first ? i : arrow->first;
		arrow->last = i > arrow->last ? i : arrow->last;
	}
	return NULL;
}

/* Short arrows first, so that they get the inner lanes. */
static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	uint32_t m = x->last - x->first, n = y->last - y->first;

	if (m != n)
		return m < n ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static bool is_free(const uint32_t *lane, const struct arrow *arrow)
{
	for (uint32_t i = arrow->first; i <= arrow->last; i++) {
		if (lane[i])
			return false;
	}
	return true;
}

static void assign_lanes(struct drawing *d)
{
	size_t n = d->listing->rows.n;

	for (uint32_t k = 0; k < d->arrows.n; k++) {
		const struct arrow *arrow = &d->arrows.data[k];
		size_t lane = 0;

		while (lane < ANN_MAX_LANES && !is_free(&d->lanes[lane * n], arrow))
			lane++;
		if (lane == ANN_MAX_LANES)
			continue;
		for (uint32_t i = arrow->first; i <= arrow->last; i++)
			d->lanes[lane * n + i] = k + 1;
		d->n_lanes = lane >= d->n_lanes ? lane + 1 : d->n_lanes;
	}
}

/* The character of a lane in row @p i of the arrow: a corner, a branch or a line. */
static char mark_of(const struct arrow *arrow, uint32_t i, bool is_end)
{
	if (i == arrow->first)
		return '/';
	if (i == arrow->last)
		return '\\';
	return is_end ? '+' : '|';
}

static void draw_row(const struct drawing *d, uint32_t i, size_t width, char *cells)
{
	const struct ann_row *row = &d->listing->rows.data[i];
	size_t n = d->listing->rows.n;
	bool has_begun = false, is_target = false;

	/* From the outer lane on the left to the inner one: a line goes on to the text. */
	for (size_t lane = d->n_lanes; lane-- > 0;) {
		uint32_t number = d->lanes[lane * n + i];
		const struct arrow *arrow = number ? &d->arrows.data[number - 1] : NULL;
		char *cell = cells + 2 * (d->n_lanes - 1 - lane);
		bool is_end =
			arrow && (arrow->target == i ||
					 (is_drawn(d, i) && row->target_row == arrow->target));

		cell[0] = cell[1] = has_begun ? '-' : ' ';
		if (arrow && (is_end || !has_begun))
			cell[0] = mark_of(arrow, i, is_end);
		if (!is_end)
			continue;
		has_begun = true;
		cell[1] = '-';
		is_target |= arrow->target == i;
	}
	memset(cells + width - 2, ' ', 2);
	if (has_begun)
		cells[width - 2] = is_target ? '>' : '-';
}

static struct pd_error *draw(struct drawing *d, struct ann_arrows *ret)
{
	size_t n = d->listing->rows.n;

	d->by_target = base_calloc_n(n, sizeof(*d->by_target));
	d->lanes = base_calloc_n(n, ANN_MAX_LANES * sizeof(*d->lanes));
	if (!d->by_target || !d->lanes)
		return &pd_enomem;
	struct pd_error *err = list_arrows(d);
	if (err || !d->arrows.n)
		return err;
	qsort(d->arrows.data, d->arrows.n, sizeof(*d->arrows.data), compare_arrows);
	assign_lanes(d);
	ret->width = 2 * d->n_lanes + 2;
	ret->cells = malloc(n * ret->width + 1);
	if (!ret->cells)
		return &pd_enomem;
	for (uint32_t i = 0; i < n; i++)
		draw_row(d, i, ret->width, ret->cells + i * ret->width);
	return NULL;
}

struct pd_error *ann_arrows_create(const struct ann_listing *listing, struct ann_arrows *ret)
{
	struct drawing d = { .listing = listing };

	*ret = (struct ann_arrows){ 0 };
	struct pd_error *err = draw(&d, ret);
	pd_vec_deinit(&d.arrows);
	free(d.by_target);
	free(d.lanes);
	return err;
}

void ann_arrows_deinit(struct ann_arrows *arrows)
{
	free(arrows->cells);
	*arrows = (struct ann_arrows){ 0 };
}
