/**
 * @file Sessions of questions that read recordings as the command line says.
 */
#ifndef PD_CMD_QUERY_SESSION_H
#define PD_CMD_QUERY_SESSION_H

#include "cmd/commands.h"
#include "query/session.h"

/** How recordings are read. Must stay where it is. */
struct cmd_query_reader {
	const struct cmd_options *options;
	struct pd_diag *diag;
	struct qry_loader loader;
};

/** Read as @p options say, and note damage in @p diag. Both are borrowed. */
void cmd_query_reader_init(
	struct cmd_query_reader *reader, const struct cmd_options *options, struct pd_diag *diag);

#endif
