#include "cmd/code_files.h"

struct pd_error *cmd_code_files_init(
	struct cmd_code_files *files, const struct cmd_options *options, const char *input)
{
	const struct ann_sources_opts sources = {
		.search = &files->search.search,
		.dirs = options->source_dirs.items.data,
		.n_dirs = options->source_dirs.items.n,
	};
	struct pd_error *err = cmd_search_init(&files->search, options, input);

	if (err)
		return err;
	files->files = (struct ann_files){ &files->search.search, &options->resolve.kernel };
	err = ann_sources_create(&sources, &files->sources);
	files->html =
		(struct out_html_code){ &files->files, files->sources, &options->resolve.names };
	return err;
}

void cmd_code_files_deinit(struct cmd_code_files *files)
{
	ann_sources_destroy(files->sources);
	cmd_search_deinit(&files->search);
}
