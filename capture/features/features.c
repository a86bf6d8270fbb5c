/* The table of features, and those that describe what was recorded. */
#include "capture/features/features.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "capture/features/cpu_features.h"
#include "capture/features/feature_encoder.h"
#include "capture/features/memory_features.h"
#include "parse/meta_info.h"

static bool cmdline(const struct cap_header_data *data, struct pd_bytes *out)
{
	struct pd_bytes strings = { 0 };

	for (size_t i = 0; i < data->n_args; i++)
		cap_encode_string(data->argv[i], &strings);
	const struct pd_strings body = {
		.nr = (uint32_t)data->n_args,
		.strings = cap_list(&strings, data->n_args),
	};
	cap_encode(&pd_layout_strings, &body, out);
	out->failed |= strings.failed;
	pd_bytes_deinit(&strings);
	return data->n_args;
}

/*
 * EVENT_DESC has one size for all attrs: that of the longest. Shorter ones are padded with zeros.
 */
static uint32_t longest_attr(const struct cap_header_data *data)
{
	uint32_t longest = PD_ATTR_MIN_BYTES;

	for (size_t i = 0; i < data->n_events; i++) {
		if (data->events[i].attr->size > longest)
			longest = data->events[i].attr->size;
	}
	return longest;
}

static void encode_event(
	const struct cap_header_event *event, uint32_t attr_size, struct pd_bytes *out)
{
	struct pd_attr attr = *event->attr;
	struct pd_bytes bytes = { 0 };

	attr.size = attr_size;
	pd_attr_encode(&attr, &bytes);
	const struct pd_event_desc_entry entry = {
		.attr = { .data = bytes.buf.data, .elem_size = 1, .n = bytes.buf.n },
		.nr_ids = (uint32_t)event->n_ids,
		.name = cap_feature_str(event->name),
		.ids = { .data = (const uint8_t *)event->ids, .elem_size = 8, .n = event->n_ids },
	};
	cap_encode(&pd_layout_event_desc_entry, &entry, out);
	out->failed |= bytes.failed;
	pd_bytes_deinit(&bytes);
}

static bool event_desc(const struct cap_header_data *data, struct pd_bytes *out)
{
	uint32_t attr_size = longest_attr(data);

	pd_bytes_u32(out, (uint32_t)data->n_events);
	pd_bytes_u32(out, attr_size);
	for (size_t i = 0; i < data->n_events; i++)
		encode_event(&data->events[i], attr_size, out);
	return data->n_events;
}

/* Number of events in the group of @p leader, including it; 0 if it is not a leader. */
static uint32_t count_members(const struct cap_header_data *data, size_t leader)
{
	uint32_t n = 0;

	for (size_t i = 0; i < data->n_events; i++)
		n += data->events[i].leader == leader;
	return n;
}

static bool group_desc(const struct cap_header_data *data, struct pd_bytes *out)
{
	struct pd_bytes groups = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < data->n_events; i++) {
		const char *name = data->events[i].group_name;
		/*
		 * perf recognises groups without a name by this text (process_group_desc() in
		 * tools/perf/util/header.c).
		 */
		const struct pd_group_desc_entry entry = {
			.name = cap_feature_str(name ? name : "{anon_group}"),
			.leader_idx = (uint32_t)i,
			.nr_members = count_members(data, i),
		};

		/* An event outside of any group is its own leader, with one member. */
		if (entry.nr_members < 2)
			continue;
		cap_encode(&pd_layout_group_desc_entry, &entry, &groups);
		n++;
	}
	const struct pd_group_desc body = { .nr = n, .groups = cap_list(&groups, n) };
	cap_encode(&pd_layout_group_desc, &body, out);
	out->failed |= groups.failed;
	pd_bytes_deinit(&groups);
	return n;
}

/*
 * Encode an entry: a record header, the pid, the id and its length in 24 bytes, and the name,
 * padded to a multiple of 64 bytes.
 */
static void encode_build_id(const struct cap_header_binary *binary, struct pd_bytes *out)
{
	enum { NAME_AT = 36, NAME_ALIGN = 64, ID_BYTES = 24 };
	size_t room = (strlen(binary->name) + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
	uint8_t id[ID_BYTES] = { 0 };
	const struct pd_build_id_record entry = {
		.misc = PD_MISC_BUILD_ID_SIZE | (binary->is_kernel ? PD_MISC_KERNEL : PD_MISC_USER),
		.size = (uint16_t)(NAME_AT + room),
		.pid = UINT32_MAX,
		.build_id = id,
		.filename = cap_feature_str(binary->name),
	};

	if (NAME_AT + room > UINT16_MAX)
		return;
	memcpy(id, binary->id.bytes, binary->id.len);
	id[PD_BUILD_ID_MAX] = binary->id.len;
	cap_encode(&pd_layout_build_id_record, &entry, out);
}

static bool build_id(const struct cap_header_data *data, struct pd_bytes *out)
{
	size_t start = out->buf.n;

	for (size_t i = 0; i < data->n_binaries; i++) {
		if (data->binaries[i].id.len)
			encode_build_id(&data->binaries[i], out);
	}
	return out->buf.n > start;
}

static bool sample_time(const struct cap_header_data *data, struct pd_bytes *out)
{
	const struct pd_sample_time body = {
		.first_sample = data->first_sample,
		.last_sample = data->last_sample,
	};

	cap_encode(&pd_layout_sample_time, &body, out);
	return data->has_sample_time;
}

static bool clock_resolution(const struct cap_header_data *data, struct pd_bytes *out)
{
	if (!data->clock)
		return false;
	const struct pd_clockid body = { .resolution = data->clock->resolution };
	cap_encode(&pd_layout_clockid, &body, out);
	return true;
}

static bool clock_data(const struct cap_header_data *data, struct pd_bytes *out)
{
	if (!data->clock)
		return false;
	const struct pd_clock_data body = {
		.version = 1,
		.clockid = data->clock->clockid,
		.wall_clock = data->clock->wall_time,
		.clockid_time = data->clock->clock_time,
	};
	cap_encode(&pd_layout_clock_data, &body, out);
	return true;
}

static bool tracing_data(const struct cap_header_data *data, struct pd_bytes *out)
{
	if (data->tracing_data)
		pd_bytes_put(out, data->tracing_data->buf.data, data->tracing_data->buf.n);
	return data->tracing_data;
}

/* BRANCH_STACK has no body. */
static bool branch_stack(const struct cap_header_data *data, struct pd_bytes *out)
{
	(void)out;
	return data->has_branch_stacks;
}

static bool tags(const struct cap_header_data *data, struct pd_bytes *out)
{
	for (size_t i = 0; i < data->n_tags; i++) {
		const char *key = data->tags[i];
		const char *value = strchr(key, '=') + 1;

		pd_bytes_put(out, PD_TAG_PREFIX, strlen(PD_TAG_PREFIX));
		pd_bytes_put(out, key, (size_t)(value - 1 - key));
		pd_bytes_u8(out, 0);
		pd_bytes_put(out, value, strlen(value) + 1);
	}
	return data->n_tags > 0;
}

/* A feature describes the machine or what was recorded, so one of the two functions is set. */
static const struct feature {
	unsigned bit;
	cap_feature *encode_machine;
	bool (*encode_data)(const struct cap_header_data *data, struct pd_bytes *out);
} features[] = {
	{ PD_FEATURE_TRACING_DATA, NULL, tracing_data },
	{ PD_FEATURE_BUILD_ID, NULL, build_id },
	{ PD_FEATURE_HOSTNAME, cap_feature_hostname, NULL },
	{ PD_FEATURE_OSRELEASE, cap_feature_osrelease, NULL },
	{ PD_FEATURE_VERSION, cap_feature_version, NULL },
	{ PD_FEATURE_ARCH, cap_feature_arch, NULL },
	{ PD_FEATURE_NRCPUS, cap_feature_nrcpus, NULL },
	{ PD_FEATURE_CPUDESC, cap_feature_cpudesc, NULL },
	{ PD_FEATURE_CPUID, cap_feature_cpuid, NULL },
	{ PD_FEATURE_TOTAL_MEM, cap_feature_total_mem, NULL },
	{ PD_FEATURE_CMDLINE, NULL, cmdline },
	{ PD_FEATURE_EVENT_DESC, NULL, event_desc },
	{ PD_FEATURE_CPU_TOPOLOGY, cap_feature_cpu_topology, NULL },
	{ PD_FEATURE_NUMA_TOPOLOGY, cap_feature_numa_topology, NULL },
	{ PD_FEATURE_BRANCH_STACK, NULL, branch_stack },
	{ PD_FEATURE_PMU_MAPPINGS, cap_feature_pmu_mappings, NULL },
	{ PD_FEATURE_GROUP_DESC, NULL, group_desc },
	{ PD_FEATURE_CACHE, cap_feature_cache, NULL },
	{ PD_FEATURE_SAMPLE_TIME, NULL, sample_time },
	{ PD_FEATURE_MEM_TOPOLOGY, cap_feature_mem_topology, NULL },
	{ PD_FEATURE_CLOCKID, NULL, clock_resolution },
	{ PD_FEATURE_CPU_PMU_CAPS, cap_feature_cpu_pmu_caps, NULL },
	{ PD_FEATURE_CLOCK_DATA, NULL, clock_data },
	{ PD_FEATURE_HYBRID_TOPOLOGY, cap_feature_hybrid_topology, NULL },
	{ PD_FEATURE_SIMPLEPERF_META_INFO, NULL, tags },
};

enum { N_FEATURES = PD_ARRAY_LEN(features) };

static bool encode(
	const struct feature *feature, const struct cap_header_data *data, struct pd_bytes *out)
{
	struct cap_machine machine = cap_machine_init(data->root);
	size_t start = out->buf.n;
	bool is_known = feature->encode_data ? feature->encode_data(data, out)
					     : feature->encode_machine(&machine, out);

	out->failed |= machine.failed;
	if (!is_known || out->failed)
		out->buf.n = start;
	return is_known && !out->failed;
}

bool cap_feature_encode(unsigned bit, const struct cap_header_data *data, struct pd_bytes *out)
{
	for (size_t i = 0; i < N_FEATURES; i++) {
		if (features[i].bit == bit)
			return encode(&features[i], data, out);
	}
	return false;
}

static struct pd_error *add_feature(struct pd_writer *writer, size_t i,
	const struct cap_header_data *data, struct pd_bytes *body)
{
	unsigned bit = features[i].bit;

	body->buf.n = 0;
	bool is_known = encode(&features[i], data, body);
	if (body->failed)
		return &pd_enomem;
	if (!is_known || !pd_writer_can_hold(writer, bit, body->buf.n))
		return NULL;
	return pd_writer_add_feature(writer, bit, body->buf.data, body->buf.n);
}

struct pd_error *cap_add_features(struct pd_writer *writer, const struct cap_header_data *data)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes body = { 0 };

	for (size_t i = 0; i < N_FEATURES; i++) {
		struct pd_error *err = add_feature(writer, i, data, &body);

		if (err)
			return err;
	}
	return NULL;
}

static uint64_t in_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

struct pd_error *cap_clock_read(uint32_t clockid, struct cap_clock *ret)
{
	struct timespec resolution;
	struct timespec wall;
	struct timespec now;

	if (clock_getres((clockid_t)clockid, &resolution) != 0 ||
		clock_gettime((clockid_t)clockid, &now) != 0 ||
		clock_gettime(CLOCK_REALTIME, &wall) != 0)
		return pd_error_os(NULL, "cannot read clock %" PRIu32, clockid);
	*ret = (struct cap_clock){
		.clockid = clockid,
		.resolution = in_ns(&resolution),
		.wall_time = in_ns(&wall),
		.clock_time = in_ns(&now),
	};
	return NULL;
}
