/*
 * The speedscope format: a JSON file for https://www.speedscope.app, with a sampled profile for
 * each event and thread, in the order of time. It is described in speedscope's
 * src/lib/file-format-spec.ts.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/locations.h"
#include "base/json.h"
#include "base/memstream.h"
#include "output/formats.h"
#include "output/tracks.h"

struct speedscope {
	const struct profile *profile;
	struct ana_locations locations;
	struct out_tracks tracks;
	/** The name of a profile says of which event it is. */
	/** A stack has no frames. */
	bool has_empty;
	bool names_events;
	struct base_json json;
};

/*
 * Write a frame: in speedscope a function, because it adds up what is in the same frame. The binary
 * takes the place of a source file that is not known.
 */
static void write_function(struct speedscope *s, uint32_t id)
{
	const struct ana_function *function = ana_function(&s->locations, id);
	struct base_json *json = &s->json;

	base_json_object(json, NULL);
	base_json_str(json, "name", ana_function_name(&s->locations, id));
	if (function->file.i)
		base_json_str(json, "file", prof_string(s->profile, function->file));
	else if (!prof_is_none(function->binary))
		base_json_str(json, "file",
			prof_string(s->profile, prof_binary(s->profile, function->binary)->name));
	if (function->file.i && function->start_line)
		base_json_uint(json, "line", function->start_line);
	base_json_end(json, '}');
}

static void write_functions(struct speedscope *s)
{
	base_json_object(&s->json, "shared");
	base_json_array(&s->json, "frames");
	for (uint32_t id = 0; id < s->locations.functions.n; id++)
		write_function(s, id);
	if (s->has_empty) {
		base_json_object(&s->json, NULL);
		base_json_str(&s->json, "name", "[no frames]");
		base_json_end(&s->json, '}');
	}
	base_json_end(&s->json, ']');
	base_json_end(&s->json, '}');
}

/* Write the functions of a stack, root first. */
static void write_stack(struct speedscope *s, struct prof_stack_id stack)
{
	uint32_t n, n_locations;
	const struct prof_frame_id *frames = prof_stack(s->profile, stack, &n);

	base_json_array(&s->json, NULL);
	/* An empty stack would be a gap. */
	if (!n)
		base_json_uint(&s->json, NULL, s->locations.functions.n);
	while (n-- > 0) {
		const struct ana_location *locations =
			ana_locations_at(&s->locations, frames[n], &n_locations);

		while (n_locations-- > 0)
			base_json_uint(&s->json, NULL, locations[n_locations].function);
	}
	base_json_end(&s->json, ']');
}

/* Units of events that are units of speedscope as well. */
static const char *unit(const struct profile *profile, const struct prof_event *event)
{
	const char *name = prof_string(profile, event->unit);

	return strcmp(name, "nanoseconds") == 0 || strcmp(name, "bytes") == 0 ? name : "none";
}

/* Write the name of a profile: "server (1234/1235), cycles". */
static void write_name(struct speedscope *s, const struct out_track *track)
{
	const struct profile *profile = s->profile;
	const struct prof_event *event = prof_event(profile, track->key.event);
	const char *parts[] = { s->names_events ? prof_string(profile, event->name) : "",
		prof_string(profile, track->key.input) };
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (out) {
		fprintf(out, "%s (%" PRId32 "/%" PRId32 ")",
			prof_string(profile, prof_thread(profile, track->thread)->comm),
			(int32_t)track->key.pid, (int32_t)track->key.tid);
		for (size_t i = 0; i < 2; i++)
			fprintf(out, parts[i][0] ? ", %s" : "%s", parts[i]);
	}
	if (!out || !base_memstream_close(out, &text))
		base_stream_fail(s->json.out);
	base_json_str(&s->json, "name", text);
	free(text);
}

/* The axis of a track: sums of weights, which are times if the unit is. */
struct axis {
	const struct profile *profile;
	bool has_times;
	/** Time of the end of the last sample; 0 before the first one. */
	uint64_t end;
};

static struct axis begin_axis(const struct speedscope *s, const struct out_track *track)
{
	return (struct axis){
		.profile = s->profile,
		.has_times = strcmp(unit(s->profile, prof_event(s->profile, track->key.event)),
				     "nanoseconds") == 0,
	};
}

/*
 * Return the time between the sample before and the begin of the period of @p id, in which the
 * thread was not on a CPU. 0 if there is none that is worth the name: timers are not exact.
 */
static uint64_t next_gap(struct axis *axis, struct prof_sample_id id)
{
	uint64_t period = prof_value(axis->profile, id)->period;
	uint64_t time = prof_sample_time(axis->profile, id);
	uint64_t end = axis->end;

	if (!axis->has_times || time == PD_NO_TIME)
		return 0;
	bool is_gap = end && time > end && time - end > 2 * period;
	axis->end = !end || is_gap ? time : end + period;
	return is_gap ? time - end - period : 0;
}

static uint64_t sum_of_gaps(const struct speedscope *s, const struct out_track *track)
{
	struct axis axis = begin_axis(s, track);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < track->n; i++)
		sum += next_gap(&axis, s->tracks.samples.data[track->first + i]);
	return sum;
}

static void write_track(struct speedscope *s, const struct out_track *track)
{
	const struct prof_sample_id *samples = &s->tracks.samples.data[track->first];
	struct base_json *json = &s->json;

	base_json_object(json, NULL);
	base_json_str(json, "type", "sampled");
	write_name(s, track);
	base_json_str(json, "unit", unit(s->profile, prof_event(s->profile, track->key.event)));
	base_json_uint(json, "startValue", 0);
	base_json_uint(json, "endValue", track->total.period + sum_of_gaps(s, track));
	base_json_array(json, "samples");
	struct axis axis = begin_axis(s, track);
	for (uint32_t i = 0; i < track->n; i++) {
		/* Nothing is on the stack while a thread waits. */
		if (next_gap(&axis, samples[i])) {
			base_json_array(json, NULL);
			base_json_end(json, ']');
		}
		write_stack(s, prof_sample(s->profile, samples[i])->stack);
	}
	base_json_end(json, ']');
	base_json_array(json, "weights");
	axis = begin_axis(s, track);
	for (uint32_t i = 0; i < track->n; i++) {
		uint64_t gap = next_gap(&axis, samples[i]);

		if (gap)
			base_json_uint(json, NULL, gap);
		base_json_uint(json, NULL, prof_value(s->profile, samples[i])->period);
	}
	base_json_end(json, ']');
	base_json_end(json, '}');
}

static void write_file(struct speedscope *s, const char *input)
{
	struct base_json *json = &s->json;

	base_json_object(json, NULL);
	base_json_str(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	base_json_str(json, "exporter", "pdconv@" PD_VERSION);
	if (input)
		base_json_str(json, "name", input);
	base_json_uint(json, "activeProfileIndex", out_tracks_main(s->profile, &s->tracks));
	write_functions(s);
	base_json_array(json, "profiles");
	for (size_t i = 0; i < s->tracks.list.n; i++)
		write_track(s, &s->tracks.list.data[i]);
	base_json_end(json, ']');
	base_json_end(json, '}');
	putc_unlocked('\n', json->out);
}

/* Whether filters have hidden all frames of a stack. */
static bool has_empty_stack(const struct profile *profile)
{
	for (struct prof_stack_id id = { 0 }; id.i < profile->stacks.n; id.i++) {
		uint32_t n;

		prof_stack(profile, id, &n);
		if (!n)
			return true;
	}
	return false;
}

static size_t count_events(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		n += profile->events.data[i].total.samples > 0;
	return n;
}

static struct pd_error *write_speedscope(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct speedscope s = {
		.profile = profile,
		.names_events = count_events(profile) > 1,
		.has_empty = has_empty_stack(profile),
		.json = { .out = out, .is_compact = true },
	};
	struct pd_error *err = ana_locations_create(profile, &s.locations);

	if (err)
		return err;
	err = out_tracks_create(profile, &s.tracks);
	if (!err)
		write_file(&s, opts->input);
	out_tracks_deinit(&s.tracks);
	ana_locations_deinit(&s.locations);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags = 1 << PROF_TAG_TIME;
	return NULL;
}

const struct out_format out_format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.is_binary = true,
	.help = "JSON for speedscope, a profile for each thread in time order",
	.prepare = prepare,
	.write = write_speedscope,
};
