/* The format autofdo: a directory with a sample profile of each binary, for LLVM's compilers. */
#include "output/formats.h"
#include "output/pgo_files.h"
#include "pgo/autofdo.h"
#include "pgo/locate.h"

#define MARK "pdconv.autofdo"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	out_pgo_request(request);
	request->code = true;
	return NULL;
}

static struct pd_error *write_image(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	struct pgo_counts counts = { 0 };
	struct pd_error *err = pgo_locate(flow, i, &counts);

	(void)event;
	if (!err)
		err = pgo_autofdo_write(&counts, out);
	pgo_counts_deinit(&counts);
	return err;
}

static struct pd_error *write_autofdo(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_directory *to)
{
	static const struct out_pgo_kind kind = {
		.suffix = ".proftext",
		.mark = MARK,
		.write = write_image,
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
	.mark = MARK,
	.list = OUT_PGO_LIST,
};
