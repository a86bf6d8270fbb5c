/* Copy a recording without the samples of other processes: filter IN OUT PID. */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

static bool is_wanted(const struct pd_file *file, const struct pd_record *rec, uint32_t pid)
{
	const struct pd_event *event = pd_events_find(pd_file_events(file), rec);
	struct pd_sample sample;
	const char *field;

	if (rec->type != PD_RECORD_SAMPLE)
		return rec->type < PD_RECORD_FIRST_TOOL || rec->type == PD_RECORD_FINISHED_ROUND;
	return event && pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_SHORT &&
	       sample.pid == pid;
}

static struct pd_error *copy_records(struct pd_file *file, uint32_t pid, struct pd_writer *writer)
{
	struct pd_reader *reader = NULL;
	struct pd_record rec;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_FILE, &reader);

	while (!err && !(err = pd_reader_next(reader, &rec)) && rec.bytes) {
		if (is_wanted(file, &rec, pid))
			err = pd_writer_add_records(writer, rec.bytes, rec.size);
	}
	pd_reader_destroy(reader);
	return err;
}

static struct pd_error *copy_events(const struct pd_file *file, struct pd_writer *writer)
{
	const struct pd_events *events = pd_file_events(file);
	struct pd_error *err = NULL;

	for (size_t i = 0; i < events->list.n && !err; i++) {
		const struct pd_event *event = &events->list.data[i];

		err = pd_writer_add_event_bytes(
			writer, event->wire.data, event->wire.n, event->ids.data, event->ids.n);
	}
	return err;
}

static struct pd_error *copy_features(const struct pd_file *file, struct pd_writer *writer)
{
	struct pd_error *err = NULL;

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS && !err; bit++) {
		const struct pd_feature feature = pd_file_feature_section(file, bit);

		/* They would not be true any more. */
		if (!feature.is_present || bit == PD_FEATURE_COMPRESSED ||
			bit == PD_FEATURE_DIR_FORMAT || bit == PD_FEATURE_AUXTRACE)
			continue;
		err = pd_writer_add_feature(writer, bit, feature.bytes, feature.size);
	}
	return err;
}

static struct pd_error *filter(struct pd_file *file, FILE *out, const char *path, uint32_t pid)
{
	struct pd_writer_opts opts = PD_DEFAULTS;
	struct pd_writer *writer = NULL;
	struct pd_error *err = pd_writer_create(out, path, &opts, &writer);

	if (!err)
		err = copy_events(file, writer);
	if (!err)
		err = copy_records(file, pid, writer);
	if (!err)
		err = copy_features(file, writer);
	if (!err)
		err = pd_writer_finish(writer);
	pd_writer_destroy(writer);
	return err;
}

static struct pd_error *filter_into(struct pd_file *file, const char *path, uint32_t pid)
{
	FILE *out = fopen(path, "wb");

	if (!out)
		return pd_error_os(path, "cannot be written");
	struct pd_error *err = filter(file, out, path, pid);
	if (fclose(out) != 0 && !err)
		err = pd_error_os(path, "cannot be written");
	return err;
}

static struct pd_error *filter_file(const char *from, const char *to, uint32_t pid)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open(from, NULL, &file);

	if (err)
		return err;
	err = filter_into(file, to, pid);
	pd_file_close(file);
	return err;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	struct pd_error *err = filter_file(argv[1], argv[2], (uint32_t)strtoul(argv[3], NULL, 0));
	return pd_error_print(err, stderr);
}
