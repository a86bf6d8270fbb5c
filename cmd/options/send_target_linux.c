/* The server that takes profiles. */
#include "cmd/options/send_target.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cmd/options/message.h"
#include "send/snd_target.h"

struct pd_error *cmd_send_target_init(const struct cmd_options *options, struct snd_target *ret)
{
	return cmd_option_error("send", snd_target_init(ret, options->send.url,
						options->tags.items.data, options->tags.items.n));
}

struct pd_error *cmd_send_settle(struct cmd_options *options)
{
	_cleanup_(snd_target_deinit) struct snd_target target = { 0 };

	if (!options->send.url) {
		if (!options->send.headers && !options->send.spool && !options->send.spool_bytes &&
			options->send.every == 0)
			return NULL;
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "options for sending have no effect without --send");
	}
	if (options->output)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--output and --send exclude each other: a profile is written or sent");
	struct pd_error *err = cmd_send_target_init(options, &target);
	if (err)
		return err;
	if (options->format && strcmp(options->format->name, target.format) != 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"this server takes the format %s, not %s", target.format,
			options->format->name);
	options->format = out_format_find(target.format);
	options->send.request_bytes = target.most_bytes;
	/* Servers sort profiles by the time of the day, which recordings have with a clock only. */
	if (options->record.sampling.clock < 0)
		options->record.sampling.clock = CLOCK_MONOTONIC;
	return NULL;
}
