#include "api/code_files.h"

struct pd_error *pd_code_files_init(
	struct pd_code_files *files, const struct pd_profile_opts *opts, const char *path)
{
	const struct resolve_opts *resolve = &files->reading.resolve;
	const struct ann_sources_opts sources = {
		.search = &resolve->search,
		.dirs = opts->format.html.source_dirs,
		.n_dirs = opts->format.html.n_source_dirs,
	};
	struct pd_error *err = pd_reading_init(opts, path, NULL, &files->reading);

	if (err)
		return err;
	files->files = (struct ann_files){ &resolve->search, &resolve->kernel };
	err = ann_sources_create(&sources, &files->sources);
	files->html = (struct out_html_code){ &files->files, files->sources, &resolve->names };
	return err;
}

void pd_code_files_deinit(struct pd_code_files *files)
{
	ann_sources_destroy(files->sources);
	pd_reading_deinit(&files->reading);
}
