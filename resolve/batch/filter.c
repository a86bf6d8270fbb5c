#include "resolve/batch/filter.h"

#include <stdio.h>

#include <pdconv/events.h>
#include <pdconv/reader.h>

#include "base/cleanup.h"
#include "base/memstream.h"
#include "parse/event_index.h"
#include "parse/open_file.h"

struct bounds {
	uint64_t first;
	uint64_t last;
};

static void note_sample(
	struct bounds *bounds, const struct pd_file *file, const struct pd_record *rec)
{
	uint64_t time = pd_events_time(&file->events, rec);

	if (time >= PD_FIRST_FAKE_TIME)
		return;
	if (time < bounds->first)
		bounds->first = time;
	if (time > bounds->last)
		bounds->last = time;
}

static struct pd_error *note_samples(
	struct pd_reader *reader, const struct pd_file *file, struct bounds *bounds)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			return err;
		if (rec.type == PD_RECORD_SAMPLE)
			note_sample(bounds, file, &rec);
	}
}

static struct pd_error *read_bounds(struct pd_file *file, struct bounds *bounds)
{
	struct pd_reader *reader;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_FILE, &reader);

	if (err)
		return err;
	err = note_samples(reader, file, bounds);
	pd_reader_destroy(reader);
	return err;
}

static struct pd_error *find_bounds(struct pd_file *file, struct bounds *ret)
{
	*ret = (struct bounds){ file->first_sample_ns, file->last_sample_ns };
	if (ret->last)
		return NULL;
	if (file->is_pipe)
		return pd_error_create(PD_ERROR_USAGE, file->path,
			"relative times need the first and the last sample, which a stream does not "
			"announce; use times on its own clock (12.5,13.25)");
	*ret = (struct bounds){ .first = UINT64_MAX };
	struct pd_error *err = read_bounds(file, ret);
	if (err)
		return err;
	if (ret->first == UINT64_MAX)
		return pd_error_create(
			PD_ERROR_USAGE, file->path, "cannot select by time: samples have no time");
	return NULL;
}

struct pd_error *resolve_filter_init(
	const struct prof_filter *filter, struct pd_file *file, struct resolve_filter *ret)
{
	struct bounds bounds = { 0 };

	*ret = (struct resolve_filter){ .filter = filter };
	if (!filter)
		return NULL;
	if (!prof_time_spans_are_absolute(&filter->times)) {
		struct pd_error *err = find_bounds(file, &bounds);
		if (err)
			return err;
	}
	return prof_time_spans_bind(&filter->times, bounds.first, bounds.last, &ret->times);
}

void resolve_filter_deinit(struct resolve_filter *filter)
{
	prof_time_spans_deinit(&filter->times);
}

static bool has_event(const struct pd_file *file, const char *wanted)
{
	for (size_t i = 0; i < file->events.list.n; i++) {
		if (prof_filter_is_event(wanted, file->events.list.data[i].name))
			return true;
	}
	return false;
}

enum { MAX_LISTED_EVENTS = 10 };

static void list_events(const struct pd_file *file, FILE *out)
{
	size_t n = file->events.list.n;

	for (size_t i = 0; i < n && i < MAX_LISTED_EVENTS; i++)
		fprintf(out, "%s%s", i ? ", " : "", file->events.list.data[i].name);
	if (n > MAX_LISTED_EVENTS)
		fprintf(out, ", and %zu more", n - MAX_LISTED_EVENTS);
}

static struct pd_error *no_event(const struct pd_file *file, const char *name)
{
	_cleanup_free_ char *names = NULL;
	size_t size;
	FILE *out = base_memstream_open(&names, &size);

	if (!out)
		return &pd_enomem;
	list_events(file, out);
	if (!base_memstream_close(out, &names))
		return &pd_enomem;
	return pd_error_create(PD_ERROR_NOTHING, file->path,
		"no event \"%s\" in the recording, which has %s", name, names);
}

struct pd_error *resolve_filter_check(
	const struct resolve_filter *filter, const struct pd_file *file)
{
	const struct prof_filter *wanted = filter->filter;

	if (!wanted)
		return NULL;
	/*
	 * An unknown event would select nothing, and samples without a CPU or a time would all be
	 * left out. This is checked after all records, because a stream may describe an event
	 * anywhere.
	 */
	for (size_t i = 0; i < wanted->events.items.n; i++) {
		const char *name = wanted->events.items.data[i];

		if (!has_event(file, name))
			return no_event(file, name);
	}
	if (wanted->cpus.items.n && !parse_events_have_field(&file->events, PD_SAMPLE_CPU))
		return pd_error_create(
			PD_ERROR_USAGE, file->path, "cannot select by CPU: samples have no CPU");
	if (wanted->times.list.n && !parse_events_have_field(&file->events, PD_SAMPLE_TIME))
		return pd_error_create(
			PD_ERROR_USAGE, file->path, "cannot select by time: samples have no time");
	return NULL;
}
