/* The server that takes profiles: there is none without Linux. */
#include "cmd/options/send_target.h"

struct pd_error *cmd_send_settle(struct cmd_options *options)
{
	if (!options->send.url)
		return NULL;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this pdconv cannot send: write the profile with --output instead");
}
