/**
 * @file Labels: names and values by which recordings are put into folders, "service=api".
 *
 * A rule "service={dir2}-{arch}" makes the value from parts of the path and from the recording.
 * Folders are those of Hive partitions, which engines read as columns:
 *
 *     date=2026-11-26/service=api
 */
#ifndef PD_BATCH_LABELS_H
#define PD_BATCH_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "batch/label_defs.h"

enum bat_variable {
#define BAT_VARIABLE(name, ...) BAT_##name,
	BAT_VARIABLES(BAT_VARIABLE)
#undef BAT_VARIABLE
		BAT_N_VARIABLES,
};

/** Most bytes of the value of a label as it is in a path: a file name has at most 255. */
enum { BAT_MAX_VALUE = 200 };

struct bat_label {
	/** Letters, digits and "_". Owned. */
	char *name;
	/** Text with variables in braces. Borrowed. */
	const char *rule;
};

/** Labels in the order of their folders. Zero-initialise. */
struct bat_labels {
	PD_VEC(struct bat_label) items;
};

/** Values of variables for a recording. Borrowed. */
struct bat_facts {
	/** Path of the recording as it was given. */
	const char *path;
	/** Value of each variable; NULL: not known, and "{name}" stays; "": there is none. */
	const char *values[BAT_N_VARIABLES];
};

/**
 * Add the label "NAME=RULE", in place of an older one of that name. @p text is borrowed. Errors:
 * USAGE, it is not a rule; NOMEM.
 */
struct pd_error *bat_labels_add(struct bat_labels *labels, const char *text) pd_must_check;
void bat_labels_deinit(struct bat_labels *labels);

/** Whether a label depends on the path, so that copies of a recording may have other labels. */
bool bat_labels_use_path(const struct bat_labels *labels);

/** Write the value of @p label. */
void bat_label_write(const struct bat_label *label, const struct bat_facts *facts, FILE *out);

/**
 * Return the folders of a recording, "date=2026-11-26/service=api", in *@p ret, which is allocated.
 * Characters with a meaning in paths are written as %XX, and a value that is empty as
 * __HIVE_DEFAULT_PARTITION__, which engines read as NULL. Errors: FORMAT, a value has more than
 * BAT_MAX_VALUE bytes; NOMEM.
 */
struct pd_error *bat_labels_path(
	const struct bat_labels *labels, const struct bat_facts *facts, char **ret) pd_must_check;

/** Name of a variable, without braces. */
const char *bat_variable_name(enum bat_variable variable);

#endif
