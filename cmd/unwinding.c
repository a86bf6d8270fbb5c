#include "cmd/unwinding.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

static struct pd_error *set_unwind_mode(const char *mode, struct resolve_opts *opts)
{
	if (!mode || strcmp(mode, "auto") == 0)
		return NULL;
	if (strcmp(mode, "cfi") != 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--unwind: \"%s\" is neither auto nor cfi", mode);
	opts->cfi_only = true;
	return NULL;
}

static const struct {
	const char *name;
	enum sym_form form;
} FORMS[] = {
	{ "templates", SYM_FORM_TEMPLATES },
	{ "short", SYM_FORM_SHORT },
	{ "full", SYM_FORM_FULL },
	{ "none", SYM_FORM_NONE },
};

static struct pd_error *set_form(const struct cmd_options *options, struct resolve_opts *opts)
{
	const char *name = options->no_demangle ? "none" : options->demangle;

	if (!name)
		return NULL;
	for (size_t i = 0; i < PD_ARRAY_LEN(FORMS); i++) {
		if (strcmp(name, FORMS[i].name) == 0) {
			opts->names.form = FORMS[i].form;
			return NULL;
		}
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"--demangle: \"%s\" is none of templates, short, full and none", name);
}

struct pd_error *cmd_out_opts(const struct cmd_options *options, const struct cmd_search *search,
	struct cmd_filter *filter, struct resolve_opts *ret)
{
	*ret = (struct resolve_opts){
		.search = search->search,
		.filter = prof_filter_is_active(&filter->filter) ? &filter->filter : NULL,
		.names = {
			.no_inline = options->no_inline,
			.no_lines = options->no_lines,
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
	struct pd_error *err = set_unwind_mode(options->unwind, ret);
	return err ? err : set_form(options, ret);
}

bool cmd_is_rooted_enough(
	const struct cmd_options *options, const struct prof_unwind_summary *accounts)
{
	double rooted = 100 * prof_unwind_stats_rooted(&accounts->all);

	if (rooted >= options->fail_under_rooted)
		return true;
	if (!options->quiet)
		fprintf(stderr, "pdconv: %.2f %% of %llu unwound stacks reach the root\n", rooted,
			(unsigned long long)accounts->all.walked.samples);
	return false;
}
