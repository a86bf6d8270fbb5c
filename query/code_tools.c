/*
 * Tools about code: lines, annotate. They show no source text, because the paths of source files
 * come from the binaries: a client can read the files itself.
 */
#include <stdlib.h>
#include <string.h>

#include "api/annotation.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "query/call.h"

/* Columns of a line of code. */
enum { CODE_COLUMNS = 110 };

/* The name of the function that is annotated; NULL: none was given. */
static const char *function_name(struct qry_call *call)
{
	const char *text = qry_call_arg(call, QRY_PARAM_FUNCTION);
	uint32_t id = text ? qry_id_parse(text, 'f') : 0;

	/* The name of a function ends with a NUL, and its binary follows. */
	return id && id <= call->numbering->functions.n
		       ? base_intern_bytes(&call->numbering->functions, id - 1)
		       : text;
}

static struct pd_error *write_code(struct qry_call *call, bool has_lines, FILE *out)
{
	const struct pd_annotate_opts opts = {
		.function = function_name(call),
		.lines = has_lines,
	};
	const struct api_target to = { .stream = out };
	struct pd_profile *profile = call->view->profile;

	profile->opts.format.report.limit = call->limit;
	profile->opts.format.text.width = CODE_COLUMNS;
	return api_annotation_write(profile, &opts, call->recording->path, false, NULL, &to);
}

static struct pd_error *add_code(struct qry_call *call, bool has_lines)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct pd_error *err = qry_call_begin(call, &api_annotation_needs, NULL);
	FILE *out = err ? NULL : base_memstream_open(&text, &len);

	if (err || !out)
		return err ? err : &pd_enomem;
	err = write_code(call, has_lines, out);
	if (!base_memstream_close(out, &text) && !err)
		err = &pd_enomem;
	if (!err)
		out_doc_lines(call->doc, "code", text);
	return err;
}

struct pd_error *qry_answer_lines(struct qry_call *call)
{
	return add_code(call, true);
}

struct pd_error *qry_answer_annotate(struct qry_call *call)
{
	return add_code(call, false);
}
