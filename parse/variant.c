/*
 * Functions that select the layout of `as` fields by the fields before them: see pdconv/layout.h.
 */
#include "parse/layout_private.h"

#include <stddef.h>

#include <pdconv/feature.h>

const struct pd_layout *pd_select_auxtrace_info(const void *body, struct pd_view bytes)
{
	const struct pd_auxtrace_info *info = body;
	enum { INTEL_PT = 1, INTEL_BTS = 2 };

	if (info->trace_type == INTEL_PT && bytes.n >= 16 * 8)
		return &pd_layout_intel_pt_info;
	if (info->trace_type == INTEL_BTS && bytes.n >= 6 * 8)
		return &pd_layout_intel_bts_info;
	return &pd_layout_auxtrace_words;
}

/* Select by fmt, if the record is long enough for that format. */
const struct pd_layout *pd_select_auxtrace_error(const void *body, struct pd_view bytes)
{
	const struct pd_auxtrace_error *error = body;

	if (error->fmt >= 2 && bytes.n >= 8 + 64 + 8)
		return &pd_layout_auxtrace_error_2;
	return error->fmt ? &pd_layout_auxtrace_error_1 : &pd_layout_auxtrace_error_0;
}

const struct pd_layout *pd_select_cpu_map(const void *body, struct pd_view bytes)
{
	const struct pd_cpu_map *map = body;
	struct pd_cursor c = pd_view_cursor(&bytes);
	enum { CPUS, MASK, RANGE };

	switch (map->map_type) {
	case CPUS:
		return &pd_layout_cpu_map_cpus;
	case MASK:
		pd_cursor_u16(&c); /* nr */
		return pd_cursor_u16(&c) == 4 ? &pd_layout_cpu_map_mask32
					      : &pd_layout_cpu_map_mask64;
	case RANGE:
		return &pd_layout_cpu_map_range;
	default:
		return NULL;
	}
}

const struct pd_layout *pd_select_event_update(const void *body, struct pd_view bytes)
{
	static const struct pd_layout *const by_type[] = {
		[PD_EVENT_UPDATE_UNIT] = &pd_layout_event_update_unit,
		[PD_EVENT_UPDATE_SCALE] = &pd_layout_event_update_scale,
		[PD_EVENT_UPDATE_NAME] = &pd_layout_event_update_name,
		[PD_EVENT_UPDATE_CPUS] = &pd_layout_cpu_map,
	};
	const struct pd_event_update *update = body;

	(void)bytes;
	return update->update_type <= PD_EVENT_UPDATE_CPUS ? by_type[update->update_type] : NULL;
}

const struct pd_layout *pd_select_schedstat_domain(const void *body, struct pd_view bytes)
{
	const struct pd_schedstat_domain *domain = body;

	(void)bytes;
	switch (domain->version) {
	case 15:
		return &pd_layout_schedstat_domain_v15;
	case 16:
		return &pd_layout_schedstat_domain_v16;
	case 17:
		return &pd_layout_schedstat_domain_v17;
	default:
		return NULL;
	}
}

/* An empty body marks the end of the features; its bit may be that of a feature in a later perf. */
const struct pd_layout *pd_select_feature(const void *body, struct pd_view bytes)
{
	const struct pd_header_feature *feature = body;

	if (bytes.data && !bytes.n)
		return NULL;
	return feature->feat_id < PD_N_FEATURE_BITS ? pd_feature_layout((unsigned)feature->feat_id)
						    : NULL;
}

/* simpleperf omits the count. Entries have two words, so a count makes the number of words odd. */
const struct pd_layout *pd_select_auxtrace_index(const void *body, struct pd_view bytes)
{
	(void)body;
	return bytes.n / 8 % 2 ? &pd_layout_auxtrace_index : &pd_layout_auxtrace_index_bare;
}

const struct pd_layout *pd_select_bpf_prog_info(const void *body, struct pd_view bytes)
{
	(void)body, (void)bytes;
	return &pd_layout_bpf_prog_info;
}

const struct pd_layout *pd_select_cpu_domains(const void *body, struct pd_view bytes)
{
	const struct pd_cpu_domain_info *info = body;
	enum { FIRST_WITH_NAMES = 17 };

	(void)bytes;
	return info->schedstat_version >= FIRST_WITH_NAMES ? &pd_layout_cpus_domains_v17
							   : &pd_layout_cpus_domains_v15;
}

const struct pd_layout *pd_select_simpleperf_file(const void *body, struct pd_view bytes)
{
	(void)body, (void)bytes;
	return &pd_layout_simpleperf_file;
}
