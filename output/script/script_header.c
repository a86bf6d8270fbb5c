/*
 * Header of a recording (machine, events and features), laid out like `perf script --header`.
 * Fields of attrs have the names that perf prints, and constants of linux/perf_event.h in
 * parentheses.
 */
#include "output/script/script_header.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <pdconv/attr.h>
#include <pdconv/feature.h>

#include "base/array.h"
#include "base/clock_defs.h"
#include "base/containers/map.h"
#include "base/memstream.h"
#include "base/text.h"
#include "output/script/script_records.h"

/* PMUs of the recorded machine. Zeroed, it has none. */
struct pmus {
	/** Type (attr.type) -> index in names. */
	struct base_map by_type;
	PD_VEC(struct pd_str) names;
};

/*
 * Bits of sample_type in the order in which perf prints their names, which is not the order of the
 * bits.
 */
static const uint8_t sample_type_order[] = { PD_SAMPLE_IP, PD_SAMPLE_TID, PD_SAMPLE_TIME,
	PD_SAMPLE_ADDR, PD_SAMPLE_READ, PD_SAMPLE_CALLCHAIN, PD_SAMPLE_ID, PD_SAMPLE_CPU,
	PD_SAMPLE_PERIOD, PD_SAMPLE_STREAM_ID, PD_SAMPLE_RAW, PD_SAMPLE_BRANCH_STACK,
	PD_SAMPLE_REGS_USER, PD_SAMPLE_STACK_USER, PD_SAMPLE_IDENTIFIER, PD_SAMPLE_REGS_INTR,
	PD_SAMPLE_DATA_SRC, PD_SAMPLE_WEIGHT, PD_SAMPLE_PHYS_ADDR, PD_SAMPLE_AUX, PD_SAMPLE_CGROUP,
	PD_SAMPLE_DATA_PAGE_SIZE, PD_SAMPLE_CODE_PAGE_SIZE, PD_SAMPLE_WEIGHT_STRUCT,
	PD_SAMPLE_TRANSACTION };

static void write_bits(const struct pd_attr_field *field, uint64_t value, FILE *out)
{
	bool is_sample_type = field->names == &pd_names_sample_type;
	size_t n = is_sample_type ? sizeof(sample_type_order) : field->names->n;
	const char *separator = "";

	for (size_t i = 0; i < n; i++) {
		size_t bit = is_sample_type ? sample_type_order[i] : i;

		if (!(value >> bit & 1) || bit >= field->names->n || !field->names->names[bit])
			continue;
		fprintf(out, "%s%s", separator, field->names->names[bit]);
		separator = "|";
	}
}

static void write_flag(FILE *out, const char *name, uint64_t flags, unsigned bit, unsigned width)
{
	uint64_t value = flags >> bit & (((uint64_t)1 << width) - 1);

	if (value)
		fprintf(out, ", %s = %" PRIu64, name, value);
}

static void write_flags(uint64_t flags, FILE *out)
{
#define WRITE_FLAG(bit, width, name) write_flag(out, #name, flags, bit, width);
	PD_ATTR_FLAGS(WRITE_FLAG)
#undef WRITE_FLAG
}

/* Attr fields that perf prints under the names of a union, or as decimal numbers. */
static const struct {
	size_t offset;
	const char *name;
	bool is_decimal;
} special_fields[] = {
	{ offsetof(struct pd_attr, sample_period), "{ sample_period, sample_freq }", true },
	{ offsetof(struct pd_attr, wakeup_events), "{ wakeup_events, wakeup_watermark }", true },
	{ offsetof(struct pd_attr, config1), "{ bp_addr, config1 }", false },
	{ offsetof(struct pd_attr, config2), "{ bp_len, config2 }", false },
	{ offsetof(struct pd_attr, bp_type), "bp_type", true },
	{ offsetof(struct pd_attr, sig_data), "sig_data", true },
};

static void write_attr_field(const struct pd_attr_field *field, uint64_t value, FILE *out)
{
	/* Without a row in special_fields, the attr's own table has the name and the base. */
	const char *name = field->name;
	bool is_decimal = field->format != PD_FMT_HEX;

	for (size_t i = 0; i < PD_ARRAY_LEN(special_fields); i++) {
		if (special_fields[i].offset != field->offset)
			continue;
		name = special_fields[i].name;
		is_decimal = special_fields[i].is_decimal;
	}
	fprintf(out, ", %s = ", name);
	if (field->names)
		write_bits(field, value, out);
	else
		fprintf(out, is_decimal ? "%" PRIu64 : "%#" PRIx64, value);
}

/* PERF_TYPE_*, PERF_COUNT_HW_*, PERF_COUNT_SW_*, and the parts of PERF_COUNT_HW_CACHE_*. */
static const char *const types[] = { "HARDWARE", "SOFTWARE", "TRACEPOINT", "HW_CACHE", "RAW",
	"BREAKPOINT" };
static const char *const hardware[] = { "CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES",
	"CACHE_MISSES", "BRANCH_INSTRUCTIONS", "BRANCH_MISSES", "BUS_CYCLES",
	"STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES" };
static const char *const software[] = { "CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS",
	"CONTEXT_SWITCHES", "CPU_MIGRATIONS", "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ",
	"ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY", "BPF_OUTPUT", "CGROUP_SWITCHES" };
static const char *const caches[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_ops[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_results[] = { "ACCESS", "MISS" };

/* Read the PMUs of the recorded machine. False: no memory. *@p ret is to be freed in any case. */
static bool pmus_init(const struct pd_file *file, struct pmus *ret)
{
	struct pd_pmu_mappings mappings;
	struct pd_pmu_mapping pmu;

	*ret = (struct pmus){ 0 };
	if (!pd_file_feature(file, PD_FEATURE_PMU_MAPPINGS, &mappings))
		return true;
	struct pd_list_iter it = pd_list_iter(&mappings.pmus, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_pmu_mapping, &pmu)) {
		uint64_t *index = base_map_add(&ret->by_type, pmu.type, NULL);

		if (!index || !pd_vec_push(&ret->names, pmu.name))
			return false;
		*index = ret->names.n - 1;
	}
	return true;
}

static void pmus_deinit(struct pmus *pmus)
{
	base_map_deinit(&pmus->by_type);
	pd_vec_deinit(&pmus->names);
}

/* perf prints the PMU of the machine that it runs on; this is that of the recorded one. */
static void write_type(const struct pmus *pmus, uint64_t type, FILE *out)
{
	const uint64_t *index = base_map_find(&pmus->by_type, type);

	fprintf(out, ", type = %" PRIu64, type);
	if (index) {
		fputs(" (", out);
		script_write_str(out, &pmus->names.data[*index]);
		fputc(')', out);
	} else if (type < PD_ARRAY_LEN(types)) {
		fprintf(out, " (PERF_TYPE_%s)", types[type]);
	}
}

static void write_cache(uint64_t config, FILE *out)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache < PD_ARRAY_LEN(caches) && op < PD_ARRAY_LEN(cache_ops) &&
		result < PD_ARRAY_LEN(cache_results))
		fprintf(out,
			" (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | "
			"PERF_COUNT_HW_CACHE_%s)",
			cache_results[result], cache_ops[op], caches[cache]);
}

/* Write "GROUP:NAME", the tracepoint, unless the event was given another name. */
static void write_tracepoint(const struct pd_str *name, FILE *out)
{
	const char *colon = memchr(name->s, ':', name->len);

	if (!colon)
		return;
	size_t group_len = (size_t)(colon + 1 - name->s);
	const char *modifiers = memchr(colon + 1, ':', name->len - group_len);
	struct pd_str tracepoint = *name;
	if (modifiers)
		tracepoint.len = (uint32_t)(modifiers - name->s);
	fputs(" (", out);
	script_write_str(out, &tracepoint);
	fputc(')', out);
}

static void write_config(const struct pd_attr *attr, const struct pd_str *name, FILE *out)
{
	uint64_t config = attr->config;

	fprintf(out, ", config = %#" PRIx64, config);
	switch (attr->type) {
	case PD_TYPE_HARDWARE:
		if (config < PD_ARRAY_LEN(hardware))
			fprintf(out, " (PERF_COUNT_HW_%s)", hardware[config]);
		break;
	case PD_TYPE_SOFTWARE:
		if (config < PD_ARRAY_LEN(software))
			fprintf(out, " (PERF_COUNT_SW_%s)", software[config]);
		break;
	case PD_TYPE_HW_CACHE:
		write_cache(config, out);
		break;
	case PD_TYPE_TRACEPOINT:
		write_tracepoint(name, out);
		break;
	default:
		break;
	}
}

/* Write the fields of @p attr of the event @p name, each as ", NAME = VALUE". */
static void write_attr(
	const struct pmus *pmus, const struct pd_attr *attr, const struct pd_str *name, FILE *out)
{
	size_t n;
	const struct pd_attr_field *fields = pd_attr_fields(&n);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = pd_attr_field_get(&fields[i], attr);

		/* perf omits other fields that are 0, and prints each flag as a field. */
		if (fields[i].offset == offsetof(struct pd_attr, type))
			write_type(pmus, value, out);
		else if (fields[i].offset == offsetof(struct pd_attr, config))
			write_config(attr, name, out);
		else if (fields[i].offset == offsetof(struct pd_attr, flags))
			write_flags(value, out);
		else if (value)
			write_attr_field(&fields[i], value, out);
	}
}

/* Highest feature bit that perf lists as missing. */
enum { LAST_LOOKED_FOR = PD_FEATURE_PMU_CAPS };

static void write_text(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	const char *text = pd_file_text(file, bit);

	fprintf(out, "# %s : ", label);
	base_text_write(out, text ? text : "");
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

static void write_event(const struct pmus *pmus, const struct pd_event_desc_entry *entry, FILE *out)
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
		write_attr(pmus, &attr, &entry->name, out);
	fputc('\n', out);
}

static void write_events(const struct pd_file *file, unsigned bit, const char *label, FILE *out)
{
	struct pd_event_desc events;
	struct pd_event_desc_entry entry;
	struct pmus pmus;

	(void)label;
	if (!pd_file_feature(file, bit, &events))
		return;
	if (!pmus_init(file, &pmus))
		base_stream_fail(out);
	/*
	 * Each entry holds an attr of the size that the feature declares, which may differ from
	 * ours.
	 */
	const struct pd_layout_env env = { .attr_size = events.attr_size };
	struct pd_list_iter it = pd_list_iter(&events.events, &env);
	while (pd_list_next(&it, &pd_layout_event_desc_entry, &entry))
		write_event(&pmus, &entry, out);
	pmus_deinit(&pmus);
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
		base_text_write(out, events->list.data[index].name);
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
	FILE *out = base_memstream_open(&text, &len);

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
	return base_memstream_close(out, &text) ? text : NULL;
}
