/* Features, made by the tables and of testdata/, and the tracing data among them. */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/feature.h>
#include <pdconv/reader.h>

#include "parse/open_file.h"
#include "tests/fuzz/seeds/seeds.h"
#include "tests/unit/made_layout.h"

enum { MOST = 12000 };

static void write_made(unsigned bit, bool swap)
{
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct maker made = { .out = { .swap = swap } };
	struct pd_bytes seed = { 0 };
	char name[64];

	if (!layout)
		return;
	make(&made, layout);
	pd_bytes_u8(&seed, swap);
	pd_bytes_u8(&seed, (uint8_t)bit);
	seeds_piece(&seed, made.out.buf.data, made.out.buf.n);
	pd_bytes_deinit(&made.out);
	snprintf(name, sizeof(name), "made-%u-%d", bit, swap);
	seeds_put("features", name, &seed);
}

/* All features of a recording, except for the long ones. */
static void write_recorded(const char *path, int number)
{
	struct pd_file *file = seeds_open(path);
	struct pd_bytes seed = { 0 };
	char name[64];

	pd_bytes_u8(&seed, 0);
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		struct pd_view body = pd_file_feature_bytes(file, bit);

		if (!file->feature[bit].is_present || seed.buf.n + body.n > MOST)
			continue;
		pd_bytes_u8(&seed, (uint8_t)bit);
		seeds_piece(&seed, body.data, body.n);
	}
	pd_file_close(file);
	snprintf(name, sizeof(name), "recorded-%d", number);
	seeds_put("features", name, &seed);
}

/* Raw data of the first sample. */
static void put_raw(struct pd_file *file, struct pd_bytes *seed)
{
	struct pd_sample sample = { 0 };
	struct pd_record rec = { 0 };
	struct pd_reader *reader;
	const char *field;

	if (pd_reader_create(file, PD_ORDER_FILE, &reader))
		abort();
	while (rec.type != PD_RECORD_SAMPLE) {
		if (pd_reader_next(reader, &rec) || !rec.bytes)
			abort();
	}
	const struct pd_plan *plan = pd_events_plan(&file->events, &rec);
	if (!plan || pd_sample_decode(plan, &rec, &sample, &field) == PD_SAMPLE_SHORT)
		abort();
	seeds_piece(seed, sample.raw.data, sample.raw.n);
	pd_reader_destroy(reader);
}

static void write_tracing(void)
{
	struct pd_file *file = seeds_open("testdata/tracepoints/perf.data");
	struct pd_view body = pd_file_feature_bytes(file, PD_FEATURE_TRACING_DATA);
	struct pd_bytes seed = { 0 };

	put_raw(file, &seed);
	pd_bytes_put(&seed, body.data, body.n);
	seeds_put("tracing", "tracepoints", &seed);
	pd_file_close(file);
}

void seeds_of_features(void)
{
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		write_made(bit, false);
		write_made(bit, true);
	}
	for (int i = 0; seeds_recordings[i]; i++)
		write_recorded(seeds_recordings[i], i);
	write_tracing();
}
