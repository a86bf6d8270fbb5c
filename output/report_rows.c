#include "output/report_rows.h"

#include <string.h>

#include "base/text.h"

enum { MAX_NAME = 100 };

static const char *binary_base(const struct profile *profile, struct prof_binary_id binary)
{
	if (prof_is_none(binary))
		return "";
	return pd_base_name(profile_string(profile, profile_binary(profile, binary)->name));
}

/* Return the row of the function @p name in @p binary, or NULL if out of memory. */
static struct out_report_row *get_row(
	struct out_report_rows *r, const char *name, struct prof_binary_id binary)
{
	const struct out_report_row none = { .last_sample = prof_no_sample() };
	/* Functions of the same name in different binaries are different rows. */
	struct out_report_key key = {
		.name = pd_intern_str(&r->names, name),
		.binary = pd_intern_str(&r->names, binary_base(r->profile, binary)),
	};
	uint32_t id = pd_intern_add(&r->keys, &key, sizeof(key));

	if (key.name == PD_INTERN_NONE || key.binary == PD_INTERN_NONE || id == PD_INTERN_NONE ||
		(id == r->rows.n && !pd_vec_push(&r->rows, none)))
		return NULL;
	return &r->rows.data[id];
}

/* The parts of a sample that rows count. */
struct counted {
	struct prof_sample_id id;
	unsigned side;
	uint64_t period;
};

/* Count @p sample in @p row, which is NULL if it could not be allocated. */
static bool count(struct out_report_row *row, const struct counted *sample, bool is_leaf)
{
	if (!row)
		return false;
	if (is_leaf)
		row->self[sample->side] += sample->period;
	if (!prof_same_sample(row->last_sample, sample->id))
		row->total[sample->side] += sample->period;
	row->last_sample = sample->id;
	return true;
}

static bool count_frame(struct out_report_rows *r, const struct counted *sample,
	struct prof_frame_id id, bool is_leaf)
{
	const struct profile *profile = r->profile;
	const struct prof_frame *frame = profile_frame(profile, id);
	char unnamed[256];
	uint32_t n;
	const struct prof_line *lines = profile_frame_lines(profile, id, &n);

	if (!lines)
		return count(get_row(r, profile_unnamed(profile, frame, unnamed, sizeof(unnamed)),
				     frame->binary),
			sample, is_leaf);
	/* Inlined functions count like separate frames; the innermost one is the leaf. */
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = profile_function(profile, lines[i].function);

		if (!count(get_row(r, profile_string(profile, function->name), frame->binary),
			    sample, is_leaf && i == 0))
			return false;
	}
	return true;
}

static bool count_samples(struct out_report_rows *r, struct prof_event_id event)
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

		for (uint32_t k = 0; k < n && prof_same_event(sample->event, event); k++) {
			if (!count_frame(r, &counted, frames[k], k == 0))
				return false;
		}
	}
	return true;
}

struct pd_error *out_report_count(const struct profile *profile, const struct out_sides *sides,
	struct prof_event_id event, struct out_report_rows *ret)
{
	*ret = (struct out_report_rows){ .profile = profile, .sides = sides };
	bool ok = count_samples(ret, event);

	for (uint32_t i = 0; i < ret->rows.n && ok; i++)
		ok = pd_vec_push(&ret->order, i);
	if (ok)
		return NULL;
	out_report_rows_deinit(ret);
	return &pd_enomem;
}

void out_report_rows_deinit(struct out_report_rows *rows)
{
	pd_intern_deinit(&rows->names);
	pd_intern_deinit(&rows->keys);
	pd_vec_deinit(&rows->rows);
	pd_vec_deinit(&rows->order);
}

/* Write a name, truncated: names of template instances can be thousands of characters long. */
static void write_truncated(const char *name, FILE *out)
{
	char buf[MAX_NAME + 4];

	if (strlen(name) > MAX_NAME) {
		memcpy(buf, name, MAX_NAME);
		memcpy(buf + MAX_NAME, "...", 4);
		name = buf;
	}
	pd_text_write(out, name);
}

void out_report_write_name(const struct out_report_rows *rows, uint32_t row, FILE *out)
{
	const struct out_report_key *key = pd_intern_bytes(&rows->keys, row);
	const char *binary = pd_intern_bytes(&rows->names, key->binary);

	write_truncated(pd_intern_bytes(&rows->names, key->name), out);
	if (binary[0]) {
		fputs("  (", out);
		pd_text_write(out, binary);
		fputc(')', out);
	}
	fputc('\n', out);
}
