#include "resolve/batch/plain.h"

#include "base/containers/hash.h"
#include "parse/open_file.h"
#include "resolve/batch/detail.h"

/* Tags of a sample that do not need other fields. */
static const unsigned plain_tags = 1 << PROF_TAG_TIME | 1 << PROF_TAG_CPU;

void resolve_plain_init(struct resolve_plain_reader *reader, const struct resolve_opts *opts)
{
	const struct prof_request *request = &opts->request;

	reader->request = request;
	/* Stitching looks at the other samples of a batch. */
	reader->is_off =
		request->tags & ~plain_tags || opts->filter || opts->on_sample || opts->stitch;
	reader->version = 1;
}

void resolve_plain_deinit(struct resolve_plain_reader *reader)
{
	pd_vec_deinit(&reader->layouts);
}

/* Return the layout of samples of @p event; NULL: no memory. */
static const struct resolve_plain_layout *find_layout(
	struct resolve_plain_reader *reader, const struct pd_event *event)
{
	const struct pd_events *events = &reader->file->events;

	/* A stream may add events. */
	while (reader->layouts.n <= event->index) {
		const struct pd_event *added = &events->list.data[reader->layouts.n];
		struct resolve_plain_layout layout = resolve_plain_layout_of(added);

		layout.is_plain &= resolve_has_plain_rows(reader->request, added);
		if (!pd_vec_push(&reader->layouts, layout))
			return NULL;
	}
	return &reader->layouts.data[event->index];
}

/*
 * Append a context to @p batch. Texts enter the profile in the order in which resolve_collect()
 * adds them.
 */
static struct pd_error *add_context(struct resolve_plain_reader *reader,
	const struct pd_event *event, struct resolve_context *context, struct resolve_batch *batch)
{
	struct pd_error *err =
		resolve_facts_event(reader->collector->facts, event, &context->event_id);

	if (err)
		return err;
	const struct parse_thread *thread =
		parse_space_thread(reader->space, context->pid, context->tid);
	struct parse_maps *maps = parse_space_maps(reader->space, context->pid);
	if (!thread || !maps)
		return &pd_enomem;
	err = resolve_collector_thread(reader->collector, thread, &context->thread);
	if (err)
		return err;
	context->maps = parse_maps_ref(maps);
	context->kernel_maps = parse_maps_ref(parse_space_kernel_maps(reader->space));
	batch->contexts[batch->n_contexts++] = *context;
	return NULL;
}

/* Find the context of a sample in @p batch. Errors: NOMEM. */
static struct pd_error *find_context(struct resolve_plain_reader *reader,
	const struct pd_event *event, const struct pd_record *rec,
	const struct resolve_plain_fields *fields, struct resolve_batch *batch, uint32_t *ret)
{
	uint16_t cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	uint64_t hash = base_hash_pair(
		(uint64_t)fields->pid << 32 | fields->tid, (uint64_t)event->index << 3 | cpumode);
	struct resolve_known_context *known = &reader->known[hash % RESOLVE_KNOWN_CONTEXTS];

	if (known->version == reader->version) {
		const struct resolve_context *context = &batch->contexts[known->index];

		*ret = known->index;
		if (context->pid == fields->pid && context->tid == fields->tid &&
			context->event == event->index && context->cpumode == cpumode)
			return NULL;
	}
	struct resolve_context context = {
		.pid = fields->pid,
		.tid = fields->tid,
		.event = event->index,
		.cpumode = cpumode,
	};
	struct pd_error *err = add_context(reader, event, &context, batch);
	if (err)
		return err;
	*ret = (uint32_t)batch->n_contexts - 1;
	*known = (struct resolve_known_context){ reader->version, *ret };
	return NULL;
}

struct pd_error *resolve_plain_take(struct resolve_plain_reader *reader,
	const struct pd_record *rec, struct resolve_batch *batch, bool *is_taken_ret)
{
	struct resolve_plain_fields fields;
	uint32_t context;

	*is_taken_ret = false;
	if (reader->is_off)
		return NULL;
	const struct pd_event *event =
		parse_events_find_hinted(&reader->file->events, &reader->hints, rec);
	if (!event || event->index == PD_EVENT_UNATTRIBUTED)
		return NULL;
	const struct resolve_plain_layout *layout = find_layout(reader, event);
	if (!layout)
		return &pd_enomem;
	/* Mappings of a process with generated code may change with each sample. */
	if (!layout->is_plain || !resolve_plain_read(layout, rec, &fields) ||
		resolve_jits_has(reader->jits, fields.pid))
		return NULL;
	struct pd_error *err = find_context(reader, event, rec, &fields, batch, &context);
	if (err)
		return err;
	batch->plain[batch->n_plain++] = (struct resolve_plain){
		.context = context,
		.cpu = fields.cpu,
		.ip = fields.ip,
		.period = resolve_periods_take(&reader->collector->facts->periods,
			batch->contexts[context].event_id, fields.period),
		.n_links = (uint32_t)fields.n,
		.n_before = (uint32_t)batch->n,
		.rec = pd_record_keep(rec),
	};
	batch->n_bytes += rec->size;
	resolve_collector_count(reader->collector, rec);
	*is_taken_ret = true;
	return NULL;
}

struct pd_error *resolve_plain_item(const struct resolve_batch *batch,
	const struct resolve_plain *plain, struct resolve_item *ret)
{
	const struct resolve_context *context = &batch->contexts[plain->context];
	const struct resolve_count count = { context->event_id, plain->period };

	ret->event = context->event;
	ret->sample = (struct pd_sample){
		.ip = plain->ip,
		.pid = context->pid,
		.tid = context->tid,
		.time = plain->rec.time,
		.cpu = plain->cpu,
		.period = plain->period,
		.callchain = resolve_plain_chain(plain),
	};
	ret->cpumode = context->cpumode;
	ret->counts.n = 0;
	if (!pd_vec_push(&ret->counts, count))
		return &pd_enomem;
	ret->thread = context->thread;
	ret->waits = RESOLVE_NO_WAITS;
	ret->interval = LED_NO_BEGINNING;
	ret->maps = context->maps;
	ret->kernel_maps = context->kernel_maps;
	ret->rec = plain->rec;
	return NULL;
}
