/*
 * Print the samples of tracepoints in time order: "EVENT", then "NAME=VALUE" for each field of the
 * event, separated by tabs. Values have the form of perf data convert --to-json.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/file.h>
#include <pdconv/reader.h>
#include <pdconv/trace_value.h>

#include "parse/open_file.h"

static void print_array(const struct pd_trace_value *value)
{
	printf("ARRAY[");
	for (uint64_t i = 0; i < value->data.n; i++) {
		if (value->kind == PD_TRACE_ARRAY)
			printf("%s0x%" PRIx64, i ? ", " : "", pd_trace_number(value, i));
		else
			printf("%s%02x", i ? ", " : "", value->data.data[i]);
	}
	putchar(']');
}

static void print_value(const struct pd_trace_value *value)
{
	printf("\t%s=", value->name);
	switch (value->kind) {
	case PD_TRACE_STRING:
		fwrite(value->data.data, 1, value->data.n, stdout);
		break;
	case PD_TRACE_SIGNED:
		printf("%" PRId64, value->number.s);
		break;
	case PD_TRACE_UNSIGNED:
		printf(value->is_address ? "0x%" PRIx64 : "%" PRIu64, value->number.u);
		break;
	case PD_TRACE_ARRAY:
	case PD_TRACE_BYTES:
		print_array(value);
		break;
	case PD_TRACE_OUTSIDE:
		putchar('?');
		break;
	}
}

static void print_sample(
	struct pd_file *file, const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_tracepoint *tracepoint =
		file->tracing ? pd_tracing_find(file->tracing, event->attr.config) : NULL;

	if (event->attr.type != PD_TYPE_TRACEPOINT || !tracepoint)
		return;
	struct pd_trace_values values = pd_trace_values(file->tracing, tracepoint, &sample->raw);
	struct pd_trace_value value;
	fputs(event->name, stdout);
	while (pd_trace_next(&values, &value)) {
		if (!value.is_common)
			print_value(&value);
	}
	putchar('\n');
}

static struct pd_error *print_samples(struct pd_file *file)
{
	struct pd_reader *reader;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_TIME, &reader);

	if (err)
		return err;
	for (;;) {
		struct pd_record rec;
		struct pd_sample sample;
		const char *wrong;

		err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			break;
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		const struct pd_event *event = pd_events_find(&file->events, &rec);
		if (event && pd_sample_decode(&event->plan, &rec, &sample, &wrong) == PD_SAMPLE_OK)
			print_sample(file, event, &sample);
	}
	pd_reader_destroy(reader);
	return err;
}

int main(int argc, char **argv)
{
	struct pd_file *file = NULL;
	struct pd_error *err = argc == 2 ? pd_file_open(argv[1], NULL, &file) : NULL;

	if (argc != 2)
		return 2;
	if (!err)
		err = print_samples(file);
	pd_file_close(file);
	if (!err)
		return 0;
	char *text = pd_error_string(err);
	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}
