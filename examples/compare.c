/*
 * Show what changed between two recordings, and the instructions of the hottest function after
 * it. usage: compare BEFORE AFTER [DIRECTORY OF BINARIES]...
 */
#include <stdio.h>

#include <pdconv/pdconv.h>

static struct pd_error *compare(
	struct pd_file *before, struct pd_file *after, const char *const *dirs, size_t n_dirs)
{
	const struct pd_diff_side sides[] = { { &before, 1 }, { &after, 1 } };
	struct pd_diff_opts opts = PD_DEFAULTS;
	struct pd_growth growth;

	opts.profile.search.dirs = dirs;
	opts.profile.search.n_dirs = n_dirs;
	opts.growth_limit = 5;
	struct pd_error *err =
		pd_diff(&sides[0], &sides[1], &opts, "report", pd_write_to_stream, stdout, &growth);
	if (err)
		return err;
	if (growth.n)
		printf("\n%s takes %.0f %% longer.\n", growth.name, growth.percent);
	pd_growth_deinit(&growth);
	putchar('\n');
	return pd_annotate(after, &opts.profile, NULL, pd_write_to_stream, stdout);
}

int main(int argc, char **argv)
{
	struct pd_file *before = NULL, *after = NULL;
	struct pd_error *err = NULL;

	if (argc < 3)
		return 2;
	err = pd_file_open(argv[1], NULL, &before);
	if (!err)
		err = pd_file_open(argv[2], NULL, &after);
	if (!err)
		err = compare(before, after, (const char *const *)argv + 3, (size_t)argc - 3);
	pd_file_close(before);
	pd_file_close(after);
	return pd_error_print(err, stderr);
}
