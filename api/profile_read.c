/* pd_profile: from a recording to a profile. */

#include "api/profile_read.h"

#include <stdlib.h>
#include <string.h>

#include "api/opts_copy.h"
#include "api/profile_write.h"
#include "api/reading.h"
#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "parse/open_file.h"

/* Progress is reported each time that this many bytes were read. */
enum { PROGRESS_STEP = 1 << 20 };

/* Number of records after which the clock is read again. */
enum { CLOCK_STEP = 256 };

/* Highest level of zstd: it is a constant, unlike ZSTD_maxCLevel(). */
enum { MAX_LEVEL = 22 };

/* How much of a recording was read. */
struct progress {
	const struct pd_profile_opts *opts;
	/* Asks on_progress whether to go on. */
	struct base_cancel cancel;
	/* End of the last record of each part: records are read part by part in their order. */
	uint64_t *ends;
	uint64_t done;
	uint64_t reported;
	uint64_t n_records;
	/* 0 if it is not known. */
	uint64_t total;
};

static struct pd_error *report_progress(void *ctx)
{
	const struct progress *progress = ctx;

	return progress->opts->on_progress(
		progress->opts->progress_ctx, progress->done, progress->total);
}

static struct pd_error *note_record(void *ctx, const struct pd_record *rec)
{
	struct progress *progress = ctx;
	/* The size of a record that was compressed is not that of its bytes in the file. */
	uint64_t end = rec->offset + (rec->is_unpacked ? 0 : rec->size);

	/* The caller may have been asked while threads were waited for. */
	if (progress->cancel.err ||
		(++progress->n_records % CLOCK_STEP == 0 && base_is_cancelled()))
		return base_cancel_error();
	if (end <= progress->ends[rec->part])
		return NULL;
	progress->done += end - progress->ends[rec->part];
	progress->ends[rec->part] = end;
	if (progress->done - progress->reported < PROGRESS_STEP)
		return NULL;
	progress->reported = progress->done;
	return base_cancel_ask() ? base_cancel_error() : NULL;
}

static struct pd_error *start_progress(
	const struct pd_file *file, const struct pd_profile_opts *opts, struct progress *ret)
{
	*ret = (struct progress){
		.opts = opts,
		.cancel = { .ask = report_progress, .asked_at = base_clock_now() },
		.ends = base_calloc_n(file->parts.n, sizeof(*ret->ends)),
	};
	if (!ret->ends)
		return &pd_enomem;
	for (size_t i = 0; i < file->parts.n; i++) {
		const struct pd_section *data = &file->parts.data[i].data;

		ret->ends[i] = data->offset;
		if (data->size == UINT64_MAX || ret->total == UINT64_MAX)
			ret->total = UINT64_MAX;
		else
			ret->total += data->size;
	}
	if (ret->total == UINT64_MAX)
		ret->total = 0;
	return NULL;
}

static struct pd_error *end_progress(const struct progress *progress)
{
	uint64_t total = progress->total ? progress->total : progress->done;

	return progress->opts->on_progress(progress->opts->progress_ctx, total, total);
}

/* Read with callbacks. */
static struct pd_error *read_with_progress(struct pd_file *file, const struct pd_profile_opts *opts,
	struct resolve_opts *resolve, struct profile **ret)
{
	struct progress progress;
	struct pd_error *err = start_progress(file, opts, &progress);

	if (err)
		return err;
	progress.cancel.ctx = &progress;
	resolve->on_record = note_record;
	/* cppcheck-suppress autoVariables ; the caller uses it no longer than this call. */
	resolve->ctx = &progress;
	struct base_cancel_scope before =
		base_cancel_enter((struct base_cancel_scope){ &progress.cancel, .can_ask = true });
	err = resolve_profile(file, resolve, ret);
	base_cancel_enter(before);
	if (progress.cancel.err) {
		/* The answer of the caller is the reason for any other error. */
		pd_error_destroy(err);
		err = progress.cancel.err;
	} else if (!err) {
		err = end_progress(&progress);
	}
	if (err)
		prof_destroy(take_ptr(*ret));
	free(progress.ends);
	return err;
}

static struct pd_error *check_level(int level)
{
	if (level < 0 || level > MAX_LEVEL)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid compression level %d: expected 0 to %d", level, MAX_LEVEL);
	return NULL;
}

struct pd_error *api_profile_check_opts(const struct pd_profile_opts *opts)
{
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	/* Clients of debuginfod change the environment, and find no errors before they fetch. */
	struct pd_profile_opts local = *opts;
	struct out_write_opts write;
	struct pd_error *err;

	local.search.debuginfod_urls = NULL;
	if (opts->keep_rows)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "formats cannot have single samples (keep_rows)");
	err = check_level(opts->format.perfdata.level);
	if (err)
		return err;
	err = api_reading_write_opts(opts, &write);
	return err ? err : api_reading_init(&local, NULL, NULL, &reading);
}

/* Request what the format needs. */
static struct pd_error *prepare(struct pd_profile *profile, enum api_profile_parts parts)
{
	const struct out_format *format = profile->format;

	if (!format)
		return NULL;
	struct pd_error *(*fill)(const struct out_write_opts *, struct prof_request *) =
		parts == PD_PARTS_FOR_DIFF ? format->prepare_diff : format->prepare;
	return fill ? fill(&profile->write, &profile->request) : NULL;
}

/* Request what the format needs, and what the caller looks at. */
static struct pd_error *set_request(struct pd_profile *profile, const struct pd_profile_opts *opts,
	enum api_profile_parts parts)
{
	struct prof_request *request = &profile->request;

	if (opts->keep_rows && profile->format)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"single samples can only be kept by a profile for no format");
	struct pd_error *err = check_level(opts->format.perfdata.level);
	if (err)
		return err;
	err = prepare(profile, parts);
	if (err)
		return err;
	request->tags |= profile->write.pprof.tags;
	if (parts == PD_PARTS_FOR_LOOKING)
		request->frame_offsets = true;
	request->rows |= opts->keep_rows;
	request->origins |= opts->keep_rows;
	return NULL;
}

static struct pd_error *plan(struct pd_profile *profile, const struct pd_profile_opts *caller,
	enum api_profile_parts parts, const struct api_origin *origin)
{
	struct pd_profile_opts *opts = &profile->opts;
	struct pd_error *err = api_profile_opts_copy(caller, &profile->arena, opts);

	if (err)
		return err;
	if (!opts->title)
		opts->title =
			base_arena_strndup(&profile->arena, origin->name, strlen(origin->name));
	if (origin->path)
		profile->path =
			base_arena_strndup(&profile->arena, origin->path, strlen(origin->path));
	if (!opts->title || (origin->path && !profile->path))
		return &pd_enomem;
	err = api_reading_write_opts(opts, &profile->write);
	if (err)
		return err;
	profile->write.input = opts->title;
	return set_request(profile, opts, parts);
}

struct pd_error *api_profile_plan(const struct pd_profile_opts *opts,
	const struct out_format *format, enum api_profile_parts parts,
	const struct api_origin *origin, struct pd_profile **ret)
{
	struct pd_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return &pd_enomem;
	profile->format = format;
	struct pd_error *err = plan(profile, opts, parts, origin);
	if (err) {
		pd_profile_destroy(profile);
		return err;
	}
	*ret = profile;
	return NULL;
}

struct pd_error *api_profile_make(
	struct pd_profile *profile, struct pd_file *file, struct api_reading *reading)
{
	const struct pd_profile_opts *opts = &profile->opts;

	reading->resolve.request = profile->request;
	struct pd_error *err =
		opts->on_progress
			? read_with_progress(file, opts, &reading->resolve, &profile->profile)
			: resolve_profile(file, &reading->resolve, &profile->profile);
	api_reading_report(reading, file->diag);
	return err;
}

static struct pd_error *read_planned(struct pd_profile *profile, struct pd_file *file)
{
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	struct pd_error *err = api_reading_init(&profile->opts, profile->path, NULL, &reading);

	return err ? err : api_profile_make(profile, file, &reading);
}

struct pd_error *api_profile_read(struct pd_file *file, const struct pd_profile_opts *opts,
	const struct out_format *format, enum api_profile_parts parts, struct pd_profile **ret)
{
	const struct pd_profile_opts defaults = { 0 };
	/* The user knows the path that was opened: that of a directory, not of its file. */
	const char *opened = file->opened_path;
	const struct api_origin origin = { opened ? opened : file->path, opened };
	struct pd_profile *profile;
	struct pd_error *err =
		api_profile_plan(opts ? opts : &defaults, format, parts, &origin, &profile);

	if (err)
		return err;
	err = read_planned(profile, file);
	if (err) {
		pd_profile_destroy(profile);
		return err;
	}
	*ret = profile;
	return NULL;
}

struct pd_error *pd_profile_create(struct pd_file *file, const struct pd_profile_opts *opts,
	const char *format, struct pd_profile **ret)
{
	const struct out_format *found = NULL;
	struct pd_error *err = format ? api_format_find(format, &found) : NULL;

	if (err)
		return err;
	if (found && found->rereads_input)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"the format %s needs the recording, not only a profile", format);
	return api_profile_read(file, opts, found, PD_PARTS_FOR_LOOKING, ret);
}

void pd_profile_destroy(struct pd_profile *profile)
{
	if (!profile)
		return;
	prof_destroy(profile->profile);
	base_arena_deinit(&profile->arena);
	free(profile);
}
