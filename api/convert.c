/* pd_convert(): a recording becomes a profile, which is written at once. */
#include <pdconv/convert.h>

#include "api/profile_read.h"
#include "api/output_sink.h"
#include "api/profile_write.h"
#include "parse/open_file.h"

struct conversion {
	struct pd_file *file;
	const struct pd_profile_opts *opts;
	const struct out_format *format;
	/* The recording, not read yet, if the format reads it again; otherwise NULL. */
	struct pd_file *again;
	pd_on_bytes *fn;
	void *ctx;
};

static struct pd_error *write_profile(const struct conversion *c, struct pd_profile *profile)
{
	const struct api_target to = { .fn = c->fn, .ctx = c->ctx };

	profile->write.perfdata.file = c->again;
	profile->write.diag = c->file->diag;
	/* The second reading has the limit of the first one. */
	if (c->again)
		pd_file_set_budget(c->again, c->opts ? c->opts->budget : NULL);
	return api_profile_emit(profile, c->format, c->file->diag, &to);
}

static struct pd_error *convert(const struct conversion *c, struct pd_profile_stats *ret)
{
	struct pd_profile *profile;
	struct pd_error *err =
		api_profile_read(c->file, c->opts, c->format, PD_PARTS_OF_FORMAT, &profile);

	if (err)
		return err;
	err = write_profile(c, profile);
	if (!err && ret)
		err = api_profile_count(profile, c->format, ret);
	pd_profile_destroy(profile);
	return err;
}

struct pd_error *pd_convert(struct pd_file *file, const struct pd_profile_opts *opts,
	const char *format, pd_on_bytes *fn, void *ctx, struct pd_profile_stats *stats_ret)
{
	struct conversion c = { .file = file, .opts = opts, .fn = fn, .ctx = ctx };
	struct pd_error *err = api_stream_format_find(format, &c.format);

	if (err)
		return err;
	if (c.format->rereads_input) {
		err = parse_file_reopen(file, &c.again);
		if (err)
			return err;
	}
	err = convert(&c, stats_ret);
	pd_file_close(c.again);
	return err;
}
