/*
 * Each sample in time order, laid out as `perf script` does: a line with what output/script_fields.c
 * chooses; if stacks were recorded, the frames behind it, leaf first, and an empty line. What tells more
 * than perf does is where readers of such text do not look: " [fp]" at the end of frames that only a
 * frame pointer shows, and frames called [truncated] and [stitched]. The fields of tracepoints are
 * "name=value": perf prints them as the kernel would.
 */
#include <string.h>

#include <pdconv/record.h>

#include "output/script_private.h"

static void find_width(struct script *s)
{
	for (size_t i = 0; i < s->profile->events.n; i++) {
		const struct prof_event *event = &s->profile->events.data[i];
		int width = (int)pd_intern_len(&s->profile->strings, event->name);

		if (width > s->event_width)
			s->event_width = width;
		if (event->has_stacks && !s->opts->hide_call_graph)
			s->has_stacks = true;
	}
}

static bool has_row(const struct script *s, uint32_t event, size_t i)
{
	return event == PROF_NONE ||
	       event == profile_sample(s->profile, s->profile->rows.data[i].sample)->event;
}

static void write_row(struct script *s, size_t i)
{
	static const struct prof_detail no_detail = { .addr_frame = PROF_NONE };
	const struct profile *profile = s->profile;
	const struct prof_row *row = &profile->rows.data[i];
	const struct prof_sample *sample = profile_sample(profile, row->sample);
	const struct prof_event *event = &profile->events.data[sample->event];
	const struct script_sample at = {
		.row = row,
		.sample = sample,
		.event = event,
		.thread = profile_thread(profile, sample->thread),
		.detail = i < profile->details.n ? &profile->details.data[i] : &no_detail,
		.shown = script_fields_of(&s->fields, event),
	};

	if (at.shown)
		script_write_sample(s, &at);
}

/* What came before row @p end and has not been written. */
static void write_records(const struct script *s, size_t end, size_t *next)
{
	for (; *next < s->profile->records.n && s->profile->records.data[*next].row <= end; ++*next)
		script_write_record(s, &s->profile->records.data[*next]);
}

static struct pd_error *write_script(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct script s = { .profile = profile, .opts = &opts->script, .out = out };
	size_t next_record = 0;
	struct pd_error *err = script_fields_init(&opts->script, &s.fields);

	if (!err)
		err = script_fields_settle(&s.fields, profile);
	if (err)
		return err;
	find_width(&s);
	fputs(profile_string(profile, profile->about.description), out);
	for (size_t i = 0; i < profile->rows.n; i++) {
		write_records(&s, i, &next_record);
		if (has_row(&s, opts->event, i))
			write_row(&s, i);
	}
	write_records(&s, profile->rows.n, &next_record);
	return NULL;
}

/* Records that options ask for. */
static uint64_t wanted_records(const struct out_script_opts *opts)
{
	uint64_t ret = 0;

	if (opts->show_mmap)
		ret |= 1 << PD_RECORD_MMAP | 1 << PD_RECORD_MMAP2;
	if (opts->show_task)
		ret |= 1 << PD_RECORD_COMM | 1 << PD_RECORD_FORK | 1 << PD_RECORD_EXIT;
	if (opts->show_switch)
		ret |= 1 << PD_RECORD_SWITCH | 1 << PD_RECORD_SWITCH_CPU_WIDE;
	if (opts->show_lost)
		ret |= 1 << PD_RECORD_LOST;
	return ret;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct resolve_opts *build)
{
	struct script_fields fields;
	struct pd_error *err = script_fields_init(&opts->script, &fields);

	if (err)
		return err;
	/* The line of source at an address is that of what was inlined there. */
	if (script_fields_show(&fields, SCRIPT_FIELD_SRCLINE))
		build->names.no_inline = false;
	build->keep_rows = true;
	build->keep_places = true;
	for (uint32_t type = 0; type < RESOLVE_N_TYPES; type++)
		build->keep_details[type] =
			script_fields_details(&fields, script_kind_of_type(type));
	build->keep_records = wanted_records(&opts->script);
	build->no_samples = opts->script.header_only;
	if (opts->script.header || opts->script.header_only)
		build->describe = script_write_header;
	return NULL;
}

const struct out_format out_format_script = {
	.name = "script",
	.suffix = ".txt",
	.takes_one = true,
	.help = "each sample in time order, laid out as perf script does; see pdconv help fields",
	.prepare = prepare,
	.write = write_script,
};
