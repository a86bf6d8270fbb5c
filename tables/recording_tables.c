/* Tables of the recording itself: what it is of, what it lacks. */
#include <string.h>

#include "tables/columns.h"
#include "tables/source.h"

/* The recording: one row, which is the profile. */

static size_t n_recordings(const struct tab_source *s)
{
	(void)s;
	return 1;
}

static const void *row_of_recordings(const struct tab_source *s, size_t i)
{
	(void)i;
	return s->profile;
}

static void get_schema(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)source;
	(void)row;
	(void)i;
	ret->integer = TAB_SCHEMA_VERSION;
}

static void get_length(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	(void)i;
	ret->integer = (int64_t)prof_stats_length(&source->profile->stats);
}

static void get_clock(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t clock = source->profile->about.clock;

	(void)row;
	(void)i;
	ret->is_null = !clock;
	ret->integer = (int64_t)clock - 1;
}

static const struct tab_column recording_columns[] = {
	GET("schema_version", INTEGER, false, get_schema, "version of these tables"),
	MAYBE_TEXT("host", struct profile, about.host, "name of the machine"),
	MAYBE_TEXT("kernel", struct profile, about.kernel_release, "release of its kernel"),
	MAYBE_TEXT("arch", struct profile, about.arch, "its architecture, as uname -m prints it"),
	MAYBE_TEXT("command", struct profile, about.command, "command line of the recorder"),
	MAYBE_TEXT("perf_version", struct profile, about.perf_version, "version of the recorder"),
	INTEGER("cpus", U32, struct profile, about.n_cpus,
		"number of CPUs that were online; 0: not known"),
	{ .name = "start_ns",
		.is_wall_clock = true,
		.help = "wall-clock time of the first sample, in ns since 1970; 0: not recorded",
		.from = TAB_FROM_U64,
		.offset = offsetof(struct profile, about.start_ns) },
	INTEGER("first_ns", U64, struct profile, stats.first_ns,
		"time of the first sample; 0: samples have no times"),
	INTEGER("last_ns", U64, struct profile, stats.last_ns, "time of the last sample"),
	INTEGER("begin_ns", U64, struct profile, stats.begin_ns,
		"when the recording began; 0: not known"),
	INTEGER("end_ns", U64, struct profile, stats.end_ns, "time of its last record"),
	GET("length_ns", INTEGER, false, get_length, "length of the recording; 0: not known"),
	GET("clock", INTEGER, true, get_clock,
		"clock of all times, as clock_gettime(2) numbers it; NULL: that of perf"),
	INTEGER("samples", U64, struct profile, stats.n_samples,
		"samples that were read; losses has those that were left out"),
};

const struct tab_table tab_recording = {
	.name = "recording",
	.help = "the recording; there is one",
	COLUMNS(recording_columns),
	.n_rows = n_recordings,
	.row = row_of_recordings,
};

/* Numbers with names. */

ARRAY_ROWS(losses, losses)
ARRAY_ROWS(quality, quality)

static void get_name(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const char *name = ((const struct tab_number *)row)->name;

	(void)i;
	tab_set_text(source, name, strlen(name), ret);
}

static void get_help(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const char *help = ((const struct tab_number *)row)->help;

	(void)i;
	tab_set_text(source, help, strlen(help), ret);
}

static const struct tab_column loss_columns[] = {
	GET("name", TEXT, false, get_name, "name of the reason"),
	INTEGER("n", U64, struct tab_number, n, "how many"),
	GET("meaning", TEXT, false, get_help, "what is counted"),
};

const struct tab_table tab_losses = {
	.name = "losses",
	.help = "what was lost, damaged or left out, by reason",
	COLUMNS(loss_columns),
	.n_rows = n_losses,
	.row = row_of_losses,
};

const struct tab_table tab_quality = {
	.name = "quality",
	.help = "how complete stacks and names are: counts, in samples and in frames of samples",
	COLUMNS(loss_columns),
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_QUALITY,
	.n_rows = n_quality,
	.row = row_of_quality,
};
