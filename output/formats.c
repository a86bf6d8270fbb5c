#include "output/formats.h"

#include <string.h>

#include "base/array.h"

#define FORMAT_ROW(id, name) &out_format_##id,
static const struct out_format *const formats[] = { OUT_FORMATS(FORMAT_ROW) };

enum { N_FORMATS = PD_ARRAY_LEN(formats) };

const struct out_format *const *out_formats(size_t *n_ret)
{
	*n_ret = N_FORMATS;
	return formats;
}

const struct out_format *out_format_default(void)
{
	return formats[0];
}

const struct out_format *out_format_find(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

struct out_write_opts out_write_defaults(void)
{
	return (struct out_write_opts){
		.event = prof_no_event(),
	};
}

struct prof_event_id out_event(const struct profile *profile, const struct out_write_opts *opts)
{
	if (!prof_is_none(opts->event))
		return opts->event;
	/* Dummy events come first in many recordings, and have no samples. */
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (prof_event(profile, id)->total.samples)
			return id;
	}
	return prof_no_event();
}

void out_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret)
{
	struct prof_event_id only = out_event(profile, opts);

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++)
		shown_ret[id.i] = opts->has_all_events ? prof_event(profile, id)->total.samples > 0
						       : prof_same_event(id, only);
}
