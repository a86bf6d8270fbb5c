#include "cmd/commands/batch_worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <pdconv/file.h>

#include "advice/quality.h"
#include "api/profile_write.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "cmd/commands/convert_command.h"
#include "cmd/process/memory.h"
#include "cmd/process/output_directory.h"
#include "cmd/process/sandbox.h"

/* Stands in for a format, which requests nothing: the request follows from the tables. */
static const struct out_format needs_of_tables = { .name = "parquet" };

/* A recording that is converted. */
struct work {
	const struct cmd_batch_plan *plan;
	/* A copy for this process. */
	struct cmd_options options;
	const char *input;
	const char *slot;
	struct bat_digested digested;
	struct pd_diag *diag;
	struct pd_profile *profile;
	struct bat_result *result;
};

/* The process has its part of the memory, and one thread. */
static struct pd_error *set_limits(struct work *w)
{
	w->options.max_memory = w->plan->max_memory;
	w->options.profile.jobs = 1;
	w->options.profile.title = NULL;
	cmd_memory_lift();
	struct pd_error *err = cmd_memory_init(&w->options);
	if (!err)
		cmd_memory_enforce(&w->options);
	return err;
}

static struct pd_error *confine(const struct work *w)
{
	const struct cmd_output_opts opts = { .options = &w->options, .is_directory = true };
	_cleanup_free_ char *path = base_format("%s/" CMD_BATCH_OUTPUT, w->slot);

	return path ? cmd_sandbox_enter(path, &opts) : &pd_enomem;
}

/*
 * Find the id of the recording: the digest of its content, and of what labels take from its path,
 * so that a copy with other labels is another recording.
 */
static struct pd_error *identify(struct work *w)
{
	const struct bat_labels *labels = w->plan->labels;
	const struct bat_facts facts = {
		.path = w->input,
		.values = { [BAT_FILE] = base_file_name(w->input) },
	};
	_cleanup_free_ char *from_path = NULL;
	struct pd_error *err = NULL;

	if (bat_labels_use_path(labels))
		err = bat_labels_path(labels, &facts, &from_path);
	if (!err)
		err = bat_digest_path(w->input, from_path ? from_path : "", &w->digested);
	if (err)
		return err;
	memcpy(w->result->id, w->digested.digest, BAT_DIGEST_SIZE);
	memcpy(w->result->content, w->digested.content, BAT_DIGEST_SIZE);
	w->result->input_bytes = w->digested.bytes;
	w->result->state = w->digested.state;
	return NULL;
}

static struct pd_error *plan_profile(struct work *w)
{
	const struct out_lake *lake = w->plan->lake;
	const struct api_origin origin = { w->input, w->input };
	struct pd_error *err =
		api_profile_plan(&w->options.profile, lake ? &needs_of_tables : w->plan->format,
			PD_PARTS_OF_FORMAT, &origin, &w->profile);

	if (!err && lake)
		tab_request(lake->needs, &w->profile->request);
	return err;
}

/* Profiles are not kept in the index: no other question about the recording will be asked here. */
static struct pd_error *read_recording(struct work *w)
{
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	struct pd_error *err = plan_profile(w);
	struct pd_file *file;

	if (!err)
		err = api_reading_init(&w->profile->opts, w->input, NULL, &reading);
	if (!err)
		err = pd_file_open(w->input, w->diag, &file);
	if (err)
		return err;
	err = api_profile_make(w->profile, file, &reading);
	pd_file_close(file);
	return err;
}

/* An out_write_file of a single output. */
static struct pd_error *write_single(void *what, FILE *out)
{
	const struct work *w = what;
	const struct api_target to = { .stream = out };

	return api_profile_emit(w->profile, w->plan->format, w->diag, &to);
}

/* The folder of the outputs, and its path in messages. */
struct slot {
	int dir;
	const char *path;
};

/* An out_directory.add of a struct slot. */
static struct pd_error *add_file(void *ctx, const char *name, out_write_file *write, void *what)
{
	const struct slot *slot = ctx;

	return cmd_output_add_file(slot->dir, slot->path, name, write, what);
}

static struct pd_error *write_files(struct work *w)
{
	_cleanup_close_ int dir = open(w->slot, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct slot slot = { dir, w->plan->store->path };
	const struct out_directory to = { add_file, &slot };

	if (dir < 0)
		return pd_error_os(w->slot, "cannot open");
	if (w->plan->lake)
		return out_lake_write(w->plan->lake, w->profile->profile, w->result->id, 1, &to);
	return to.add(to.ctx, CMD_BATCH_OUTPUT, write_single, w);
}

static struct pd_error *write_output(struct work *w)
{
	struct out_perfdata_input *again = &w->profile->write.perfdata;

	/* Copies of stacks have memory of processes: only the user may read them. */
	if (w->options.profile.format.perfdata.keep_stacks)
		umask(0077);
	w->profile->write.diag = w->diag;
	again->name = w->plan->store->path;
	if (w->plan->format->rereads_input) {
		struct pd_error *err = pd_file_open(w->input, NULL, &again->file);

		if (err)
			return err;
		pd_file_set_budget(again->file, w->options.profile.budget);
	}
	struct pd_error *err = write_files(w);
	pd_file_close(take_ptr(again->file));
	return err;
}

static void set_fact(struct bat_result *result, enum bat_variable variable, const char *text)
{
	snprintf(result->facts[variable], BAT_FACT_SIZE, "%s", text);
}

/* Without a wall-clock time the recording is as old as its file. */
static void set_date(const struct work *w)
{
	uint64_t ns = w->profile->profile->about.start_ns;
	time_t seconds = ns ? (time_t)(ns / 1000000000) : (time_t)w->digested.changed_at;
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(w->result->facts[BAT_DATE], BAT_FACT_SIZE, "%Y-%m-%d", &tm);
}

static void set_facts(const struct work *w)
{
	const struct profile *profile = w->profile->profile;
	const struct prof_about *about = &profile->about;

	set_fact(w->result, BAT_HOST, prof_string(profile, about->host));
	set_fact(w->result, BAT_KERNEL, prof_string(profile, about->kernel_release));
	set_fact(w->result, BAT_ARCH, prof_string(profile, about->arch));
	set_date(w);
}

static uint64_t n_left_out(const struct prof_stats *stats)
{
	uint64_t n = 0;

	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		n += stats->skipped[i];
	for (size_t i = 0; i < PROF_N_FILTERS; i++)
		n += stats->filtered[i];
	return n;
}

static void set_sums(const struct profile *profile, struct bat_result *ret)
{
	ret->start_ns = profile->about.start_ns;
	ret->length_ns = prof_stats_length(&profile->stats);
	ret->n_events = profile->events.n;
	for (size_t i = 0; i < profile->events.n; i++)
		ret->n_samples += profile->events.data[i].total.samples;
	ret->n_left_out = n_left_out(&profile->stats);
	ret->n_lost = profile->stats.n_lost_samples + profile->stats.n_lost_records;
}

static struct pd_error *set_quality(const struct work *w)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = advice_quality_find(w->profile->profile, true, &quality);

	if (err)
		return err;
	w->result->n_stacks = advice_quality_n_stacks(&quality);
	w->result->n_rooted = advice_quality_n_rooted(&quality);
	w->result->n_frames = quality.unnamed.n_frames;
	for (size_t i = 0; i < ADVICE_N_UNNAMED; i++)
		w->result->n_unnamed += quality.unnamed.n[i];
	w->result->n_warnings = pd_diag_n(w->diag);
	return NULL;
}

/* Refuse what --strict refuses, and a file that its owner was still writing. */
static struct pd_error *check(const struct work *w)
{
	if (bat_digest_is_outdated(w->input, &w->digested))
		return pd_error_create(PD_ERROR_OS, w->input, "was changed while it was read");
	if (w->options.strict && !cmd_is_flawless(w->profile->profile, w->diag))
		return pd_error_create(
			PD_ERROR_FORMAT, w->input, "is damaged or incomplete (--strict)");
	return NULL;
}

static struct pd_error *convert(struct work *w)
{
	struct pd_error *err = read_recording(w);

	if (!err)
		err = check(w);
	if (!err)
		err = write_output(w);
	if (err)
		return err;
	set_facts(w);
	set_sums(w->profile->profile, w->result);
	return set_quality(w);
}

static struct pd_error *run(struct work *w)
{
	struct pd_error *err = set_limits(w);

	if (!err)
		err = confine(w);
	if (!err)
		err = identify(w);
	if (err)
		return err;
	if (bat_store_has(w->plan->store, w->result->id)) {
		w->result->outcome = BAT_SKIPPED;
		return NULL;
	}
	err = convert(w);
	if (!err)
		w->result->outcome = BAT_CONVERTED;
	return err;
}

void cmd_batch_convert(const struct cmd_batch_plan *plan, const char *input, const char *slot,
	struct bat_result *result)
{
	struct work w = {
		.plan = plan,
		.options = *plan->options,
		.input = input,
		.slot = slot,
		.diag = pd_diag_create(),
		.result = result,
	};
	double start = base_clock_now();
	struct pd_error *err = w.diag ? run(&w) : &pd_enomem;

	result->seconds = base_clock_now() - start;
	err = cmd_memory_explain(&w.options, err);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);

		result->outcome = BAT_FAILED;
		snprintf(result->error, BAT_ERROR_SIZE, "%s", text ? text : "out of memory");
		pd_error_destroy(err);
	}
	pd_profile_destroy(w.profile);
	pd_diag_destroy(w.diag);
	cmd_memory_deinit(&w.options);
}
