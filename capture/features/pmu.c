/* Features that describe PMUs. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/features/private.h"

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
