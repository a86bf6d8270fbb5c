#include "resolve/resolve.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file_map.h"
#include "base/huge.h"
#include "base/limit.h"
#include "base/pool.h"
#include "base/format.h"
#include "resolve/apart.h"
#include "resolve/assembler.h"
#include "resolve/batch.h"
#include "resolve/binaries.h"
#include "resolve/frames.h"
#include "resolve/collector.h"
#include "resolve/jits.h"
#include "resolve/note.h"
#include "resolve/listing.h"
#include "resolve/lives.h"
#include "resolve/missing.h"
#include "resolve/naming.h"
#include "resolve/runtimes.h"
#include "resolve/source.h"
#include "resolve/stats.h"
#include "resolve/switches.h"
#include "resolve/tally.h"
#include "resolve/turns.h"
#include "resolve/walkers.h"
#include "profile/filter_names.h"
#include "parse/file_private.h"
#include "parse/namesakes.h"
#include "parse/space.h"
#include "parse/stream.h"
#include "symbolize/kernel/loaded_modules.h"
#include <pdconv/reader.h>

struct builder {
	/** Events and features of a stream are added while it is read. */
	struct pd_file *file;
	const struct resolve_opts *opts;
	struct sym_search search;
	const struct pd_arch *arch;
	/** arch is the architecture of the recording. */
	bool knows_arch;
	struct profile *profile;
	struct pd_reader *reader;
	/** Evidence of complete stacks about cut ones, and whether only that is wanted. */
	struct resolve_witness *witness;
	bool is_survey;
	struct pd_namesakes namesakes;
	struct pd_space *space;
	struct resolve_binaries *binaries;
	struct resolve_jits *jits;
	struct resolve_frames *frames;
	struct pd_pool *pool;
	struct resolve_walkers *walkers;
	struct resolve_turns turns;
	struct resolve_filter filter;
	struct resolve_source source;
	struct resolve_collector collector;
	struct resolve_tally tally;
	_Alignas(PD_CACHE_LINE) struct resolve_assembler assembler;
	_Alignas(PD_CACHE_LINE) struct resolve_lives lives;
	struct resolve_switches switches;
	struct resolve_stats stats;
};

/*
 * Find the architecture that the recording names. A recording without a name was not finished, and
 * is most likely of this machine.
 */
static void find_arch(struct builder *b)
{
	const char *name = b->file->text[PD_FEATURE_ARCH];
	struct utsname here;

	if (!name)
		name = uname(&here) ? "" : here.machine;
	b->arch = pd_arch_find(name);
	b->knows_arch = b->arch;
	if (b->knows_arch)
		return;
	pd_diag_warn(b->file->diag, b->file->path, PD_NO_OFFSET, NULL,
		"stacks of architecture %s cannot be unwound yet", name);
	/* The walkers need an architecture. If it is not known, no sample is given to them. */
	b->arch = &pd_arch_x86_64;
}

/*
 * Read the module list of the directory that perf keeps kernel files in. The caller did not ask for
 * this file, so it is ignored if it is missing or invalid.
 */
static void read_kept_modules(const struct builder *b, struct sym_loaded_modules *ret)
{
	_cleanup_free_ char *path = pd_format("%s/modules", b->opts->search.kernel_dir);

	if (path)
		pd_error_destroy(
			sym_modules_file_read(path, sym_search_access(&b->opts->search), ret));
}

/* Map the kernel modules that the recording has no mappings of. */
static struct pd_error *add_modules(struct builder *b)
{
	_cleanup_(sym_loaded_modules_deinit) struct sym_loaded_modules modules = { 0 };

	if (b->opts->modules) {
		struct pd_error *err = sym_modules_file_read(
			b->opts->modules, sym_search_access(&b->opts->search), &modules);
		if (err)
			return err;
	} else if (b->opts->search.kernel_dir) {
		read_kept_modules(b, &modules);
	}
	for (size_t i = 0; i < modules.n; i++) {
		struct pd_error *err = pd_space_add_module(b->space, modules.list[i].name,
			modules.list[i].start, modules.list[i].size);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *create_walkers(struct builder *b)
{
	const struct unw_opts walk_opts = {
		.max_frames = b->opts->max_stack,
		.cfi_only = b->opts->cfi_only,
		.keep_sps = b->opts->stitch,
	};
	struct pd_error *err = pd_pool_create(b->opts->jobs, &b->pool);

	if (err)
		return err;
	return resolve_walkers_create(
		b->file, b->arch, &walk_opts, b->binaries, b->pool, &b->walkers);
}

/* Whether addresses of data are looked up in the mappings. */
static bool wants_data(const struct prof_request *request)
{
	uint32_t fields = 0;

	for (size_t i = 0; i < PROF_N_EVENT_KINDS; i++)
		fields |= request->details[i];
	return request->rows && fields & PROF_FIELD_BIT(ADDR);
}

/* Set up reading records, replaying mappings and unwinding stacks. */
static struct pd_error *set_up_input(struct builder *b)
{
	struct pd_error *err = pd_namesakes_read(b->file, &b->namesakes);

	if (err)
		return err;
	err = pd_reader_create(b->file, PD_ORDER_TIME, &b->reader);
	if (err)
		return err;
	err = pd_space_create(b->file, &b->space);
	if (err)
		return err;
	pd_space_use_namesakes(b->space, &b->namesakes);
	if (wants_data(&b->opts->request))
		pd_space_keep_data(b->space);
	err = add_modules(b);
	if (err)
		return err;
	err = resolve_binaries_create(b->knows_arch ? b->arch : NULL, &b->search, &b->binaries);
	if (err)
		return err;
	err = resolve_jits_create(b->file, b->knows_arch ? b->arch : NULL, &b->search, b->space,
		b->binaries, &b->jits);
	if (err)
		return err;
	return create_walkers(b);
}

/* Let the workers add batches, unless there are none or adding needs more than the batch. */
static struct pd_error *set_up_turns(struct builder *b)
{
	b->turns = (struct resolve_turns){
		.walkers = b->walkers,
		.frames = b->frames,
		.assembler = &b->assembler,
		.adds_in_parallel = pd_pool_n_workers(b->pool) > 1 &&
				    resolve_assembler_is_independent(&b->assembler),
	};
	return resolve_turns_init(&b->turns);
}

/* Whether waits are requested, and the recording may have tracepoints. */
static bool may_have_waits(const struct builder *b)
{
	return b->opts->request.waits && (b->file->tracing || b->file->is_pipe);
}

/* Set up the collector, the frames and the assembler, which add samples to the profile. */
static struct pd_error *set_up_output(struct builder *b)
{
	struct pd_error *err = resolve_frames_create(
		b->profile, b->binaries, resolve_walkers_n(b->walkers), &b->frames);

	if (err)
		return err;
	b->profile->arch = b->knows_arch ? b->arch : NULL;
	/*
	 * If the architecture is not known, b->arch is only a stand-in: the collector gets none,
	 * and marks no sample to be unwound.
	 */
	b->collector = (struct resolve_collector){
		.file = b->file,
		.profile = b->profile,
		.space = b->space,
		.jits = b->jits,
		.source = &b->source,
		.filter = &b->filter,
		.arch = b->knows_arch && !b->opts->no_user ? b->arch : NULL,
		.keeps_uncounted = b->opts->request.chains,
		.keeps_data = wants_data(&b->opts->request),
		.switches = may_have_waits(b) ? &b->switches : NULL,
	};
	b->assembler = (struct resolve_assembler){
		.file = b->file,
		.opts = b->opts,
		.profile = b->profile,
		.source = &b->source,
		.frames = b->frames,
		.switches = may_have_waits(b) ? &b->switches : NULL,
		.tally = &b->tally,
		.lbr_depth = UINT64_MAX,
		.witness = b->witness,
		.is_survey = b->is_survey,
	};
	b->tally = (struct resolve_tally){
		.file = b->file,
		.profile = b->profile,
		.space = b->space,
		.jits = b->jits,
		.collector = &b->collector,
	};
	resolve_tally_init(&b->tally, b->opts);
	return set_up_turns(b);
}

static bool is_text(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

/*
 * Find out whether the recording is of this machine, and when it ended: when the file was last
 * written.
 */
static void find_origin(struct builder *b)
{
	struct utsname here;
	struct stat st;

	b->search = b->opts->search;
	if (uname(&here) || !is_text(b->file->text[PD_FEATURE_HOSTNAME], here.nodename) ||
		!is_text(b->file->text[PD_FEATURE_OSRELEASE], here.release))
		return;
	b->search.is_here = true;
	if (!b->file->is_pipe && stat(b->file->path, &st) == 0)
		b->search.ended_at = st.st_mtime;
}

/*
 * Reserve memory for samples. With recorded stacks most samples have a stack of their own, so their
 * number is estimated from the size of the file.
 */
static struct pd_error *expect_samples(struct builder *b)
{
	enum { BYTES_OF_SAMPLE = 8192, MOST = 1 << 20 };
	uint64_t n = b->file->size / BYTES_OF_SAMPLE;

	return profile_expect(b->profile, n < MOST ? n : MOST);
}

/* Part of the budget that a list of single samples may take before it moves to a file. */
enum { SPILL_SHARE = 16 };

static struct pd_error *set_up_profile(struct builder *b)
{
	struct pd_error *err = profile_create(&b->profile);

	if (err)
		return err;
	profile_set_budget(b->profile, b->opts->budget);
	profile_spill(
		b->profile, pd_budget_share(b->opts->budget, SPILL_SHARE, PD_LIMIT_SPILL_BYTES));
	b->source = resolve_source_init(b->file, b->profile);
	err = expect_samples(b);
	if (err)
		return err;
	return resolve_source_begin(&b->source, b->opts->input);
}

static struct pd_error *set_up(struct builder *b)
{
	find_arch(b);
	find_origin(b);
	struct pd_error *err = resolve_filter_init(b->opts->filter, b->file, &b->filter);
	if (err)
		return err;
	err = set_up_profile(b);
	if (err)
		return err;
	err = set_up_input(b);
	if (err)
		return err;
	return set_up_output(b);
}

static void tear_down(struct builder *b)
{
	resolve_walkers_destroy(b->walkers);
	resolve_turns_deinit(&b->turns);
	resolve_collector_deinit(&b->collector);
	resolve_assembler_deinit(&b->assembler);
	resolve_tally_deinit(&b->tally);
	resolve_source_deinit(&b->source);
	resolve_stats_deinit(&b->stats);
	resolve_filter_deinit(&b->filter);
	resolve_lives_deinit(&b->lives);
	resolve_switches_deinit(&b->switches);
	resolve_frames_destroy(b->frames);
	resolve_binaries_destroy(b->binaries);
	resolve_jits_destroy(b->jits);
	pd_space_destroy(b->space);
	pd_namesakes_deinit(&b->namesakes);
	pd_reader_destroy(b->reader);
	pd_pool_destroy(b->pool);
}

/* Make room in the batch, and move waiting samples that are ready to it. */
static struct pd_error *take_ready(struct builder *b)
{
	for (;;) {
		bool has_more = resolve_collect_ready(&b->collector, b->turns.filling);

		if (resolve_batch_is_full(b->turns.filling)) {
			struct pd_error *err = resolve_turns_switch(&b->turns);
			if (err)
				return err;
		}
		if (!has_more)
			return NULL;
	}
}

static struct pd_error *collect_waiting(
	struct builder *b, const struct resolve_tally_waiting *waiting)
{
	struct pd_error *err = resolve_tally_collect(&b->tally, waiting, b->turns.filling);

	return err ? err : take_ready(b);
}

/* Count or collect the samples in the queue of the tally. */
static struct pd_error *empty_queue(struct builder *b)
{
	const struct resolve_tally_waiting *waiting;

	while ((waiting = resolve_tally_next(&b->tally, b->turns.filling))) {
		struct pd_error *err = collect_waiting(b, waiting);
		if (err)
			return err;
	}
	if (resolve_tally_must_restart(&b->tally)) {
		struct pd_error *err = resolve_turns_wait(&b->turns);
		if (err)
			return err;
		resolve_tally_restart(&b->tally);
	}
	return take_ready(b);
}

static struct pd_error *take_sample(struct builder *b, const struct pd_record *rec)
{
	bool is_taken;

	b->profile->stats.n_after_gaps += pd_stream_is_after_gap(b->file, rec);
	struct pd_error *err = resolve_tally_take(&b->tally, rec, &is_taken);
	if (err)
		return err;
	if (is_taken)
		return resolve_tally_is_full(&b->tally) ? empty_queue(b) : NULL;
	err = empty_queue(b);
	if (err)
		return err;
	err = resolve_collect(&b->collector, rec, b->turns.filling);
	return err ? err : take_ready(b);
}

/*
 * While a recording is made, its samples do not wait long for others that fill their batch: the
 * files of a process that exits can then no longer be read. Stitching looks for stacks in the whole
 * batch, so its result must not depend on the time.
 */
static struct pd_error *take_round(struct builder *b)
{
	static const double longest_wait_seconds = 0.25;

	if (!b->file->is_pipe || !b->turns.filling->n || b->opts->stitch)
		return NULL;
	if (pd_clock_now() - b->turns.switched_at < longest_wait_seconds)
		return NULL;
	return resolve_turns_switch(&b->turns);
}

static struct pd_error *take_deferred(struct builder *b, const struct pd_record *rec)
{
	resolve_collect_deferred(&b->collector, rec);
	return take_ready(b);
}

/* Count records that report lost data. */
static void count_losses(struct builder *b, const struct pd_record *rec, size_t sid_bytes)
{
	struct prof_stats *stats = &b->profile->stats;
	union pd_body body;
	const char *wrong;

	if (rec->type == PD_RECORD_THROTTLE)
		stats->n_throttled++;
	if (rec->type != PD_RECORD_LOST && rec->type != PD_RECORD_LOST_SAMPLES)
		return;
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong)) {
		pd_diag_note(b->file->diag, pd_file_part_path(b->file, rec->part), rec->offset,
			"LOST", wrong);
		return;
	}
	if (rec->type == PD_RECORD_LOST)
		stats->n_lost_records += body.lost.lost;
	else if (!(rec->misc & PD_MISC_LOST_SAMPLES_BPF))
		stats->n_lost_samples += body.lost_samples.lost;
}

static struct pd_error *take_cgroup(
	struct builder *b, const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (pd_record_decode(rec, sid_bytes, &body, &wrong))
		return resolve_source_add_cgroup(&b->source, &body.cgroup);
	pd_diag_note(
		b->file->diag, pd_file_part_path(b->file, rec->part), rec->offset, "CGROUP", wrong);
	return NULL;
}

/*
 * A stream sends build ids after the samples. Unwinds in progress look for binaries by build id, so
 * they have to end first.
 */
static struct pd_error *take_build_id(struct builder *b)
{
	struct pd_error *err = resolve_turns_wait(&b->turns);

	if (err)
		return err;
	pd_space_learn_build_ids(b->space);
	return NULL;
}

/* Replay a record of the kernel other than a sample. */
static struct pd_error *take_side_band(struct builder *b, const struct pd_record *rec)
{
	const struct pd_plan *plan = pd_events_plan(&b->file->events, rec);
	size_t sid_bytes = plan ? plan->sid_bytes : 0;

	count_losses(b, rec, sid_bytes);
	struct pd_error *err = resolve_jits_take_record(b->jits, rec, sid_bytes);
	if (err)
		return err;
	if (rec->type == PD_RECORD_CGROUP) {
		err = take_cgroup(b, rec, sid_bytes);
		if (err)
			return err;
	}
	err = resolve_lives_take_record(&b->lives, rec, sid_bytes);
	if (err)
		return err;
	err = pd_space_apply(b->space, rec, sid_bytes);
	if (err || !(b->opts->request.note_types >> rec->type & 1))
		return err;
	return resolve_add_note(b->file, b->space, rec, sid_bytes, &b->opts->request, b->profile);
}

static struct pd_error *take_record(struct builder *b, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_SAMPLE)
		return take_sample(b, rec);
	/* Other records of the tool describe the recording, and were evaluated by the reader. */
	if (rec->type >= PD_RECORD_FIRST_TOOL && rec->type != PD_RECORD_BUILD_ID &&
		pd_layout_find(rec->type, rec->misc))
		return resolve_stats_take_record(&b->stats, rec);
	struct pd_error *err = empty_queue(b);
	if (err)
		return err;
	resolve_tally_renew(&b->tally);
	if (rec->type == PD_RECORD_BUILD_ID)
		return take_build_id(b);
	if (rec->type == PD_RECORD_FINISHED_ROUND)
		return take_round(b);
	if (!pd_layout_find(rec->type, rec->misc)) {
		b->profile->stats.n_unknown_records++;
		return NULL;
	}
	if (rec->type == PD_RECORD_CALLCHAIN_DEFERRED)
		return take_deferred(b, rec);
	return take_side_band(b, rec);
}

/* Check build ids that a stream contains after the binaries were used. */
static void check_late_build_ids(const struct builder *b)
{
	for (size_t i = 0; i < resolve_binaries_n(b->binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(b->binaries, i);
		const struct pd_build_id *recorded = &binary->dso->build_id;
		const struct pd_build_id *own = sym_binary_build_id(binary->symbols);

		/*
		 * Build ids that were known in time have been compared when the file was looked
		 * for.
		 */
		if (sym_binary_status(binary->symbols) != SYM_FOUND || !recorded->len ||
			!own->len || pd_build_id_equal(recorded, own) ||
			sym_binary_is_id_refuted(binary->symbols))
			continue;
		if (sym_binary_is_mismatched(binary->symbols)) {
			pd_diag_warn(b->file->diag, sym_binary_path(binary->symbols), PD_NO_OFFSET,
				NULL, "is used although it is another build than %s",
				binary->dso->name);
			continue;
		}
		pd_diag_warn(b->file->diag, binary->dso->name, PD_NO_OFFSET, NULL,
			"is another build than the recorded one, whose build id came too late: "
			"its frames may be wrong");
	}
}

static struct pd_error *describe(struct builder *b)
{
	_cleanup_free_ char *text = b->opts->request.describe(b->file);

	if (!text)
		return &pd_enomem;
	b->profile->about.description = profile_add_string(b->profile, text);
	return prof_is_none(b->profile->about.description) ? &pd_enomem : NULL;
}

/* Add facts that a stream may contain anywhere. */
static struct pd_error *finish_profile(struct builder *b)
{
	if (!b->file->events.list.n)
		return pd_error_create(
			PD_ERROR_FORMAT, b->file->path, "the recording has no events");
	check_late_build_ids(b);
	resolve_binaries_report_limits(b->binaries);
	b->profile->stats.n_gaps = b->file->gaps.n;
	b->profile->stats.gap_bytes = b->file->gaps.bytes;
	struct pd_error *err = resolve_frames_finish(b->frames);
	if (err)
		return err;
	err = resolve_filter_check(&b->filter, b->file);
	if (err)
		return err;
	err = resolve_source_finish(&b->source, b->opts->filter);
	if (err)
		return err;
	err = resolve_stats_finish(&b->stats, &b->source);
	if (err)
		return err;
	err = resolve_choices_finish(&b->collector.choices, &b->filter.times, b->profile);
	if (err)
		return err;
	pd_limit_take();
	err = resolve_note_runtimes(b->profile, b->space);
	if (err)
		return err;
	if (pd_limit_is_reached())
		pd_file_note_limit(b->file, PD_LIMIT_ID_RUNTIME_STEPS);
	err = resolve_lives_finish(&b->lives, b->profile);
	if (err)
		return err;
	err = resolve_switches_finish(&b->switches, b->profile);
	if (err)
		return err;
	return b->opts->request.describe ? describe(b) : NULL;
}

static struct pd_error *read_records(struct builder *b)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(b->reader, &rec);
		if (err || !rec.bytes)
			return err;
		err = b->opts->on_record ? b->opts->on_record(b->opts->ctx, &rec) : NULL;
		if (err)
			return err;
		err = take_record(b, &rec);
		if (err)
			return err;
	}
}

/* Add the samples that are still in batches or that wait for their call chains. */
static struct pd_error *drain(struct builder *b)
{
	struct pd_error *err = empty_queue(b);

	if (err)
		return err;
	resolve_collect_end(&b->collector);
	err = take_ready(b);
	if (err)
		return err;
	/* A batch is added when the next one is complete, so the last one needs one after it. */
	for (size_t i = 0; i < 2; i++) {
		err = resolve_turns_switch(&b->turns);
		if (err)
			return err;
	}
	err = resolve_turns_wait(&b->turns);
	if (err)
		return err;
	resolve_tally_finish(&b->tally);
	resolve_assembler_end(&b->assembler);
	return NULL;
}

static struct pd_error *read_all(struct builder *b)
{
	struct pd_error *err = b->opts->request.no_samples ? NULL : read_records(b);

	if (err)
		return err;
	b->profile->stats.n_late_records = pd_reader_n_late(b->reader);
	err = drain(b);
	if (err)
		return err;
	return finish_profile(b);
}

/* Some filters need names even if the format does not. */
static bool needs_names(const struct resolve_opts *opts)
{
	if (opts->no_names)
		return false;
	return !opts->request.no_names || (opts->filter && prof_filter_needs_names(opts->filter));
}

static bool needs_pattern_names(const struct resolve_opts *opts)
{
	return opts->names.form != SYM_FORM_TEMPLATES &&
	       (opts->request.pattern_names || (opts->filter && opts->filter->hides_scaffolding));
}

static struct pd_error *name_all(struct builder *b)
{
	if (!needs_names(b->opts))
		return NULL;
	struct pd_error *err =
		resolve_name_frames(b->file, b->profile, b->binaries, b->space, b->opts, b->pool);
	if (err)
		return err;
	err = resolve_traces_name(&b->assembler.traces, b->profile);
	if (!err)
		err = resolve_tell_apart(b->profile);
	if (!err && needs_pattern_names(b->opts))
		err = resolve_add_pattern_names(b->profile);
	if (err)
		return err;
	err = resolve_note_missing(b->profile, b->binaries);
	if (err || !b->opts->filter || b->opts->no_name_filters)
		return err;
	return prof_filter_by_names(b->opts->filter, b->profile);
}

/* Check the files that were mapped. One that shrank has given wrong names and frames. */
static struct pd_error *check_files(const struct builder *b)
{
	struct pd_error *err = pd_file_or_shrunk(b->file, NULL);

	if (!err && b->jits)
		err = resolve_jits_check(b->jits);
	return err || !b->binaries ? err : resolve_binaries_check(b->binaries);
}

static struct pd_error *build(struct builder *b, struct resolve_times *times)
{
	double start = pd_clock_now();
	struct pd_error *err = set_up(b);

	if (err)
		return err;
	err = read_all(b);
	if (err)
		return err;
	/*
	 * Names need the whole profile: each distinct address of a binary is named once, in one
	 * sweep.
	 */
	double unwound = pd_clock_now();
	times->unwound = unwound - start;
	err = name_all(b);
	if (err)
		return err;
	if (b->opts->list_files) {
		err = resolve_list_files(b->profile, b->binaries, b->space, b->opts);
		if (err)
			return err;
	}
	times->named = pd_clock_now() - unwound;
	return NULL;
}

/*
 * Read all of a file for the complete stacks in it, because a later one may exclude what would
 * complete an earlier one. A stream can be read only once: there, later stacks do not count.
 */
static struct pd_error *survey(
	struct pd_file *file, const struct resolve_opts *opts, struct resolve_witness *witness)
{
	struct resolve_opts own = *opts;
	struct builder b = { .file = file, .opts = &own, .witness = witness, .is_survey = true };

	if (!opts->stitch || file->is_pipe)
		return NULL;
	own.on_sample = NULL;
	own.on_record = NULL;
	struct pd_error *err = set_up(&b);
	if (!err)
		err = read_records(&b);
	if (!err)
		err = drain(&b);
	tear_down(&b);
	profile_destroy(b.profile);
	return err;
}

struct pd_error *resolve_profile(
	struct pd_file *file, const struct resolve_opts *opts, struct profile **ret)
{
	struct resolve_opts own = *opts;
	struct resolve_witness witness = { 0 };
	struct builder b = { .file = file, .opts = &own, .witness = &witness };
	struct resolve_times times = { 0 };

	if (opts->request.inlined)
		own.names.no_inline = false;
	pd_file_set_budget(file, opts->budget);
	struct pd_error *err = survey(file, &own, &witness);
	if (!err)
		err = build(&b, opts->times ? opts->times : &times);
	struct pd_error *shrunk = pd_file_maps_have_shrunk() ? check_files(&b) : NULL;

	/* The bytes of such a file may also be the reason for the error. */
	if (shrunk) {
		pd_error_destroy(err);
		err = shrunk;
	}
	tear_down(&b);
	resolve_witness_deinit(&witness);
	if (err) {
		profile_destroy(b.profile);
		return err;
	}
	*ret = b.profile;
	return NULL;
}
