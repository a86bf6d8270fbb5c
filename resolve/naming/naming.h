/**
 * @file Naming of the frames of a profile. Every distinct address is looked up once.
 */
#ifndef PD_RESOLVE_NAMING_NAMING_H
#define PD_RESOLVE_NAMING_NAMING_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "base/pool.h"
#include "resolve/binaries/binaries.h"
#include "profile/profile.h"
#include "profile/request.h"
#include "parse/space/space.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/kernel/module.h"

/** Options of naming. All members are borrowed. */
struct resolve_naming_opts {
	const struct sym_search *search;
	const struct pd_name_opts *names;
	const struct sym_kernel_opts *kernel;
	/** Whether offsets of frames, and all code of their functions, are asked for. */
	const struct prof_request *request;
};

/**
 * Fill frame_lines, lines and functions of @p profile. Workers name binaries in parallel. Kernel
 * frames are named by the state of the kernel at the end of the recording, as in @p space and @p
 * file. Errors: NOMEM, and those of reading files that the options name.
 */
struct pd_error *resolve_name_frames(const struct pd_file *file, struct profile *profile,
	struct resolve_binaries *binaries, struct parse_space *space,
	const struct resolve_naming_opts *opts, struct base_pool *pool) pd_must_check;

#endif
