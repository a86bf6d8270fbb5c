#include "resolve/stats.h"

#include "parse/open_file.h"

/* Identity of a counter. Counters with equal bytes are the same counter. */
struct counter {
	uint64_t id;
	uint32_t cpu;
	uint32_t thread;
};

void resolve_stats_deinit(struct resolve_stats *stats)
{
	base_intern_deinit(&stats->counters);
	pd_vec_deinit(&stats->counts);
}

/* perf scales counts of events that shared a counter of the CPU with others. */
static double scaled(const struct pd_stat *stat)
{
	double count = (double)stat->val;

	return stat->run && stat->run < stat->ena ? count * (double)stat->ena / (double)stat->run
						  : count;
}

struct pd_error *resolve_stats_take_record(struct resolve_stats *stats, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_STAT || !pd_record_decode(rec, 0, &body, &wrong))
		return NULL;
	const struct counter counter = { body.stat.id, body.stat.cpu, body.stat.thread };
	uint32_t number = base_intern_add(&stats->counters, &counter, sizeof(counter));
	if (number == PD_INTERN_NONE ||
		(number == stats->counts.n && !pd_vec_push(&stats->counts, 0)))
		return &pd_enomem;
	/* Later records have the whole count, too. */
	stats->counts.data[number] = scaled(&body.stat);
	return NULL;
}

static struct pd_error *add_count(
	struct resolve_facts *facts, const struct pd_event *event, double count)
{
	struct prof_event_id id;
	struct pd_error *err = resolve_facts_event(facts, event, &id);

	if (err)
		return err;
	struct prof_event *entry = &facts->profile->events.data[id.i];
	entry->counted_unit = prof_add_string(facts->profile, event->unit ? event->unit : "");
	entry->is_counted = true;
	entry->counted += count * event->scale;
	return prof_is_none(entry->counted_unit) ? &pd_enomem : NULL;
}

struct pd_error *resolve_stats_finish(
	const struct resolve_stats *stats, struct resolve_facts *facts)
{
	for (uint32_t i = 0; i < stats->counts.n; i++) {
		const struct counter *counter = base_intern_bytes(&stats->counters, i);
		const struct pd_event *event = pd_events_by_id(&facts->file->events, counter->id);
		struct pd_error *err =
			event ? add_count(facts, event, stats->counts.data[i]) : NULL;

		if (err)
			return err;
	}
	return NULL;
}
