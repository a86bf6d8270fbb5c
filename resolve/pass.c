#include "resolve/pass.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/system/base_machine.h"
#include "parse/open_file.h"
#include "symbolize/kernel/proc_copies.h"

/*
 * Find the architecture that the recording names. A recording without a name was not finished, and
 * is most likely of this machine.
 */
static void find_arch(struct resolve_pass *pass)
{
	const char *name = pass->file->text[PD_FEATURE_ARCH];
	struct utsname here;

	if (!name)
		name = base_machine_here(&here) ? here.machine : base_arch_x86_64.name;
	pass->arch = pd_arch_find(name);
	pass->knows_arch = pass->arch;
	if (pass->knows_arch)
		return;
	pd_diag_warn(pass->file->diag, pass->file->path, PD_NO_OFFSET, NULL,
		"stacks of architecture %s cannot be unwound yet", name);
	/* The walkers need an architecture. If it is not known, no sample is given to them. */
	pass->arch = &base_arch_x86_64;
}

/*
 * Read the module list of the directory that perf keeps kernel files in. The caller did not ask for
 * this file, so it is ignored if it is missing or invalid.
 */
static void read_kept_modules(const struct resolve_pass *pass, struct sym_loaded_modules *ret)
{
	_cleanup_free_ char *path = base_format("%s/modules", pass->opts->search.kernel_dir);

	if (path)
		pd_error_destroy(
			sym_modules_file_read(path, sym_search_access(&pass->opts->search), ret));
}

/* Map the kernel modules that the recording has no mappings of. */
static struct pd_error *add_modules(struct resolve_pass *pass)
{
	_cleanup_(sym_loaded_modules_deinit) struct sym_loaded_modules modules = { 0 };

	if (pass->opts->modules) {
		struct pd_error *err = sym_modules_file_read(
			pass->opts->modules, sym_search_access(&pass->opts->search), &modules);
		if (err)
			return err;
	} else if (pass->opts->search.kernel_dir) {
		read_kept_modules(pass, &modules);
	}
	for (size_t i = 0; i < modules.n; i++) {
		struct pd_error *err = parse_space_add_module(pass->space, modules.list[i].name,
			modules.list[i].start, modules.list[i].size);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *create_walkers(struct resolve_pass *pass)
{
	const struct unw_opts walk_opts = {
		.max_stack = pass->opts->unwind.max_stack,
		.cfi_only = pass->opts->unwind.cfi_only,
		.keep_sps = pass->opts->stitch,
	};
	struct pd_error *err = base_pool_create(pass->opts->jobs, &pass->pool);

	if (err)
		return err;
	return resolve_walkers_create(pass->arch, &walk_opts, pass->binaries,
		base_pool_n_workers(pass->pool), &pass->walkers);
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
static struct pd_error *set_up_input(struct resolve_pass *pass)
{
	struct pd_error *err = parse_namesakes_read(pass->file, &pass->namesakes);

	if (err)
		return err;
	err = pd_reader_create(pass->file, PD_ORDER_TIME, &pass->reader);
	if (err)
		return err;
	err = parse_space_create(pass->file, &pass->space);
	if (err)
		return err;
	parse_space_use_namesakes(pass->space, &pass->namesakes);
	if (wants_data(&pass->opts->request))
		parse_space_keep_data(pass->space);
	err = add_modules(pass);
	if (err)
		return err;
	err = resolve_binaries_create(
		pass->knows_arch ? pass->arch : NULL, &pass->search, &pass->binaries);
	if (err)
		return err;
	err = resolve_jits_create(pass->file, pass->knows_arch ? pass->arch : NULL, &pass->search,
		pass->space, pass->binaries, &pass->jits);
	if (err)
		return err;
	return create_walkers(pass);
}

static struct pd_error *set_up_pipeline(struct resolve_pass *pass)
{
	pass->pipeline = (struct resolve_pipeline){
		.pool = pass->pool,
		.walkers = pass->walkers,
		.frames = pass->frames,
		.joiner = &pass->joiner,
		.assembler = &pass->assembler,
		.tally = &pass->tally,
		.is_independent = resolve_assembler_is_independent(&pass->assembler),
		/* Stitching looks for stacks in the whole batch. */
		.most_bytes = pass->opts->stitch ? SIZE_MAX : RESOLVE_BATCH_BYTES,
	};
	return resolve_pipeline_init(&pass->pipeline);
}

/* Whether it is requested how many threads run, which a ledger knows. */
static bool wants_parallelism(const struct prof_request *request)
{
	return request->tags >> PROF_TAG_PARALLELISM & 1;
}

/* Whether waits are requested, and the recording may have tracepoints. */
static bool may_have_waits(const struct resolve_pass *pass)
{
	return pass->opts->request.waits && (pass->file->tracing || pass->file->is_pipe);
}

/* Whether intervals are requested, and the recording may have tracepoints. */
static bool may_have_intervals(const struct resolve_pass *pass)
{
	return pass->opts->request.intervals && (pass->file->tracing || pass->file->is_pipe);
}

/* Set up the collector, the frames and the assembler, which add samples to the profile. */
static struct pd_error *set_up_output(struct resolve_pass *pass)
{
	struct pd_error *err = resolve_frames_create(
		pass->profile, pass->binaries, resolve_walkers_n(pass->walkers), &pass->frames);

	if (err)
		return err;
	pass->profile->arch = pass->knows_arch ? pass->arch : NULL;
	/*
	 * If the architecture is not known, pass->arch is only a stand-in: the collector gets none,
	 * and marks no sample to be unwound.
	 */
	pass->collector = (struct resolve_collector){
		.file = pass->file,
		.profile = pass->profile,
		.space = pass->space,
		.jits = pass->jits,
		.facts = &pass->facts,
		.filter = &pass->filter,
		.arch = pass->knows_arch && !pass->opts->unwind.no_user ? pass->arch : NULL,
		.keeps_uncounted = pass->opts->request.chains,
		.keeps_data = wants_data(&pass->opts->request),
		.keeps_cgroup = pass->opts->request.tags >> PROF_TAG_CGROUP & 1,
		.sched = pass->follows_scheduler ? &pass->sched : NULL,
		.switches = may_have_waits(pass) ? &pass->switches : NULL,
		.intervals = pass->opts->request.intervals ? &pass->intervals : NULL,
		.ledger = wants_parallelism(&pass->opts->request) ? &pass->ledger.ledger : NULL,
	};
	pass->joiner = (struct resolve_joiner){
		.file = pass->file,
		.opts = pass->opts,
		.profile = pass->profile,
		.frames = pass->frames,
		.witness = pass->witness,
		.is_survey = pass->is_survey,
		.lbr_depth = UINT64_MAX,
	};
	pass->assembler = (struct resolve_assembler){
		.file = pass->file,
		.opts = pass->opts,
		.profile = pass->profile,
		.facts = &pass->facts,
		.switches = may_have_waits(pass) ? &pass->switches : NULL,
		.intervals = may_have_intervals(pass) ? &pass->intervals : NULL,
		.tally = &pass->tally,
		.account = base_budget_account(pass->opts->budget, PD_MEMORY_SAMPLES),
		.has_repeats = prof_has_all_rows(&pass->opts->request) || pass->opts->request.tags,
	};
	pass->plain = (struct resolve_plain_reader){
		.file = pass->file,
		.space = pass->space,
		.jits = pass->jits,
		.collector = &pass->collector,
	};
	resolve_plain_init(&pass->plain, pass->opts);
	resolve_tally_init(&pass->tally, pass->opts);
	return set_up_pipeline(pass);
}

static bool is_text(const char *a, const char *pass)
{
	return a && strcmp(a, pass) == 0;
}

/*
 * Find out whether the recording is of this machine, and when it ended: when the file was last
 * written.
 */
static void find_origin(struct resolve_pass *pass)
{
	struct utsname here;
	struct stat st;

	pass->search = pass->opts->search;
	if (!base_machine_here(&here) ||
		!is_text(pass->file->text[PD_FEATURE_HOSTNAME], here.nodename) ||
		!is_text(pass->file->text[PD_FEATURE_OSRELEASE], here.release))
		return;
	pass->search.is_here = true;
	if (!pass->file->is_pipe && stat(pass->file->path, &st) == 0)
		pass->search.ended_at = st.st_mtime;
}

/*
 * Reserve memory for samples. With recorded stacks most samples have a stack of their own, so their
 * number is estimated from the size of the file.
 */
static struct pd_error *expect_samples(struct resolve_pass *pass)
{
	enum { BYTES_OF_SAMPLE = 8192, MOST = 1 << 20 };
	uint64_t n = pass->file->size / BYTES_OF_SAMPLE;

	return prof_expect(pass->profile, n < MOST ? n : MOST);
}

/* Part of the budget that a list of single samples may take before it moves to a file. */
static uint64_t spill_bytes(const struct pd_budget *budget)
{
	enum { SPILL_SHARE = 16 };

	return base_budget_share(budget, SPILL_SHARE, PD_LIMIT_SPILL_BYTES);
}

static struct pd_error *set_up_profile(struct resolve_pass *pass)
{
	struct pd_error *err = prof_create(&pass->profile);

	if (err)
		return err;
	prof_set_budget(pass->profile, pass->opts->budget);
	prof_spill(pass->profile, spill_bytes(pass->opts->budget));
	pass->facts = resolve_facts_init(pass->file, pass->profile);
	err = expect_samples(pass);
	if (err)
		return err;
	return resolve_facts_begin(&pass->facts, pass->opts->input);
}

/* Compare spans of time by their beginnings. */
static int compare_spans(const void *a, const void *b)
{
	const struct prof_time_span *x = a;
	const struct prof_time_span *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Let an array move to a file. */
static void spill_in(struct base_spill *spill, struct pd_budget *budget)
{
	spill->max_bytes = spill_bytes(budget);
	spill->account = base_budget_account(budget, PD_MEMORY_ROWS);
}

/*
 * Do without a ledger of which nothing would be known, unless it counts running threads. All events
 * of a file are known before its records, but not those of a pipe.
 */
static struct pd_error *skip_ledger(struct resolve_pass *pass)
{
	pass->ledger.is_optional = !wants_parallelism(&pass->opts->request);
	struct pd_error *err = led_sched_events_learn(&pass->sched);
	if (!pass->file->is_pipe && led_feed_is_idle(&pass->ledger))
		pass->feeds_ledger = false;
	return err;
}

/* Let the ledger count the times that are included. */
static struct pd_error *count_times(struct resolve_pass *pass)
{
	const struct prof_time_spans *times = &pass->filter.times;
	size_t n = times->list.n;
	_cleanup_free_ struct prof_time_span *spans = base_calloc_n(n, sizeof(*spans));
	struct pd_error *err = NULL;

	if (!spans)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		spans[i] = times->list.data[i];
	qsort(spans, n, sizeof(*spans), compare_spans);
	for (size_t i = 0; !err && i < n; i++)
		err = led_timeline_count(&pass->ledger.ledger.timeline,
			(struct led_range){ spans[i].start, spans[i].end });
	return err;
}

static struct pd_error *set_up_ledger(struct resolve_pass *pass)
{
	const struct resolve_opts *opts = pass->opts;
	struct ledger *ledger = &pass->ledger.ledger;

	led_feed_init(&pass->ledger, &pass->interrupts);
	pass->feeds_ledger = opts->request.ledger || wants_parallelism(&opts->request);
	if (opts->request.ledger_if_known) {
		struct pd_error *err = skip_ledger(pass);
		if (err)
			return err;
	}
	if (!opts->request.ledger || !pass->feeds_ledger)
		return NULL;
	ledger->keeps_cpus_of_tasks = opts->filter && opts->filter->cpus.items.n;
	ledger->timeline.on_blocked = may_have_waits(pass) ? resolve_switches_blocked : NULL;
	ledger->timeline.ctx = &pass->switches;
	pass->ledger.keeps_changes = opts->request.ledger_changes;
	ledger->timeline.is_kept =
		opts->request.critical_path || opts->request.phases || opts->request.ledger_changes;
	spill_in(&ledger->timeline.phases.spill, opts->budget);
	spill_in(&ledger->timeline.turns.spill, opts->budget);
	spill_in(&ledger->delays.list.spill, opts->budget);
	pass->ledger.cgroups = &pass->facts.cgroups;
	return count_times(pass);
}

static struct pd_error *set_up_intervals(struct resolve_pass *pass)
{
	const struct prof_request *request = &pass->opts->request;

	if (!request->intervals)
		return NULL;
	return led_intervals_set_up(
		&pass->intervals, request->own_intervals, request->n_own_intervals);
}

struct pd_error *resolve_pass_set_up(struct resolve_pass *pass)
{
	find_arch(pass);
	find_origin(pass);
	struct pd_error *err = resolve_filter_init(pass->opts->filter, pass->file, &pass->filter);
	if (err)
		return err;
	err = set_up_profile(pass);
	if (err)
		return err;
	led_sched_events_init(&pass->sched, pass->file);
	led_interrupts_init(&pass->interrupts, &pass->sched);
	err = set_up_ledger(pass);
	if (err)
		return err;
	pass->switches.interrupts = &pass->interrupts;
	pass->follows_scheduler = pass->feeds_ledger || may_have_waits(pass);
	err = set_up_intervals(pass);
	if (err)
		return err;
	err = set_up_input(pass);
	if (err)
		return err;
	return set_up_output(pass);
}

void resolve_pass_tear_down(struct resolve_pass *pass)
{
	resolve_pipeline_deinit(&pass->pipeline);
	resolve_walkers_destroy(pass->walkers);
	resolve_plain_deinit(&pass->plain);
	resolve_collector_deinit(&pass->collector);
	resolve_joiner_deinit(&pass->joiner);
	resolve_assembler_deinit(&pass->assembler);
	resolve_tally_deinit(&pass->tally);
	resolve_facts_deinit(&pass->facts);
	resolve_stats_deinit(&pass->stats);
	resolve_filter_deinit(&pass->filter);
	resolve_lives_deinit(&pass->lives);
	resolve_mapping_list_deinit(&pass->mappings);
	resolve_switches_deinit(&pass->switches);
	led_feed_deinit(&pass->ledger);
	led_interrupts_deinit(&pass->interrupts);
	led_sched_events_deinit(&pass->sched);
	resolve_interrupt_names_deinit(&pass->interrupt_names);
	led_intervals_deinit(&pass->intervals);
	resolve_frames_destroy(pass->frames);
	resolve_binaries_destroy(pass->binaries);
	resolve_jits_destroy(pass->jits);
	parse_space_destroy(pass->space);
	parse_namesakes_deinit(&pass->namesakes);
	pd_reader_destroy(pass->reader);
	base_pool_destroy(pass->pool);
}
