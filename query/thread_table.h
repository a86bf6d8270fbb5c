/**
 * @file The table of threads, which several answers have.
 */
#ifndef PD_QUERY_THREAD_TABLE_H
#define PD_QUERY_THREAD_TABLE_H

#include "query/call.h"

/**
 * Add the threads of @p call, sorted by the time in @p state (enum prof_ledger_state); negative: by
 * samples. Errors: NOMEM.
 */
struct pd_error *qry_add_threads(struct qry_call *call, int state) pd_must_check;

#endif
