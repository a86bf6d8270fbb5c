/**
 * @file Files that were tried for the binaries of a profile.
 */
#ifndef PD_INSPECT_INFO_BINARIES_H
#define PD_INSPECT_INFO_BINARIES_H

#include <stdio.h>

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Write which files were tried for each binary of @p profile, which was built with
 * resolve_opts.list_files. Binaries with the most samples come first. Errors: NOMEM.
 */
struct pd_error *inspect_info_binaries_text(const struct profile *profile, FILE *out) pd_must_check;
/** Like inspect_info_binaries_text(), as JSON. */
struct pd_error *inspect_info_binaries_json(const struct profile *profile, FILE *out) pd_must_check;

#endif
