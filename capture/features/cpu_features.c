#include "capture/features/cpu_features.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"

static bool encode_uname(size_t member, struct pd_bytes *out)
{
	struct utsname name;

	return uname(&name) == 0 && cap_encode_string((const char *)&name + member, out);
}

bool cap_feature_hostname(struct cap_machine *machine, struct pd_bytes *out)
{
	(void)machine;
	return encode_uname(offsetof(struct utsname, nodename), out);
}

bool cap_feature_osrelease(struct cap_machine *machine, struct pd_bytes *out)
{
	(void)machine;
	return encode_uname(offsetof(struct utsname, release), out);
}

bool cap_feature_arch(struct cap_machine *machine, struct pd_bytes *out)
{
	(void)machine;
	return encode_uname(offsetof(struct utsname, machine), out);
}

bool cap_feature_version(struct cap_machine *machine, struct pd_bytes *out)
{
	(void)machine;
	/* Readers such as hotspot's expect a version number of perf at the front. */
	return cap_encode_string("6.1 pdconv " PD_VERSION, out);
}

/* CPUs. */

/* The highest number in a list of CPUs, + 1; 0 if it is empty. */
static uint32_t end_of_list(const char *text)
{
	struct pd_str list = cap_feature_str(text);
	uint32_t first;
	uint32_t last;
	uint32_t end = 0;

	while (pd_cpu_range_take(&list, &first, &last)) {
		if (last >= end)
			end = last + 1;
	}
	return end;
}

/* Number of CPUs that may be present: the highest number + 1; 0: not known. */
static uint32_t cpus_present(struct cap_machine *machine)
{
	_cleanup_free_ char *list = cap_machine_line(machine, "/sys/devices/system/cpu/present");
	uint32_t n = list ? end_of_list(list) : 0;

	if (n)
		return n;
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	return configured > 0 ? (uint32_t)configured : 0;
}

bool cap_feature_nrcpus(struct cap_machine *machine, struct pd_bytes *out)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	const struct pd_nrcpus body = {
		.nr_cpus_available = cpus_present(machine),
		.nr_cpus_online = online > 0 ? (uint32_t)online : 0,
	};

	cap_encode(&pd_layout_nrcpus, &body, out);
	return body.nr_cpus_available && body.nr_cpus_online;
}

/* Keys of the processor's name in /proc/cpuinfo. */
static const char *const model_keys[] = {
#if defined(__powerpc__)
	"cpu",
#elif defined(__s390__)
	"vendor_id",
#elif defined(__alpha__) || defined(__mips__)
	"cpu model",
#elif defined(__arm__)
	"model name",
	"Processor",
#else
	"model name",
#endif
};

/* Replace each run of blanks by one space. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool is_blank = isspace((unsigned char)*from);

		if (!is_blank || !isspace((unsigned char)from[1]))
			*to++ = is_blank ? ' ' : *from;
	}
	*to = '\0';
}

bool cap_feature_cpudesc(struct cap_machine *machine, struct pd_bytes *out)
{
	_cleanup_free_ char *name = NULL;

	for (size_t i = 0; !name && i < PD_ARRAY_LEN(model_keys); i++)
		name = cap_machine_value(machine, model_keys[i], "/proc/cpuinfo");
	if (name)
		squeeze(name);
	return cap_encode_string(name, out);
}

#if defined(__x86_64__) || defined(__i386__)
/* "VENDOR,FAMILY,MODEL,STEPPING" */
bool cap_feature_cpuid(struct cap_machine *machine, struct pd_bytes *out)
{
	unsigned a;
	unsigned b;
	unsigned c;
	unsigned d;
	char text[64];

	(void)machine;
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	/* Leaf 0 returns the 12 letters of the vendor in ebx, edx and ecx, in this order. */
	const unsigned vendor[] = { b, d, c };
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	/*
	 * perf and the kernel add the extended model from family 6 on; the Intel manual only in
	 * families 6 and 15 (tools/perf/arch/x86/util/header.c).
	 */
	unsigned family = a >> 8 & 15;
	unsigned model = a >> 4 & 15;
	if (family == 15)
		family += a >> 20 & 255;
	if (family >= 6)
		model += (a >> 16 & 15) << 4;
	snprintf(text, sizeof(text), "%.12s,%u,%u,%u", (const char *)vendor, family, model, a & 15);
	return cap_encode_string(text, out);
}
#elif defined(__aarch64__)
/* The MIDR register without variant and revision, as perf writes it. */
bool cap_feature_cpuid(struct cap_machine *machine, struct pd_bytes *out)
{
	const uint64_t variant_and_revision = 0xf0000f;
	uint64_t midr;
	char text[32];

	if (!cap_machine_number(machine, 16, &midr,
		    "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"))
		return false;
	snprintf(text, sizeof(text), "0x%016llx",
		(unsigned long long)(midr & ~variant_and_revision));
	return cap_encode_string(text, out);
}
#else
bool cap_feature_cpuid(struct cap_machine *machine, struct pd_bytes *out)
{
	(void)machine;
	(void)out;
	return false;
}
#endif

/* Topology. */

/*
 * Encode the distinct texts of a topology file over all CPUs. Older kernels use another name for
 * the file.
 */
static size_t encode_lists(struct cap_machine *machine, uint32_t n_cpus, const char *name,
	const char *older_name, struct pd_bytes *out)
{
	struct base_intern seen = { 0 };

	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		static const char path[] = "/sys/devices/system/cpu/cpu%u/topology/%s";
		_cleanup_free_ char *list = cap_machine_line(machine, path, cpu, name);

		if (!list && older_name)
			list = cap_machine_line(machine, path, cpu, older_name);
		/* All CPUs of a package or core have the same list, which is written once. */
		size_t before = seen.n;
		if (list && base_intern_str(&seen, list) == PD_INTERN_NONE)
			machine->failed = true;
		if (seen.n > before)
			cap_encode_string(list, out);
	}
	size_t n = seen.n;
	base_intern_deinit(&seen);
	return n;
}

/* Read an id, -1 if it is not known, for example because the CPU is offline. */
static uint32_t topology_id(struct cap_machine *machine, uint32_t cpu, const char *name)
{
	uint64_t id;

	if (!cap_machine_number(
		    machine, 10, &id, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name))
		return UINT32_MAX;
	return (uint32_t)id;
}

static void encode_ids(struct cap_machine *machine, uint32_t n_cpus, struct pd_bytes *out)
{
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		const struct pd_cpu_topology_id id = {
			.core_id = topology_id(machine, cpu, "core_id"),
			.socket_id = topology_id(machine, cpu, "physical_package_id"),
		};

		cap_encode(&pd_layout_cpu_topology_id, &id, out);
	}
}

static void encode_dies(struct cap_machine *machine, uint32_t n_cpus, struct pd_bytes *out)
{
	struct pd_bytes lists = { 0 };
	size_t n = encode_lists(machine, n_cpus, "die_cpus_list", NULL, &lists);

	if (n) {
		pd_bytes_u32(out, (uint32_t)n);
		pd_bytes_put(out, lists.buf.data, lists.buf.n);
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
			pd_bytes_u32(out, topology_id(machine, cpu, "die_id"));
	}
	out->failed |= lists.failed;
	pd_bytes_deinit(&lists);
}

/* perf writes dies on these architectures only. */
static bool has_dies(void)
{
	struct utsname name;

	return uname(&name) == 0 &&
	       (strncmp(name.machine, "x86_64", 6) == 0 || strncmp(name.machine, "s390x", 5) == 0);
}

/* Lists of packages and of cores, the ids of each CPU, and the dies. */
bool cap_feature_cpu_topology(struct cap_machine *machine, struct pd_bytes *out)
{
	uint32_t n_cpus = cpus_present(machine);
	struct pd_bytes cores = { 0 };
	struct pd_bytes threads = { 0 };
	/*
	 * The number of lists comes before them, so they are collected first. Kernels before 5.3
	 * have the older names (Documentation/admin-guide/cputopology.rst).
	 */
	size_t n_cores =
		encode_lists(machine, n_cpus, "package_cpus_list", "core_siblings_list", &cores);
	size_t n_threads =
		encode_lists(machine, n_cpus, "core_cpus_list", "thread_siblings_list", &threads);

	pd_bytes_u32(out, (uint32_t)n_cores);
	pd_bytes_put(out, cores.buf.data, cores.buf.n);
	pd_bytes_u32(out, (uint32_t)n_threads);
	pd_bytes_put(out, threads.buf.data, threads.buf.n);
	encode_ids(machine, n_cpus, out);
	if (has_dies())
		encode_dies(machine, n_cpus, out);
	out->failed |= cores.failed || threads.failed;
	pd_bytes_deinit(&cores);
	pd_bytes_deinit(&threads);
	return n_cores && n_threads;
}

/* Caches. */

static bool encode_cache(struct cap_machine *machine, uint32_t cpu, uint32_t index,
	struct pd_bytes *out, uint32_t *level_ret)
{
	static const char *const numbers[] = { "level", "coherency_line_size", "number_of_sets",
		"ways_of_associativity" };
	static const char *const texts[] = { "type", "size", "shared_cpu_list" };
	static const char path[] = "/sys/devices/system/cpu/cpu%u/cache/index%u/%s";

	/*
	 * The CACHE feature stores the numbers first. The first missing file marks the end: this
	 * CPU has no further cache.
	 */
	for (size_t i = 0; i < PD_ARRAY_LEN(numbers); i++) {
		uint64_t value;

		if (!cap_machine_number(machine, 10, &value, path, cpu, index, numbers[i]))
			return false;
		if (i == 0)
			*level_ret = (uint32_t)value;
		pd_bytes_u32(out, (uint32_t)value);
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(texts); i++) {
		_cleanup_free_ char *text = cap_machine_line(machine, path, cpu, index, texts[i]);

		if (!cap_encode_string(text, out))
			return false;
	}
	return true;
}

/** The distinct caches, in the order in which they were found. */
struct caches {
	struct base_intern bodies;
	/** Level of each body. */
	PD_VEC(uint32_t) levels;
};

/* A cache that CPUs share has the same description in each of them, and is encoded once. */
static void add_caches(struct cap_machine *machine, uint32_t cpu, struct caches *caches)
{
	enum { MAX_CACHES = 10 };
	bool is_there = true;

	for (uint32_t index = 0; is_there && index < MAX_CACHES; index++) {
		struct pd_bytes body = { 0 };
		uint32_t level;

		is_there = encode_cache(machine, cpu, index, &body, &level);
		if (is_there && !body.failed) {
			uint32_t n = base_intern_add(&caches->bodies, body.buf.data, body.buf.n);
			if (n == PD_INTERN_NONE ||
				(n == caches->levels.n && !pd_vec_push(&caches->levels, level)))
				machine->failed = true;
		}
		machine->failed |= body.failed;
		pd_bytes_deinit(&body);
	}
}

/* Encode the caches of a level. Returns the next higher level, or UINT32_MAX. */
static uint32_t encode_level(const struct caches *caches, uint32_t level, struct pd_bytes *out)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = 0; i < caches->levels.n; i++) {
		uint32_t this_level = caches->levels.data[i];

		if (this_level == level)
			pd_bytes_put(out, base_intern_bytes(&caches->bodies, i),
				base_intern_len(&caches->bodies, i));
		else if (this_level > level && this_level < next)
			next = this_level;
	}
	return next;
}

bool cap_feature_cache(struct cap_machine *machine, struct pd_bytes *out)
{
	uint32_t n_cpus = cpus_present(machine);
	struct caches caches = { 0 };
	const uint32_t version = 1;

	for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
		add_caches(machine, cpu, &caches);
	size_t n = caches.levels.n;
	pd_bytes_u32(out, version);
	pd_bytes_u32(out, (uint32_t)n);
	/* perf sorts caches by level. */
	for (uint32_t level = 0; level != UINT32_MAX;)
		level = encode_level(&caches, level, out);
	base_intern_deinit(&caches.bodies);
	pd_vec_deinit(&caches.levels);
	return n;
}

/* PMUs. */

#define DEVICES "/sys/bus/event_source/devices"

static const char devices[] = DEVICES;
static const char cpu_caps[] = DEVICES "/cpu/caps";

/* Append the element for the directory entry @p name. False if it has none. */
typedef bool encode_entry(struct cap_machine *machine, const char *name, struct pd_bytes *out);

/* Encode the entries of the directory @p path. Returns the number of elements. */
static uint32_t encode_dir(
	struct cap_machine *machine, const char *path, encode_entry *encode, struct pd_bytes *out)
{
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(machine, "%s", path);
	struct dirent *entry;
	uint32_t n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.' && encode(machine, entry->d_name, out);
	return n;
}

static bool encode_mapping(struct cap_machine *machine, const char *name, struct pd_bytes *out)
{
	struct pd_pmu_mapping pmu = { .name = cap_feature_str(name) };
	uint64_t type;

	if (!cap_machine_number(machine, 10, &type, "%s/%s/type", devices, name))
		return false;
	pmu.type = (uint32_t)type;
	cap_encode(&pd_layout_pmu_mapping, &pmu, out);
	return true;
}

bool cap_feature_pmu_mappings(struct cap_machine *machine, struct pd_bytes *out)
{
	struct pd_bytes pmus = { 0 };
	uint32_t n = encode_dir(machine, devices, encode_mapping, &pmus);
	const struct pd_pmu_mappings body = { .nr = n, .pmus = cap_list(&pmus, n) };

	cap_encode(&pd_layout_pmu_mappings, &body, out);
	out->failed |= pmus.failed;
	pd_bytes_deinit(&pmus);
	return n;
}

/* A capability of the processor's PMU as name and value. */
static bool encode_cap(struct cap_machine *machine, const char *name, struct pd_bytes *out)
{
	_cleanup_free_ char *value = cap_machine_line(machine, "%s/%s", cpu_caps, name);
	const struct pd_cpu_pmu_cap cap = {
		.name = cap_feature_str(name),
		.value = cap_feature_str(value ? value : ""),
	};

	if (value)
		cap_encode(&pd_layout_cpu_pmu_cap, &cap, out);
	return value;
}

bool cap_feature_cpu_pmu_caps(struct cap_machine *machine, struct pd_bytes *out)
{
	struct pd_bytes caps = { 0 };
	uint32_t n = encode_dir(machine, cpu_caps, encode_cap, &caps);
	const struct pd_cpu_pmu_caps body = { .nr = n, .caps = cap_list(&caps, n) };

	cap_encode(&pd_layout_cpu_pmu_caps, &body, out);
	out->failed |= caps.failed;
	pd_bytes_deinit(&caps);
	return n;
}

/* Hybrid machines have a PMU for each kind of core, "cpu_core" and "cpu_atom". */
static bool encode_hybrid(struct cap_machine *machine, const char *name, struct pd_bytes *out)
{
	static const char prefix[] = "cpu_";
	bool may_be = strncmp(name, prefix, strlen(prefix)) == 0;
	_cleanup_free_ char *cpus =
		may_be ? cap_machine_line(machine, "%s/%s/cpus", devices, name) : NULL;
	const struct pd_hybrid_pmu pmu = {
		.pmu_name = cap_feature_str(name),
		.cpus = cap_feature_str(cpus ? cpus : ""),
	};

	if (cpus)
		cap_encode(&pd_layout_hybrid_pmu, &pmu, out);
	return cpus;
}

bool cap_feature_hybrid_topology(struct cap_machine *machine, struct pd_bytes *out)
{
	struct pd_bytes pmus = { 0 };
	uint32_t n = encode_dir(machine, devices, encode_hybrid, &pmus);
	const struct pd_hybrid_topology body = { .nr = n, .pmus = cap_list(&pmus, n) };

	cap_encode(&pd_layout_hybrid_topology, &body, out);
	out->failed |= pmus.failed;
	pd_bytes_deinit(&pmus);
	return n;
}
