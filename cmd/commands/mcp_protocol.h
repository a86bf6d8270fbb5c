/**
 * @file The Model Context Protocol: messages of JSON-RPC 2.0, one in a line.
 */
#ifndef PD_CMD_MCP_PROTOCOL_H
#define PD_CMD_MCP_PROTOCOL_H

#include <stddef.h>
#include <stdio.h>

#include "query/qry_session.h"

/** Longest message of a client, in bytes. */
enum { CMD_MCP_MAX_LINE = 1 << 20 };

/**
 * Handle a message of a client, @p len bytes, and write the answer, if it is due, to @p out as one
 * line. Errors are answers, too. NULL in place of @p line: the message was too long.
 */
void cmd_mcp_handle(struct qry_session *session, const char *line, size_t len, FILE *out);

#endif
