/**
 * @file Naming of all code of the functions that frames are in: profile.code.
 */
#ifndef PD_RESOLVE_NAMING_NAMING_CODE_H
#define PD_RESOLVE_NAMING_NAMING_CODE_H

#include "resolve/naming/naming_state.h"

/**
 * List and name the code of the functions of the job, whose addresses have names. For one job at a
 * time in a thread. Errors: NOMEM.
 */
struct pd_error *naming_list_code(
	const struct naming *naming, struct naming_job *job) pd_must_check;

#endif
