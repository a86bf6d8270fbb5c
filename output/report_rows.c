#include "output/report_rows.h"

/* The parts of a sample that rows count. */
struct counted {
	struct prof_sample_id id;
	unsigned side;
	uint64_t period;
};

static void count(struct out_report_row *row, const struct counted *sample, bool is_leaf)
{
	if (is_leaf)
		row->self[sample->side] += sample->period;
	if (!prof_same_sample(row->last_sample, sample->id))
		row->total[sample->side] += sample->period;
	row->last_sample = sample->id;
}

/* Count the symbols of a frame. Inlined functions count like separate frames. */
static void count_frame(struct out_report_rows *r, const struct counted *sample,
	struct prof_frame_id id, bool is_leaf)
{
	uint32_t n;
	const uint32_t *symbols = prof_symbols_at(r->symbols, id, &n);

	for (uint32_t i = 0; i < n; i++)
		count(&r->rows.data[symbols[i]], sample, is_leaf && i == 0);
}

static void count_samples(struct out_report_rows *r, struct prof_event_id event)
{
	for (struct prof_sample_id id = { 0 }; id.i < r->profile->samples.n; id.i++) {
		const struct prof_sample *sample = profile_sample(r->profile, id);
		const struct counted counted = {
			.id = id,
			.side = out_side(r->profile, r->sides, sample),
			.period = profile_value(r->profile, id)->period,
		};
		uint32_t n;
		const struct prof_frame_id *frames = profile_stack(r->profile, sample->stack, &n);

		for (uint32_t k = 0; k < n && prof_same_event(sample->event, event); k++)
			count_frame(r, &counted, frames[k], k == 0);
	}
}

static bool add_rows(struct out_report_rows *r)
{
	const struct out_report_row none = { .last_sample = prof_no_sample() };

	for (size_t i = 0; i < r->symbols->list.n; i++) {
		if (!pd_vec_push(&r->rows, none))
			return false;
	}
	return true;
}

static bool list_rows(struct out_report_rows *r)
{
	for (uint32_t i = 0; i < r->rows.n; i++) {
		bool occurs = !prof_is_none(r->rows.data[i].last_sample);

		if (occurs && !pd_vec_push(&r->order, i))
			return false;
	}
	return true;
}

struct pd_error *out_report_count(const struct profile *profile, const struct prof_symbols *symbols,
	const struct out_sides *sides, struct prof_event_id event, struct out_report_rows *ret)
{
	*ret = (struct out_report_rows){ .profile = profile, .symbols = symbols, .sides = sides };
	bool ok = add_rows(ret);

	if (ok) {
		count_samples(ret, event);
		ok = list_rows(ret);
	}
	if (ok)
		return NULL;
	out_report_rows_deinit(ret);
	return &pd_enomem;
}

void out_report_rows_deinit(struct out_report_rows *rows)
{
	pd_vec_deinit(&rows->rows);
	pd_vec_deinit(&rows->order);
}
