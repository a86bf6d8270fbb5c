#include "output/annotate/line_notes.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <pdconv/version.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "base/text.h"
#include "output/annotate/annotate_lines.h"

/* A line, and what is to be said about it. */
struct note {
	/** Path below the root, or where the file is. */
	const char *path;
	bool is_below_root;
	uint32_t line;
	const char *function;
	const struct prof_value *value;
	/** Share of all samples that were annotated. */
	double percent;
};

struct notes {
	const struct out_annotation *annotation;
	const struct out_line_notes_opts *opts;
	/** Sum of all samples by which shares are computed. */
	const struct prof_value *whole;
	FILE *out;
	struct base_json json;
};

/* A form: begin and end may be NULL. */
struct form {
	void (*begin)(struct notes *notes);
	void (*write)(struct notes *notes, const struct note *note);
	void (*end)(struct notes *notes);
	/** Lines of files elsewhere, such as those of libraries, are left out. */
	bool is_of_root_only;
};

static const char *event_name(const struct notes *notes)
{
	return out_annotate_event_name(notes->annotation->functions, 0);
}

/* "152 of 1192 samples of cpu-clock, in tax" */
static void write_message(const struct notes *notes, const struct note *note, FILE *out)
{
	fprintf(out, "%" PRIu64 " of %" PRIu64 " samples of ", note->value->samples,
		notes->whole->samples);
	base_text_write(out, event_name(notes));
	fputs(", in ", out);
	base_text_write(out, note->function);
}

/* path:line: message, as compilers write. */
static void write_errorformat(struct notes *notes, const struct note *note)
{
	base_text_write(notes->out, note->path);
	fprintf(notes->out, ":%" PRIu32 ": %.2f %%: ", note->line, note->percent);
	write_message(notes, note, notes->out);
	fputc('\n', notes->out);
}

/* Write @p text as a value of a workflow command; in properties ':' and ',' end the value. */
static void write_command_text(FILE *out, const char *text, bool is_property)
{
	for (; *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n' ||
			(is_property && (*text == ':' || *text == ',')))
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, out);
	}
}

static void write_github(struct notes *notes, const struct note *note)
{
	_cleanup_free_ char *message = NULL;
	size_t size;
	FILE *text = base_memstream_open(&message, &size);

	if (text)
		write_message(notes, note, text);
	if (!text || !base_memstream_close(text, &message)) {
		base_stream_fail(notes->out);
		return;
	}
	fputs("::notice file=", notes->out);
	write_command_text(notes->out, note->path, true);
	fprintf(notes->out, ",line=%" PRIu32 ",title=%.2f %%25 of the samples::", note->line,
		note->percent);
	write_command_text(notes->out, message, false);
	fputc('\n', notes->out);
}

static const char rule[] = "hot-line";

static void begin_sarif(struct notes *notes)
{
	struct base_json *json = &notes->json;

	base_json_object(json, NULL);
	base_json_str(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	base_json_str(json, "version", "2.1.0");
	base_json_array(json, "runs");
	base_json_object(json, NULL);
	base_json_object(json, "tool");
	base_json_object(json, "driver");
	base_json_str(json, "name", "pdconv");
	base_json_str(json, "version", PD_VERSION);
	base_json_array(json, "rules");
	base_json_object(json, NULL);
	base_json_str(json, "id", rule);
	base_json_object(json, "shortDescription");
	base_json_str(json, "text", "A line of source with many samples");
	base_json_end(json, '}');
	base_json_end(json, '}');
	base_json_end(json, ']');
	base_json_end(json, '}');
	base_json_end(json, '}');
	base_json_array(json, "results");
}

/* Write @p path as a URI, relative if it has no scheme. Allocated; NULL: no memory. */
static char *uri_of(const struct note *note)
{
	char *uri = NULL;
	size_t size;
	FILE *out = base_memstream_open(&uri, &size);

	if (!out)
		return NULL;
	if (note->path[0] == '/')
		fputs("file://", out);
	for (const char *p = note->path; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("/-._~+", *p))
			fputc(*p, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*p);
	}
	return base_memstream_close(out, &uri) ? uri : NULL;
}

static void write_location(struct base_json *json, const struct note *note, const char *uri)
{
	base_json_array(json, "locations");
	base_json_object(json, NULL);
	base_json_object(json, "physicalLocation");
	base_json_object(json, "artifactLocation");
	base_json_str(json, "uri", uri);
	if (note->is_below_root)
		base_json_str(json, "uriBaseId", "%SRCROOT%");
	base_json_end(json, '}');
	base_json_object(json, "region");
	base_json_uint(json, "startLine", note->line);
	base_json_end(json, '}');
	base_json_end(json, '}');
	base_json_end(json, '}');
	base_json_end(json, ']');
}

static void write_sarif(struct notes *notes, const struct note *note)
{
	struct base_json *json = &notes->json;
	_cleanup_free_ char *uri = uri_of(note);
	_cleanup_free_ char *message = base_format(
		"%.2f %%: %" PRIu64 " of %" PRIu64 " samples of %s, in %s", note->percent,
		note->value->samples, notes->whole->samples, event_name(notes), note->function);

	if (!uri || !message) {
		base_stream_fail(notes->out);
		return;
	}
	base_json_object(json, NULL);
	base_json_str(json, "ruleId", rule);
	base_json_str(json, "level", "note");
	base_json_object(json, "message");
	base_json_str(json, "text", message);
	base_json_end(json, '}');
	write_location(json, note, uri);
	base_json_double(json, "rank", note->percent);
	base_json_object(json, "properties");
	base_json_str(json, "event", event_name(notes));
	base_json_str(json, "function", note->function);
	base_json_uint(json, "samples", note->value->samples);
	base_json_uint(json, "period", note->value->period);
	base_json_end(json, '}');
	base_json_end(json, '}');
}

static void end_sarif(struct notes *notes)
{
	base_json_end(&notes->json, ']');
	base_json_end(&notes->json, '}');
	base_json_end(&notes->json, ']');
	base_json_end(&notes->json, '}');
	fputc('\n', notes->out);
}

static const struct form forms[] = {
	[PD_LINE_NOTES_ERRORFORMAT] = { .write = write_errorformat },
	[PD_LINE_NOTES_GITHUB] = { .write = write_github, .is_of_root_only = true },
	[PD_LINE_NOTES_SARIF] = { begin_sarif, write_sarif, end_sarif, false },
};

/* Whether @p path is below the directory @p root, and where in it: *@p ret. */
static bool is_below(const char *path, const char *root, const char **ret)
{
	size_t len = root ? strlen(root) : 0;

	while (len > 1 && root[len - 1] == '/')
		len--;
	if (!len || strncmp(path, root, len) != 0 || path[len] != '/' || !path[len + 1])
		return false;
	*ret = path + len + 1;
	return true;
}

/* Where the source file is, or where it was when the program was built. */
static struct pd_error *find_file(
	const struct notes *notes, const struct ann_line *line, struct note *ret)
{
	const struct out_annotation *a = notes->annotation;
	const struct pd_build_id none = { 0 };
	const char *text;
	struct pd_error *err = ann_sources_line(a->sources, line->file, &none, line->line, &text);

	if (err)
		return err;
	const char *path = ann_sources_path(a->sources, line->file);
	ret->path = path ? path : line->file;
	ret->is_below_root =
		path && (*path != '/' || is_below(path, notes->opts->root, &ret->path));
	return NULL;
}

/* Write a line, unless its file is elsewhere: then *@p n is not changed. */
static struct pd_error *write_line(
	struct notes *notes, const struct form *form, const struct ann_line *line, size_t *n)
{
	struct note note = {
		.line = line->line,
		.function = line->function,
		.value = &notes->annotation->lines->values.data[line->values],
	};
	struct pd_error *err = find_file(notes, line, &note);

	if (err || (form->is_of_root_only && !note.is_below_root))
		return err;
	note.percent = notes->whole->period
			       ? 100 * (double)note.value->period / (double)notes->whole->period
			       : 0;
	form->write(notes, &note);
	++*n;
	return NULL;
}

struct pd_error *out_line_notes_write(
	const struct out_annotation *annotation, const struct out_line_notes_opts *opts, FILE *out)
{
	const struct ann_lines *lines = annotation->lines;
	const struct form *form = &forms[opts->form];
	_cleanup_free_ uint32_t *order = base_calloc_n(lines->list.n, sizeof(*order));
	static const struct prof_value no_value;
	bool has_event = annotation->functions->events.n > 0;
	struct notes notes = {
		.annotation = annotation,
		.opts = opts,
		.whole = has_event ? annotation->functions->totals.data : &no_value,
		.out = out,
		.json = { .out = out, .indent = 2 },
	};

	if (!order)
		return &pd_enomem;
	ann_lines_by_heat(annotation->functions, lines, order);
	if (form->begin)
		form->begin(&notes);
	for (size_t i = 0, n = 0; has_event && i < lines->list.n && n < opts->limit; i++) {
		struct pd_error *err = write_line(&notes, form, &lines->list.data[order[i]], &n);

		if (err)
			return err;
	}
	if (form->end)
		form->end(&notes);
	return NULL;
}
