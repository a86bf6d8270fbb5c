/* Stored profiles, files of the index and of the cache of names. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "index/index.h"
#include "output/formats.h"
#include "parse/open_file.h"
#include "profile/store.h"
#include "symbolize/table/ranges.h"
#include "tests/fuzz/recording.h"
#include "tests/fuzz/seeds/seeds.h"

/* Largest profiles, in bytes: the targets accept no more. */
enum { MOST_STORED = 16000, MOST_INDEXED = 8000 };

/* Each format requests other parts of a profile. */
static void write_profile(const char *path, const char *format_name, int number)
{
	static const struct out_write_opts write = { .format.report.limit = 10 };
	const struct out_format *format = out_format_find(format_name);
	struct resolve_opts opts = fuzz_resolve_opts();
	struct pd_file *file = seeds_open(path);
	struct pd_bytes store = { 0 }, index = { 0 };
	struct profile *profile;
	uint8_t *stored, *reports = NULL;
	size_t reports_size = 0;
	char name[64];

	if ((format->prepare && format->prepare(&write, &opts.request)) ||
		resolve_profile(file, &opts, &profile))
		abort();
	size_t size = prof_store_size(profile);
	stored = malloc(size);
	if (!stored || index_reports_encode(file->diag, &reports, &reports_size))
		abort();
	prof_store_encode(profile, stored);
	snprintf(name, sizeof(name), "%s-%d", format_name, number);
	if (size < MOST_STORED) {
		/* Choices of the target: a format, and everything as it is by default. */
		seeds_piece(&store, &(uint8_t){ (uint8_t)number }, 1);
		pd_bytes_put(&store, stored, size);
		seeds_put("store", name, &store);
	}
	if (size < MOST_INDEXED) {
		seeds_piece(&index, NULL, 0);
		seeds_piece(&index, reports, reports_size);
		pd_bytes_put(&index, stored, size);
		seeds_put("index", name, &index);
	}
	free(stored);
	free(reports);
	prof_destroy(profile);
	pd_file_close(file);
}

/* A table with one function, at which a call was inlined. */
static void write_table(bool is_real)
{
	const struct sym_location_range locations[] = { { 0x1000, 0x1010, 0, 1, 7, 0 },
		{ 0x1010, 0x1020, 1, 1, 9, 0 } };
	const struct sym_symbol_range symbols[] = { { 0x1000, 0x1040, 0x1000, 1, 1 } };
	const struct sym_range_scope scopes[] = { { 0, SYM_NONE, 0, 0, 0 }, { 1, 0, 1, 8, 0 } };
	const struct sym_range_function functions[] = { { 1, 0, 1, 6, 0 }, { 1, 1, 0, 0, 0 } };
	struct pd_bytes seed = { 0 };

	pd_bytes_u8(&seed, is_real);
	pd_bytes_u8(&seed, PD_ARRAY_LEN(locations));
	pd_bytes_put(&seed, locations, sizeof(locations));
	pd_bytes_u8(&seed, PD_ARRAY_LEN(symbols));
	pd_bytes_put(&seed, symbols, sizeof(symbols));
	pd_bytes_u8(&seed, PD_ARRAY_LEN(scopes));
	pd_bytes_put(&seed, scopes, sizeof(scopes));
	pd_bytes_u8(&seed, PD_ARRAY_LEN(functions));
	pd_bytes_put(&seed, functions, sizeof(functions));
	if (!is_real)
		pd_bytes_u8(&seed, 0);
	pd_bytes_u8(&seed, 6);
	pd_bytes_put(&seed, "\0main", 6);
	seeds_put("names_cache", is_real ? "real" : "foreign", &seed);
}

/* Any numbers are calls that build a profile. */
static void write_calls(uint32_t number)
{
	struct pd_bytes seed = { 0 };
	uint64_t next = number + 1;
	char name[32];

	for (int i = 0; i < 1024; i++) {
		next = next * 6364136223846793005U + 1442695040888963407U;
		pd_bytes_u8(&seed, (uint8_t)(next >> 33));
	}
	snprintf(name, sizeof(name), "calls-%u", number);
	seeds_put("writers", name, &seed);
}

void seeds_of_profiles(void)
{
	static const char *const formats[] = { "report", "pprof", "script", "firefox", "perfetto" };

	for (int i = 0; seeds_recordings[i]; i++) {
		for (size_t k = 0; k < PD_ARRAY_LEN(formats); k++)
			write_profile(seeds_recordings[i], formats[k], i);
	}
	write_table(false);
	write_table(true);
	for (uint32_t i = 0; i < 16; i++)
		write_calls(i);
}
