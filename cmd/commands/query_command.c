/* pdconv query: a question about a recording. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/options/commands.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/query_session.h"
#include "cmd/process/sandbox.h"
#include "query/call.h"

/* The tool that a recording is asked without one. */
static const char DEFAULT_TOOL[] = "summary";

static struct pd_error *parse(
	const struct cmd_options *options, const struct qry_tool_row **tool, struct qry_args *args)
{
	const struct cmd_list *words = &options->words;
	struct pd_error *err =
		qry_tool_find(words->items.n ? words->items.data[0] : DEFAULT_TOOL, tool);

	for (size_t i = 1; !err && i < words->items.n; i++)
		err = qry_args_take_word(args, *tool, words->items.data[i]);
	return err;
}

static struct pd_error *write_answer(const struct cmd_output_opts *opts, const char *text)
{
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(NULL, opts, &file);

	if (err)
		return err;
	fputs(text, file.stream);
	return cmd_output_finish(&file, NULL);
}

static struct pd_error *ask(const struct cmd_options *options, struct qry_session *session,
	const struct qry_tool_row *tool, const struct qry_args *args, char **ret)
{
	struct qry_args of_input = *args;
	size_t index;
	/* Open it first: then it is the recording by default. */
	struct pd_error *err = qry_session_find(session, options->input, &index);

	if (err)
		return err;
	if (!of_input.values[QRY_PARAM_PATH])
		of_input.values[QRY_PARAM_PATH] = options->input;
	if (!of_input.values[QRY_PARAM_BEFORE])
		of_input.values[QRY_PARAM_BEFORE] = options->input;
	return qry_answer(session, tool, &of_input, options->profile.format.text.style, ret);
}

struct pd_error *cmd_query(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	const struct qry_tool_row *tool;
	struct qry_args args = { 0 };
	struct qry_loader loader = cmd_query_loader(options);
	struct qry_session session;
	_cleanup_free_ char *text = NULL;
	struct pd_error *err = parse(options, &tool, &args);

	(void)result;
	if (!err)
		err = cmd_sandbox_enter(NULL, &output);
	if (err)
		return err;
	qry_session_init(&session, &loader);
	err = ask(options, &session, tool, &args, &text);
	qry_session_deinit(&session);
	return err ? err : write_answer(&output, text);
}
