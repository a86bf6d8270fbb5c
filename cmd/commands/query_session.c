#include "cmd/commands/query_session.h"

#include "base/array.h"
#include "cmd/commands/advice.h"
#include "cmd/commands/read_profile.h"

/* Two recordings are compared. */
enum { MAX_INPUTS = 2 };

static struct pd_error *load(
	void *ctx, const struct qry_load *load, struct pd_diag *diag, struct pd_profile **ret)
{
	struct cmd_options options = *(const struct cmd_options *)ctx;
	struct pd_profile_opts opts = options.profile;
	const char *paths[MAX_INPUTS];
	struct cmd_profile read;

	for (size_t i = 0; i < load->n_paths && i < MAX_INPUTS; i++)
		paths[i] = load->paths[i];
	options.inputs.items.data = paths;
	options.inputs.items.n = load->n_paths;
	/* Answers say themselves what names stand for. */
	options.quiet = true;
	opts.title = load->title;
	opts.filter = load->filter;
	opts.format.report.critical_path = load->critical_path;
	const struct cmd_reading reading = {
		.options = &options,
		.opts = &opts,
		.format = load->format,
		.parts = load->parts,
		.diag = diag,
	};
	struct pd_error *err = cmd_read_profile(&reading, &read);
	if (err)
		return err;
	*ret = cmd_profile_take(&read);
	return NULL;
}

struct qry_loader cmd_query_loader(const struct cmd_options *options)
{
	return (struct qry_loader){
		/* Only read. */
		.ctx = (void *)options,
		.load = load,
		.find_command = cmd_advice,
		.write_remedy = cmd_write_remedy,
	};
}
