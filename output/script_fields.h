/**
 * @file The fields of the format script: which are shown of which events. Private to output/script*.c.
 */
#ifndef PD_OUTPUT_SCRIPT_FIELDS_H
#define PD_OUTPUT_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "profile/profile.h"
#include "output/script.h"
#include "output/script_field_defs.h"

/** Kinds of events, by which fields are chosen. */
enum script_kind {
#define SCRIPT_KIND_ENUM(name, ...) SCRIPT_KIND_##name,
	SCRIPT_KINDS(SCRIPT_KIND_ENUM)
#undef SCRIPT_KIND_ENUM
		SCRIPT_N_KINDS,
};

enum script_field {
#define SCRIPT_FIELD_ENUM(name, ...) SCRIPT_FIELD_##name,
	SCRIPT_FIELDS(SCRIPT_FIELD_ENUM)
#undef SCRIPT_FIELD_ENUM
		SCRIPT_N_FIELDS,
};

/** A bit for each field. */
#define SCRIPT_BIT(name) ((uint32_t)1 << SCRIPT_FIELD_##name)

struct script_fields {
	/** What is shown of events of each kind. */
	uint32_t shown[SCRIPT_N_KINDS];
	/** What the user has asked for by name. */
	uint32_t asked[SCRIPT_N_KINDS];
	/** The user has chosen fields of that kind. */
	bool is_chosen[SCRIPT_N_KINDS];
};

/** Errors: USAGE. */
struct pd_error *script_fields_init(
	const struct out_script_opts *opts, struct script_fields *ret) pd_must_check;

/**
 * Leave out what the samples of @p profile lack. Errors: USAGE, it was asked for, or asked for without
 * what it belongs to.
 */
struct pd_error *script_fields_settle(
	struct script_fields *fields, const struct profile *profile) pd_must_check;

/** Fields that samples of events of @p kind are shown with and rows do not have: PROF_FIELD_BIT of each. */
uint32_t script_fields_details(const struct script_fields *fields, enum script_kind kind);

/** Whether @p field is shown of any event. */
bool script_fields_show(const struct script_fields *fields, enum script_field field);

/** The kind, in the words of `perf script -F`. */
enum script_kind script_kind_of(enum prof_event_kind kind);

/** What is shown of samples of @p event: SCRIPT_BIT of each field. */
static inline uint32_t script_fields_of(
	const struct script_fields *fields, const struct prof_event *event)
{
	return fields->shown[script_kind_of(event->kind)];
}

#endif
