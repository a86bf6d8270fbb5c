/* why_not: what a recording cannot answer, and the command that records it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/quality.h"
#include "analyze/waits/waits.h"
#include "analyze/waits/wakers.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/names/nearest.h"
#include "query/call.h"

enum fact {
#define FACT_ENUM(name) FACT_##name,
	QRY_FACTS(FACT_ENUM)
#undef FACT_ENUM
		N_FACTS,
};

struct question {
	const char *name;
	const char *text;
	enum fact fact;
	/* "": other commands of the program answer it. */
	const char *tool;
	const char *missing;
};

#define QUESTION_ROW(id, name, text, fact, ...) { name, text, FACT_##fact, __VA_ARGS__ },
static const struct question questions[QRY_N_QUESTIONS] = { QRY_QUESTIONS(QUESTION_ROW) };

/* Facts about events and their fields. */

static bool has_field(const struct profile *profile, uint32_t bits)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples && profile->events.data[i].fields & bits)
			return true;
	}
	return false;
}

/* Whether samples say which data was accessed: clocks and tracepoints do not, even if asked to. */
static bool has_accesses(const struct profile *profile)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (event->total.samples && event->fields & PROF_FIELD_BIT(DATA_SRC) &&
			event->kind != PROF_EVENT_SOFTWARE && event->kind != PROF_EVENT_TRACEPOINT)
			return true;
	}
	return false;
}

/* Whether an event whose name has the text @p part has samples. */
static bool has_event(const struct profile *profile, const char *part)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (event->total.samples && strstr(prof_string(profile, event->name), part))
			return true;
	}
	return false;
}

static void find_event_facts(const struct profile *profile, bool *facts)
{
	struct prof_event_id waits = ana_wait_event(profile);

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(profile, id);

		if (!event->total.samples)
			continue;
		facts[FACT_STACKS] |= event->has_stacks;
		facts[FACT_PAGE_FAULTS] |= event->is_page_fault;
		facts[FACT_ON_CPU] |=
			!prof_same_event(id, waits) && event->kind != PROF_EVENT_TRACEPOINT;
	}
	facts[FACT_WAITS] = !prof_is_none(waits);
	facts[FACT_TIMES] = has_field(profile, PROF_FIELD_BIT(TIME));
	facts[FACT_BRANCHES] = has_field(profile, PROF_FIELD_BIT(BRANCH_STACK));
	facts[FACT_CGROUPS] = has_field(profile, PROF_FIELD_BIT(CGROUP));
	facts[FACT_ACCESSES] = has_accesses(profile);
	facts[FACT_CACHE_MISSES] =
		has_event(profile, "cache-misses") || has_event(profile, "load-misses");
	facts[FACT_SYSCALLS] = has_event(profile, "sys_enter") && has_event(profile, "sys_exit");
	facts[FACT_ALLOCATIONS] = has_event(profile, "malloc");
	facts[FACT_STATES] = profile->ledger_threads.n;
	facts[FACT_WAKERS] = profile->ledger_wakers.n || ana_has_wakers(profile);
}

/* Facts about frames. */
static void find_frame_facts(const struct profile *profile, bool *facts)
{
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		const struct prof_frame *frame = prof_frame(profile, id);
		uint32_t n;
		const struct prof_line *lines = prof_frame_lines(profile, id, &n);
		bool is_kernel = !prof_is_none(frame->binary) &&
				 prof_binary(profile, frame->binary)->is_kernel;

		facts[FACT_KERNEL] |= is_kernel;
		facts[FACT_KERNEL_NAMES] |= is_kernel && n;
		facts[FACT_INLINED] |= n > 1;
		for (uint32_t i = 0; i < n; i++)
			facts[FACT_LINES] |= lines[i].line != 0;
	}
}

static bool has_right_builds(const struct profile *profile)
{
	for (size_t i = 0; i < profile->binaries.n; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];

		/* The vdso is in no file. */
		bool is_file = prof_string(profile, binary->name)[0] == '/';

		if (binary->is_mismatched || binary->is_id_refuted ||
			(binary->is_absent && is_file && !binary->is_debug_only))
			return false;
	}
	return true;
}

/* At least 19 of 20. */
static bool is_nearly_all(uint64_t part, uint64_t whole)
{
	return 20 * (double)part >= 19 * (double)whole;
}

static struct pd_error *find_quality_facts(const struct profile *profile, bool *facts)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	const struct prof_stats *stats = &profile->stats;
	struct pd_error *err = advice_quality_find(profile, true, &quality);

	if (err)
		return err;
	uint64_t n_frames = quality.unnamed.n_frames;
	facts[FACT_ROOTED] = facts[FACT_STACKS] && is_nearly_all(advice_quality_n_rooted(&quality),
							   advice_quality_n_stacks(&quality));
	facts[FACT_NAMED] =
		is_nearly_all(n_frames - advice_unnamed_sum(&quality.unnamed), n_frames);
	facts[FACT_RIGHT_BUILDS] = has_right_builds(profile);
	facts[FACT_COMPLETE] = !stats->n_lost_records && !stats->n_lost_samples && !stats->n_gaps;
	return NULL;
}

/* Answers. */

static void write_question(
	const struct qry_call *call, enum qry_question id, bool is_answered, FILE *out)
{
	const struct qry_loader *loader = call->session->loader;
	const struct question *question = &questions[id];

	fprintf(out, "%s: %s %s", question->name, is_answered ? "yes." : "NO.", question->text);
	if (!is_answered)
		fprintf(out, " Missing: %s.", question->missing);
	else if (*question->tool)
		fprintf(out, " Ask %s.", question->tool);
	fputc('\n', out);
	if (loader->write_remedy && (!is_answered || !*question->tool))
		loader->write_remedy(call->profile, id, is_answered, out);
}

static const struct question *find_question(const char *name, struct base_nearest *nearest)
{
	base_nearest_init(nearest, name, strlen(name));
	for (size_t i = 0; i < PD_ARRAY_LEN(questions); i++) {
		if (strcmp(questions[i].name, name) == 0)
			return &questions[i];
		base_nearest_try(nearest, questions[i].name);
	}
	return NULL;
}

static struct pd_error *no_question(const struct base_nearest *nearest)
{
	_cleanup_free_ char *list = NULL;
	size_t len;
	FILE *out = base_memstream_open(&list, &len);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < PD_ARRAY_LEN(questions); i++)
		fprintf(out, "%s%s", i ? ", " : "", questions[i].name);
	if (!base_memstream_close(out, &list))
		return &pd_enomem;
	return pd_error_create(PD_ERROR_USAGE, NULL, "no question '%s'%s%s%s: expected one of %s",
		nearest->word, nearest->name ? ", did you mean '" : "",
		nearest->name ? nearest->name : "", nearest->name ? "'?" : "", list);
}

/* First what cannot be answered, then what can. */
static void write_all(
	const struct qry_call *call, const struct question *only, const bool *facts, FILE *out)
{
	for (int is_answered = 0; is_answered <= 1; is_answered++) {
		for (size_t i = 0; i < PD_ARRAY_LEN(questions); i++) {
			const struct question *question = &questions[i];

			if ((only && only != question) || facts[question->fact] != is_answered)
				continue;
			write_question(call, (enum qry_question)i, is_answered, out);
		}
	}
}

static struct pd_error *add_questions(struct qry_call *call, const struct question *only)
{
	bool facts[N_FACTS] = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t len;

	find_event_facts(call->profile, facts);
	find_frame_facts(call->profile, facts);
	struct pd_error *err = find_quality_facts(call->profile, facts);
	FILE *out = err ? NULL : base_memstream_open(&text, &len);
	if (err || !out)
		return err ? err : &pd_enomem;
	write_all(call, only, facts, out);
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	out_doc_lines(call->doc, "questions", text);
	return NULL;
}

struct pd_error *qry_answer_why_not(struct qry_call *call)
{
	const char *name = qry_call_arg(call, QRY_PARAM_QUESTION);
	struct base_nearest nearest;
	const struct question *only = name ? find_question(name, &nearest) : NULL;

	if (name && !only)
		return no_question(&nearest);
	struct pd_error *err = qry_call_begin(call, &qry_format_ledger, NULL);
	return err ? err : add_questions(call, only);
}
