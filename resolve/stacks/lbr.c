#include "resolve/stacks/lbr.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/feature.h>

#include "parse/open_file.h"

bool resolve_lbr_has_calls(const struct pd_event *event, const struct pd_sample *sample)
{
	return event->attr.branch_sample_type & PD_BRANCH_CALL_STACK &&
	       sample->branch_stack.entries.n;
}

/* Find "branches" in the capabilities of a PMU. */
static uint64_t find_branches(const struct pd_file *file, const struct pd_list *caps)
{
	struct pd_list_iter it = pd_list_iter(caps, &file->env);
	struct pd_cpu_pmu_cap cap;

	while (pd_list_next(&it, &pd_layout_cpu_pmu_cap, &cap)) {
		char digits[16] = "";

		if (cap.name.len != strlen("branches") ||
			memcmp(cap.name.s, "branches", cap.name.len) != 0)
			continue;
		memcpy(digits, cap.value.s,
			cap.value.len < sizeof(digits) ? cap.value.len : sizeof(digits) - 1);
		return strtoull(digits, NULL, 10);
	}
	return 0;
}

static uint64_t depth_of_pmus(const struct pd_file *file, const struct pd_pmu_caps *caps)
{
	struct pd_list_iter it = pd_list_iter(&caps->pmus, &file->env);
	struct pd_pmu_caps_entry pmu;
	uint64_t depth = 0;

	while (pd_list_next(&it, &pd_layout_pmu_caps_entry, &pmu)) {
		uint64_t branches = find_branches(file, &pmu.caps);

		/*
		 * For hybrid processors use the smaller number: a full buffer must not be missed.
		 */
		if (branches && (!depth || branches < depth))
			depth = branches;
	}
	return depth;
}

uint64_t resolve_lbr_depth(const struct pd_file *file)
{
	struct pd_cpu_pmu_caps caps;
	struct pd_pmu_caps all;

	if (pd_file_feature(file, PD_FEATURE_CPU_PMU_CAPS, &caps)) {
		uint64_t depth = find_branches(file, &caps.caps);

		if (depth)
			return depth;
	}
	return pd_file_feature(file, PD_FEATURE_PMU_CAPS, &all) ? depth_of_pmus(file, &all) : 0;
}

bool resolve_lbr_is_full(const struct pd_sample *sample, uint64_t depth)
{
	/* Without capabilities in the recording, assume the numbers of common processors. */
	enum { HASWELL_DEPTH = 16, SKYLAKE_DEPTH = 32 };
	uint64_t n = sample->branch_stack.entries.n;

	return depth ? n >= depth : n == HASWELL_DEPTH || n == SKYLAKE_DEPTH;
}
