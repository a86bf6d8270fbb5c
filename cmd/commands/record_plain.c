/* Commands and options about recording, which takes Linux. */
#include "capture/sampling.h"
#include "cmd/options/commands.h"
#include "cmd/options/complete_names.h"

static struct pd_error *cannot_record(void)
{
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this pdconv only reads recordings: make them on Linux, with perf or pdconv");
}

struct pd_error *cmd_record(const struct cmd_options *options, struct cmd_result *result)
{
	(void)options;
	(void)result;
	return cannot_record();
}

struct pd_error *cmd_list(const struct cmd_options *options, struct cmd_result *result)
{
	(void)options;
	(void)result;
	return cannot_record();
}

void cmd_complete_recordable(const struct cmd_completion *completion)
{
	(void)completion;
}

struct pd_error *cap_sampling_set_frequency(struct cap_sampling *sampling, const char *text)
{
	(void)sampling;
	(void)text;
	return cannot_record();
}

struct pd_error *cap_sampling_set_stacks(struct cap_sampling *sampling, const char *text)
{
	(void)sampling;
	(void)text;
	return cannot_record();
}

struct pd_error *cap_sampling_use_regs(struct cap_sampling *sampling, const char *names)
{
	(void)sampling;
	(void)names;
	return cannot_record();
}
