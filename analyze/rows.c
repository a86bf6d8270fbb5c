#include "analyze/rows.h"

static bool add_row(struct ana_rows *rows)
{
	for (size_t i = 0; i < rows->n_columns; i++) {
		if (!pd_vec_push(&rows->cells, ((struct ana_cell){ 0 })))
			return false;
	}
	rows->n++;
	return true;
}

bool ana_rows_expect(struct ana_rows *rows, size_t n)
{
	while (rows->n < n) {
		if (!add_row(rows))
			return false;
	}
	return true;
}

static bool find_row(
	struct ana_rows *rows, const struct ana_hit *hit, uint32_t place, uint32_t *ret)
{
	const struct ana_row_id id = { hit->part, place };

	switch (rows->kind) {
	case ANA_ROWS_BY_PLACE:
		*ret = place;
		return true;
	case ANA_ROWS_BY_PART:
		*ret = hit->part;
		return ana_rows_expect(rows, (size_t)*ret + 1);
	case ANA_ROWS_BY_BOTH:
		break;
	}
	*ret = base_intern_add(&rows->ids, &id, sizeof(id));
	return *ret != PD_INTERN_NONE && ana_rows_expect(rows, (size_t)*ret + 1);
}

static void add_value(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

static bool count(struct ana_rows *rows, const struct ana_hit *hit, uint32_t place, bool is_leaf)
{
	uint32_t row;

	if (!find_row(rows, hit, place, &row))
		return false;
	struct ana_cell *cell = &rows->cells.data[row * rows->n_columns + hit->column];
	if (is_leaf)
		add_value(&cell->self, &hit->value);
	if (cell->last != rows->n_added)
		add_value(&cell->total, &hit->value);
	cell->last = rows->n_added;
	return true;
}

/* Count the places of a frame. Inlined functions count like separate frames. */
static bool count_frame(
	struct ana_rows *rows, const struct ana_hit *hit, struct prof_frame_id id, bool is_leaf)
{
	uint32_t n;
	const uint32_t *places = ana_places_at(rows->places, id, &n);

	for (uint32_t i = 0; i < (rows->has_leaf_only ? 1 : n); i++) {
		if (!count(rows, hit, places[i], is_leaf && i == 0))
			return false;
	}
	return true;
}

bool ana_rows_add(struct ana_rows *rows, const struct ana_hit *hit)
{
	uint32_t n = rows->has_leaf_only && hit->n_frames ? 1 : hit->n_frames;

	rows->n_added++;
	if (rows->kind == ANA_ROWS_BY_PART)
		return count(rows, hit, PROF_NONE, true);
	if (!n)
		return hit->no_place == PROF_NONE || count(rows, hit, hit->no_place, true);
	for (uint32_t i = 0; i < n; i++) {
		if (!count_frame(rows, hit, hit->frames[i], i == 0))
			return false;
	}
	return true;
}

void ana_rows_deinit(struct ana_rows *rows)
{
	pd_vec_deinit(&rows->cells);
	base_intern_deinit(&rows->ids);
}

bool ana_rows_occurs(const struct ana_rows *rows, uint32_t row)
{
	const struct ana_cell *cells = ana_rows_at(rows, row);

	for (size_t i = 0; i < rows->n_columns; i++) {
		if (cells[i].last)
			return true;
	}
	return false;
}

static bool count_functions(
	struct ana_rows *rows, const struct profile *profile, const uint32_t *columns)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		struct ana_hit hit = {
			.no_place = PROF_NONE,
			.column = columns[id.i],
			.value = *prof_value(profile, id),
		};

		if (columns[id.i] == PROF_NONE)
			continue;
		hit.frames = prof_stack(profile, prof_sample(profile, id)->stack, &hit.n_frames);
		if (!ana_rows_add(rows, &hit))
			return false;
	}
	return true;
}

struct pd_error *ana_rows_of_functions(const struct profile *profile,
	const struct ana_symbols *symbols, const uint32_t *columns, size_t n_columns,
	struct ana_rows *ret)
{
	*ret = (struct ana_rows){ .places = &symbols->places, .n_columns = n_columns };
	if (ana_rows_expect(ret, symbols->list.n) && count_functions(ret, profile, columns))
		return NULL;
	ana_rows_deinit(ret);
	return &pd_enomem;
}
