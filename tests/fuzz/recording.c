#include "tests/fuzz/recording.h"

#include <stdlib.h>

#include "inspect/recording_dump.h"
#include "output/formats.h"
#include "parse/open_file.h"

struct pd_file *fuzz_open(const struct fuzz_input *in)
{
	struct pd_file *file = NULL;
	struct pd_error *err = pd_file_open_memory("fuzz", in->bytes, in->size, NULL, &file);

	pd_error_destroy(err);
	return err ? NULL : file;
}

static void decode(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_plan *plan = pd_events_plan(&file->events, rec);
	struct pd_sample sample;
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_SAMPLE) {
		(void)!pd_events_decode(&file->events, rec, &body, &wrong);
		if (plan)
			pd_sid_decode(plan, rec);
	} else if (plan && pd_sample_decode(plan, rec, &sample, &wrong) != PD_SAMPLE_SHORT) {
		for (uint64_t i = 0; i < sample.branch_stack.entries.n; i++)
			pd_branch_get(&sample.branch_stack, i);
	}
}

void fuzz_read(struct pd_file *file, enum pd_order_kind order)
{
	struct pd_reader *reader = NULL;
	struct pd_record rec = { 0 };
	struct pd_error *err = pd_reader_create(file, order, &reader);

	while (!err) {
		err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			break;
		decode(file, &rec);
	}
	pd_error_destroy(err);
	pd_reader_destroy(reader);
}

struct resolve_opts fuzz_resolve_opts(void)
{
	return (struct resolve_opts){ .search = fuzz_no_search, .jobs = 1 };
}

void fuzz_convert(struct pd_file *file, const char *name)
{
	const struct out_format *format = out_format_find(name);
	const struct out_write_opts write = {
		.event = prof_no_event(),
		.has_all_events = true,
		.input = "fuzz",
		.format.report = { .limit = 100 },
		.jobs = 1,
	};
	struct resolve_opts opts = fuzz_resolve_opts();
	struct profile *profile;
	struct pd_error *err = format->prepare ? format->prepare(&write, &opts.request) : NULL;

	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (!err) {
		/* The promise of every conversion: nothing is lost without being counted. */
		if (!prof_is_conserved(profile))
			__builtin_trap();
		err = format->write(profile, &write, fuzz_nowhere());
		prof_destroy(profile);
	}
	pd_error_destroy(err);
}

void fuzz_make_recording(fuzz_write_fn *write, struct fuzz_input *in, struct fuzz_input *ret)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, &ret->size);

	if (!out)
		abort();
	struct pd_error *err = write(in, out);
	fclose(out);
	if (err) {
		free(text);
		text = NULL;
	}
	pd_error_destroy(err);
	ret->bytes = (const uint8_t *)text;
}

void fuzz_dump_and_convert(const struct fuzz_input *recording, const char *format)
{
	static const struct inspect_dump_opts dump = { .json = true };
	struct pd_file *file = fuzz_open(recording);

	if (!file)
		return;
	pd_error_destroy(inspect_dump(file, &dump, fuzz_nowhere()));
	pd_file_close(file);
	file = fuzz_open(recording);
	if (!file)
		return;
	fuzz_convert(file, format);
	pd_file_close(file);
}
