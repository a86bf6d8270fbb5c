/**
 * @file Which samples a call is about: its arguments as a filter, and in words.
 */
#ifndef PD_QUERY_SELECTION_H
#define PD_QUERY_SELECTION_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "query/numbering.h"
#include "query/tools.h"

/** A filter, and the lists that it borrows. A zeroed one selects everything. */
struct qry_selection {
	struct pd_filter_opts filter;
	PD_VEC(struct pd_number_range) pids;
	PD_VEC(struct pd_number_range) tids;
	PD_VEC(struct pd_number_range) cpus;
	const char *comm;
	const char *time;
	const char *focus;
};

/**
 * Make a selection from arguments, which are borrowed. @p profile and @p numbering are those of the
 * whole recording, whose threads and processes have the names. Call the deinit in any case.
 * Errors: USAGE, no thread or process has the name or id; NOMEM.
 */
struct pd_error *qry_selection_make(const struct qry_args *args, const struct profile *profile,
	const struct qry_numbering *numbering, struct qry_selection *ret) pd_must_check;
void qry_selection_deinit(struct qry_selection *selection);

/** Write "; only thread=t-3, time=10%-20%", or nothing if everything is selected. */
void qry_selection_write(const struct qry_args *args, FILE *out);

#endif
