/* pdconv mcp: answers questions on standard input, one message in a line. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/options/commands.h"
#include "cmd/commands/mcp_protocol.h"
#include "cmd/commands/query_session.h"
#include "cmd/process/sandbox.h"

/* A line of the input, without its end. */
struct line {
	char *text;
	size_t len;
	bool is_too_long;
};

/* Read the next line. False: the input has ended. */
static bool read_line(struct line *line)
{
	int c;

	line->len = 0;
	line->is_too_long = false;
	while ((c = getc(stdin)) != EOF && c != '\n') {
		if (line->len < CMD_MCP_MAX_LINE)
			line->text[line->len++] = (char)c;
		else
			line->is_too_long = true;
	}
	return c != EOF || line->len;
}

static bool is_blank(const struct line *line)
{
	return !line->len || (line->len == 1 && line->text[0] == '\r');
}

static struct pd_error *serve(struct qry_session *session)
{
	_cleanup_free_ char *buffer = malloc(CMD_MCP_MAX_LINE);
	struct line line = { .text = buffer };

	if (!buffer)
		return &pd_enomem;
	while (read_line(&line)) {
		if (is_blank(&line))
			continue;
		cmd_mcp_handle(session, line.is_too_long ? NULL : line.text, line.len, stdout);
		if (fflush(stdout) != 0)
			return pd_error_os(NULL, "cannot write to standard output");
	}
	return NULL;
}

static struct pd_error *allow_dirs(struct qry_session *session, const struct cmd_options *options)
{
	const struct cmd_list *dirs = &options->words;

	if (!dirs->items.n)
		return qry_session_allow(session, ".");
	for (size_t i = 0; i < dirs->items.n; i++) {
		struct pd_error *err = qry_session_allow(session, dirs->items.data[i]);

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cmd_mcp(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options };
	struct qry_loader loader = cmd_query_loader(options);
	struct qry_session session;

	(void)result;
	qry_session_init(&session, &loader);
	struct pd_error *err = allow_dirs(&session, options);
	if (!err)
		err = cmd_sandbox_enter(NULL, &output);
	if (!err)
		err = serve(&session);
	qry_session_deinit(&session);
	return err;
}
