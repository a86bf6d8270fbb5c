/**
 * @file Ids of functions and threads: their ranks in the whole recording.
 *
 * f-1 is the function with most samples in itself, t-1 the thread with most samples, both of the
 * event that is counted by default. Filters do not change ids, and neither does another process
 * that reads the same recording with the same names.
 */
#ifndef PD_QUERY_NUMBERING_H
#define PD_QUERY_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "analyze/rows.h"
#include "analyze/symbols.h"
#include "base/containers/intern.h"
#include "profile/profile.h"

/** A zeroed one is empty. Used by one thread at a time. */
struct qry_numbering {
	/** Names and binaries of functions, each with its NUL, by rank. */
	struct base_intern functions;
	/** struct qry_task, by rank. */
	struct base_intern tasks;
	/** Room for the longest of functions, so that looking for one needs no memory. */
	char *key;
	size_t longest;
};

/** A thread, under whatever name. Equal bytes are the same thread. */
struct qry_task {
	uint32_t pid;
	uint32_t tid;
};

/**
 * Return the event that is counted by default, of those with samples: the first that is neither of
 * waits nor a tracepoint, else the first that is not of waits. None: no event has samples.
 */
struct prof_event_id qry_main_event(const struct profile *profile);

/** Count the functions in the samples of @p event: one column. Errors: NOMEM. */
struct pd_error *qry_count_functions(const struct profile *profile,
	const struct ana_symbols *symbols, struct prof_event_id event,
	struct ana_rows *ret) pd_must_check;

/** Number the functions and threads of @p profile. Free with the deinit. Errors: NOMEM. */
struct pd_error *qry_numbering_create(const struct profile *profile,
	const struct ana_symbols *symbols, struct qry_numbering *ret) pd_must_check;
void qry_numbering_deinit(struct qry_numbering *numbering);

/** Return the number of a function, from 1; 0: it has none. PROF_NONE has none. */
uint32_t qry_function_number(
	const struct qry_numbering *numbering, const struct ana_symbols *symbols, uint32_t symbol);
/** Return the symbol with the number @p number; PROF_NONE: the profile does not have it. */
uint32_t qry_function_at(
	const struct qry_numbering *numbering, const struct ana_symbols *symbols, uint32_t number);
/** Return the number of a thread, from 1; 0: it has none. */
uint32_t qry_task_number(const struct qry_numbering *numbering, const struct prof_thread *thread);

/** Parse an id such as "f-12" with the letter @p letter. Returns 0 if @p text is not one. */
uint32_t qry_id_parse(const char *text, char letter);

#endif
