/*
 * Event strings of `pdconv record -e`, on a machine without PMUs and tracepoints. They are parsed,
 * not opened.
 */
#include <stdlib.h>

#include "capture/events/event_list.h"
#include "tests/fuzz/fuzz.h"

void fuzz_target_events(struct fuzz_input *in)
{
	struct cap_events events = {
		.devices_dir = "/nonexistent",
		.tracing_dir = "/nonexistent",
	};
	char *words = fuzz_text(in);
	struct pd_error *err = cap_events_parse(&events, words);

	if (!err)
		err = cap_event_set_filter(&events, words);
	pd_error_destroy(err);
	cap_events_deinit(&events);
	free(words);
}
