#include "cmd/commands/read_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/file.h>

#include "api/profile_read.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/limit.h"
#include "base/memstream.h"
#include "base/number.h"
#include "base/plural.h"
#include "base/text.h"
#include "cmd/options/message.h"
#include "cmd/process/search_options.h"
#include "profile/name_filter.h"
#include "resolve/folded_text.h"
#include "resolve/question.h"
#include "symbolize/file/deps.h"
#include "tables/tables.h"

/* Answers: profiles of recordings, from the index or made now. */

/** A recording, and how its profile is made. All members are borrowed. */
struct answering {
	const char *path;
	/** Opened instead of @ref path, and without the index, if not NULL. */
	const struct cmd_input_file *only;
	/** One of several inputs, whose reports are counted together. */
	bool is_one_of_several;
	/** With the request of the profile. */
	struct api_reading *reading;
	bool is_quiet;
	/** Folded stacks, not a recording. */
	bool is_folded;
	struct pd_diag *diag;
};

/* Reading for less than this time, in seconds, is repeated rather than kept. */
static const double WORTH_KEEPING = 0.2;

/* $PDCONV_INDEX_SECONDS, or the default if that is not a number. */
static double worth_keeping(void)
{
	const char *text = getenv("PDCONV_INDEX_SECONDS"), *end;
	double seconds;

	return text && base_decimal_parse(text, &end, &seconds) && !*end ? seconds : WORTH_KEEPING;
}

static bool can_be_kept(const struct answering *a)
{
	return a->reading->resolve.search.cache_dir && !a->only && !a->is_folded &&
	       strcmp(a->path, "-") != 0 && resolve_is_repeatable(&a->reading->resolve);
}

static struct pd_error *create_entry(const struct answering *a, struct index_entry **ret)
{
	size_t len;
	_cleanup_free_ char *question = resolve_question(&a->reading->resolve, &len);

	if (!question)
		return &pd_enomem;
	return index_entry_create(
		a->reading->resolve.search.cache_dir, a->path, question, len, ret);
}

/* Read folded stacks in place of a recording. */
static struct pd_error *read_folded(const struct answering *a, struct pd_profile *profile)
{
	bool is_stdin = strcmp(a->path, "-") == 0;
	_cleanup_fclose_ FILE *opened = is_stdin ? NULL : fopen(a->path, "re");

	if (!opened && !is_stdin)
		return pd_error_os(a->path, "cannot open");
	return resolve_folded_text(
		is_stdin ? stdin : opened, a->path, profile->opts.budget, &profile->profile);
}

static struct pd_error *read_recording(const struct answering *a, struct pd_profile *profile)
{
	if (a->is_folded)
		return read_folded(a, profile);
	struct pd_file *file;
	struct pd_error *err = a->only ? cmd_input_open(a->only, a->diag, &file)
				       : pd_file_open(a->path, a->diag, &file);

	if (err)
		return err;
	err = api_profile_make(profile, file, a->reading);
	pd_file_close(file);
	return err;
}

/* Whether reading took long enough, and its reports are those of this recording alone. */
static bool is_worth_keeping(const struct answering *a)
{
	const struct resolve_times *times = &a->reading->times;

	return times->unwound + times->named >= worth_keeping() &&
	       (!a->is_one_of_several || !pd_diag_n(a->diag));
}

/* Make the profile. *@p entry becomes NULL unless it is to be kept. */
static struct pd_error *make(
	const struct answering *a, struct index_entry **entry, struct pd_profile *profile)
{
	bool is_reliable = false;
	struct pd_error *err = read_recording(a, profile);

	if (!err && *entry && is_worth_keeping(a))
		err = index_entry_conclude(*entry, a->reading->deps, a->diag, &is_reliable);
	if (!is_reliable)
		index_entry_destroy(take_ptr(*entry));
	return err;
}

static struct pd_error *load(
	const struct answering *a, const struct index_entry *entry, struct pd_profile *profile)
{
	double start = base_clock_now();
	struct pd_error *err =
		index_entry_load(entry, a->is_one_of_several, a->diag, &profile->profile);

	a->reading->times.unwound = base_clock_now() - start;
	return err;
}

/* Get the profile before filters of names. *@p entry becomes NULL unless it is to be kept. */
static struct pd_error *get(
	const struct answering *a, struct index_entry **entry, struct pd_profile *profile)
{
	struct pd_error *err = can_be_kept(a) ? create_entry(a, entry) : NULL;

	if (!err && *entry)
		err = load(a, *entry, profile);
	if (err)
		return err;
	if (!profile->profile)
		return make(a, entry, profile);
	index_entry_destroy(take_ptr(*entry));
	return NULL;
}

/* Whether the caller or the filters change the profile before the output is complete. */
static bool is_changed(const struct answering *a)
{
	const struct prof_filter *filter = a->reading->resolve.filter;

	return a->is_one_of_several || (filter && prof_filter_needs_names(filter));
}

static void report_size(const struct index_entry *entry)
{
	cmd_begin();
	base_text_write_message(stderr, index_entry_path(entry));
	fprintf(stderr, ": %s: %s\n", base_limit_name(PD_LIMIT_ID_CACHE_FILE_BYTES),
		base_limit_text(PD_LIMIT_ID_CACHE_FILE_BYTES));
}

/*
 * Write @p pending, which may be NULL, with its @p profile to the index, and destroy it. Unless
 * @p is_quiet, an entry that is too large is reported: the next question takes as long as this one.
 */
static void keep_answer(
	struct index_entry *pending, const struct pd_profile *profile, bool is_quiet)
{
	if (!pending)
		return;
	if (!index_entry_save(pending, profile->profile) && !is_quiet)
		report_size(pending);
	cmd_cache_trim(index_entry_dir(pending));
	index_entry_destroy(pending);
}

/*
 * Complete a planned profile with that of the recording, from the index if that has it. Filters of
 * names have been applied. *pending_ret is an entry of the index for keep_answer(), or NULL.
 */
static struct pd_error *answer(const struct answering *answering, struct pd_profile *profile,
	struct index_entry **pending_ret)
{
	const struct prof_filter *filter = answering->reading->resolve.filter;
	struct index_entry *entry = NULL;

	/* The index has profiles before filters of names, which are then applied here. */
	answering->reading->resolve.no_name_filters = true;
	struct pd_error *err = get(answering, &entry, profile);

	*pending_ret = NULL;
	if (!err && is_changed(answering))
		keep_answer(take_ptr(entry), profile, answering->is_quiet);
	if (!err && filter)
		err = prof_filter_by_names(filter, profile->profile);
	if (err) {
		index_entry_destroy(entry);
		return err;
	}
	*pending_ret = entry;
	return NULL;
}

/* Inputs. */

/* An input and its label; NULL: it is the only one. */
struct input {
	const char *path;
	const char *label;
};

/* Complete a planned profile. The search depends on the recording, so each input has its own. */
static struct pd_error *complete(const struct cmd_reading *r, const struct input *input,
	struct sym_deps *deps, struct pd_profile *profile, struct cmd_profile *all)
{
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	const struct answering answering = {
		.path = input->path,
		.only = r->only,
		.is_one_of_several = input->label,
		.reading = &reading,
		.is_quiet = r->options->quiet,
		.is_folded = r->options->from_folded,
		.diag = r->diag,
	};
	struct pd_error *err = api_reading_init(&profile->opts, input->path, deps, &reading);

	if (err)
		return err;
	reading.resolve.request = profile->request;
	err = answer(&answering, profile, &all->pending);
	all->times.unwound += reading.times.unwound;
	all->times.named += reading.times.named;
	return err;
}

static struct pd_error *read_input(const struct cmd_reading *r, const struct input *input,
	struct cmd_profile *all, struct pd_profile **ret)
{
	struct pd_profile_opts opts = *r->opts;
	const struct api_origin origin = { input->path, input->path };
	struct sym_deps *deps = NULL;

	opts.input = input->label;
	/* Only what is kept has to be checked later. */
	struct pd_error *err = opts.search.cache_dir ? sym_deps_create(&deps) : NULL;
	if (err)
		return err;
	err = api_profile_plan(&opts, r->format, r->parts, &origin, ret);
	if (!err) {
		if (r->table_needs)
			tab_request(*r->table_needs, &(*ret)->request);
		err = complete(r, input, deps, *ret, all);
		if (err)
			pd_profile_destroy(*ret);
	}
	sym_deps_destroy(deps);
	return err;
}

char *cmd_input_label(const struct cmd_options *options, size_t i)
{
	const struct cmd_list *inputs = &options->inputs;
	const char *input = inputs->items.data[i];
	size_t n = 1;

	for (size_t k = 0; k < i; k++)
		n += strcmp(inputs->items.data[k], input) == 0;
	if (n == 1)
		return strdup(input);
	return base_format("%s (%zu)", input, n);
}

/* Merge input number @p i into the profile; the first input creates it. */
static struct pd_error *add_input(const struct cmd_reading *r, size_t i, struct cmd_profile *all)
{
	const struct cmd_list *inputs = &r->options->inputs;
	_cleanup_free_ char *label = NULL;
	struct pd_profile *one;

	if (inputs->items.n > 1) {
		label = cmd_input_label(r->options, i);
		if (!label)
			return &pd_enomem;
	}
	const struct input input = { r->only ? r->only->path : inputs->items.data[i], label };
	struct pd_error *err = read_input(r, &input, all, &one);
	if (err)
		return err;
	/* The label is copied to the profile, and does not live as long. */
	one->opts.input = NULL;
	if (!all->profile) {
		all->profile = one;
		return NULL;
	}
	err = pd_profile_merge(all->profile, one);
	pd_profile_destroy(one);
	return err;
}

/* Write "518 samples by time, 3 samples by comms". */
static void write_excluded(const struct prof_stats *stats, FILE *out)
{
	const char *separator = "";

	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!stats->filtered[i])
			continue;
		fprintf(out, "%s%" PRIu64 " sample%s by %s", separator, stats->filtered[i],
			base_plural(stats->filtered[i]), prof_filter_name(i));
		separator = ", ";
	}
}

/* Whether all samples were left out because nothing has the names or the times asked for. */
static bool has_nothing_of(const struct profile *profile)
{
	const uint64_t *filtered = profile->stats.filtered;

	/* Samples that --ignore excludes passed the other filters. */
	if (profile->samples.n || filtered[PROF_FILTER_IGNORE])
		return false;
	return *prof_string(profile, profile->about.choices) || filtered[PROF_FILTER_SYMBOL] ||
	       filtered[PROF_FILTER_FOCUS] || filtered[PROF_FILTER_ROOT];
}

/* Fail if has_nothing_of(), and list the times, names or numbers of the recording. */
static struct pd_error *check_filters(const struct profile *profile, const char *path)
{
	char *text = NULL;
	size_t size;

	if (!has_nothing_of(profile))
		return NULL;
	FILE *out = base_memstream_open(&text, &size);
	if (!out)
		return &pd_enomem;
	fputs("filters exclude all samples: ", out);
	write_excluded(&profile->stats, out);
	const char *choices = prof_string(profile, profile->about.choices);
	const char *notes = prof_string(profile, profile->about.name_notes);
	if (*choices)
		fprintf(out, "; the recording has %s", choices);
	if (*notes)
		fprintf(out, "; %s", notes);
	struct pd_error *err = base_memstream_close(out, &text)
				       ? pd_error_create(PD_ERROR_NOTHING, path, "%s", text)
				       : &pd_enomem;
	free(text);
	return err;
}

/* Say what was made of names that stand for several functions, or for none. */
static void report_names(const struct profile *profile)
{
	const char *notes = prof_string(profile, profile->about.name_notes);

	if (!*notes)
		return;
	FILE *out = cmd_begin();
	base_text_write_message(out, notes);
	fputc('\n', out);
}

struct pd_error *cmd_read_profile(const struct cmd_reading *reading, struct cmd_profile *ret)
{
	size_t n = reading->only ? 1 : reading->options->inputs.items.n;

	*ret = (struct cmd_profile){ .is_quiet = reading->options->quiet };
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_input(reading, i, ret);

		if (err) {
			pd_profile_destroy(take_ptr(ret->profile));
			return err;
		}
	}
	struct pd_error *err =
		check_filters(ret->profile->profile, n == 1 ? ret->profile->path : NULL);
	if (err)
		cmd_profile_finish(ret);
	else if (!ret->is_quiet)
		report_names(ret->profile->profile);
	return err;
}

struct pd_profile *cmd_profile_take(struct cmd_profile *profile)
{
	keep_answer(take_ptr(profile->pending), profile->profile, profile->is_quiet);
	return take_ptr(profile->profile);
}

void cmd_profile_finish(struct cmd_profile *profile)
{
	pd_profile_destroy(cmd_profile_take(profile));
}
