#include "resolve/finish.h"

#include "base/cleanup.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "profile/sample_filter.h"
#include "resolve/apart.h"
#include "resolve/listing.h"
#include "resolve/missing.h"
#include "resolve/naming.h"
#include "resolve/runtimes.h"

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

static struct pd_error *note_runtimes(struct resolve_pass *pass)
{
	PD_LIMIT_SCOPE();
	struct pd_error *err = resolve_note_runtimes(pass->profile, pass->space);

	if (pd_limit_is_reached())
		pd_file_note_limit(pass->file, PD_LIMIT_ID_RUNTIME_STEPS);
	return err;
}

static struct pd_error *describe(struct resolve_pass *pass)
{
	_cleanup_free_ char *text = pass->opts->request.describe(pass->file);

	if (!text)
		return &pd_enomem;
	pass->profile->about.description = prof_add_string(pass->profile, text);
	return prof_is_none(pass->profile->about.description) ? &pd_enomem : NULL;
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
	struct pd_error *err = resolve_frames_finish(pass->frames);
	if (err)
		return err;
	err = resolve_filter_check(&pass->filter, pass->file);
	if (err)
		return err;
	err = resolve_source_finish(&pass->source, pass->opts->filter);
	if (err)
		return err;
	err = resolve_stats_finish(&pass->stats, &pass->source);
	if (err)
		return err;
	err = resolve_choices_finish(&pass->collector.choices, &pass->filter.times, pass->profile);
	if (err)
		return err;
	err = note_runtimes(pass);
	if (err)
		return err;
	err = resolve_lives_finish(&pass->lives, pass->profile);
	if (err)
		return err;
	err = resolve_switches_finish(&pass->switches, pass->profile);
	if (err)
		return err;
	return pass->opts->request.describe ? describe(pass) : NULL;
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
	return opts->names.form != PD_NAME_FORM_TEMPLATES &&
	       (opts->request.pattern_names || (opts->filter && opts->filter->hides_scaffolding));
}

static struct pd_error *name_frames(struct resolve_pass *pass)
{
	if (!needs_names(pass->opts))
		return NULL;
	struct pd_error *err = resolve_name_frames(
		pass->file, pass->profile, pass->binaries, pass->space, pass->opts, pass->pool);
	if (err)
		return err;
	err = resolve_traces_name(&pass->assembler.traces, pass->profile);
	if (!err)
		err = resolve_tell_apart(pass->profile);
	if (!err && needs_pattern_names(pass->opts))
		err = resolve_add_pattern_names(pass->profile);
	if (err)
		return err;
	err = resolve_note_missing(pass->profile, pass->binaries);
	if (err || !pass->opts->filter || pass->opts->no_name_filters)
		return err;
	return prof_filter_by_names(pass->opts->filter, pass->profile);
}

struct pd_error *resolve_finish_names(struct resolve_pass *pass)
{
	struct pd_error *err = name_frames(pass);

	if (err || !pass->opts->list_files)
		return err;
	return resolve_list_files(pass->profile, pass->binaries, pass->space, pass->opts);
}

struct pd_error *resolve_check_files(const struct resolve_pass *pass)
{
	struct pd_error *err = pd_file_or_shrunk(pass->file, NULL);

	if (!err && pass->jits)
		err = resolve_jits_check(pass->jits);
	return err || !pass->binaries ? err : resolve_binaries_check(pass->binaries);
}
