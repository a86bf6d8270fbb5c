#include "inspect/recording_info.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/reader.h>

#include "base/integer.h"
#include "parse/event_index.h"
#include "parse/open_file.h"

static struct inspect_info_count *get_count(struct inspect_info *info, uint32_t type)
{
	size_t i = 0;

	while (i < info->records.n && info->records.data[i].type < type)
		i++;
	if (i < info->records.n && info->records.data[i].type == type)
		return &info->records.data[i];
	if (!pd_vec_push(&info->records, (struct inspect_info_count){ 0 }))
		return NULL;
	struct inspect_info_count *at = &info->records.data[i];
	memmove(at + 1, at, (info->records.n - 1 - i) * sizeof(*at));
	*at = (struct inspect_info_count){ .type = type };
	return at;
}

static struct inspect_info_event *get_event(struct inspect_info *info, const struct pd_event *event)
{
	size_t index = event && event->index != PD_EVENT_UNATTRIBUTED ? event->index + 1U : 0;

	while (info->events.n <= index) {
		if (!pd_vec_push(&info->events, (struct inspect_info_event){ 0 }))
			return NULL;
	}
	return &info->events.data[index];
}

static struct pd_error *count_shares(
	struct inspect_info *info, const struct pd_event *event, const struct pd_sample *sample)
{
	struct pd_error *err =
		pd_counters_apply(&info->counters, &info->file->events, event, sample);

	if (err)
		return err;
	for (size_t i = 0; i < info->counters.shares.n; i++) {
		const struct pd_share *share = &info->counters.shares.data[i];
		struct inspect_info_event *count = get_event(info, share->event);

		if (!count)
			return &pd_enomem;
		count->samples++;
		base_add_capped(&count->period_sum, share->period);
	}
	return NULL;
}

static void note_time(struct inspect_info *info, const struct pd_event *event, uint64_t time)
{
	if (event->plan.sample_time_at == PD_PLAN_ABSENT || !time || time >= PD_FIRST_FAKE_TIME)
		return;
	if (!info->first_ns || time < info->first_ns)
		info->first_ns = time;
	if (time > info->last_ns)
		info->last_ns = time;
}

static void note_stacks(struct inspect_info *info, const struct pd_sample *sample)
{
	const struct pd_stack *stack = &sample->stack_user;

	info->n_callchains += !!sample->callchain.n;
	info->callchain_entries += sample->callchain.n;
	info->n_branch_stacks += !!sample->branch_stack.entries.n;
	info->branch_entries += sample->branch_stack.entries.n;
	info->n_user_regs += !!sample->regs_user.values.n;
	info->n_user_stacks += !!stack->bytes.n;
	info->user_stack_bytes += stack->bytes.n;
	info->n_full_stacks += stack->bytes.n && stack->bytes.n == stack->reserved;
}

static struct pd_error *count_sample(struct inspect_info *info, const struct pd_record *rec)
{
	const struct pd_event *event = pd_events_find(&info->file->events, rec);
	struct pd_sample sample;
	const char *field;

	info->n_samples++;
	info->samples_by_cpumode[rec->misc & PD_MISC_CPUMODE_MASK]++;
	/* The layout of a sample follows from its event, so nothing else is known of this one. */
	if (!event) {
		struct inspect_info_event *none = get_event(info, NULL);
		if (none)
			none->samples++;
		return none ? NULL : &pd_enomem;
	}
	switch (pd_sample_decode(&event->plan, rec, &sample, &field)) {
	case PD_SAMPLE_OK:
		break;
	case PD_SAMPLE_LEFTOVER:
		info->n_leftover++;
		break;
	case PD_SAMPLE_SHORT:
		info->n_damaged++;
		return NULL;
	}
	base_add_capped(&info->period_sum, sample.period);
	note_time(info, event, sample.time);
	note_stacks(info, &sample);
	if (!base_map_add(&info->pids, sample.pid, NULL) ||
		!base_map_add(&info->tids, sample.tid, NULL))
		return &pd_enomem;
	return count_shares(info, event, &sample);
}

static struct pd_error *add_comm(struct inspect_info *info, const struct pd_str *comm)
{
	return base_intern_add(&info->comms, comm->s, comm->len) == PD_INTERN_NONE ? &pd_enomem
										   : NULL;
}

/* Add each pair of name and build id once. */
static struct pd_error *add_build_id(
	struct inspect_info *info, const struct pd_build_id *id, const char *name, bool is_listed)
{
	struct {
		struct pd_build_id id;
		uint32_t name;
	} key;
	struct inspect_info_build_id entry = { .id = *id, .is_listed = is_listed };

	memset(&key, 0, sizeof(key)); /* padding is part of the key */
	key.id = *id;
	key.name = entry.name = base_intern_str(&info->names, name);
	uint32_t number = base_intern_add(&info->build_id_keys, &key, sizeof(key));
	if (key.name == PD_INTERN_NONE || number == PD_INTERN_NONE)
		return &pd_enomem;
	if (number < info->build_ids.n)
		return NULL;
	return pd_vec_push(&info->build_ids, entry) ? NULL : &pd_enomem;
}

static struct pd_error *count_body(
	struct inspect_info *info, const struct pd_record *rec, const union pd_body *body)
{
	switch (rec->type) {
	case PD_RECORD_LOST:
		info->lost += body->lost.lost;
		return NULL;
	case PD_RECORD_LOST_SAMPLES:
		/*
		 * A BPF filter (perf record --filter) drops samples on purpose: they are not lost.
		 */
		if (!(rec->misc & PD_MISC_LOST_SAMPLES_BPF))
			info->lost_samples += body->lost_samples.lost;
		return NULL;
	case PD_RECORD_COMM:
		return add_comm(info, &body->comm.comm);
	case PD_RECORD_MMAP2:
		if (!(rec->misc & PD_MISC_MMAP_BUILD_ID) || !body->mmap2_build_id.build_id.len)
			return NULL;
		return add_build_id(info, &body->mmap2_build_id.build_id,
			body->mmap2_build_id.filename.s, false);
	default:
		return NULL;
	}
}

static bool has_facts(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_LOST || rec->type == PD_RECORD_LOST_SAMPLES ||
	       rec->type == PD_RECORD_COMM ||
	       (rec->type == PD_RECORD_MMAP2 && rec->misc & PD_MISC_MMAP_BUILD_ID);
}

static struct pd_error *count_facts(struct inspect_info *info, const struct pd_record *rec)
{
	const struct pd_file *file = info->file;
	union pd_body body;
	const char *wrong;

	if (!pd_events_decode(&file->events, rec, &body, &wrong)) {
		/* The pipeline reports the same damage. */
		if (info->unwinds)
			return NULL;
		pd_diag_note(file->diag, pd_file_part_path(file, rec->part), rec->offset,
			pd_layout_find(rec->type, rec->misc)->name, wrong);
		return NULL;
	}
	return count_body(info, rec, &body);
}

static struct pd_error *count_record(struct inspect_info *info, const struct pd_record *rec)
{
	struct inspect_info_count *count = get_count(info, rec->type);

	if (!count)
		return &pd_enomem;
	count->n++;
	info->n_records++;
	info->n_throttled += rec->type == PD_RECORD_THROTTLE;
	if (rec->type == PD_RECORD_SAMPLE) {
		info->n_after_gaps += parse_gaps_precede(info->file, rec);
		return count_sample(info, rec);
	}
	return has_facts(rec) ? count_facts(info, rec) : NULL;
}

/* Only differences between counter values depend on the order of records. */
static enum pd_order_kind order_of(const struct pd_file *file)
{
	return parse_events_have_field(&file->events, PD_SAMPLE_READ) ? PD_ORDER_TIME
								      : PD_ORDER_FILE;
}

static struct pd_error *count_records(struct inspect_info *info, struct pd_file *file)
{
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_error *err = pd_reader_create(file, order_of(file), &reader);

	if (err)
		return err;
	for (;;) {
		err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			break;
		err = count_record(info, &rec);
		if (err)
			break;
	}
	pd_reader_destroy(reader);
	return err;
}

static struct pd_error *count_resolved_record(void *ctx, const struct pd_record *rec)
{
	return count_record(ctx, rec);
}

/* Count records while the stacks are unwound, because a stream can be read only once. */
static struct pd_error *unwind(
	struct inspect_info *info, struct pd_file *file, const struct resolve_opts *opts)
{
	struct resolve_opts own = *opts;

	own.no_names = true;
	own.on_record = count_resolved_record;
	own.ctx = info;
	struct pd_error *err = resolve_profile(file, &own, &info->profile);
	if (err)
		return err;
	return advice_quality_find(info->profile, false, &info->quality);
}

/* Called after the records, because a stream has its list at the end. */
static struct pd_error *count_listed_build_ids(struct inspect_info *info)
{
	const struct pd_file *file = info->file;

	for (size_t i = 0; i < file->build_ids.n; i++) {
		struct pd_error *err = add_build_id(
			info, &file->build_ids.data[i].id, file->build_ids.data[i].name, true);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *collect(
	struct inspect_info *info, struct pd_file *file, const struct resolve_opts *opts)
{
	struct pd_error *err = info->unwinds ? unwind(info, file, opts) : count_records(info, file);

	if (err)
		return err;
	if (!file->events.list.n)
		pd_diag_warn(
			file->diag, file->path, PD_NO_OFFSET, NULL, "the recording has no events");
	return count_listed_build_ids(info);
}

struct pd_error *inspect_info_collect(
	struct pd_file *file, const struct resolve_opts *opts, struct inspect_info *ret)
{
	*ret = (struct inspect_info){
		.file = file,
		.unwinds = parse_events_have_field(&file->events, PD_SAMPLE_STACK_USER) ||
			   opts->filter,
	};
	struct pd_error *err = collect(ret, file, opts);

	if (err)
		inspect_info_deinit(ret);
	return err;
}

bool inspect_info_is_bulk(unsigned bit)
{
	return bit == PD_FEATURE_TRACING_DATA || bit == PD_FEATURE_BUILD_ID ||
	       bit == PD_FEATURE_EVENT_DESC || bit == PD_FEATURE_BPF_PROG_INFO ||
	       bit == PD_FEATURE_BPF_BTF || bit >= PD_FEATURE_SIMPLEPERF_DEBUG_UNWIND;
}

void inspect_info_deinit(struct inspect_info *info)
{
	prof_destroy(info->profile);
	advice_quality_deinit(&info->quality);
	pd_vec_deinit(&info->records);
	pd_vec_deinit(&info->events);
	base_map_deinit(&info->pids);
	base_map_deinit(&info->tids);
	base_intern_deinit(&info->names);
	base_intern_deinit(&info->comms);
	pd_vec_deinit(&info->build_ids);
	base_intern_deinit(&info->build_id_keys);
	pd_counters_deinit(&info->counters);
}
