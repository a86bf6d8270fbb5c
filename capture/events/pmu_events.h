/**
 * @file Events of PMUs, and terms.
 */
#ifndef PD_CAPTURE_EVENTS_PMU_EVENTS_H
#define PD_CAPTURE_EVENTS_PMU_EVENTS_H

#include "capture/events/event_item.h"

/** Append the events of PMU/TERMS/. @p found_ret: the PMU exists. */
struct pd_error *cap_pmu_add(const struct cap_item *item, struct cap_word pmu,
	struct cap_word terms, bool *found_ret) pd_must_check;

/** Append an event for each PMU that has an event @p name. @p found_ret: there is one. */
struct pd_error *cap_pmu_add_named(
	const struct cap_item *item, struct cap_word name, bool *found_ret) pd_must_check;

/** Apply the terms of an event without a PMU, the last one of the list. */
struct pd_error *cap_terms_apply(const struct cap_item *item, struct cap_word terms) pd_must_check;

/**
 * Append a hardware or cache event with @p terms: one event, or on hybrid machines one for each
 * kind of core, named PMU/NAME/MODIFIERS.
 */
struct pd_error *cap_pmu_add_generic(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name, struct cap_word terms) pd_must_check;

#endif
