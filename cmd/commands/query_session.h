/**
 * @file Sessions of questions that read recordings as the command line says.
 */
#ifndef PD_CMD_QUERY_SESSION_H
#define PD_CMD_QUERY_SESSION_H

#include "cmd/options/options.h"
#include "query/qry_session.h"

/** Return what reads recordings as @p options say, which are borrowed. */
struct qry_loader cmd_query_loader(const struct cmd_options *options);

#endif
