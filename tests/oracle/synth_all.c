/*
 * Write a recording without samples: the records and features at the start of a recording.
 *
 * usage: synth_all OUT LIKE [--build-ids] [--data] [--namespaces]
 *     [--no-forks] [--cgroups] [--pid PID]
 *
 * Events, command line, clock and sample ids are those of the recording LIKE. If it has
 * tracepoints, tracing data are written, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/file.h>
#include <pdconv/sample.h>
#include <pdconv/writer.h>

#include "base/array.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoint_formats.h"
#include "capture/features/features.h"
#include "capture/synth/synth.h"
#include "capture/synth/synth_kernel.h"
#include "parse/open_file.h"

struct request {
	const char *out;
	const char *like;
	uint32_t pid;
	bool with_cgroups;
	struct cap_synth_opts synth;
	struct pd_file *file;
	struct pd_writer *writer;
};

static int fail(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}

static struct pd_error *add(void *ctx, const void *record, size_t size)
{
	return pd_writer_add_records(ctx, record, size);
}

static struct pd_error *synthesise(struct cap_synth *synth, const struct request *request)
{
	struct pd_error *err = cap_synth_kernel(synth);

	if (!err)
		err = cap_synth_bpf(synth);
	if (!err && request->with_cgroups)
		err = cap_synth_cgroups(synth);
	if (!err)
		err = request->pid ? cap_synth_process(synth, request->pid) : cap_synth_all(synth);
	return err;
}

/* Length of the sample id at the end of records, by attr. */
static size_t trailer_bytes(const struct pd_attr *attr)
{
	struct pd_plan plan;

	pd_plan_compile(attr, &plan);
	return plan.sid_bytes;
}

static struct pd_error *add_events(struct request *request)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < request->file->events.list.n; i++) {
		const struct pd_event *event = &request->file->events.list.data[i];

		err = pd_writer_add_event(
			request->writer, &event->attr, event->ids.data, event->ids.n);
		request->synth.sid_bytes = trailer_bytes(&event->attr);
	}
	return err;
}

static struct pd_error *add_tracing(const struct cap_header_data *data, struct pd_bytes *ret)
{
	const char **names = calloc(data->n_events + 1, sizeof(*names));
	struct pd_error *err = NULL;
	size_t n = 0;

	for (size_t i = 0; names && i < data->n_events; i++) {
		if (data->events[i].attr->type == PD_TYPE_TRACEPOINT)
			names[n++] = data->events[i].name;
	}
	if (n)
		err = cap_tracing_data(NULL, names, n, ret);
	free(names);
	return err;
}

static struct pd_error *add_features(struct request *request)
{
	const struct pd_file *file = request->file;
	size_t n = file->events.list.n;
	struct cap_header_event *events = calloc(n + 1, sizeof(*events));
	struct cap_clock clock = { 0 };
	struct pd_bytes tracing = { 0 };
	struct cap_header_data data = {
		.argv = file->cmdline.data,
		.n_args = file->cmdline.n,
		.events = events,
		.n_events = n,
	};
	struct pd_error *err = NULL;

	if (!events)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		const struct pd_event *event = &file->events.list.data[i];

		events[i] = (struct cap_header_event){ &event->attr, event->name, event->ids.data,
			event->ids.n, i, NULL };
		if (event->attr.flags >> PD_ATTR_use_clockid & 1 && !data.clock) {
			err = cap_clock_read(event->attr.clockid, &clock);
			data.clock = &clock;
		}
	}
	if (!err)
		err = add_tracing(&data, &tracing);
	data.tracing_data = tracing.buf.n ? &tracing : NULL;
	if (!err)
		err = cap_add_features(request->writer, &data);
	pd_bytes_deinit(&tracing);
	free(events);
	return err;
}

static struct pd_error *write_all(struct request *request)
{
	struct cap_synth *synth;
	struct pd_error *err = add_events(request);

	if (err)
		return err;
	err = cap_synth_create(&request->synth, add, request->writer, &synth);
	if (err)
		return err;
	err = synthesise(synth, request);
	cap_synth_destroy(synth);
	if (!err)
		err = add_features(request);
	return err ? err : pd_writer_finish(request->writer);
}

static struct pd_error *run(struct request *request)
{
	const struct pd_writer_opts opts = { 0 };
	struct pd_error *err = pd_file_open(request->like, NULL, &request->file);
	FILE *out = err ? NULL : fopen(request->out, "wb");

	if (!err)
		err = out ? pd_writer_create(out, request->out, &opts, &request->writer)
			  : pd_error_os(request->out, "cannot write");
	if (!err)
		err = write_all(request);
	pd_writer_destroy(request->writer);
	pd_file_close(request->file);
	if (out)
		fclose(out);
	return err;
}

static bool take_flag(const char *arg, struct cap_synth_opts *opts)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "--build-ids", &opts->build_ids },
		{ "--data", &opts->data },
		{ "--namespaces", &opts->namespaces },
		{ "--no-forks", &opts->no_forks },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(flags); i++) {
		if (strcmp(arg, flags[i].name) == 0)
			return *flags[i].flag = true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct request request = { 0 };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--pid") == 0 && i + 1 < argc)
			request.pid = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--cgroups") == 0)
			request.with_cgroups = true;
		else if (take_flag(argv[i], &request.synth))
			continue;
		else if (!request.out)
			request.out = argv[i];
		else
			request.like = argv[i];
	}
	if (!request.out || !request.like) {
		fputs("usage: synth_all OUT LIKE [--build-ids] [--data] [--namespaces] "
		      "[--no-forks] [--cgroups] [--pid PID]\n",
			stderr);
		return 2;
	}
	struct pd_error *err = run(&request);
	return err ? fail(err) : 0;
}
