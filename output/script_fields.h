/**
 * @file Fields of the script format: their list, and the selection of those that it prints for each
 * kind of events.
 */
#ifndef PD_OUTPUT_SCRIPT_FIELDS_H
#define PD_OUTPUT_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/format_opts.h>

#include "profile/profile.h"
#include "output/script_field_defs.h"

/** Kinds of events. Each has its own selection of fields. */
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

/** Bit of a field in the masks of struct script_fields. */
#define SCRIPT_BIT(name) ((uint32_t)1 << SCRIPT_FIELD_##name)

/**
 * Name of field number @p i of the script format, or NULL after the last one. *@p help_ret explains
 * it. Static storage.
 */
const char *out_script_field(size_t i, const char **help_ret);

/** Print the help text about the fields of the script format to @p out. */
void out_script_help(FILE *out);

struct script_fields {
	/** Fields to print, indexed by kind: SCRIPT_BIT of each. */
	uint32_t shown[SCRIPT_N_KINDS];
	/**
	 * Fields that were requested by name, indexed by kind. Samples without them are an error.
	 */
	uint32_t requested[SCRIPT_N_KINDS];
	/** Whether a field list was given for the kind; its defaults do not apply then. */
	bool is_chosen[SCRIPT_N_KINDS];
};

/** Parse the field lists of @p opts into @p ret. Errors: USAGE, a list is invalid. */
struct pd_error *script_fields_init(
	const struct pd_script_opts *opts, struct script_fields *ret) pd_must_check;

/**
 * Remove default fields that the samples of @p profile lack. Errors: USAGE, a field that was
 * requested by name is missing from the samples, or needs another field that is not printed.
 */
struct pd_error *script_fields_check(
	struct script_fields *fields, const struct profile *profile) pd_must_check;

/**
 * Return the parts of samples (PROF_FIELD_BIT of each) that must be kept as details, because fields
 * of @p kind print them and struct prof_row does not have them.
 */
uint32_t script_fields_details(const struct script_fields *fields, enum script_kind kind);

/** Return whether @p field is printed for any kind of events. */
bool script_fields_show(const struct script_fields *fields, enum script_field field);

/** Return the kind of `perf script -F` that events of @p kind belong to. */
enum script_kind script_kind_of(enum prof_event_kind kind);

/** Return the fields to print for samples of @p event: SCRIPT_BIT of each. */
static inline uint32_t script_fields_of(
	const struct script_fields *fields, const struct prof_event *event)
{
	return fields->shown[script_kind_of(event->kind)];
}

#endif
