#include "capture/sampling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pdconv/group_read.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "base/array.h"
#include "base/number.h"
#include "capture/machine/machine.h"

/* Unwinding does not need flags, segments and vector lengths, and some kernels reject them. */
static const char *const not_general[] = { "flags", "cs", "ss", "ds", "es", "fs", "gs", "vg" };

static bool is_general(const struct pd_reg *reg)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(not_general); i++) {
		if (strcmp(reg->name, not_general[i]) == 0)
			return false;
	}
	return true;
}

uint64_t cap_general_regs(const struct pd_arch *arch)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < arch->n_regs; i++)
		mask |= (uint64_t)is_general(&arch->regs[i]) << arch->regs[i].perf;
	return mask;
}

static struct pd_error *set_stack_bytes(struct cap_sampling *sampling, const char *text)
{
	const char *end;
	uint64_t bytes;

	if (!base_number_parse(text, CAP_MAX_STACK_BYTES, &end, &bytes) || *end || !bytes)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid stack size '%s': expected a number of bytes up to %d", text,
			CAP_MAX_STACK_BYTES);
	sampling->stack_bytes = (uint32_t)(bytes + 7) / 8 * 8;
	sampling->has_stack_bytes = true;
	return NULL;
}

struct pd_error *cap_sampling_set_stacks(struct cap_sampling *sampling, const char *text)
{
	static const struct {
		const char *name;
		enum cap_stacks stacks;
	} kinds[] = {
		{ "none", CAP_STACKS_NONE },
		{ "fp", CAP_STACKS_FP },
		{ "dwarf", CAP_STACKS_DWARF },
		{ "bpf", CAP_STACKS_BPF },
		{ "lbr", CAP_STACKS_LBR },
	};
	size_t len = strcspn(text, ",");

	for (size_t i = 0; i < PD_ARRAY_LEN(kinds); i++) {
		if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, text, len) != 0)
			continue;
		sampling->stacks = kinds[i].stacks;
		sampling->stack_bytes = CAP_DEFAULT_STACK_BYTES;
		sampling->has_stack_bytes = false;
		if (!text[len])
			return NULL;
		/* Other kinds take no size, so a comma after them leads to the error below. */
		if (kinds[i].stacks == CAP_STACKS_DWARF)
			return set_stack_bytes(sampling, text + len + 1);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid call graph '%s': expected fp, dwarf[,BYTES], bpf, lbr or none", text);
}

static const struct pd_reg *find_reg(const struct pd_arch *arch, const char *name, size_t len)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		if (strlen(arch->regs[i].name) == len &&
			strncasecmp(arch->regs[i].name, name, len) == 0)
			return &arch->regs[i];
	}
	return NULL;
}

struct pd_error *cap_sampling_set_regs(
	struct cap_sampling *sampling, const struct pd_arch *arch, const char *text)
{
	uint64_t mask = 0;

	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		const struct pd_reg *reg = find_reg(arch, at, len);

		if (!reg)
			return pd_error_create(PD_ERROR_USAGE, NULL, "%s has no register '%.*s'",
				arch->name, (int)len, at);
		mask |= (uint64_t)1 << reg->perf;
		at += len + (at[len] == ',');
	}
	sampling->user_regs = mask;
	return NULL;
}

struct pd_error *cap_sampling_use_regs(struct cap_sampling *sampling, const char *text)
{
	const struct pd_arch *arch = pd_arch_of_machine();

	if (!arch)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"the registers of this architecture are not known");
	sampling->user_regs = cap_general_regs(arch);
	return text ? cap_sampling_set_regs(sampling, arch, text) : NULL;
}

static struct pd_error *find_max_rate(uint64_t *ret)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct cap_machine machine = cap_machine_init(NULL);

	return cap_machine_number(&machine, 10, ret, "%s", path) ? NULL
								 : pd_error_os(path, "cannot read");
}

struct pd_error *cap_sampling_set_frequency(struct cap_sampling *sampling, const char *text)
{
	const char *end;

	if (strcmp(text, "max") == 0)
		return find_max_rate(&sampling->frequency);
	if (!base_number_parse(text, UINT64_MAX, &end, &sampling->frequency) || *end ||
		!sampling->frequency)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid frequency '%s': expected a number or \"max\"", text);
	return NULL;
}

static void set(struct pd_attr *attr, enum pd_attr_flag flag, bool is_set)
{
	attr->flags &= ~((uint64_t)1 << flag);
	attr->flags |= (uint64_t)is_set << flag;
}

/* Set a flag if @p is_wanted. An attr of the caller may have it already. */
static void add(struct pd_attr *attr, enum pd_attr_flag flag, bool is_wanted)
{
	attr->flags |= (uint64_t)is_wanted << flag;
}

static void sample(struct pd_attr *attr, enum pd_sample_bit bit)
{
	attr->sample_type |= (uint64_t)1 << bit;
}

static void apply_rate(const struct cap_sampling *sampling, struct cap_event *event)
{
	bool is_chosen = sampling->frequency || sampling->period;
	struct pd_attr *attr = &event->attr;

	if (event->has_period || (!is_chosen && (attr->sample_period || event->is_exact)))
		return;
	uint64_t frequency = sampling->frequency ? sampling->frequency : CAP_DEFAULT_FREQUENCY;
	set(attr, PD_ATTR_freq, !sampling->period);
	attr->sample_period = sampling->period ? sampling->period : frequency;
}

static void apply_registers(const struct cap_sampling *sampling, struct pd_attr *attr)
{
	if (sampling->user_regs) {
		sample(attr, PD_SAMPLE_REGS_USER);
		attr->sample_regs_user = sampling->user_regs;
	}
	if (sampling->intr_regs) {
		sample(attr, PD_SAMPLE_REGS_INTR);
		attr->sample_regs_intr = sampling->intr_regs;
	}
}

static void apply_branches(uint64_t branch_sample_type, struct pd_attr *attr)
{
	if (!branch_sample_type)
		return;
	sample(attr, PD_SAMPLE_BRANCH_STACK);
	attr->branch_sample_type = branch_sample_type;
}

static void apply_stacks(const struct cap_sampling *sampling, struct pd_attr *attr)
{
	enum { BRANCH_USER = 1, BRANCH_NO_FLAGS = 1 << 14, BRANCH_NO_CYCLES = 1 << 15 };

	apply_registers(sampling, attr);
	apply_branches(sampling->branch_sample_type, attr);
	if (sampling->stacks == CAP_STACKS_NONE)
		return;
	sample(attr, PD_SAMPLE_CALLCHAIN);
	add(attr, PD_ATTR_exclude_callchain_kernel, sampling->no_kernel_chain);
	if (sampling->stacks == CAP_STACKS_FP)
		return;
	/* The user part of the stack comes from the copy, from BPF or from branches. */
	add(attr, PD_ATTR_exclude_callchain_user, !sampling->with_user_chain);
	if (sampling->stacks == CAP_STACKS_BPF)
		return;
	if (sampling->stacks == CAP_STACKS_LBR) {
		apply_branches(
			BRANCH_USER | PD_BRANCH_CALL_STACK | BRANCH_NO_FLAGS | BRANCH_NO_CYCLES,
			attr);
		return;
	}
	sample(attr, PD_SAMPLE_STACK_USER);
	attr->sample_stack_user = sampling->stack_bytes;
}

/*
 * Request records other than samples. Only one event of each CPU may do so, or the records would be
 * duplicated.
 */
static void apply_tracking(const struct cap_sampling *sampling, struct pd_attr *attr)
{
	static const enum pd_attr_flag always[] = { PD_ATTR_mmap, PD_ATTR_mmap2, PD_ATTR_comm,
		PD_ATTR_comm_exec, PD_ATTR_task, PD_ATTR_ksymbol, PD_ATTR_bpf_event };

	for (size_t i = 0; i < PD_ARRAY_LEN(always); i++)
		add(attr, always[i], true);
	/* perf's unwinder reads call frame information from mappings that are not executable. */
	add(attr, PD_ATTR_mmap_data, sampling->stacks == CAP_STACKS_DWARF);
	add(attr, PD_ATTR_build_id, sampling->with_build_ids);
	add(attr, PD_ATTR_namespaces, sampling->with_namespaces);
	add(attr, PD_ATTR_cgroup, sampling->with_cgroups);
	add(attr, PD_ATTR_context_switch, sampling->with_switches);
}

/*
 * Readers reject attrs that are longer than they know, so use the shortest that holds all fields.
 */
static uint32_t attr_bytes(const struct pd_attr *attr)
{
	enum { UP_TO_SIG_DATA = 128, UP_TO_CONFIG3 = 136 };

	if (attr->config4)
		return PD_ATTR_KNOWN_BYTES;
	return attr->config3 ? UP_TO_CONFIG3 : UP_TO_SIG_DATA;
}

/*
 * Fields that all samples have. An attr of the caller gets only those without which samples could
 * not be assigned to events and put in order.
 */
static void apply_fields(
	const struct cap_sampling *sampling, bool has_others, struct cap_event *event)
{
	struct pd_attr *attr = &event->attr;

	attr->sample_type |= sampling->sample_type;
	sample(attr, PD_SAMPLE_TIME);
	/* Stacks that BPF has walked are between samples: ids distinguish them. */
	if (event->is_exact || has_others || sampling->with_ids ||
		sampling->stacks == CAP_STACKS_BPF)
		sample(attr, PD_SAMPLE_IDENTIFIER);
	if (event->is_exact)
		return;
	sample(attr, PD_SAMPLE_IP);
	sample(attr, PD_SAMPLE_TID);
	if (sampling->with_cpu)
		sample(attr, PD_SAMPLE_CPU);
	if (sampling->with_cgroups)
		sample(attr, PD_SAMPLE_CGROUP);
	if (attr->type == PD_TYPE_TRACEPOINT)
		sample(attr, PD_SAMPLE_RAW);
}

/*
 * Request the period of each sample, unless that is fixed. The kernel takes a software event with
 * both for one that is to be sampled each time it occurs.
 */
static void apply_period(struct cap_event *event)
{
	struct pd_attr *attr = &event->attr;
	bool is_fixed = attr->type == PD_TYPE_SOFTWARE && !pd_attr_has(attr, PD_ATTR_freq);

	if (!event->is_exact && !is_fixed)
		sample(attr, PD_SAMPLE_PERIOD);
}

/* Members are enabled with their leader, so they are not disabled themselves. */
static void apply_group(const struct cap_event *leader, struct cap_event *event)
{
	struct pd_attr *attr = &event->attr;
	bool is_member = event != leader;

	set(attr, PD_ATTR_disabled, !is_member);
	if (is_member)
		set(attr, PD_ATTR_enable_on_exec, false);
	if (!leader->reads_group)
		return;
	sample(attr, PD_SAMPLE_READ);
	attr->read_format |= PD_READ_GROUP;
	set(attr, PD_ATTR_inherit, false);
	/* Samples of the leader hold the counts of the members, which never sample. */
	if (is_member) {
		attr->sample_type = leader->attr.sample_type;
		attr->sample_period = 0;
		set(attr, PD_ATTR_freq, false);
	}
}

/* Wake the reader when a quarter of the ring is filled. */
static void apply_wakeup(const struct cap_sampling *sampling, struct pd_attr *attr)
{
	if (attr->wakeup_events || pd_attr_has(attr, PD_ATTR_watermark))
		return;
	set(attr, PD_ATTR_watermark, true);
	/* With this flag it is wakeup_watermark, in bytes. */
	attr->wakeup_events = (uint32_t)(sampling->ring_bytes / 4);
}

void cap_sampling_apply(const struct cap_sampling *sampling, struct cap_events *events, size_t i)
{
	struct cap_event *event = &events->list.data[i];
	struct pd_attr *attr = &event->attr;

	apply_fields(sampling, events->list.n > 1, event);
	attr->size = attr_bytes(attr);
	attr->read_format |= PD_READ_ID | PD_READ_LOST;
	if (!event->is_exact)
		attr->read_format |= sampling->read_format;
	apply_rate(sampling, event);
	apply_period(event);
	if (!event->has_no_stacks)
		apply_stacks(sampling, attr);
	if (i == 0 && !sampling->no_tracking)
		apply_tracking(sampling, attr);
	add(attr, PD_ATTR_inherit, sampling->inherit);
	add(attr, PD_ATTR_enable_on_exec, sampling->enable_on_exec);
	add(attr, PD_ATTR_sample_id_all, true);
	apply_wakeup(sampling, attr);
	if (sampling->clock >= 0) {
		add(attr, PD_ATTR_use_clockid, true);
		attr->clockid = (uint32_t)sampling->clock;
	}
	/*
	 * Members come after their leader in the list, so the sample_type that they copy from it is
	 * complete.
	 */
	apply_group(&events->list.data[event->leader], event);
}

/* Sizes of samples. */

/* Words that a field of each kind has at least. */
static const uint8_t words[] = {
	[PD_SAMPLE_KIND_U64] = 1,
	[PD_SAMPLE_KIND_U32_PAIR] = 1,
	[PD_SAMPLE_KIND_READ] = 0,
	[PD_SAMPLE_KIND_CALLCHAIN] = 1,
	[PD_SAMPLE_KIND_RAW] = 1,
	[PD_SAMPLE_KIND_BRANCH_STACK] = 1,
	[PD_SAMPLE_KIND_REGS_USER] = 1,
	[PD_SAMPLE_KIND_STACK_USER] = 2,
	[PD_SAMPLE_KIND_REGS_INTR] = 1,
	[PD_SAMPLE_KIND_AUX] = 1,
};

static const struct {
	uint8_t bit;
	uint8_t kind;
} fields[] = {
#define SIZE_ROW(bit, name, kind, ...) { bit, PD_SAMPLE_KIND_##kind },
	PD_SAMPLE_FIELDS(SIZE_ROW)
};

static size_t read_bytes(uint64_t format, size_t n_events)
{
	size_t times = !!(format & PD_READ_TIME_ENABLED) + !!(format & PD_READ_TIME_RUNNING);
	size_t values = pd_read_value_bytes(format);

	return 8 * times + (format & PD_READ_GROUP ? 8 + n_events * values : values);
}

/* Bytes of the field beyond those of words[]. */
static size_t variable_bytes(const struct pd_attr *attr, uint8_t kind, size_t n_events)
{
	switch (kind) {
	case PD_SAMPLE_KIND_READ:
		return read_bytes(attr->read_format, n_events);
	case PD_SAMPLE_KIND_BRANCH_STACK:
		return attr->branch_sample_type & PD_BRANCH_HW_INDEX ? 8 : 0;
	case PD_SAMPLE_KIND_REGS_USER:
		return 8 * (size_t)__builtin_popcountll(attr->sample_regs_user);
	case PD_SAMPLE_KIND_STACK_USER:
		return attr->sample_stack_user;
	case PD_SAMPLE_KIND_REGS_INTR:
		return 8 * (size_t)__builtin_popcountll(attr->sample_regs_intr);
	default:
		return 0;
	}
}

size_t cap_sample_bytes(const struct pd_attr *attr, size_t n_events)
{
	/* The kernel shortens the stack so that the size of the record fits 16 bits. */
	enum { MOST = UINT16_MAX & ~7 };
	size_t n = PD_RECORD_HEADER_BYTES;

	for (size_t i = 0; i < PD_ARRAY_LEN(fields); i++) {
		if (attr->sample_type >> fields[i].bit & 1)
			n += 8 * (size_t)words[fields[i].kind] +
			     variable_bytes(attr, fields[i].kind, n_events);
	}
	return n < MOST ? n : MOST;
}
