/* pdconv sql: queries to the tables of a recording. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/temporary.h"
#include "cmd/options/commands.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/read_profile.h"
#include "cmd/process/sandbox.h"
#include "sql/sql_session.h"

/* Most bytes of a query that is read: SQLite accepts no more. */
enum { MAX_QUERY = 1000000 };

/* Stands in for a format, which requests nothing: the request follows from the query. */
static const struct out_format needs_of_query = { .name = "sql" };

static struct pd_error *read_query(char **ret)
{
	char *text = malloc(MAX_QUERY + 1);
	ssize_t n = 1;
	size_t len = 0;

	if (!text)
		return &pd_enomem;
	while (len < MAX_QUERY &&
		(n = base_read_some(STDIN_FILENO, text + len, MAX_QUERY - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	*ret = text;
	if (n < 0)
		return pd_error_os("standard input", "cannot read");
	if (len == MAX_QUERY)
		return pd_error_create(PD_ERROR_USAGE, "standard input",
			"the query has %d bytes or more", MAX_QUERY);
	return NULL;
}

/* Find the query. *owned_ret: it was read, and is freed by the caller. */
static struct pd_error *find_query(
	const struct cmd_options *options, const char **ret, char **owned_ret)
{
	struct pd_error *err = NULL;

	if (!options->query) {
		if (strcmp(options->input, "-") == 0)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"standard input cannot be both the recording and the query");
		err = read_query(owned_ret);
	}
	*ret = options->query ? options->query : *owned_ret;
	if (!err && !(*ret)[strspn(*ret, " \t\r\n;")])
		err = pd_error_create(PD_ERROR_USAGE, NULL, "the query is empty");
	return err;
}

static enum sql_style style_of(const struct cmd_options *options)
{
	return options->json ? SQL_JSON : options->csv ? SQL_CSV : SQL_TEXT;
}

static struct pd_error *write_answer(const struct cmd_options *options, struct sql_session *session,
	struct tab_source *source, const char *query)
{
	const struct cmd_output_opts opts = { .options = options, .is_text = true };
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(options->output, &opts, &file);

	if (err)
		return err;
	err = sql_session_answer(session, source, query, style_of(options), file.stream);
	return cmd_output_finish(&file, err);
}

static struct pd_error *answer(const struct cmd_options *options, struct sql_session *session,
	const char *query, unsigned needs, struct pd_diag *diag)
{
	const struct cmd_reading reading = {
		.options = options,
		.opts = &options->profile,
		.format = &needs_of_query,
		.table_needs = &needs,
		.diag = diag,
	};
	struct cmd_profile read;
	struct tab_source *source;
	struct pd_error *err = cmd_read_profile(&reading, &read);

	if (err)
		return err;
	err = tab_source_create(read.profile->profile, needs, &source);
	if (!err) {
		err = write_answer(options, session, source, query);
		tab_source_destroy(source);
	}
	cmd_profile_finish(&read);
	return err;
}

/* Check the query before the recording is read. */
static struct pd_error *ask(
	const struct cmd_options *options, const char *query, struct cmd_result *result)
{
	_cleanup_(sql_session_cleanup) struct sql_session *session = NULL;
	unsigned needs;
	struct pd_error *err = sql_session_create(&session);

	if (err)
		return err;
	err = sql_session_plan(session, query, &needs);
	if (err) {
		result->failure = CMD_USAGE;
		return err;
	}
	return answer(options, session, query, needs, result->diag);
}

static struct pd_error *write_schema(const struct cmd_options *options)
{
	const struct cmd_output_opts opts = { .options = options, .is_text = true };
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(options->output, &opts, &file);

	if (err)
		return err;
	sql_write_schema(file.stream);
	return cmd_output_finish(&file, NULL);
}

struct pd_error *cmd_sql(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	_cleanup_free_ char *owned = NULL;
	const char *query = NULL;

	if (options->schema)
		return write_schema(options);
	struct pd_error *err = find_query(options, &query, &owned);
	if (!err)
		err = cmd_sandbox_enter(options->output, &output);
	return err ? err : ask(options, query, result);
}
