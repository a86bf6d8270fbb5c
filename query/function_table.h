/**
 * @file The table of functions, which several answers have.
 */
#ifndef PD_QUERY_FUNCTION_TABLE_H
#define PD_QUERY_FUNCTION_TABLE_H

#include "output/report/report_cells.h"
#include "query/call.h"

/**
 * Add the functions of the samples of @p call, by their own samples or by their totals.
 * @p is_wanted has flags by symbol; NULL: all. Errors: NOMEM.
 */
struct pd_error *qry_add_functions(
	struct qry_call *call, bool by_total, const bool *is_wanted) pd_must_check;

#endif
