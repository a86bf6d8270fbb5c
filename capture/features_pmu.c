/* Features about PMUs. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/features_private.h"

static const char devices[] = "/sys/bus/event_source/devices";

bool cap_feature_pmu_mappings(
	struct cap_machine *machine, const struct cap_about *about, struct pd_bytes *out)
{
	DIR *dir = cap_machine_dir(machine, "%s", devices);
	struct pd_bytes pmus = { 0 };
	struct dirent *entry;
	uint32_t n = 0;

	(void)about;
	while (dir && (entry = readdir(dir))) {
		struct pd_pmu_mapping pmu = { .name = cap_feature_str(entry->d_name) };
		uint64_t type;

		if (entry->d_name[0] == '.' || !cap_machine_number(machine, 10, &type, "%s/%s/type",
						       devices, entry->d_name))
			continue;
		pmu.type = (uint32_t)type;
		cap_encode(&pd_layout_pmu_mapping, &pmu, &pmus);
		n++;
	}
	if (dir)
		closedir(dir);
	const struct pd_pmu_mappings body = { .nr = n, .pmus = cap_list(&pmus, n) };
	cap_encode(&pd_layout_pmu_mappings, &body, out);
	out->failed |= pmus.failed;
	pd_bytes_deinit(&pmus);
	return n;
}

/* What the PMU @p name can do, as pairs of texts; how many. */
static uint32_t encode_caps(struct cap_machine *machine, const char *name, struct pd_bytes *out)
{
	DIR *dir = cap_machine_dir(machine, "%s/%s/caps", devices, name);
	struct dirent *entry;
	uint32_t n = 0;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *value = entry->d_name[0] == '.'
						     ? NULL
						     : cap_machine_line(machine, "%s/%s/caps/%s",
							       devices, name, entry->d_name);
		if (!value)
			continue;
		const struct pd_cpu_pmu_cap cap = {
			.name = cap_feature_str(entry->d_name),
			.value = cap_feature_str(value),
		};
		cap_encode(&pd_layout_cpu_pmu_cap, &cap, out);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

bool cap_feature_cpu_pmu_caps(
	struct cap_machine *machine, const struct cap_about *about, struct pd_bytes *out)
{
	struct pd_bytes caps = { 0 };
	uint32_t n = encode_caps(machine, "cpu", &caps);
	const struct pd_cpu_pmu_caps body = { .nr = n, .caps = cap_list(&caps, n) };

	(void)about;
	cap_encode(&pd_layout_cpu_pmu_caps, &body, out);
	out->failed |= caps.failed;
	pd_bytes_deinit(&caps);
	return n;
}

/* Machines with processors of several kinds have a PMU for each, "cpu_core" and "cpu_atom". */
bool cap_feature_hybrid_topology(
	struct cap_machine *machine, const struct cap_about *about, struct pd_bytes *out)
{
	static const char prefix[] = "cpu_";
	DIR *dir = cap_machine_dir(machine, "%s", devices);
	struct pd_bytes pmus = { 0 };
	struct dirent *entry;
	uint32_t n = 0;

	(void)about;
	while (dir && (entry = readdir(dir))) {
		bool may_be = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
		_cleanup_free_ char *cpus =
			may_be ? cap_machine_line(machine, "%s/%s/cpus", devices, entry->d_name)
			       : NULL;

		if (!cpus)
			continue;
		const struct pd_hybrid_pmu pmu = {
			.pmu_name = cap_feature_str(entry->d_name),
			.cpus = cap_feature_str(cpus),
		};
		cap_encode(&pd_layout_hybrid_pmu, &pmu, &pmus);
		n++;
	}
	if (dir)
		closedir(dir);
	const struct pd_hybrid_topology body = { .nr = n, .pmus = cap_list(&pmus, n) };
	cap_encode(&pd_layout_hybrid_topology, &body, out);
	out->failed |= pmus.failed;
	pd_bytes_deinit(&pmus);
	return n;
}
