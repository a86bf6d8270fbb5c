#include "cmd/unwinding.h"

#include <stdio.h>
#include <string.h>

static struct pd_error *set_unwind_mode(const char *mode, struct out_opts *opts)
{
	if (!mode || strcmp(mode, "auto") == 0)
		return NULL;
	if (strcmp(mode, "cfi") != 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--unwind: \"%s\" is neither auto nor cfi", mode);
	opts->cfi_only = true;
	return NULL;
}

struct pd_error *cmd_out_opts(
	const struct cmd_options *options, const struct cmd_search *search, struct out_opts *ret)
{
	*ret = (struct out_opts){
		.search = search->search,
		.names = {
			.no_inline = options->no_inline,
			.no_lines = options->no_lines,
			.no_demangle = options->no_demangle,
		},
		.kernel = {
			.vmlinux = options->vmlinux,
			.kallsyms = options->kallsyms,
			.ignore_vmlinux = options->ignore_vmlinux,
		},
		.modules = options->modules,
		.max_stack = options->max_stack,
		.stitch = options->stitch,
		.no_truncated = options->no_truncated,
		.no_kernel = options->no_kernel,
		.no_user = options->no_user,
		.jobs = options->jobs,
	};
	return set_unwind_mode(options->unwind, ret);
}

bool cmd_is_rooted_enough(const struct cmd_options *options, const struct out_accounts *accounts)
{
	double rooted = 100 * out_account_rooted(&accounts->all);

	if (rooted >= options->fail_under_rooted)
		return true;
	if (!options->quiet)
		fprintf(stderr, "pdconv: %.2f %% of %llu unwound stacks reach the root\n", rooted,
			(unsigned long long)accounts->all.walked.samples);
	return false;
}
