/* pd_annotate(): the instructions and source lines of a function. */
#include "api/annotation.h"

#include "annotate/functions.h"
#include "annotate/line_samples.h"
#include "annotate/function_listing.h"
#include "api/reading.h"
#include "base/analyzer.h"
#include "base/reserved.h"
#include "output/annotate/annotate_doc.h"
#include "output/annotate/line_notes.h"
#include "parse/open_file.h"
#include "profile/function_search.h"

/* Rows of a table of source lines. */
enum { DEFAULT_LIMIT = 20 };

/* An annotation that is made. */
struct run {
	const struct pd_profile *profile;
	const struct pd_annotate_opts *opts;
	const char *input;
	bool opens_sources;
	struct ann_functions functions;
	struct api_code_files files;
	struct ann_code *code;
	struct ann_listing listing;
	struct ann_lines lines;
};

/* Input of the writers. */
struct written {
	struct out_annotation annotation;
	struct out_annotate_opts opts;
	struct out_line_notes_opts notes;
};

/* Functions are identified by the start of their symbols. */
static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->frame_offsets = true;
	request->inlined = true;
	return NULL;
}

const struct out_format api_annotation_needs = { .name = "annotate", .prepare = prepare };

static struct pd_error *no_function(const struct run *r)
{
	const char *name = r->opts->function;
	_cleanup_free_ char *names = NULL;

	if (!name)
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, r->input, "no sample is in a function with a name");
	struct pd_error *err = prof_suggest_functions(r->profile->profile, name, &names);
	if (err)
		return err;
	return pd_error_create(PD_ERROR_NOTHING, NULL, "no samples in a function '%s'%s%s", name,
		*names ? "; " : "", names);
}

/* Find the function that is annotated; none if the lines of all functions are shown. */
static struct pd_error *find_function(const struct run *r, struct ann_match *ret)
{
	const char *name = r->opts->function;
	struct pd_error *err = NULL;

	*ret = (struct ann_match){ 0 };
	if (!name && (r->opts->lines || r->opts->notes))
		return NULL;
	if (name)
		err = ann_functions_find(&r->functions, name, ret);
	else if (r->functions.list.n)
		ret->function = r->functions.list.data;
	if (err || ret->function)
		return err;
	return no_function(r);
}

static struct pd_error *list_instructions(struct run *r, const struct ann_function *function)
{
	struct pd_error *err =
		ann_code_open(&r->files.files, r->profile->profile, function->binary, &r->code);

	if (err)
		return err;
	return ann_listing_create(
		&r->functions, function, r->code, &r->files.reading.resolve.names, &r->listing);
}

static struct pd_error *write_annotation(const void *what, FILE *out)
{
	const struct written *written = what;

	return out_annotate_write(&written->annotation, &written->opts, out);
}

static struct pd_error *write_notes(const void *what, FILE *out)
{
	const struct written *written = what;

	return out_line_notes_write(&written->annotation, &written->notes, out);
}

static struct pd_error *annotate(struct run *r, const struct api_target *to)
{
	bool has_instructions = !r->opts->lines && !r->opts->notes;
	const struct pd_format_opts *format = &r->profile->opts.format;
	struct written written = {
		.annotation = { .functions = &r->functions, .lines = &r->lines },
		.opts = {
			.input = r->profile->opts.title,
			.limit = out_report_limit(&format->report, DEFAULT_LIMIT),
			.is_whole = r->opts->whole,
			.no_source = r->opts->no_source,
			.text = format->text,
		},
		.notes = {
			.form = r->opts->notes,
			.root = r->opts->notes_root,
			.limit = out_report_limit(&format->report, DEFAULT_LIMIT),
		},
	};
	struct out_annotation *annotation = &written.annotation;
	struct pd_error *err = ann_functions_create(r->profile->profile, &r->functions);

	if (!err)
		err = find_function(r, &annotation->match);
	if (!err)
		err = ann_lines_create(&r->functions, annotation->match.function, &r->lines);
	PD_IS_TRUE(err || !has_instructions || annotation->match.function,
		"find_function() fails without a function, unless lines are shown");
	if (!err && has_instructions)
		err = list_instructions(r, annotation->match.function);
	if (err)
		return err;
	annotation->sources = r->opens_sources ? r->files.sources : NULL;
	annotation->code = r->code;
	annotation->listing = r->code ? &r->listing : NULL;
	return api_sink_stream(r->opts->notes ? write_notes : write_annotation, &written, to);
}

static void tear_down(struct run *r)
{
	ann_lines_deinit(&r->lines);
	ann_listing_deinit(&r->listing);
	ann_code_destroy(r->code);
	api_code_files_deinit(&r->files);
	ann_functions_deinit(&r->functions);
}

struct pd_error *api_annotation_write(const struct pd_profile *profile,
	const struct pd_annotate_opts *opts, const char *input, bool opens_sources,
	struct pd_diag *diag, const struct api_target *to)
{
	struct run r = {
		.profile = profile,
		.opts = opts,
		.input = input,
		.opens_sources = opens_sources,
	};
	struct pd_error *err = api_code_files_init(&r.files, &profile->opts, profile->path);

	if (!err) {
		err = annotate(&r, to);
		api_reading_report(&r.files.reading, diag);
	}
	tear_down(&r);
	return err;
}

struct pd_error *pd_annotate(struct pd_file *file, const struct pd_profile_opts *profile,
	const struct pd_annotate_opts *opts, pd_on_bytes *fn, void *ctx)
{
	static const struct pd_annotate_opts defaults = PD_DEFAULTS;
	const struct api_target to = { .fn = fn, .ctx = ctx };
	struct pd_profile *made;
	struct pd_error *err = opts ? PD_CHECK_RESERVED("struct pd_annotate_opts", opts) : NULL;
	if (err)
		return err;
	err = api_profile_read(file, profile, &api_annotation_needs, PD_PARTS_OF_FORMAT, &made);

	if (err)
		return err;
	err = api_annotation_write(
		made, opts ? opts : &defaults, file->path, true, file->diag, &to);
	pd_profile_destroy(made);
	return err;
}
