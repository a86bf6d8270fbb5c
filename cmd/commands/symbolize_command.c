/* pdconv symbolize: names for the addresses of profiles that other programs wrote. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/reading.h"
#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/text.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/output_file.h"
#include "cmd/process/sandbox.h"
#include "output/gzip.h"
#include "parse/input.h"
#include "symbolize/foreign/heap_names.h"
#include "symbolize/foreign/otlp_names.h"
#include "symbolize/foreign/pprof_names.h"
#include "symbolize/foreign/text_names.h"

/** A profile that another program wrote, in memory. */
struct foreign {
	const char *path;
	PD_VEC(uint8_t) bytes;
};

static void foreign_deinit(struct foreign *f)
{
	pd_vec_deinit(&f->bytes);
}

/* Input. */

/* Make room for @p len bytes at the end. */
static struct pd_error *grow(struct foreign *f, uint64_t len)
{
	if (len > PD_LIMIT_FOREIGN_BYTES - f->bytes.n)
		return pd_error_create(PD_ERROR_FORMAT, f->path,
			"too large: the limit FOREIGN_BYTES is %d bytes", PD_LIMIT_FOREIGN_BYTES);
	return pd_vec_reserve(&f->bytes, f->bytes.n + (size_t)len + 1) ? NULL : &pd_enomem;
}

static struct pd_error *read_file(struct foreign *f, struct parse_input *input)
{
	uint64_t size = parse_input_size(input);
	struct pd_error *err = grow(f, size);

	if (!err)
		err = parse_input_read_at(input, 0, f->bytes.data, (size_t)size);
	if (!err)
		err = parse_input_check(input);
	f->bytes.n = err ? 0 : (size_t)size;
	return err;
}

static struct pd_error *read_stream(struct foreign *f, struct parse_input *input)
{
	struct pd_error *err = NULL;
	bool more = true;

	while (!err && more) {
		struct base_seen seen = parse_input_peek(input);

		err = grow(f, seen.len);
		if (err)
			return err;
		PD_IS_TRUE(f->bytes.data, "grow() has made room");
		if (seen.len)
			memcpy(f->bytes.data + f->bytes.n, seen.bytes, seen.len);
		f->bytes.n += seen.len;
		parse_input_take(input, seen.len);
		err = parse_input_fill(input, &more);
	}
	return err;
}

static struct pd_error *read_input(struct foreign *f, struct pd_diag *diag)
{
	struct parse_input *input;
	struct pd_error *err = parse_input_open(f->path, diag, &input);

	if (err)
		return err;
	err = parse_input_size(input) == UINT64_MAX ? read_stream(f, input) : read_file(f, input);
	parse_input_close(input);
	if (!err && !f->bytes.n)
		err = pd_error_create(PD_ERROR_FORMAT, f->path, "is empty");
	return err;
}

/* Text has no control characters except for some white space, and every profile of pprof has. */
static bool is_text(const struct foreign *f)
{
	enum { LOOKED_AT = 1 << 16 };

	PD_IS_TRUE(f->bytes.data || !f->bytes.n, "bytes were read, or there are none");
	for (size_t i = 0; i < f->bytes.n && i < LOOKED_AT; i++) {
		uint8_t c = f->bytes.data[i];

		if (c < ' ' && (c < '\t' || c > '\r') && c != '\x1b')
			return false;
	}
	return true;
}

static const char *text_of(const struct foreign *f)
{
	return (const char *)f->bytes.data;
}

/* Reports. */

/* Write "3 in no mapping, 5 of a binary that was not found". */
static void print_unnamed(const struct sym_asked_counts *counts, uint64_t n)
{
	const char *separator = "";

	fprintf(cmd_begin(), "%" PRIu64 " address%s without a name: ", n, n == 1 ? "" : "es");
	for (size_t i = 0; i < SYM_N_UNNAMED; i++) {
		if (!counts->unnamed[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", separator, counts->unnamed[i],
			sym_unnamed_text(i));
		separator = ", ";
	}
	fputc('\n', stderr);
}

/* List the binaries that most of the unnamed addresses are in. */
static void print_missing(const struct sym_asked *asked)
{
	enum { MOST = 8 };
	struct sym_asked_missing missing;

	for (size_t i = 0; i < MOST && sym_asked_missing(asked, i, &missing); i++) {
		fprintf(cmd_begin(), "%" PRIu64 " in ", missing.n);
		/* Most reasons begin with the path. */
		if (!base_has_prefix(missing.why, missing.path)) {
			base_text_write_message(stderr, missing.path);
			fputs(": ", stderr);
		}
		base_text_write_message(stderr, missing.why);
		fputc('\n', stderr);
	}
	if (sym_asked_missing(asked, MOST, &missing))
		cmd_say("and in further binaries");
}

static void print_summary(const struct sym_asked *asked)
{
	struct sym_asked_counts counts = sym_asked_count(asked);
	uint64_t n_unnamed = 0;

	for (size_t i = 0; i < SYM_N_UNNAMED; i++)
		n_unnamed += counts.unnamed[i];
	if (!counts.named && !n_unnamed)
		cmd_say("no addresses were found that lack a name");
	if (counts.named)
		cmd_say("%" PRIu64 " of %" PRIu64 " addresses named, in %zu %s", counts.named,
			counts.named + n_unnamed, counts.n_found,
			counts.n_found == 1 ? "binary" : "binaries");
	if (counts.n_by_path)
		cmd_say("%zu of the binaries had no build id in the profile: the file at the path "
			"was used, and the names are wrong if it is another one",
			counts.n_by_path);
	if (!n_unnamed)
		return;
	print_unnamed(&counts, n_unnamed);
	print_missing(asked);
}

/* Each form of profiles. */

/* A job: the profile, its addresses, and where it goes. */
struct naming {
	const struct cmd_options *options;
	const struct foreign *profile;
	struct sym_asked *asked;
	FILE *out;
};

static struct pd_error *find_names(const struct naming *n)
{
	const struct pd_profile_opts *opts = &n->options->profile;

	return sym_asked_name(n->asked, &opts->names, opts->jobs);
}

static struct pd_error *compress(const struct naming *n, const char *bytes, size_t len)
{
	const struct out_gzip_opts opts = { .jobs = n->options->profile.jobs };
	struct out_gzip *gzip;
	struct pd_error *err = out_gzip_create(n->out, &opts, &gzip);

	if (err)
		return err;
	out_gzip_write(gzip, bytes, len);
	out_gzip_finish(gzip);
	out_gzip_destroy(gzip);
	return NULL;
}

/* Like pprof itself, write compressed what may come uncompressed. */
static struct pd_error *write_pprof(const struct naming *n, struct sym_pprof *pprof)
{
	_cleanup_free_ char *bytes = NULL;
	size_t len;
	FILE *out = base_memstream_open(&bytes, &len);

	if (!out)
		return &pd_enomem;
	struct pd_error *err = sym_pprof_write(pprof, out);
	if (!base_memstream_close(out, &bytes) && !err)
		err = &pd_enomem;
	return err ? err : compress(n, bytes, len);
}

static struct pd_error *name_pprof(const struct naming *n)
{
	const struct foreign *f = n->profile;
	struct sym_pprof *pprof;
	struct pd_error *err = sym_pprof_read(f->path, f->bytes.data, f->bytes.n, n->asked, &pprof);

	if (err)
		return err;
	err = find_names(n);
	if (!err)
		err = write_pprof(n, pprof);
	sym_pprof_destroy(pprof);
	return err;
}

static struct pd_error *name_otlp(const struct naming *n)
{
	const struct foreign *f = n->profile;
	struct sym_otlp *otlp;
	struct pd_error *err = sym_otlp_read(f->path, f->bytes.data, f->bytes.n, n->asked, &otlp);

	if (err)
		return err;
	err = find_names(n);
	if (!err)
		err = sym_otlp_write(otlp, n->out);
	sym_otlp_destroy(otlp);
	return err;
}

static struct pd_error *name_heap(const struct naming *n)
{
	struct sym_heap *heap;
	struct pd_error *err =
		sym_heap_read(text_of(n->profile), n->profile->bytes.n, n->asked, &heap);

	if (err)
		return err;
	err = find_names(n);
	if (!err)
		sym_heap_write(heap, n->out);
	sym_heap_destroy(heap);
	return err;
}

static struct pd_error *name_text(const struct naming *n)
{
	struct sym_text *text;
	struct pd_error *err = sym_text_read(
		text_of(n->profile), n->profile->bytes.n, n->options->offsets, n->asked, &text);

	if (err)
		return err;
	err = find_names(n);
	if (!err)
		err = sym_text_write(text, n->out);
	sym_text_destroy(text);
	return err;
}

static struct pd_error *name(const struct naming *n)
{
	const struct foreign *f = n->profile;

	if (!is_text(f))
		return sym_otlp_is_one(f->bytes.data, f->bytes.n) ? name_otlp(n) : name_pprof(n);
	if (sym_otlp_is_json(text_of(f), f->bytes.n))
		return pd_error_create(PD_ERROR_UNSUPPORTED, f->path,
			"OTLP in JSON is not supported: expected protocol buffers");
	return sym_heap_is_one(text_of(f), f->bytes.n) ? name_heap(n) : name_text(n);
}

static struct pd_error *write_named(
	const struct cmd_options *options, const struct foreign *f, const struct sym_search *search)
{
	const struct cmd_output_opts opts = { .options = options, .is_text = is_text(f) };
	struct naming naming = { .options = options, .profile = f };
	struct cmd_output_file file;
	struct pd_error *err = sym_asked_create(f->path, search, &naming.asked);

	if (err)
		return err;
	err = cmd_output_open(options->output, &opts, &file);
	if (!err) {
		naming.out = file.stream;
		err = cmd_output_finish(&file, name(&naming));
	}
	if (!err && !options->quiet)
		print_summary(naming.asked);
	sym_asked_destroy(naming.asked);
	return err;
}

static struct pd_error *check_output(const struct cmd_options *options, const struct foreign *f)
{
	if (is_text(f) || !cmd_output_is_stdout(options->output) || !isatty(STDOUT_FILENO))
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"the profile is binary and standard output is a terminal: name a file with "
		"--output");
}

struct pd_error *cmd_symbolize(const struct cmd_options *options, struct cmd_result *result)
{
	/* Text may go through the pager, which has to be prepared before it is known. */
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	_cleanup_(foreign_deinit) struct foreign f = { .path = options->input };
	struct pd_error *err = api_reading_init(&options->profile, NULL, NULL, &reading);

	if (!err)
		err = cmd_sandbox_enter(options->output, &output);
	if (!err)
		err = read_input(&f, result->diag);
	if (!err)
		err = check_output(options, &f);
	if (!err)
		err = write_named(options, &f, &reading.resolve.search);
	api_reading_report(&reading, result->diag);
	return err;
}
