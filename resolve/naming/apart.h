/**
 * @file Functions of a binary that have the same name: static functions of several files, overloads
 * whose parameters are not part of the name, and closures.
 *
 * They get a label each, which is shown instead of the name: "area(int)", "helper (a.cc)", or
 * "operator() (a.cc:6)".
 */
#ifndef PD_RESOLVE_NAMING_APART_H
#define PD_RESOLVE_NAMING_APART_H

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Set the labels of the functions of @p profile, whose frames are named. Call it again after
 * functions were added. Errors: NOMEM.
 */
struct pd_error *resolve_tell_apart(struct profile *profile) pd_must_check;

/** Set profile->pattern_names, again after functions were added. Errors: NOMEM. */
struct pd_error *resolve_add_pattern_names(struct profile *profile) pd_must_check;

#endif
