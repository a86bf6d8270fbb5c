/* The tool sql of builds without SQLite. */
#include "query/call.h"

struct pd_error *qry_answer_sql(struct qry_call *call)
{
	(void)call;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "this build of pdconv has no SQLite");
}
