#include "resolve/batch/plain_layout.h"

#include <pdconv/cursor.h>

enum { FIELD_BYTES = 8 };

/* Note where the field @p bit is. */
static void note_field(struct resolve_plain_layout *layout, enum pd_sample_bit bit, uint16_t at)
{
	switch (bit) {
	case PD_SAMPLE_IP:
		layout->ip_at = at;
		break;
	case PD_SAMPLE_TID:
		layout->tid_at = at;
		break;
	case PD_SAMPLE_PERIOD:
		layout->period_at = at;
		break;
	case PD_SAMPLE_CPU:
		layout->cpu_at = at;
		break;
	case PD_SAMPLE_CALLCHAIN:
		layout->chain_at = at;
		break;
	default:
		break;
	}
}

struct resolve_plain_layout resolve_plain_layout_of(const struct pd_event *event)
{
	const struct pd_plan *plan = &event->plan;
	struct resolve_plain_layout layout = { .fixed_period = plan->fixed_period };
	const struct resolve_plain_layout none = { 0 };
	uint16_t at = PD_RECORD_HEADER_BYTES;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct pd_plan_step *step = &plan->steps[i];
		bool is_chain = step->kind == PD_SAMPLE_KIND_CALLCHAIN;
		bool is_word =
			step->kind == PD_SAMPLE_KIND_U64 || step->kind == PD_SAMPLE_KIND_U32_PAIR;

		/* The entries of a call chain would precede what follows it. */
		if ((!is_word && !is_chain) || layout.chain_at)
			return none;
		note_field(&layout, pd_plan_field(step)->bit, at);
		at += FIELD_BYTES;
	}
	layout.size = at;
	/* Samples of tracepoints may begin and end waits. */
	layout.is_plain = layout.ip_at && layout.tid_at && !plan->has_opaque_tail &&
			  event->attr.type != PD_TYPE_TRACEPOINT;
	return layout;
}

/* Read the call chain, which is all that follows its number of entries. */
static bool read_chain(const struct resolve_plain_layout *layout, const struct pd_record *rec,
	struct resolve_plain_fields *ret)
{
	const uint8_t *last;

	ret->n = pd_load_u64(rec->bytes + layout->chain_at, rec->swap);
	ret->chain = rec->bytes + layout->size;
	/* Compare without multiplying: the number may be any. */
	if (ret->n != (rec->size - layout->size) / FIELD_BYTES || rec->size % FIELD_BYTES)
		return false;
	last = ret->chain + ret->n * FIELD_BYTES;
	return ret->n < 2 ||
	       pd_load_u64(last - 2 * FIELD_BYTES, rec->swap) != PD_CONTEXT_USER_DEFERRED;
}

bool resolve_plain_read(const struct resolve_plain_layout *layout, const struct pd_record *rec,
	struct resolve_plain_fields *ret)
{
	if (rec->size < layout->size)
		return false;
	*ret = (struct resolve_plain_fields){
		.ip = pd_load_u64(rec->bytes + layout->ip_at, rec->swap),
		.pid = pd_load_u32(rec->bytes + layout->tid_at, rec->swap),
		.tid = pd_load_u32(rec->bytes + layout->tid_at + 4, rec->swap),
		.period = layout->fixed_period,
		.cpu = UINT32_MAX,
	};
	if (layout->period_at)
		ret->period = pd_load_u64(rec->bytes + layout->period_at, rec->swap);
	if (layout->cpu_at)
		ret->cpu = pd_load_u32(rec->bytes + layout->cpu_at, rec->swap);
	return layout->chain_at ? read_chain(layout, rec, ret) : rec->size == layout->size;
}
