/* The formats autofdo and gcov: a directory with a sample profile of each binary, for compilers. */
#include "output/formats.h"
#include "output/pgo_files.h"
#include "pgo/autofdo.h"
#include "pgo/gcov.h"
#include "pgo/locate.h"

#define MARK_AUTOFDO "pdconv.autofdo"
#define MARK_GCOV "pdconv.gcov"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	out_pgo_request(request);
	request->code = true;
	return NULL;
}

static struct pd_error *write_for_llvm(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	struct pgo_counts counts = { 0 };
	struct pd_error *err = pgo_locate(flow, i, PGO_CODING_LLVM, &counts);

	(void)event;
	if (!err)
		err = pgo_autofdo_write(&counts, out);
	pgo_counts_deinit(&counts);
	return err;
}

static struct pd_error *write_for_gcc(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	struct pgo_counts counts = { 0 };
	struct pd_error *err = pgo_locate(flow, i, PGO_CODING_GCC, &counts);

	(void)event;
	if (!err)
		err = pgo_gcov_write(&counts, out);
	pgo_counts_deinit(&counts);
	return err;
}

static struct pd_error *write_autofdo(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_directory *to)
{
	static const struct out_pgo_kind kind = {
		.suffix = ".proftext",
		.mark = MARK_AUTOFDO,
		.write = write_for_llvm,
	};

	return out_pgo_write(profile, opts, &kind, to);
}

static struct pd_error *write_gcov(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_directory *to)
{
	static const struct out_pgo_kind kind = {
		.suffix = ".afdo",
		.mark = MARK_GCOV,
		.write = write_for_gcc,
	};

	return out_pgo_write(profile, opts, &kind, to);
}

const struct out_format out_format_autofdo = {
	.name = "autofdo",
	.suffix = ".autofdo",
	.is_binary = true,
	.help = "directory of sample profiles for LLVM, one for each binary",
	.prepare = prepare,
	.write_directory = write_autofdo,
	.mark = MARK_AUTOFDO,
	.list = OUT_PGO_LIST,
};

const struct out_format out_format_gcov = {
	.name = "gcov",
	.suffix = ".gcov",
	.is_binary = true,
	.help = "directory of sample profiles for GCC (-fauto-profile), one for each binary",
	.prepare = prepare,
	.write_directory = write_gcov,
	.mark = MARK_GCOV,
	.list = OUT_PGO_LIST,
};
