/*
 * The formats bolt, autofdo and gcov: a directory with a profile of each binary for an optimizer,
 * and a table of these.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/text.h"
#include "output/formats.h"
#include "pgo/autofdo.h"
#include "pgo/bolt.h"
#include "pgo/flow.h"
#include "pgo/gcov.h"
#include "pgo/locate.h"

/* Name of the table. */
#define LIST "binaries.tsv"

/* How the profile of a binary is written. */
struct kind {
	/* Suffix of its file. */
	const char *suffix;
	/* The format, whose mark is in the table. */
	const struct out_format *format;
	/* Write the profile of image @p i. @p event: the name of the event of samples. */
	struct pd_error *(*write)(
		const struct pgo_flow *flow, size_t i, const char *event, FILE *out);
};

/* A file that is written. */
struct writing {
	const struct pgo_flow *flow;
	const struct kind *kind;
	const struct out_write_opts *opts;
	const char *event;
	/* Index of the image. */
	size_t i;
};

/* Whether @p path, or its last part, is among the binaries to write. */
static bool is_chosen(const struct out_write_opts *opts, const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < opts->n_dsos; i++) {
		if (strcmp(path, opts->dsos[i]) == 0 ||
			(slash && strcmp(slash + 1, opts->dsos[i]) == 0))
			return true;
	}
	return !opts->n_dsos;
}

static bool is_written(const struct writing *w, size_t i)
{
	const struct pgo_image *image = &w->flow->images.data[i];
	const struct prof_binary *binary = prof_binary(w->flow->profile, image->binary);

	return (image->branches.n || image->hits.n) &&
	       is_chosen(w->opts, prof_string(w->flow->profile, binary->name));
}

/* An out_write_file for a struct writing. */
static struct pd_error *write_image(void *what, FILE *out)
{
	const struct writing *w = what;

	return w->kind->write(w->flow, w->i, w->event, out);
}

/* Sums of the columns of an image. */
struct sums {
	uint64_t branches;
	uint64_t mispredicted;
	uint64_t runs;
	uint64_t hits;
};

static struct sums sum_up(const struct pgo_image *image)
{
	struct sums ret = { 0 };

	for (size_t i = 0; i < image->branches.n; i++) {
		ret.branches += image->branches.data[i].n;
		ret.mispredicted += image->branches.data[i].mispredicted;
	}
	for (size_t i = 0; i < image->runs.n; i++)
		ret.runs += image->runs.data[i].n;
	for (size_t i = 0; i < image->hits.n; i++)
		ret.hits += image->hits.data[i].n;
	return ret;
}

static void write_row(const struct writing *w, size_t i, FILE *out)
{
	const struct pgo_image *image = &w->flow->images.data[i];
	const struct prof_binary *binary = prof_binary(w->flow->profile, image->binary);
	const struct pgo_misfits *misfits = &image->misfits;
	const struct sums sums = sum_up(image);

	fprintf(out, "%s%s\t", pgo_image_name(w->flow, i), w->kind->suffix);
	base_text_write(out, prof_string(w->flow->profile, binary->name));
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, sums.branches,
		sums.mispredicted, sums.runs, sums.hits);
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", image->n_newest,
		misfits->n_inverted, misfits->n_overlong, misfits->n_outside);
}

/* Write a row of counts that no file has. */
static void write_rest(const char *of, uint64_t branches, uint64_t hits, FILE *out)
{
	fprintf(out, "-\t%s\t%" PRIu64 "\t0\t0\t%" PRIu64 "\t0\t0\t0\t0\n", of, branches, hits);
}

/* Write a row of the binaries that were not chosen. Branches are those that lead into them. */
static void write_others(const struct writing *w, FILE *out)
{
	uint64_t branches = 0, hits = 0;

	for (size_t i = 0; i < w->flow->images.n; i++) {
		const struct pgo_image *image = &w->flow->images.data[i];
		const struct sums sums = sum_up(image);

		if (is_written(w, i))
			continue;
		branches += sums.runs + image->n_newest + image->misfits.n_inverted +
			    image->misfits.n_overlong + image->misfits.n_outside;
		hits += sums.hits;
	}
	if (branches || hits)
		write_rest("other binaries", branches, hits, out);
}

/* An out_write_file for a struct writing: the table of all images. */
static struct pd_error *write_list(void *what, FILE *out)
{
	const struct writing *w = what;
	const struct pgo_left_out *left_out = &w->flow->left_out;

	fputs("file\tbinary\tbranches\tmispredicted\truns\tsamples\tlast\tinverted\toverlong\t"
	      "outside\n",
		out);
	for (size_t i = 0; i < w->flow->images.n; i++) {
		if (is_written(w, i))
			write_row(w, i, out);
	}
	write_others(w, out);
	if (left_out->n_branches || left_out->n_hits)
		write_rest("binaries without a file", left_out->n_branches, left_out->n_hits, out);
	if (left_out->n_kernel_exits)
		write_rest("returns from the kernel", left_out->n_kernel_exits, 0, out);
	fprintf(out, "# %s\n", w->kind->format->mark);
	return NULL;
}

/* Warn about counts that no file has. */
static void warn_about(const struct pgo_flow *flow, const struct out_write_opts *opts)
{
	const struct prof_branch_stats *stats = &flow->profile->stats.branches;
	const struct pgo_left_out *left_out = &flow->left_out;
	struct pgo_misfits sum = { 0 };

	for (size_t i = 0; i < flow->images.n; i++) {
		const struct pgo_misfits *misfits = &flow->images.data[i].misfits;

		sum.n_inverted += misfits->n_inverted;
		sum.n_overlong += misfits->n_overlong;
		sum.n_outside += misfits->n_outside;
	}
	const struct {
		uint64_t n;
		const char *what;
		const char *why;
	} rows[] = {
		{ left_out->n_branches, "branches",
			"left out: they lead to no binary with a file" },
		{ left_out->n_hits, "samples", "left out: they are in no binary with a file" },
		{ sum.n_inverted, "inverted runs", "of code left out: they end before they start" },
		{ sum.n_overlong, "overlong runs", "of code left out: longer than 1 MiB" },
		{ sum.n_outside, "runs outside", "of a binary left out: they end in another one" },
		{ stats->n_calls, "calls", "left out: branch stacks with calls only" },
		{ stats->n_chosen, "branches of some kinds",
			"recorded: the code after them is not known" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (rows[i].n)
			pd_diag_warn(opts->diag, opts->input, PD_NO_OFFSET, rows[i].what,
				"%" PRIu64 " %s", rows[i].n, rows[i].why);
	}
}

static struct pd_error *write_files(struct writing *w, const struct out_directory *to)
{
	size_t n = 0;

	for (w->i = 0; w->i < w->flow->images.n; w->i++) {
		_cleanup_free_ char *name =
			base_format("%s%s", pgo_image_name(w->flow, w->i), w->kind->suffix);
		struct pd_error *err = NULL;

		if (!name)
			return &pd_enomem;
		if (is_written(w, w->i)) {
			err = to->add(to->ctx, name, write_image, w);
			n++;
		}
		if (err)
			return err;
	}
	if (!n && w->opts->n_dsos)
		return pd_error_create(PD_ERROR_USAGE, w->opts->input,
			"none of the binaries has run, or their files were not found");
	return to->add(to->ctx, LIST, write_list, w);
}

/* Return the name of the event whose samples are written in place of branch stacks. */
static const char *event_name(const struct profile *profile, struct prof_event_id event)
{
	return prof_is_none(event) ? "" : prof_string(profile, prof_event(profile, event)->name);
}

/* Write a file for each binary with a flow to @p to, then the table. */
static struct pd_error *write_directory(const struct profile *profile,
	const struct out_write_opts *opts, const struct kind *kind, const struct out_directory *to)
{
	struct prof_event_id event = out_event(profile, opts);
	struct pgo_flow flow;
	struct writing w = { &flow, kind, opts, event_name(profile, event), 0 };
	struct pd_error *err = pgo_flow_create(profile, event, &flow);

	if (!err)
		err = write_files(&w, to);
	if (!err)
		warn_about(&flow, opts);
	pgo_flow_deinit(&flow);
	return err;
}

static struct pd_error *prepare_bolt(
	const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->edges = request->frame_offsets = true;
	return NULL;
}

/* Compilers need source locations in addition. */
static struct pd_error *prepare_autofdo(
	const struct out_write_opts *opts, struct prof_request *request)
{
	request->code = true;
	return prepare_bolt(opts, request);
}

static struct pd_error *write_for_bolt(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	pgo_bolt_write(&flow->images.data[i], event, out);
	return NULL;
}

/* Write the counts of source locations of an image, whose compiler codes discriminators so. */
static struct pd_error *write_counts(const struct pgo_flow *flow, size_t i, enum pgo_coding coding,
	struct pd_error *(*write)(const struct pgo_counts *counts, FILE *out), FILE *out)
{
	struct pgo_counts counts = { 0 };
	struct pd_error *err = pgo_locate(flow, i, coding, &counts);

	if (!err)
		err = write(&counts, out);
	pgo_counts_deinit(&counts);
	return err;
}

static struct pd_error *write_for_llvm(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	(void)event;
	return write_counts(flow, i, PGO_CODING_LLVM, pgo_autofdo_write, out);
}

static struct pd_error *write_for_gcc(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	(void)event;
	return write_counts(flow, i, PGO_CODING_GCC, pgo_gcov_write, out);
}

static struct pd_error *write_bolt(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_directory *to)
{
	static const struct kind kind = { ".preagg", &out_format_bolt, write_for_bolt };

	return write_directory(profile, opts, &kind, to);
}

static struct pd_error *write_autofdo(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_directory *to)
{
	static const struct kind kind = { ".proftext", &out_format_autofdo, write_for_llvm };

	return write_directory(profile, opts, &kind, to);
}

static struct pd_error *write_gcov(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_directory *to)
{
	static const struct kind kind = { ".afdo", &out_format_gcov, write_for_gcc };

	return write_directory(profile, opts, &kind, to);
}

const struct out_format out_format_bolt = {
	.name = "bolt",
	.suffix = ".bolt",
	.is_binary = true,
	.chooses_binaries = true,
	.help = "directory of profiles for BOLT, one for each binary",
	.prepare = prepare_bolt,
	.write_directory = write_bolt,
	.mark = "pdconv.bolt",
	.list = LIST,
};

const struct out_format out_format_autofdo = {
	.name = "autofdo",
	.suffix = ".autofdo",
	.is_binary = true,
	.chooses_binaries = true,
	.help = "directory of sample profiles for LLVM, one for each binary",
	.prepare = prepare_autofdo,
	.write_directory = write_autofdo,
	.mark = "pdconv.autofdo",
	.list = LIST,
};

const struct out_format out_format_gcov = {
	.name = "gcov",
	.suffix = ".gcov",
	.is_binary = true,
	.chooses_binaries = true,
	.help = "directory of sample profiles for GCC (-fauto-profile), one for each binary",
	.prepare = prepare_autofdo,
	.write_directory = write_gcov,
	.mark = "pdconv.gcov",
	.list = LIST,
};
