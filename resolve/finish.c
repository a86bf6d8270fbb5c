#include "resolve/finish.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "parse/open_file.h"
#include "profile/known_runtimes.h"
#include "profile/name_filter.h"
#include "resolve/naming/apart.h"
#include "resolve/listing.h"
#include "resolve/naming/naming.h"
#include "symbolize/binary_names.h"

/* Debug files that binaries refer to and that were not found when frames were named. */

static struct pd_error *note_missing_of(
	struct profile *profile, const struct resolve_binary *binary)
{
	struct prof_binary *entry = &profile->binaries.data[binary->profile_id.i];
	_cleanup_free_ char *text = NULL;

	if (!entry->is_found || entry->is_kernel || binary->jit)
		return NULL;
	struct pd_error *err = sym_ranges_missing(sym_binary_ranges(binary->symbols), &text);
	if (err || !text)
		return err;
	entry->why = prof_add_string(profile, text);
	return prof_is_none(entry->why) ? &pd_enomem : NULL;
}

/* Set `why` of binaries that were found to their split and supplementary files that were not. */
static struct pd_error *note_missing(struct profile *profile, struct resolve_binaries *binaries)
{
	for (size_t i = 0; i < resolve_binaries_n(binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(binaries, i);

		if (prof_is_none(binary->profile_id))
			continue;
		struct pd_error *err = note_missing_of(profile, binary);
		if (err)
			return err;
	}
	return NULL;
}

/* Language runtimes of the sampled processes. */

/*
 * Mappings that are looked at, about 0.2 s. Recordings have far fewer, except those in which many
 * processes inherit tens of thousands of mappings. Runtimes are only known for hints.
 */
enum { MAX_STEPS = PD_LIMIT_RUNTIME_STEPS };

/* Runtime and version of a dso. */
struct known {
	enum prof_runtime runtime;
	uint32_t version;
};

struct search {
	struct profile *profile;
	struct parse_space *space;
	/** Runtimes, indexed by parse_dso.id. */
	struct known *known;
	/** Some of them are runtimes. */
	bool has_any;
	size_t n_steps;
};

static bool recognize_dsos(struct search *search)
{
	size_t n = parse_space_n_dsos(search->space);
	struct known *known = base_calloc_n(n, sizeof(*known));

	for (size_t i = 0; known && i < n; i++) {
		const struct parse_dso *dso = parse_space_dso(search->space, i);

		known[i].runtime = dso->is_kernel
					   ? PROF_N_RUNTIMES
					   : prof_runtime_of_file(dso->name, &known[i].version);
		search->has_any |= known[i].runtime != PROF_N_RUNTIMES;
	}
	search->known = known;
	return known;
}

static bool add_use(struct profile *profile, size_t first, uint32_t pid, const struct known *known)
{
	const struct prof_runtime_use use = { pid, known->runtime, known->version };

	for (size_t i = first; i < profile->runtimes.n; i++) {
		struct prof_runtime_use *other = &profile->runtimes.data[i];

		if (other->runtime != known->runtime)
			continue;
		/* The name of the program may lack the version that its library has. */
		if (!other->version)
			other->version = known->version;
		return true;
	}
	return pd_vec_push(&profile->runtimes, use);
}

static bool add_process(struct search *search, uint32_t pid)
{
	const struct parse_maps *maps = parse_space_maps(search->space, pid);
	size_t first = search->profile->runtimes.n;
	const struct parse_maps_entry *entry = NULL;

	while (maps && (entry = parse_maps_next(maps, entry))) {
		if (search->n_steps == MAX_STEPS && base_limit_reach(PD_LIMIT_ID_RUNTIME_STEPS))
			break;
		const struct known *dso = &search->known[entry->mapping->dso->id];

		search->n_steps++;
		if (dso->runtime != PROF_N_RUNTIMES && !add_use(search->profile, first, pid, dso))
			return false;
	}
	return maps;
}

static bool add_processes(struct search *search)
{
	struct profile *profile = search->profile;
	struct base_map pids = { 0 };
	bool ok = true;

	for (struct prof_thread_id id = { 0 }; ok && id.i < profile->threads.n; id.i++) {
		uint32_t pid = prof_thread(profile, id)->pid;
		bool is_new;

		ok = base_map_add(&pids, pid, &is_new) && (!is_new || add_process(search, pid));
	}
	base_map_deinit(&pids);
	return ok;
}

/* Add the runtimes that the processes with samples have mapped to profile->runtimes. */
static struct pd_error *note_runtimes(struct resolve_pass *pass)
{
	PD_LIMIT_SCOPE();
	struct search search = { .profile = pass->profile, .space = pass->space };
	bool ok = recognize_dsos(&search) && (!search.has_any || add_processes(&search));

	free(search.known);
	if (base_limit_is_reached())
		parse_file_note_limit(pass->file, PD_LIMIT_ID_RUNTIME_STEPS);
	return ok ? NULL : &pd_enomem;
}

/* The end of a pass. */

/* Check build ids that a stream contains after the binaries were used. */
static void check_late_build_ids(const struct resolve_pass *pass)
{
	for (size_t i = 0; i < resolve_binaries_n(pass->binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(pass->binaries, i);
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
			pd_diag_warn(pass->file->diag, sym_binary_path(binary->symbols),
				PD_NO_OFFSET, NULL, "is used although it is another build than %s",
				binary->dso->name);
			continue;
		}
		pd_diag_warn(pass->file->diag, binary->dso->name, PD_NO_OFFSET, NULL,
			"is another build than the recorded one, whose build id came too late: "
			"its frames may be wrong");
	}
}

static struct pd_error *describe(struct resolve_pass *pass)
{
	_cleanup_free_ char *text = pass->opts->request.describe(pass->file);

	if (!text)
		return &pd_enomem;
	pass->profile->about.description = prof_add_string(pass->profile, text);
	return prof_is_none(pass->profile->about.description) ? &pd_enomem : NULL;
}

static bool wants_path(const struct resolve_pass *pass)
{
	const struct prof_request *request = &pass->opts->request;

	return request->critical_path &&
	       (!request->path_if_known ||
		       (pass->profile->ledgers.n &&
			       led_feed_has_path(&pass->ledger, request->critical_path)));
}

/* Some filters need names even if the format does not. */
static bool needs_names(const struct resolve_opts *opts)
{
	if (opts->no_names)
		return false;
	return !opts->request.no_names || (opts->filter && prof_filter_needs_names(opts->filter));
}

/* Add the frames whose functions name interrupts. */
static struct pd_error *prepare_interrupts(struct resolve_pass *pass)
{
	if (!needs_names(pass->opts))
		return NULL;
	return resolve_interrupt_names_prepare(&pass->interrupt_names, &pass->interrupts,
		pass->frames, parse_space_kernel_maps(pass->space));
}

/* Add what is between samples: ledgers, intervals and waits. */
static struct pd_error *add_times(struct resolve_pass *pass)
{
	struct pd_error *err = resolve_interrupt_names_add(
		&pass->interrupt_names, &pass->interrupts, pass->profile);

	pass->ledger.interrupt_names = pass->interrupt_names.list.data;
	if (!err && pass->opts->request.ledger)
		err = led_feed_finish(&pass->ledger, pass->opts->filter, pass->profile);
	if (!err && pass->opts->request.phases)
		err = led_feed_add_phases(&pass->ledger, pass->opts->filter, pass->profile);
	if (!err && wants_path(pass))
		err = led_feed_add_path(
			&pass->ledger, pass->opts->request.critical_path, pass->profile);
	if (!err && pass->opts->request.intervals)
		err = led_intervals_finish(&pass->intervals, pass->profile);
	if (err)
		return err;
	return resolve_switches_finish(
		&pass->switches, pass->interrupt_names.list.data, pass->profile);
}

struct pd_error *resolve_finish(struct resolve_pass *pass)
{
	if (!pass->file->events.list.n)
		return pd_error_create(
			PD_ERROR_FORMAT, pass->file->path, "the recording has no events");
	check_late_build_ids(pass);
	resolve_binaries_report_limits(pass->binaries);
	pass->profile->stats.n_gaps = pass->file->gaps.n;
	pass->profile->stats.gap_bytes = pass->file->gaps.bytes;
	struct pd_error *err = prepare_interrupts(pass);
	if (err)
		return err;
	err = resolve_frames_finish(pass->frames);
	if (err)
		return err;
	err = resolve_filter_check(&pass->filter, pass->file);
	if (err)
		return err;
	err = resolve_facts_finish(&pass->facts, pass->opts->filter);
	if (err)
		return err;
	err = resolve_stats_finish(&pass->stats, &pass->facts);
	if (err)
		return err;
	err = resolve_choices_finish(&pass->collector.choices, &pass->filter.times, pass->profile);
	if (err)
		return err;
	err = note_runtimes(pass);
	if (err)
		return err;
	err = resolve_mapping_list_finish(&pass->mappings, pass->binaries, pass->profile);
	if (err)
		return err;
	err = resolve_lives_finish(&pass->lives, pass->profile);
	if (err)
		return err;
	return pass->opts->request.describe ? describe(pass) : NULL;
}

static bool needs_pattern_names(const struct resolve_opts *opts)
{
	return opts->names.form != PD_NAME_FORM_TEMPLATES &&
	       (opts->request.pattern_names || (opts->filter && opts->filter->hides_scaffolding));
}

static struct pd_error *name_frames(struct resolve_pass *pass)
{
	const struct resolve_naming_opts opts = {
		.search = &pass->opts->search,
		.names = &pass->opts->names,
		.kernel = &pass->opts->kernel,
		.request = &pass->opts->request,
	};

	if (!needs_names(pass->opts))
		return NULL;
	struct pd_error *err = resolve_name_frames(
		pass->file, pass->profile, pass->binaries, pass->space, &opts, pass->pool);
	if (err)
		return err;
	err = resolve_traces_name(&pass->joiner.traces, pass->profile);
	if (!err)
		err = resolve_tell_apart(pass->profile);
	if (!err && needs_pattern_names(pass->opts))
		err = resolve_add_pattern_names(pass->profile);
	return err ? err : note_missing(pass->profile, pass->binaries);
}

/* Apply the filters that look at names. */
static struct pd_error *filter_by_names(struct resolve_pass *pass)
{
	if (!needs_names(pass->opts) || !pass->opts->filter || pass->opts->no_name_filters)
		return NULL;
	return prof_filter_by_names(pass->opts->filter, pass->profile);
}

struct pd_error *resolve_finish_names(struct resolve_pass *pass)
{
	struct pd_error *err = name_frames(pass);

	if (!err)
		err = add_times(pass);
	if (!err)
		err = filter_by_names(pass);
	if (err || !pass->opts->list_files)
		return err;
	return resolve_list_files(pass->profile, pass->binaries, pass->space, pass->opts);
}

struct pd_error *resolve_check_files(const struct resolve_pass *pass)
{
	struct pd_error *err = parse_file_or_shrunk(pass->file, NULL);

	if (!err && pass->jits)
		err = resolve_jits_check(pass->jits);
	return err || !pass->binaries ? err : resolve_binaries_check(pass->binaries);
}
