/*
 * Fuzz target: read a damaged profile of the index. At worst, it is refused.
 *
 * Reads the bytes as a stored profile and as stored warnings, filters the profile, and writes it in
 * every format that needs nothing else. For clang -fsanitize=fuzzer; `make fuzz` builds and runs it
 * on the profiles of the recordings in testdata.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "index/reports.h"
#include "output/formats.h"
#include "profile/filter_names.h"
#include "profile/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void write_all(const struct profile *profile)
{
	static const char *const names[] = { "report", "pprof", "folded", "script" };
	const struct out_write_opts opts = {
		.event = prof_no_event(),
		.has_all_events = true,
		.input = "fuzz",
		.report = { .limit = 100 },
		.jobs = 1,
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		FILE *out = fopen("/dev/null", "w");

		if (!out)
			abort();
		pd_error_destroy(out_format_find(names[i])->write(profile, &opts, out));
		fclose(out);
	}
}

/* Filtering changes the profile, so it adds to the sets that were read. */
static void filter(struct profile *profile)
{
	const char *root = "main";
	struct prof_filter filter = { 0 };

	if (!pd_vec_push(&filter.roots.items, root))
		abort();
	/* Filters of names are for profiles with names. */
	if (profile->frame_lines.n == profile->frames.n)
		pd_error_destroy(prof_filter_by_names(&filter, profile));
	prof_filter_deinit(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct pd_diag *diag = pd_diag_create();
	struct profile *profile;
	/* Exactly as large as the input, and aligned. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy || !diag)
		abort();
	memcpy(copy, bytes, size);
	index_reports_decode(copy, size, diag);
	struct pd_error *err = prof_store_decode(copy, size, &profile);
	if (!err && profile) {
		write_all(profile);
		filter(profile);
		write_all(profile);
		profile_destroy(profile);
	}
	pd_error_destroy(err);
	pd_diag_destroy(diag);
	free(copy);
	return 0;
}
