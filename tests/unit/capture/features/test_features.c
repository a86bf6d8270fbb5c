/* Header features: written, read back, and compared with what the machine reports. */
#include "base/array.h"
#include "capture/events/tracepoint_formats.h"
#include "tests/unit/capture/root.h"
#include "tests/unit/test_writing.h"

#include <sys/utsname.h>
#include <time.h>

#include <pdconv/tracing_data.h>

#include "capture/events/event_list.h"
#include "capture/features/features.h"
#include "parse/open_file.h"

/* A recording that holds features only. */
struct recording {
	struct bytes bytes;
	struct pd_file *file;
};

static struct recording record(const struct cap_header_data *data, bool is_pipe)
{
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, is_pipe, false);
	struct pd_attr attr = written_attr();
	struct recording recording;

	assert_ok(pd_writer_add_event(writer, &attr, &(uint64_t){ 11 }, 1));
	assert_ok(cap_add_features(writer, data));
	write_sample(writer, false, 11, 5);
	writer_close(writer);
	recording.bytes = written(out);
	assert_ok(pd_file_open_memory(
		"features", recording.bytes.data, recording.bytes.n, NULL, &recording.file));
	return recording;
}

static void recording_free(struct recording *recording)
{
	assert_int_equal(pd_diag_n(recording->file->diag), 0);
	pd_file_close(recording->file);
	bytes_free(&recording->bytes);
}

static struct pd_list_iter iterate(const struct recording *recording, const struct pd_list *list)
{
	return pd_list_iter(list, &recording->file->env);
}

static void assert_text(const struct pd_str *str, const char *text)
{
	assert_int_equal(str->len, strlen(text));
	assert_memory_equal(str->s, text, str->len);
}

/* Output of a command, without its newline. */
static void output_of(const char *command, char *ret, size_t size)
{
	FILE *in = popen(command, "r");

	assert_non_null(in);
	if (!fgets(ret, (int)size, in))
		ret[0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	pclose(in);
}

static void check_machine(bool is_pipe)
{
	const struct cap_header_data data = { 0 };
	struct recording recording = record(&data, is_pipe);
	struct pd_nrcpus cpus;
	struct pd_total_mem memory;
	struct utsname name;
	char expected[256];

	assert_int_equal(uname(&name), 0);
	assert_string_equal(recording.file->text[PD_FEATURE_HOSTNAME], name.nodename);
	assert_string_equal(recording.file->text[PD_FEATURE_OSRELEASE], name.release);
	assert_string_equal(recording.file->text[PD_FEATURE_ARCH], name.machine);
	assert_string_equal(recording.file->text[PD_FEATURE_VERSION], "6.1 pdconv " PD_VERSION);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_NRCPUS, &cpus));
	assert_int_equal(cpus.nr_cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(cpus.nr_cpus_available >= cpus.nr_cpus_online);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_TOTAL_MEM, &memory));
	output_of("awk '/^MemTotal:/ { print $2 }' /proc/meminfo", expected, sizeof(expected));
	assert_int_equal(memory.total_mem, strtoull(expected, NULL, 10));
	recording_free(&recording);
}

static void the_machine_is_described(void **state)
{
	(void)state;
	check_machine(false);
	check_machine(true);
}

#if defined(__x86_64__)
static void the_processor_is_that_of_cpuinfo(void **state)
{
	const struct cap_header_data data = { 0 };
	struct recording recording = record(&data, false);
	char expected[256];

	(void)state;
	output_of("awk -F '\t*: ' '/^vendor_id/ { v = $2 } /^cpu family/ { f = $2 } "
		  "/^model\t/ { m = $2 } /^stepping/ { print v \",\" f \",\" m \",\" $2; exit }' "
		  "/proc/cpuinfo",
		expected, sizeof(expected));
	assert_string_equal(recording.file->text[PD_FEATURE_CPUID], expected);
	output_of("sed -n '/^model name/ { s/^[^:]*: *//; s/  */ /g; s/ $//; p; q }' /proc/cpuinfo",
		expected, sizeof(expected));
	assert_string_equal(recording.file->text[PD_FEATURE_CPUDESC], expected);
	recording_free(&recording);
}
#endif

static void check_node(const struct pd_numa_node *node)
{
	char command[256];
	char expected[256];

	snprintf(command, sizeof(command), "cat /sys/devices/system/node/node%u/cpulist",
		node->node);
	output_of(command, expected, sizeof(expected));
	assert_text(&node->cpulist, expected);
	snprintf(command, sizeof(command),
		"awk '/MemTotal:/ { print $4 }' /sys/devices/system/node/node%u/meminfo",
		node->node);
	output_of(command, expected, sizeof(expected));
	assert_int_equal(node->mem_total, strtoull(expected, NULL, 10));
}

static void topologies_are_those_of_sysfs(void **state)
{
	const struct cap_header_data data = { 0 };
	struct recording recording = record(&data, false);
	struct pd_cpu_topology cpus;
	struct pd_numa_topology numa;
	struct pd_mem_topology memory;
	struct pd_numa_node node;
	char expected[256];

	(void)state;
	if (pd_file_feature(recording.file, PD_FEATURE_CPU_TOPOLOGY, &cpus)) {
		output_of(
			"cat /sys/devices/system/cpu/cpu*/topology/core_cpus_list | sort -u | wc -l",
			expected, sizeof(expected));
		assert_int_equal(cpus.nr_threads, strtoul(expected, NULL, 10));
		assert_int_equal(cpus.ids.n, recording.file->env.n_cpus);
	}
	if (pd_file_feature(recording.file, PD_FEATURE_NUMA_TOPOLOGY, &numa)) {
		struct pd_list_iter it = iterate(&recording, &numa.nodes);

		while (pd_list_next(&it, &pd_layout_numa_node, &node))
			check_node(&node);
	}
	if (pd_file_feature(recording.file, PD_FEATURE_MEM_TOPOLOGY, &memory)) {
		output_of("cat /sys/devices/system/memory/block_size_bytes", expected,
			sizeof(expected));
		assert_int_equal(memory.block_size, strtoull(expected, NULL, 16));
	}
	recording_free(&recording);
}

/* A machine with two packages of two cores each; the last core is offline. */
static struct root machine_root(void)
{
	static const char *const packages[] = { "0-1", "0-1", "2-3" };
	struct root root = root_create();
	char name[128];
	char text[32];

	root_text(&root, "/sys/devices/system/cpu/present", "0-3\n");
	for (int cpu = 0; cpu < 3; cpu++) {
		const char *const files[][2] = { { "core_siblings_list", packages[cpu] },
			{ "die_cpus_list", packages[cpu] }, { "thread_siblings_list", text },
			{ "core_id", text }, { "die_id", "0" },
			{ "physical_package_id", cpu < 2 ? "0" : "1" } };

		snprintf(text, sizeof(text), "%d", cpu);
		for (size_t i = 0; i < PD_ARRAY_LEN(files); i++) {
			snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/%s",
				cpu, files[i][0]);
			root_text(&root, name, files[i][1]);
		}
	}
	return root;
}

static void offline_cpus_have_no_core_numbers(void **state)
{
	struct root root = machine_root();
	const struct cap_header_data data = { .root = root.path };
	struct recording recording = record(&data, false);
	struct pd_cpu_topology cpus;
	struct pd_cpu_topology_id id;
	struct pd_string list;

	(void)state;
	assert_true(pd_file_feature(recording.file, PD_FEATURE_CPU_TOPOLOGY, &cpus));
	assert_int_equal(cpus.nr_cores, 2);
	assert_int_equal(cpus.nr_threads, 3);
	struct pd_list_iter it = iterate(&recording, &cpus.core_siblings);
	assert_true(pd_list_next(&it, &pd_layout_string, &list));
	assert_text(&list.value, "0-1");
	assert_true(pd_list_next(&it, &pd_layout_string, &list));
	assert_text(&list.value, "2-3");
	it = iterate(&recording, &cpus.ids);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		assert_true(pd_list_next(&it, &pd_layout_cpu_topology_id, &id));
		assert_int_equal(id.core_id, cpu < 3 ? cpu : UINT32_MAX);
		assert_int_equal(id.socket_id, cpu < 3 ? cpu / 2 : UINT32_MAX);
	}
	assert_false(recording.file->feature[PD_FEATURE_CACHE].is_present);
	assert_false(recording.file->feature[PD_FEATURE_NUMA_TOPOLOGY].is_present);
	assert_false(recording.file->feature[PD_FEATURE_MEM_TOPOLOGY].is_present);
	assert_false(recording.file->feature[PD_FEATURE_PMU_MAPPINGS].is_present);
	assert_false(recording.file->feature[PD_FEATURE_CPUDESC].is_present);
	assert_false(recording.file->feature[PD_FEATURE_TOTAL_MEM].is_present);
	recording_free(&recording);
	root_destroy(&root);
}

/* Caches of the first CPU on levels 2 and 1, and of the second CPU, which shares level 2. */
static void write_cache(
	const struct root *root, int cpu, int index, const char *level, const char *cpus)
{
	const char *const files[][2] = { { "level", level }, { "coherency_line_size", "64" },
		{ "number_of_sets", "8" }, { "ways_of_associativity", "4" }, { "type", "Data" },
		{ "size", "2K" }, { "shared_cpu_list", cpus } };

	for (size_t i = 0; i < PD_ARRAY_LEN(files); i++) {
		char name[128];

		snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu,
			index, files[i][0]);
		root_text(root, name, files[i][1]);
	}
}

static void shared_caches_are_listed_once(void **state)
{
	static const char *const expected[] = { "0", "1", "0-1" };
	struct root root = machine_root();
	const struct cap_header_data data = { .root = root.path };
	struct pd_cache caches;
	struct pd_cache_level cache;

	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		write_cache(&root, cpu, 0, "2", "0-1");
		write_cache(&root, cpu, 1, "1", expected[cpu]);
	}
	struct recording recording = record(&data, false);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_CACHE, &caches));
	assert_int_equal(caches.version, 1);
	assert_int_equal(caches.nr, 3);
	struct pd_list_iter it = iterate(&recording, &caches.caches);
	for (size_t i = 0; i < 3; i++) {
		assert_true(pd_list_next(&it, &pd_layout_cache_level, &cache));
		assert_int_equal(cache.level, i < 2 ? 1 : 2);
		assert_int_equal(cache.line_size, 64);
		assert_int_equal(cache.sets, 8);
		assert_int_equal(cache.ways, 4);
		assert_text(&cache.cpu_list, expected[i]);
	}
	recording_free(&recording);
	root_destroy(&root);
}

static void memory_is_a_map_of_blocks(void **state)
{
	struct root root = machine_root();
	const struct cap_header_data data = { .root = root.path };
	struct pd_mem_topology memory;
	struct pd_memory_node node;

	(void)state;
	root_text(&root, "/sys/devices/system/memory/block_size_bytes", "8000000\n");
	root_text(&root, "/sys/devices/system/node/node1/memory0/x", "");
	root_text(&root, "/sys/devices/system/node/node1/memory65/x", "");
	root_text(&root, "/sys/devices/system/node/node0/memory_side_cache/x", "");
	struct recording recording = record(&data, false);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_MEM_TOPOLOGY, &memory));
	assert_int_equal(memory.block_size, 0x8000000);
	assert_int_equal(memory.nr, 2);
	struct pd_list_iter it = iterate(&recording, &memory.nodes);
	assert_true(pd_list_next(&it, &pd_layout_memory_node, &node));
	assert_int_equal(node.nr_bits, 0);
	assert_true(pd_list_next(&it, &pd_layout_memory_node, &node));
	assert_int_equal(node.node, 1);
	assert_int_equal(node.nr_bits, 66);
	assert_int_equal(pd_view_u64(&node.map, 0), 1);
	assert_int_equal(pd_view_u64(&node.map, 1), 2);
	recording_free(&recording);
	root_destroy(&root);
}

static void pmus_and_what_they_can_do(void **state)
{
	struct root root = machine_root();
	const struct cap_header_data data = { .root = root.path };
	struct pd_pmu_mappings pmus;
	struct pd_pmu_mapping pmu;
	struct pd_cpu_pmu_caps caps;
	struct pd_cpu_pmu_cap cap;
	struct pd_hybrid_topology hybrid;
	struct pd_hybrid_pmu kind;

	(void)state;
	root_text(&root, "/sys/bus/event_source/devices/cpu/type", "4\n");
	root_text(&root, "/sys/bus/event_source/devices/cpu/caps/branches", "32\n");
	root_text(&root, "/sys/bus/event_source/devices/odd/untyped", "1\n");
	root_text(&root, "/sys/bus/event_source/devices/cpu_atom/cpus", "2-3\n");
	struct recording recording = record(&data, false);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_PMU_MAPPINGS, &pmus));
	assert_int_equal(pmus.nr, 1);
	struct pd_list_iter it = iterate(&recording, &pmus.pmus);
	assert_true(pd_list_next(&it, &pd_layout_pmu_mapping, &pmu));
	assert_int_equal(pmu.type, 4);
	assert_text(&pmu.name, "cpu");
	assert_true(pd_file_feature(recording.file, PD_FEATURE_CPU_PMU_CAPS, &caps));
	assert_int_equal(caps.nr, 1);
	it = iterate(&recording, &caps.caps);
	assert_true(pd_list_next(&it, &pd_layout_cpu_pmu_cap, &cap));
	assert_text(&cap.name, "branches");
	assert_text(&cap.value, "32");
	assert_true(pd_file_feature(recording.file, PD_FEATURE_HYBRID_TOPOLOGY, &hybrid));
	assert_int_equal(hybrid.nr, 1);
	it = iterate(&recording, &hybrid.pmus);
	assert_true(pd_list_next(&it, &pd_layout_hybrid_pmu, &kind));
	assert_text(&kind.pmu_name, "cpu_atom");
	assert_text(&kind.cpus, "2-3");
	recording_free(&recording);
	root_destroy(&root);
}

/* Features that describe the events. */

static void events_and_groups_are_described(void **state)
{
	static const uint64_t ids[] = { 11, 12 };
	struct pd_attr attr = written_attr();
	struct pd_attr longer = attr;
	const struct cap_header_event events[] = {
		{ &attr, "cycles", ids, 2, 0, NULL },
		{ &longer, "sched:x", NULL, 0, 1, "named" },
		{ &attr, "faults", NULL, 0, 1, NULL },
	};
	const struct cap_header_data data = { .events = events, .n_events = 3 };
	struct pd_event_desc desc;
	struct pd_event_desc_entry event;
	struct pd_group_desc groups;
	struct pd_group_desc_entry group;

	(void)state;
	longer.size = 128;
	longer.config = 77;
	struct recording recording = record(&data, false);
	assert_true(pd_file_feature(recording.file, PD_FEATURE_EVENT_DESC, &desc));
	assert_int_equal(desc.nr, 3);
	assert_int_equal(desc.attr_size, 128);
	struct pd_list_iter it = iterate(&recording, &desc.events);
	it.env.attr_size = desc.attr_size;
	for (size_t i = 0; i < 3; i++) {
		struct pd_attr decoded;

		assert_true(pd_list_next(&it, &pd_layout_event_desc_entry, &event));
		assert_text(&event.name, events[i].name);
		assert_int_equal(event.nr_ids, events[i].n_ids);
		assert_int_equal(pd_attr_decode(&event.attr, &decoded), 128);
		assert_int_equal(decoded.config, events[i].attr->config);
		assert_int_equal(decoded.flags, attr.flags);
	}
	assert_true(pd_file_feature(recording.file, PD_FEATURE_GROUP_DESC, &groups));
	assert_int_equal(groups.nr, 1);
	it = iterate(&recording, &groups.groups);
	assert_true(pd_list_next(&it, &pd_layout_group_desc_entry, &group));
	assert_text(&group.name, "named");
	assert_int_equal(group.leader_idx, 1);
	assert_int_equal(group.nr_members, 2);
	assert_string_equal(recording.file->events.list.data[0].name, "cycles");
	recording_free(&recording);
}

static void features_of_the_caller_are_written(void **state)
{
	static const char *const argv[] = { "/bin/pdconv", "record", "a long one", "" };
	static const struct cap_header_binary binaries[] = {
		{ { 20, { 1, 2, 3 } }, "[kernel.kallsyms]", true },
		{ { 4, { 9, 8, 7, 6 } }, "/bin/x", false },
		{ { 0, { 0 } }, "/bin/none", false },
	};
	struct cap_clock clock;
	struct cap_header_data data = {
		.argv = argv,
		.n_args = 4,
		.binaries = binaries,
		.n_binaries = 3,
		.has_sample_time = true,
		.first_sample = 5,
		.last_sample = 6,
		.clock = &clock,
		.has_branch_stacks = true,
	};
	struct pd_clockid clockid;
	struct pd_clock_data clock_data;

	(void)state;
	assert_ok(cap_clock_read(CLOCK_MONOTONIC, &clock));
	struct recording recording = record(&data, false);
	const struct pd_file *file = recording.file;
	assert_int_equal(file->cmdline.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(file->cmdline.data[i], argv[i]);
	assert_int_equal(file->build_ids.n, 2);
	assert_int_equal(file->build_ids.data[0].cpumode, PD_MISC_KERNEL);
	assert_int_equal(file->build_ids.data[0].pid, -1);
	assert_int_equal(file->build_ids.data[1].id.len, 4);
	assert_memory_equal(file->build_ids.data[1].id.bytes, binaries[1].id.bytes, 4);
	assert_string_equal(file->build_ids.data[1].name, "/bin/x");
	assert_int_equal(file->first_sample_ns, 5);
	assert_int_equal(file->last_sample_ns, 6);
	assert_true(file->feature[PD_FEATURE_BRANCH_STACK].is_present);
	assert_true(pd_file_feature(file, PD_FEATURE_CLOCKID, &clockid));
	assert_int_equal(clockid.resolution, clock.resolution);
	assert_true(pd_file_feature(file, PD_FEATURE_CLOCK_DATA, &clock_data));
	assert_int_equal(clock_data.clockid, CLOCK_MONOTONIC);
	assert_int_equal(clock_data.clockid_time, clock.clock_time);
	assert_true(clock_data.wall_clock / 1000000000 + 10 > (uint64_t)time(NULL));
	recording_free(&recording);
}

static void unknown_features_are_omitted(void **state)
{
	static const unsigned bits[] = { PD_FEATURE_TRACING_DATA, PD_FEATURE_BUILD_ID,
		PD_FEATURE_CMDLINE, PD_FEATURE_EVENT_DESC, PD_FEATURE_GROUP_DESC,
		PD_FEATURE_SAMPLE_TIME, PD_FEATURE_CLOCKID, PD_FEATURE_CLOCK_DATA,
		PD_FEATURE_BRANCH_STACK };
	const struct cap_header_data data = { .root = "/nowhere" };
	struct recording recording = record(&data, false);
	struct pd_bytes out = { 0 };
	struct cap_clock clock;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(bits); i++) {
		assert_false(recording.file->feature[bits[i]].is_present);
		assert_false(cap_feature_encode(bits[i], &data, &out));
		assert_int_equal(out.buf.n, 0);
	}
	assert_false(cap_feature_encode(PD_FEATURE_STAT, &data, &out));
	assert_error(cap_clock_read(12345, &clock), PD_ERROR_OS);
	pd_bytes_deinit(&out);
	recording_free(&recording);
}

/* Tracing data. */

static void root_event(const struct root *root, const char *system, const char *event, int id)
{
	static const char format[] = "name: %s\nID: %d\nformat:\n"
				     "\tfield:int x;\toffset:0;\tsize:4;\tsigned:1;\n\n"
				     "print fmt: \"%%d\", REC->x\n";
	char name[128];
	char text[512];

	snprintf(name, sizeof(name), "/sys/kernel/tracing/events/%s/%s/format", system, event);
	snprintf(text, sizeof(text), format, event, id);
	root_text(root, name, text);
}

static struct root tracing_root(void)
{
	static const struct {
		const char *system;
		const char *name;
		int id;
	} events[] = { { "ftrace", "function", 1 }, { "sched", "one", 300 },
		{ "sched", "two", 301 }, { "irq", "one", 302 }, { "schedule", "one", 303 } };
	struct root root = root_create();

	root_text(&root, "/sys/kernel/tracing/events/header_page", "page");
	root_text(&root, "/sys/kernel/tracing/events/header_event", "event");
	for (size_t i = 0; i < PD_ARRAY_LEN(events); i++)
		root_event(&root, events[i].system, events[i].name, events[i].id);
	root_text(&root, "/sys/kernel/tracing/saved_cmdlines", "7 seven\n8 eight\n");
	return root;
}

static void tracing_data_have_the_requested_events(void **state)
{
	static const char *const names[] = { "sched:two", "irq:one", "irq:none", "sched:t",
		"ftrace:function", "nonsense", "nowhere:one" };
	struct root root = tracing_root();
	struct pd_bytes out = { 0 };
	struct pd_tracing *tracing;
	const char *wrong;
	size_t n;

	(void)state;
	assert_ok(cap_tracing_data(root.path, names, PD_ARRAY_LEN(names), &out));
	assert_ok(pd_tracing_create(out.buf.data, out.buf.n, &tracing, &wrong));
	assert_null(wrong);
	pd_tracing_list(tracing, &n);
	assert_int_equal(n, 3);
	assert_string_equal(pd_tracing_find(tracing, 1)->system, "ftrace");
	assert_string_equal(pd_tracing_find(tracing, 301)->system, "sched");
	assert_string_equal(pd_tracing_find(tracing, 301)->format.name, "two");
	assert_string_equal(pd_tracing_find(tracing, 302)->system, "irq");
	assert_null(pd_tracing_find(tracing, 300));
	assert_null(pd_tracing_find(tracing, 303));
	assert_string_equal(pd_tracing_comm(tracing, 8), "eight");
	assert_false(pd_tracing_swap(tracing));
	pd_tracing_destroy(tracing);

	const struct cap_header_data data = { .root = root.path, .tracing_data = &out };
	struct recording recording = record(&data, false);
	assert_non_null(recording.file->tracing);
	recording_free(&recording);
	pd_bytes_deinit(&out);
	root_destroy(&root);
}

/* Systems of other recorders, and of others with similar names, keep their names. */
static void own_probes_are_recorded_as_probe(void **state)
{
	char own[32], other[32], longer[64], other_hit[64];
	const char *const names[] = { "probe:hit", other_hit };
	struct pd_bytes out = { 0 };
	struct pd_tracing *tracing;
	const char *wrong;
	size_t n;

	(void)state;
	snprintf(own, sizeof(own), "pdconv_%d", (int)getpid());
	snprintf(other, sizeof(other), "pdconv_%d", (int)getpid() + 1);
	snprintf(other_hit, sizeof(other_hit), "%s:hit", other);
	snprintf(longer, sizeof(longer), "%sx", own);
	struct root root = tracing_root();
	root_event(&root, own, "hit", 400);
	root_event(&root, own, "unused", 401);
	root_event(&root, other, "hit", 402);
	root_event(&root, longer, "hit", 403);
	assert_ok(cap_tracing_data(root.path, names, PD_ARRAY_LEN(names), &out));
	assert_ok(pd_tracing_create(out.buf.data, out.buf.n, &tracing, &wrong));
	pd_tracing_list(tracing, &n);
	assert_int_equal(n, 2);
	assert_string_equal(pd_tracing_find(tracing, 400)->system, "probe");
	assert_string_equal(pd_tracing_find(tracing, 400)->format.name, "hit");
	assert_string_equal(pd_tracing_find(tracing, 402)->system, other);
	pd_tracing_destroy(tracing);
	pd_bytes_deinit(&out);
	root_destroy(&root);
}

static void no_tracing_data_without_tracefs(void **state)
{
	static const char *const names[] = { "sched:two" };
	struct root root = root_create();
	struct pd_bytes out = { 0 };

	(void)state;
	assert_error(cap_tracing_data(root.path, names, 1, &out), PD_ERROR_OS);
	assert_int_equal(out.buf.n, 0);
	pd_bytes_deinit(&out);
	root_destroy(&root);
}

/* Only if the machine has tracepoints that may be read. */
static void tracepoints_of_the_machine_are_read(void **state)
{
	static const char *const names[] = { "sched:sched_switch" };
	struct pd_bytes out = { 0 };
	struct pd_tracing *tracing;
	const char *wrong;
	size_t n;

	(void)state;
	if (access("/sys/kernel/tracing/events/sched/sched_switch/format", R_OK) != 0)
		skip();
	assert_ok(cap_tracing_data(NULL, names, 1, &out));
	assert_ok(pd_tracing_create(out.buf.data, out.buf.n, &tracing, &wrong));
	assert_null(wrong);
	const struct pd_tracepoint *list = pd_tracing_list(tracing, &n);
	assert_int_equal(n, 1);
	assert_string_equal(list[0].format.name, "sched_switch");
	pd_tracing_destroy(tracing);
	pd_bytes_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_described),
#if defined(__x86_64__)
		cmocka_unit_test(the_processor_is_that_of_cpuinfo),
#endif
		cmocka_unit_test(topologies_are_those_of_sysfs),
		cmocka_unit_test(offline_cpus_have_no_core_numbers),
		cmocka_unit_test(shared_caches_are_listed_once),
		cmocka_unit_test(memory_is_a_map_of_blocks),
		cmocka_unit_test(pmus_and_what_they_can_do),
		cmocka_unit_test(events_and_groups_are_described),
		cmocka_unit_test(features_of_the_caller_are_written),
		cmocka_unit_test(unknown_features_are_omitted),
		cmocka_unit_test(tracing_data_have_the_requested_events),
		cmocka_unit_test(own_probes_are_recorded_as_probe),
		cmocka_unit_test(no_tracing_data_without_tracefs),
		cmocka_unit_test(tracepoints_of_the_machine_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
