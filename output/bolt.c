/* The format bolt: a directory with a profile of each binary, for BOLT's `perf2bolt -pa`. */
#include "output/formats.h"
#include "output/pgo_files.h"
#include "pgo/bolt.h"

#define MARK "pdconv.bolt"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	out_pgo_request(request);
	return NULL;
}

static struct pd_error *write_image(
	const struct pgo_flow *flow, size_t i, const char *event, FILE *out)
{
	pgo_bolt_write(&flow->images.data[i], event, out);
	return NULL;
}

static struct pd_error *write_bolt(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_directory *to)
{
	static const struct out_pgo_kind kind = {
		.suffix = ".preagg",
		.mark = MARK,
		.write = write_image,
	};

	return out_pgo_write(profile, opts, &kind, to);
}

const struct out_format out_format_bolt = {
	.name = "bolt",
	.suffix = ".bolt",
	.is_binary = true,
	.help = "directory of profiles for BOLT, one for each binary",
	.prepare = prepare,
	.write_directory = write_bolt,
	.mark = MARK,
	.list = OUT_PGO_LIST,
};
