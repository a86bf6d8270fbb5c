/*
 * One pass over a recording:
 *
 *     pd_reader_next()    records in order of time
 *          │
 *     take_record() ── not a sample ──► take_side_band(): mappings, forks, names of threads, losses
 *          │ sample
 *     take_sample()       thread and mappings of this moment, and
 *          │                fields at known places (plain.h), or all fields (collector.h)
 *     batch ─► counted ─► unwound ─► joined ─► added: stages of the pipeline (pipeline.h),
 *          │   (tally.h) (walkers.h) (joiner.h) (assembler.h)   each run by any worker
 *          │ no record is left
 *     drain()             what is still in batches
 *     resolve_finish()    facts that may come last, and names for all frames at once (finish.h)
 *
 * The thread that reads does everything but the stages, with which it only helps.
 */
#include "resolve/resolve.h"

#include "base/clock.h"
#include "base/system/file_map.h"
#include "parse/open_file.h"
#include "resolve/finish.h"
#include "resolve/note.h"
#include "resolve/pass.h"

/* Fill another batch. Contexts of plain samples are those of a batch. */
static struct pd_error *switch_batch(struct resolve_pass *pass)
{
	resolve_plain_renew(&pass->plain);
	return resolve_pipeline_switch(&pass->pipeline);
}

/* Make room in the batch, and move waiting samples that are ready to it. */
static struct pd_error *take_ready(struct resolve_pass *pass)
{
	for (;;) {
		bool has_more = resolve_collect_ready(&pass->collector, pass->pipeline.filling);

		if (resolve_batch_is_full(pass->pipeline.filling)) {
			struct pd_error *err = switch_batch(pass);
			if (err)
				return err;
		}
		if (!has_more)
			return NULL;
	}
}

static struct pd_error *take_sample(struct resolve_pass *pass, const struct pd_record *rec)
{
	bool is_taken;

	pass->profile->stats.n_after_gaps += parse_gaps_precede(pass->file, rec);
	struct pd_error *err =
		resolve_plain_take(&pass->plain, rec, pass->pipeline.filling, &is_taken);
	if (!err && !is_taken)
		err = resolve_collect(&pass->collector, rec, pass->pipeline.filling);
	return err ? err : take_ready(pass);
}

/*
 * While a recording is made, its samples do not wait long for others that fill their batch: the
 * files of a process that exits can then no longer be read. Stitching looks for stacks in the whole
 * batch, so its result must not depend on the time.
 */
static struct pd_error *take_round(struct resolve_pass *pass)
{
	static const double longest_wait_seconds = 0.25;

	if (!pass->file->is_pipe || pass->opts->stitch)
		return NULL;
	if (resolve_batch_is_empty(pass->pipeline.filling) ||
		base_clock_now() - pass->pipeline.switched_at < longest_wait_seconds)
		return NULL;
	return switch_batch(pass);
}

static struct pd_error *take_deferred(struct resolve_pass *pass, const struct pd_record *rec)
{
	resolve_collect_deferred(&pass->collector, rec);
	return take_ready(pass);
}

/* Count records that report lost data. */
static void count_losses(struct resolve_pass *pass, const struct pd_record *rec, size_t sid_bytes)
{
	struct prof_stats *stats = &pass->profile->stats;
	union pd_body body;
	const char *wrong;

	if (rec->type == PD_RECORD_THROTTLE)
		stats->n_throttled++;
	if (rec->type != PD_RECORD_LOST && rec->type != PD_RECORD_LOST_SAMPLES)
		return;
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong)) {
		pd_diag_note(pass->file->diag, pd_file_part_path(pass->file, rec->part),
			rec->offset, "LOST", wrong);
		return;
	}
	if (rec->type == PD_RECORD_LOST)
		stats->n_lost_records += body.lost.lost;
	else if (!(rec->misc & PD_MISC_LOST_SAMPLES_BPF))
		stats->n_lost_samples += body.lost_samples.lost;
}

static struct pd_error *take_cgroup(
	struct resolve_pass *pass, const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (pd_record_decode(rec, sid_bytes, &body, &wrong))
		return resolve_facts_add_cgroup(&pass->facts, &body.cgroup);
	pd_diag_note(pass->file->diag, pd_file_part_path(pass->file, rec->part), rec->offset,
		"CGROUP", wrong);
	return NULL;
}

/*
 * A stream sends build ids after the samples. Unwinds in progress look for binaries by build id, so
 * they have to end first.
 */
static struct pd_error *take_build_id(struct resolve_pass *pass)
{
	struct pd_error *err = resolve_pipeline_wait(&pass->pipeline);

	if (err)
		return err;
	parse_space_learn_build_ids(pass->space);
	return NULL;
}

/* Replay a record of the kernel other than a sample. */
static struct pd_error *take_side_band(struct resolve_pass *pass, const struct pd_record *rec)
{
	const struct pd_plan *plan = pd_events_plan(&pass->file->events, rec);
	size_t sid_bytes = plan ? plan->sid_bytes : 0;

	if (!pd_layout_find(rec->type, rec->misc)) {
		pass->profile->stats.n_unknown_records++;
		return NULL;
	}
	count_losses(pass, rec, sid_bytes);
	struct pd_error *err = resolve_jits_take_record(pass->jits, rec, sid_bytes);
	if (err)
		return err;
	if (rec->type == PD_RECORD_CGROUP) {
		err = take_cgroup(pass, rec, sid_bytes);
		if (err)
			return err;
	}
	err = resolve_lives_take_record(&pass->lives, rec, sid_bytes);
	if (err)
		return err;
	err = parse_space_apply(pass->space, rec, sid_bytes);
	if (!err && pass->opts->request.mappings)
		err = resolve_mapping_list_take(&pass->mappings, pass->space, rec, sid_bytes);
	if (err || !(pass->opts->request.note_types >> rec->type & 1))
		return err;
	return resolve_add_note(
		pass->file, pass->space, rec, sid_bytes, &pass->opts->request, pass->profile);
}

/* Whether the record describes the recording, so that the reader has evaluated it. */
static bool is_description(const struct pd_record *rec)
{
	return rec->type >= PD_RECORD_FIRST_TOOL && rec->type != PD_RECORD_BUILD_ID &&
	       pd_layout_find(rec->type, rec->misc);
}

/*
 * Whether the recording began with its first record: the exec of a command, or the mark that pdconv
 * record writes. The records of a system-wide recording begin before its samples.
 */
static bool is_beginning(const struct resolve_pass *pass, const struct pd_record *rec)
{
	const struct pd_events *events = &pass->file->events;

	return rec->type == PD_RECORD_LOST_SAMPLES ||
	       (events->list.n && pd_attr_has(&events->list.data[0].attr, PD_ATTR_enable_on_exec));
}

/*
 * Records are in the order of time. Those that perf made up have none. A part of the recording is
 * as long as its samples.
 */
static void note_moment(struct resolve_pass *pass, const struct pd_record *rec)
{
	struct prof_stats *stats = &pass->profile->stats;

	if (pass->filter.times.list.n)
		return;
	if (!rec->time || rec->time >= PD_FIRST_FAKE_TIME || rec->type >= PD_RECORD_FIRST_TOOL)
		return;
	if (!stats->end_ns && is_beginning(pass, rec))
		stats->begin_ns = rec->time;
	if (rec->time > stats->end_ns)
		stats->end_ns = rec->time;
}

static struct pd_error *take_record(struct resolve_pass *pass, const struct pd_record *rec)
{
	note_moment(pass, rec);
	if (rec->type == PD_RECORD_SAMPLE)
		return take_sample(pass, rec);
	if (rec->type == PD_RECORD_FINISHED_ROUND)
		return take_round(pass);
	if (is_description(rec))
		return resolve_stats_take_record(&pass->stats, rec);
	resolve_plain_renew(&pass->plain);
	switch (rec->type) {
	case PD_RECORD_BUILD_ID:
		return take_build_id(pass);
	case PD_RECORD_CALLCHAIN_DEFERRED:
		return take_deferred(pass, rec);
	default:
		return take_side_band(pass, rec);
	}
}

static struct pd_error *follow_scheduler(struct resolve_pass *pass, const struct pd_record *rec)
{
	struct pd_error *err = led_sched_events_take(&pass->sched, rec);

	if (!err)
		err = led_interrupts_take(&pass->interrupts);
	if (!err && pass->feeds_ledger)
		err = led_feed_take(&pass->ledger);
	return err;
}

static struct pd_error *read_records(struct resolve_pass *pass)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(pass->reader, &rec);
		if (err || !rec.bytes)
			return err;
		err = pass->opts->on_record ? pass->opts->on_record(pass->opts->ctx, &rec) : NULL;
		if (!err && pass->follows_scheduler)
			err = follow_scheduler(pass, &rec);
		if (!err)
			err = take_record(pass, &rec);
		if (err)
			return err;
	}
}

/* Add the samples that are still in batches or that wait for their call chains. */
static struct pd_error *drain(struct resolve_pass *pass)
{
	pass->profile->stats.n_late_records = pd_reader_n_late(pass->reader);
	resolve_collect_end(&pass->collector);
	struct pd_error *err = take_ready(pass);
	if (err)
		return err;
	err = resolve_pipeline_end(&pass->pipeline);
	if (err)
		return err;
	parse_file_drop(pass->file);
	resolve_joiner_end(&pass->joiner);
	resolve_assembler_end(&pass->assembler);
	resolve_tally_deinit(&pass->tally);
	return NULL;
}

static struct pd_error *build(struct resolve_pass *pass, struct resolve_times *times)
{
	double start = base_clock_now();
	struct pd_error *err = resolve_pass_set_up(pass);

	if (!err && !pass->opts->request.no_samples)
		err = read_records(pass);
	if (!err)
		err = drain(pass);
	if (!err)
		err = resolve_finish(pass);
	if (err)
		return err;
	/* Each distinct address of a binary is named once, in one sweep. */
	double unwound = base_clock_now();
	times->unwound = unwound - start;
	err = resolve_finish_names(pass);
	times->named = base_clock_now() - unwound;
	return err;
}

/*
 * Read all of a file for the complete stacks in it, because a later one may exclude what would
 * complete an earlier one. A stream can be read only once: there, later stacks do not count.
 */
static struct pd_error *survey(
	struct pd_file *file, const struct resolve_opts *opts, struct resolve_witness *witness)
{
	struct resolve_opts own = *opts;
	struct resolve_pass pass = {
		.file = file, .opts = &own, .witness = witness, .is_survey = true
	};

	if (!opts->stitch || file->is_pipe)
		return NULL;
	own.on_sample = NULL;
	own.on_record = NULL;
	own.request.ledger = false;
	own.request.intervals = false;
	own.request.mappings = false;
	own.request.critical_path = NULL;
	own.request.tags &= ~(1u << PROF_TAG_PARALLELISM);
	struct pd_error *err = resolve_pass_set_up(&pass);
	if (!err)
		err = read_records(&pass);
	if (!err)
		err = drain(&pass);
	resolve_pass_tear_down(&pass);
	prof_destroy(pass.profile);
	return err;
}

struct pd_error *resolve_profile(
	struct pd_file *file, const struct resolve_opts *opts, struct profile **ret)
{
	struct resolve_opts own = *opts;
	struct resolve_witness witness = { 0 };
	struct resolve_pass pass = { .file = file, .opts = &own, .witness = &witness };
	struct resolve_times times = { 0 };

	if (opts->request.inlined || opts->request.code)
		own.names.no_inline = false;
	if (opts->request.code)
		own.names.no_lines = false;
	pd_file_set_budget(file, opts->budget);
	struct pd_error *err = survey(file, &own, &witness);
	if (!err)
		err = build(&pass, opts->times ? opts->times : &times);
	struct pd_error *shrunk = base_file_maps_have_shrunk() ? resolve_check_files(&pass) : NULL;

	/* The bytes of such a file may also be the reason for the error. */
	if (shrunk) {
		pd_error_destroy(err);
		err = shrunk;
	}
	resolve_pass_tear_down(&pass);
	resolve_witness_deinit(&witness);
	if (err) {
		prof_destroy(pass.profile);
		return err;
	}
	*ret = pass.profile;
	return NULL;
}
