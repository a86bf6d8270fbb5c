/*
 * Attrs in the header of the script format: the fields that perf prints, under its names, with the
 * constants of linux/perf_event.h in parentheses.
 */
#include <inttypes.h>
#include <string.h>

#include <pdconv/attr.h>
#include <pdconv/feature.h>

#include "base/array.h"
#include "output/script_private.h"

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

bool script_pmus_init(const struct pd_file *file, struct script_pmus *ret)
{
	struct pd_pmu_mappings mappings;
	struct pd_pmu_mapping pmu;

	*ret = (struct script_pmus){ 0 };
	if (!pd_file_feature(file, PD_FEATURE_PMU_MAPPINGS, &mappings))
		return true;
	struct pd_list_iter it = pd_list_iter(&mappings.pmus, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_pmu_mapping, &pmu)) {
		uint64_t *index = pd_map_add(&ret->by_type, pmu.type, NULL);

		if (!index || !pd_vec_push(&ret->names, pmu.name))
			return false;
		*index = ret->names.n - 1;
	}
	return true;
}

void script_pmus_deinit(struct script_pmus *pmus)
{
	pd_map_deinit(&pmus->by_type);
	pd_vec_deinit(&pmus->names);
}

/* perf prints the PMU of the machine that it runs on; this is that of the recorded one. */
static void write_type(const struct script_pmus *pmus, uint64_t type, FILE *out)
{
	const uint64_t *index = pd_map_find(&pmus->by_type, type);

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

void script_write_attr(const struct script_pmus *pmus, const struct pd_attr *attr,
	const struct pd_str *name, FILE *out)
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
