/* Header of a recording (machine, events and features), laid out like `perf script --header`. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <pdconv/attr.h>
#include <pdconv/feature.h>

#include "base/array.h"
#include "base/clock_defs.h"
#include "base/memstream.h"
#include "output/script_private.h"
#include "base/text.h"

/* Highest feature bit that perf lists as missing. */
enum { LAST_LOOKED_FOR = PD_FEATURE_PMU_CAPS };

static void write_text(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	const char *text = pd_file_text(file, bit);

	fprintf(out, "# %s : ", label);
	pd_text_write(out, text ? text : "");
	fputc('\n', out);
}

static void write_constant(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	(void)file, (void)bit;
	fprintf(out, "# %s\n", label);
}

/* perf prints these long features only on request; `pdconv info` prints them in full. */
static void write_available(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	(void)file, (void)label;
	fprintf(out, "# %s info available, use -I to display\n", pd_feature_name(bit));
}

static void write_cpus(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_nrcpus cpus;

	(void)label;
	if (pd_file_feature(file, bit, &cpus))
		fprintf(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n",
			cpus.nr_cpus_online, cpus.nr_cpus_available);
}

static void write_memory(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_total_mem memory;

	(void)label;
	if (pd_file_feature(file, bit, &memory))
		fprintf(out, "# total memory : %" PRIu64 " kB\n", memory.total_mem);
}

static void write_command(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	size_t n;
	const char *const *arguments = pd_file_cmdline(file, &n);

	(void)bit, (void)label;
	fputs("# cmdline : ", out);
	for (size_t i = 0; i < n; i++) {
		const char *argument = arguments[i];

		/* perf quotes nothing else, not even spaces. */
		script_write_replaced(out, argument, strlen(argument), '\'', "\\'");
		fputc(' ', out);
	}
	fputc('\n', out);
}

static void write_event(
	const struct script_pmus *pmus, const struct pd_event_desc_entry *entry, FILE *out)
{
	struct pd_attr attr;

	fputs("# event : name = ", out);
	script_write_str(out, &entry->name);
	fputs(", ", out);
	if (entry->ids.n)
		fputs(", id = {", out);
	for (uint64_t i = 0; i < entry->ids.n; i++)
		fprintf(out, "%s %" PRIu64, i ? "," : "", pd_view_u64(&entry->ids, i));
	if (entry->ids.n)
		fputs(" }", out);
	if (pd_attr_decode(&entry->attr, &attr))
		script_write_attr(pmus, &attr, &entry->name, out);
	fputc('\n', out);
}

static void write_events(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_event_desc events;
	struct pd_event_desc_entry entry;
	struct script_pmus pmus;

	(void)label;
	if (!pd_file_feature(file, bit, &events))
		return;
	if (!script_pmus_init(file, &pmus))
		pd_stream_fail(out);
	/*
	 * Each entry holds an attr of the size that the feature declares, which may differ from
	 * ours.
	 */
	const struct pd_layout_env env = { .attr_size = events.attr_size };
	struct pd_list_iter it = pd_list_iter(&events.events, &env);
	while (pd_list_next(&it, &pd_layout_event_desc_entry, &entry))
		write_event(&pmus, &entry, out);
	script_pmus_deinit(&pmus);
}

/* perf prints this line even if the feature is empty. */
static void write_pmus(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_pmu_mappings mappings;
	struct pd_pmu_mapping pmu;
	const char *separator = "# pmu mappings: ";

	(void)label;
	if (!pd_file_feature(file, bit, &mappings) || !mappings.nr) {
		fputs("# pmu mappings: not available\n", out);
		return;
	}
	struct pd_list_iter it = pd_list_iter(&mappings.pmus, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_pmu_mapping, &pmu)) {
		fputs(separator, out);
		script_write_str(out, &pmu.name);
		fprintf(out, " = %" PRIu32, pmu.type);
		separator = ", ";
	}
	fputc('\n', out);
}

static void write_group(
	const struct pd_file *file, const struct pd_group_desc_entry *group, FILE *out)
{
	const struct pd_events *events = pd_file_events(file);

	fputs("# group: ", out);
	/* perf records this placeholder for groups without a name, and prints none. */
	if (group->name.len != 12 || memcmp(group->name.s, "{anon_group}", 12) != 0)
		script_write_str(out, &group->name);
	fputc('{', out);
	for (uint64_t i = 0; i < group->nr_members; i++) {
		uint64_t index = group->leader_idx + i;

		/* The feature may be damaged and refer to events that do not exist. */
		if (index >= events->list.n)
			break;
		fputs(i ? "," : "", out);
		pd_text_write(out, events->list.data[index].name);
	}
	fputs("}\n", out);
}

static void write_groups(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_group_desc groups;
	struct pd_group_desc_entry group;

	(void)label;
	if (!pd_file_feature(file, bit, &groups))
		return;
	struct pd_list_iter it = pd_list_iter(&groups.groups, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_group_desc_entry, &group))
		write_group(file, &group, out);
}

/* Times of the first and the last sample, in seconds of the recording's clock. */
static void write_span(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_sample_time span;

	(void)label;
	if (!pd_file_feature(file, bit, &span))
		return;
	const struct {
		const char *name;
		uint64_t ns;
	} ends[] = { { "first", span.first_sample }, { "last", span.last_sample } };
	for (size_t i = 0; i < 2; i++)
		fprintf(out, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n", ends[i].name,
			ends[i].ns / 1000000000, ends[i].ns % 1000000000 / 1000);
	fprintf(out, "# sample duration : %10.3f ms\n",
		(double)(span.last_sample - span.first_sample) / 1e6);
}

static void write_clock(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_clockid clock;

	(void)label;
	if (pd_file_feature(file, bit, &clock))
		fprintf(out, "# clockid frequency: %" PRIu64 " MHz\n", clock.resolution * 1000);
}

static void write_directory(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_dir_format format;

	(void)label;
	if (pd_file_feature(file, bit, &format))
		fprintf(out, "# directory data version : %" PRIu64 "\n", format.version);
}

static void write_btf(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_bpf_btf btf;
	struct pd_bpf_btf_entry entry;

	(void)label;
	if (!pd_file_feature(file, bit, &btf))
		return;
	struct pd_list_iter it = pd_list_iter(&btf.entries, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_bpf_btf_entry, &entry))
		fprintf(out, "# btf info of id %" PRIu32 "\n", entry.id);
}

static void write_compression(
	const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_compression compression;

	(void)label;
	if (pd_file_feature(file, bit, &compression))
		fprintf(out, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
			compression.type == 1 ? "Zstd" : "Unknown", compression.level,
			compression.ratio);
}

/* "# cpu pmu capabilities: NAME=VALUE, NAME=VALUE" */
static void write_caps(
	const struct pd_file *file, const struct pd_str *pmu, const struct pd_list *caps, FILE *out)
{
	struct pd_list_iter it = pd_list_iter(caps, pd_file_env(file));
	struct pd_cpu_pmu_cap cap;
	const char *separator = " ";

	fputs("# ", out);
	script_write_str(out, pmu);
	fputs(caps->n ? " pmu capabilities:" : " pmu capabilities: not available", out);
	while (pd_list_next(&it, &pd_layout_cpu_pmu_cap, &cap)) {
		fputs(separator, out);
		script_write_str(out, &cap.name);
		fputc('=', out);
		script_write_str(out, &cap.value);
		separator = ", ";
	}
	fputc('\n', out);
}

static void write_cpu_caps(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	static const struct pd_str cpu = { .s = "cpu", .len = 3 };
	struct pd_cpu_pmu_caps caps;

	(void)label;
	if (pd_file_feature(file, bit, &caps))
		write_caps(file, &cpu, &caps.caps, out);
}

static void write_pmu_caps(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_pmu_caps pmus;
	struct pd_pmu_caps_entry pmu;

	(void)label;
	if (!pd_file_feature(file, bit, &pmus))
		return;
	struct pd_list_iter it = pd_list_iter(&pmus.pmus, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_pmu_caps_entry, &pmu))
		write_caps(file, &pmu.pmu_name, &pmu.caps, out);
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
#define CLOCK_NAME(id, name, other) \
	case id: \
		return name;
		PD_CLOCKS(CLOCK_NAME)
#undef CLOCK_NAME
	default:
		return "unknown";
	}
}

static void write_clock_data(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_clock_data clock;
	struct tm tm;
	char day[64];

	(void)label;
	if (!pd_file_feature(file, bit, &clock))
		return;
	/* The reference pairs a wall clock time (TOD) with a time of the recording's clock. */
	const char *name = clock_name(clock.clockid);
	time_t seconds = (time_t)(clock.wall_clock / 1000000000);
	uint64_t us = clock.wall_clock % 1000000000 / 1000;
	fprintf(out, "# clockid: %s (%" PRIu32 ")\n", name, clock.clockid);
	if (!localtime_r(&seconds, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d %T", &tm))
		return;
	fprintf(out,
		"# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
		".%09" PRIu64 " (%s)\n",
		day, us, (uint64_t)seconds, us, clock.clockid_time / 1000000000,
		clock.clockid_time % 1000000000, name);
}

/* Features in the order in which perf prints them. Only `pdconv info` prints BPF_PROG_INFO. */
static const struct {
	enum pd_feature_bit bit;
	void (*write)(const struct pd_file *file, unsigned bit, const char *label, FILE *out);
	const char *label;
} writers[] = {
	{ PD_FEATURE_HOSTNAME, write_text, "hostname" },
	{ PD_FEATURE_OSRELEASE, write_text, "os release" },
	{ PD_FEATURE_VERSION, write_text, "perf version" },
	{ PD_FEATURE_ARCH, write_text, "arch" },
	{ PD_FEATURE_NRCPUS, write_cpus, NULL },
	{ PD_FEATURE_CPUDESC, write_text, "cpudesc" },
	{ PD_FEATURE_CPUID, write_text, "cpuid" },
	{ PD_FEATURE_TOTAL_MEM, write_memory, NULL },
	{ PD_FEATURE_CMDLINE, write_command, NULL },
	{ PD_FEATURE_EVENT_DESC, write_events, NULL },
	{ PD_FEATURE_CPU_TOPOLOGY, write_available, NULL },
	{ PD_FEATURE_NUMA_TOPOLOGY, write_available, NULL },
	{ PD_FEATURE_BRANCH_STACK, write_constant, "contains samples with branch stack" },
	{ PD_FEATURE_PMU_MAPPINGS, write_pmus, NULL },
	{ PD_FEATURE_GROUP_DESC, write_groups, NULL },
	{ PD_FEATURE_AUXTRACE, write_constant, "contains AUX area data (e.g. instruction trace)" },
	{ PD_FEATURE_STAT, write_constant, "contains stat data" },
	{ PD_FEATURE_CACHE, write_available, NULL },
	{ PD_FEATURE_SAMPLE_TIME, write_span, NULL },
	{ PD_FEATURE_MEM_TOPOLOGY, write_available, NULL },
	{ PD_FEATURE_CLOCKID, write_clock, NULL },
	{ PD_FEATURE_DIR_FORMAT, write_directory, NULL },
	{ PD_FEATURE_BPF_BTF, write_btf, NULL },
	{ PD_FEATURE_COMPRESSED, write_compression, NULL },
	{ PD_FEATURE_CPU_PMU_CAPS, write_cpu_caps, NULL },
	{ PD_FEATURE_CLOCK_DATA, write_clock_data, NULL },
	{ PD_FEATURE_HYBRID_TOPOLOGY, write_available, NULL },
	{ PD_FEATURE_PMU_CAPS, write_pmu_caps, NULL },
};

static void write_features(const struct pd_file *file, FILE *out)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(writers); i++) {
		if (pd_file_feature_section(file, writers[i].bit).is_present)
			writers[i].write(file, writers[i].bit, writers[i].label, out);
	}
}

static void write_missing(const struct pd_file *file, FILE *out)
{
	fputs("# missing features: ", out);
	for (unsigned bit = PD_FEATURE_TRACING_DATA; bit <= LAST_LOOKED_FOR; bit++) {
		if (!pd_file_feature_section(file, bit).is_present && pd_feature_name(bit))
			fprintf(out, "%s ", pd_feature_name(bit));
	}
	fputc('\n', out);
}

/*
 * Print the modification time of the file, as perf does: the recording does not contain its date.
 */
static void write_date(const struct pd_file *file, FILE *out)
{
	const char *path = pd_file_part_path(file, 0);
	struct stat st;
	char text[32];

	if (stat(path, &st) == 0 && ctime_r(&st.st_mtime, text))
		fprintf(out, "# captured on    : %s", text);
}

static void write_file(const struct pd_file *file, FILE *out)
{
	const struct pd_file_header *header = pd_file_header(file);
	bool is_file = !pd_file_is_pipe(file);
	uint64_t offset = is_file ? header->data_offset : 0;
	uint64_t size = is_file ? header->data_size : 0;

	/* The feature sections start right after the data. perf counts versions from 0. */
	write_date(file, out);
	fprintf(out, "# header version : %d\n", pd_file_version(file) - 1);
	fprintf(out, "# data offset    : %" PRIu64 "\n", offset);
	fprintf(out, "# data size      : %" PRIu64 "\n", size);
	fprintf(out, "# feat offset    : %" PRIu64 "\n", offset + size);
}

/* perf prints the features of a stream after the closing line, because they come as records. */
char *script_header_text(const struct pd_file *file)
{
	char *text = NULL;
	size_t len;
	FILE *out = pd_memstream_open(&text, &len);

	if (!out)
		return NULL;
	fputs("# ========\n", out);
	write_file(file, out);
	if (!pd_file_is_pipe(file)) {
		write_features(file, out);
		write_missing(file, out);
	}
	fputs("# ========\n#\n", out);
	if (pd_file_is_pipe(file))
		write_features(file, out);
	return pd_memstream_close(out, &text) ? text : NULL;
}
