#include "output/pgo_files.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/text.h"

/* A file that is written. */
struct writing {
	const struct pgo_flow *flow;
	const struct out_pgo_kind *kind;
	const char *event;
	/* Index of the image. */
	size_t i;
};

void out_pgo_request(struct prof_request *request)
{
	request->edges = request->frame_offsets = true;
}

static bool has_flow(const struct pgo_image *image)
{
	return image->branches.n || image->hits.n;
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

/* An out_write_file for a struct writing: the table of all images. */
static struct pd_error *write_list(void *what, FILE *out)
{
	const struct writing *w = what;
	const struct pgo_left_out *left_out = &w->flow->left_out;

	fputs("file\tbinary\tbranches\tmispredicted\truns\tsamples\tlast\tinverted\toverlong\t"
	      "outside\n",
		out);
	for (size_t i = 0; i < w->flow->images.n; i++) {
		if (has_flow(&w->flow->images.data[i]))
			write_row(w, i, out);
	}
	if (left_out->n_branches || left_out->n_hits)
		write_rest("binaries without a file", left_out->n_branches, left_out->n_hits, out);
	if (left_out->n_kernel_exits)
		write_rest("returns from the kernel", left_out->n_kernel_exits, 0, out);
	fprintf(out, "# %s\n", w->kind->mark);
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
	for (w->i = 0; w->i < w->flow->images.n; w->i++) {
		_cleanup_free_ char *name =
			base_format("%s%s", pgo_image_name(w->flow, w->i), w->kind->suffix);
		struct pd_error *err = NULL;

		if (!name)
			return &pd_enomem;
		if (has_flow(&w->flow->images.data[w->i]))
			err = to->add(to->ctx, name, write_image, w);
		if (err)
			return err;
	}
	return to->add(to->ctx, OUT_PGO_LIST, write_list, w);
}

/* Return the name of the event whose samples are written in place of branch stacks. */
static const char *event_name(const struct profile *profile, struct prof_event_id event)
{
	return prof_is_none(event) ? "" : prof_string(profile, prof_event(profile, event)->name);
}

struct pd_error *out_pgo_write(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_pgo_kind *kind, const struct out_directory *to)
{
	struct prof_event_id event = out_event(profile, opts);
	struct pgo_flow flow;
	struct writing w = { &flow, kind, event_name(profile, event), 0 };
	struct pd_error *err = pgo_flow_create(profile, event, &flow);

	if (!err)
		err = write_files(&w, to);
	if (!err)
		warn_about(&flow, opts);
	pgo_flow_deinit(&flow);
	return err;
}
