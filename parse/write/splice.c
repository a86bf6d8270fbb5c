#include "parse/write/splice.h"

#include <pdconv/cursor.h>

/* Row of each field in pdconv/sample_defs.h, in wire order. */
enum {
#define FIELD_ROW(bit, name, ...) ROW_##name,
	PD_SAMPLE_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

static void put_chain(const struct parse_splice *splice, struct pd_bytes *out)
{
	pd_bytes_u64(out, splice->n);
	for (size_t i = 0; i < splice->n; i++)
		pd_bytes_u64(out, splice->chain[i]);
}

static bool is_dropped(const struct parse_splice *splice, const struct pd_plan_step *step)
{
	switch (step->field) {
	case ROW_CALLCHAIN:
		return true;
	case ROW_REGS_USER:
	case ROW_STACK_USER:
		return !splice->keep_stacks;
	default:
		return false;
	}
}

void parse_attr_splice(struct pd_attr *attr)
{
	const uint64_t captured =
		(uint64_t)1 << PD_SAMPLE_REGS_USER | (uint64_t)1 << PD_SAMPLE_STACK_USER;

	attr->sample_type &= ~captured;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
}

bool parse_sample_splice(const struct pd_plan *plan, const struct pd_record *rec,
	const struct pd_sample *sample, const struct parse_splice *splice, struct pd_bytes *out)
{
	struct pd_cursor c = pd_record_body(rec);
	size_t start = pd_record_begin(PD_RECORD_SAMPLE, rec->misc, out);
	bool has_chain = false;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		const uint8_t *at = c.pos;

		/*
		 * The event may not have recorded call chains. Insert the chain where its field
		 * belongs.
		 */
		if (step->field >= ROW_CALLCHAIN && !has_chain) {
			put_chain(splice, out);
			has_chain = true;
		}
		pd_sample_skip(plan, step, sample, &c);
		if (!is_dropped(splice, step))
			pd_bytes_put(out, at, (size_t)(c.pos - at));
	}
	if (!has_chain)
		put_chain(splice, out);
	if (plan->has_opaque_tail)
		pd_bytes_put(out, c.pos, pd_cursor_left(&c));
	return pd_record_end(start, out);
}
