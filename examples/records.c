/*
 * Print the records of a recording in order of time: type, time, and event and address of samples.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pdconv/pdconv.h>

static void print_record(const struct pd_file *file, const struct pd_record *rec)
{
	const char *name = pd_record_name(rec->type);
	const struct pd_event *event = pd_events_find(pd_file_events(file), rec);
	struct pd_sample sample;
	const char *field;

	printf("%s", name ? name : "unknown");
	if (rec->time != PD_NO_TIME)
		printf(" %" PRIu64, rec->time);
	if (rec->type == PD_RECORD_SAMPLE && event &&
		pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_SHORT)
		printf(" %s %" PRIu32 "/%" PRIu32 " 0x%" PRIx64, event->name, sample.pid,
			sample.tid, sample.ip);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct pd_file *file = NULL;
	struct pd_reader *reader = NULL;
	struct pd_record rec;
	struct pd_error *err = pd_file_open(argc > 1 ? argv[1] : "perf.data", NULL, &file);

	if (!err)
		err = pd_reader_create(file, PD_ORDER_TIME, &reader);
	while (!err && !(err = pd_reader_next(reader, &rec)) && rec.bytes)
		print_record(file, &rec);
	pd_reader_destroy(reader);
	pd_file_close(file);
	return pd_error_print(err, stderr);
}
