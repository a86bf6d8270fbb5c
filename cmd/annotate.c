/* pdconv annotate: the instructions and source lines of a function. */
#include <stdio.h>

#include "annotate/functions.h"
#include "annotate/lines.h"
#include "annotate/listing.h"
#include "api/code_files.h"
#include "base/analyzer.h"
#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"
#include "cmd/sandbox.h"
#include "output/annotate.h"

/* An annotation that is made. */
struct run {
	const struct cmd_options *options;
	struct cmd_output_opts output;
	struct cmd_profile read;
	struct ann_functions functions;
	struct pd_code_files files;
	struct ann_code *code;
	struct ann_listing listing;
	struct ann_lines lines;
};

/* Functions are identified by the start of their symbols. */
static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->frame_offsets = true;
	request->inlined = true;
	return NULL;
}

static struct pd_error *read_profile(struct run *r, struct cmd_result *result)
{
	static const struct out_format needs = { .name = "annotate", .prepare = prepare };
	const struct cmd_reading reading = {
		.options = r->options,
		.opts = &r->options->profile,
		.format = &needs,
		.diag = result->diag,
	};

	return cmd_read_profile(&reading, &r->read);
}

static struct pd_error *no_function(const struct run *r, const struct ann_match *match)
{
	const char *name = r->options->annotate.function;

	if (!name)
		return pd_error_create(PD_ERROR_UNSUPPORTED, r->options->input,
			"no sample is in a function with a name");
	return pd_error_create(PD_ERROR_USAGE, NULL, "no samples in a function '%s'%s%s%s", name,
		match->similar ? ": did you mean '" : "", match->similar ? match->similar : "",
		match->similar ? "'?" : "");
}

/* Find the function that is annotated; none if the lines of all functions are shown. */
static struct pd_error *find_function(const struct run *r, struct ann_match *ret)
{
	const char *name = r->options->annotate.function;

	*ret = (struct ann_match){ 0 };
	if (!name && r->options->annotate.lines)
		return NULL;
	if (name)
		*ret = ann_functions_find(&r->functions, name);
	else if (r->functions.list.n)
		ret->function = r->functions.list.data;
	return ret->function ? NULL : no_function(r, ret);
}

static struct pd_error *list_instructions(struct run *r, const struct ann_function *function)
{
	struct pd_error *err = ann_code_open(
		&r->files.files, r->read.profile->profile, function->binary, &r->code);

	if (err)
		return err;
	return ann_listing_create(
		&r->functions, function, r->code, &r->files.reading.resolve.names, &r->listing);
}

static struct pd_error *write_annotation(
	const struct run *r, const struct out_annotation *annotation)
{
	const struct cmd_options *options = r->options;
	const struct out_annotate_opts opts = {
		.input = options->profile.title,
		.limit = out_report_limit(&options->profile.format.report, 20),
		.is_whole = options->annotate.whole,
		.no_source = options->annotate.no_source,
		.text = options->profile.format.text,
	};
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(options->output, &r->output, &file);

	if (err)
		return err;
	err = out_annotate_write(annotation, &opts, file.stream);
	return cmd_output_finish(&file, err);
}

static struct pd_error *annotate(struct run *r)
{
	struct out_annotation annotation = {
		.functions = &r->functions,
		.lines = &r->lines,
	};
	struct pd_error *err = ann_functions_create(r->read.profile->profile, &r->functions);

	if (!err)
		err = find_function(r, &annotation.match);
	if (!err)
		err = ann_lines_create(&r->functions, annotation.match.function, &r->lines);
	PD_IS_TRUE(err || r->options->annotate.lines || annotation.match.function,
		"find_function() fails without a function, unless lines are shown");
	if (!err && !r->options->annotate.lines)
		err = list_instructions(r, annotation.match.function);
	if (err)
		return err;
	annotation.sources = r->files.sources;
	annotation.code = r->code;
	annotation.listing = r->code ? &r->listing : NULL;
	return write_annotation(r, &annotation);
}

static void tear_down(struct run *r)
{
	ann_lines_deinit(&r->lines);
	ann_listing_deinit(&r->listing);
	ann_code_destroy(r->code);
	pd_code_files_deinit(&r->files);
	ann_functions_deinit(&r->functions);
	cmd_profile_finish(&r->read);
}

static struct pd_error *read_and_annotate(struct run *r, struct cmd_result *result)
{
	struct pd_error *err = read_profile(r, result);

	if (err)
		return err;
	err = pd_code_files_init(&r->files, &r->options->profile, r->options->input);
	if (err)
		return err;
	err = annotate(r);
	pd_reading_report(&r->files.reading, result->diag);
	return err;
}

struct pd_error *cmd_annotate(const struct cmd_options *options, struct cmd_result *result)
{
	struct run r = {
		.options = options,
		.output = { .options = options, .is_text = true },
	};
	struct pd_error *err = cmd_sandbox_enter(options->output, &r.output);

	if (err)
		return err;
	err = read_and_annotate(&r, result);
	tear_down(&r);
	return err;
}
