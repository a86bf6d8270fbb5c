#include "cmd/answer.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limit.h"
#include "base/number.h"
#include "base/text.h"
#include "cmd/message.h"
#include "cmd/search.h"
#include "profile/sample_filter.h"
#include "resolve/question.h"

/* Reading for less than this time, in seconds, is repeated rather than kept. */
static const double WORTH_KEEPING = 0.2;

/* $PDCONV_INDEX_SECONDS, or the default if that is not a number. */
static double worth_keeping(void)
{
	const char *text = getenv("PDCONV_INDEX_SECONDS"), *end;
	double seconds;

	return text && pd_decimal_parse(text, &end, &seconds) && !*end ? seconds : WORTH_KEEPING;
}

static bool can_be_kept(const struct cmd_answering *a)
{
	return a->reading->resolve.search.cache_dir && !a->only && strcmp(a->path, "-") != 0 &&
	       resolve_is_repeatable(&a->reading->resolve);
}

static struct pd_error *create_entry(const struct cmd_answering *a, struct index_entry **ret)
{
	size_t len;
	_cleanup_free_ char *question = resolve_question(&a->reading->resolve, &len);

	if (!question)
		return &pd_enomem;
	return index_entry_create(
		a->reading->resolve.search.cache_dir, a->path, question, len, ret);
}

static struct pd_error *read_recording(const struct cmd_answering *a, struct pd_profile *profile)
{
	struct pd_file *file;
	struct pd_error *err = a->only ? cmd_input_open(a->only, a->diag, &file)
				       : pd_file_open(a->path, a->diag, &file);

	if (err)
		return err;
	err = pd_profile_make(profile, file, a->reading);
	pd_file_close(file);
	return err;
}

/* Whether reading took long enough, and its reports are those of this recording alone. */
static bool is_worth_keeping(const struct cmd_answering *a)
{
	const struct resolve_times *times = &a->reading->times;

	return times->unwound + times->named >= worth_keeping() &&
	       (!a->is_one_of_several || !pd_diag_n(a->diag));
}

/* Make the profile. *@p entry becomes NULL unless it is to be kept. */
static struct pd_error *make(
	const struct cmd_answering *a, struct index_entry **entry, struct pd_profile *profile)
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
	const struct cmd_answering *a, const struct index_entry *entry, struct pd_profile *profile)
{
	double start = pd_clock_now();
	struct pd_error *err =
		index_entry_load(entry, a->is_one_of_several, a->diag, &profile->profile);

	a->reading->times.unwound = pd_clock_now() - start;
	return err;
}

/* Get the profile before filters of names. *@p entry becomes NULL unless it is to be kept. */
static struct pd_error *get(
	const struct cmd_answering *a, struct index_entry **entry, struct pd_profile *profile)
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
static bool is_changed(const struct cmd_answering *a)
{
	const struct prof_filter *filter = a->reading->resolve.filter;

	return a->is_one_of_several || (filter && prof_filter_needs_names(filter));
}

struct pd_error *cmd_answer(const struct cmd_answering *answering, struct pd_profile *profile,
	struct index_entry **pending_ret)
{
	const struct prof_filter *filter = answering->reading->resolve.filter;
	struct index_entry *entry = NULL;

	/* The index has profiles before filters of names, which are then applied here. */
	answering->reading->resolve.no_name_filters = true;
	struct pd_error *err = get(answering, &entry, profile);

	*pending_ret = NULL;
	if (!err && is_changed(answering))
		cmd_answer_keep(take_ptr(entry), profile, answering->is_quiet);
	if (!err && filter)
		err = prof_filter_by_names(filter, profile->profile);
	if (err) {
		index_entry_destroy(entry);
		return err;
	}
	*pending_ret = entry;
	return NULL;
}

static void report_size(const struct index_entry *entry)
{
	cmd_begin();
	pd_text_write_message(stderr, index_entry_path(entry));
	fprintf(stderr, ": %s: %s\n", pd_limit_name(PD_LIMIT_ID_CACHE_FILE_BYTES),
		pd_limit_text(PD_LIMIT_ID_CACHE_FILE_BYTES));
}

void cmd_answer_keep(struct index_entry *pending, const struct pd_profile *profile, bool is_quiet)
{
	if (!pending)
		return;
	if (!index_entry_save(pending, profile->profile) && !is_quiet)
		report_size(pending);
	cmd_cache_trim(index_entry_dir(pending));
	index_entry_destroy(pending);
}
