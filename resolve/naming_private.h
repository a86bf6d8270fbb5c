/**
 * @file What the files of naming share: resolve/naming.c deals out the frames, the others name
 * those of one kind. Private to output/.
 */
#ifndef PD_RESOLVE_NAMING_PRIVATE_H
#define PD_RESOLVE_NAMING_PRIVATE_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "resolve/binaries.h"
#include "resolve/resolve.h"
#include "resolve/naming.h"
#include "profile/profile.h"
#include "parse/space.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/kernel/module.h"
#include "symbolize/names.h"
#include "symbolize/perf_map.h"

/** The frames of one binary, and their names before they are entered in the profile. */
struct naming_job {
	struct resolve_binary *binary;
	/** Frame numbers by ascending address; several frames can have the same address. */
	PD_VEC(struct prof_frame_id) frames;
	/** Distinct addresses, ascending, and which one each frame has. */
	uint64_t *addrs;
	size_t n_addrs;
	uint32_t *addr_of_frame;
	/** One for each address. */
	struct sym_names *names;
	/** Of the names, and of what they point to. */
	struct pd_arena arena;
	struct pd_error *err;
	/** Of a kernel module; NULL: it is none, or was not looked for. */
	struct sym_module *module;
	/** Of generated code whose names are there; NULL: it is none. */
	struct sym_perf_map *perf_map;
};

struct naming {
	const struct pd_file *file;
	struct profile *profile;
	struct resolve_binaries *binaries;
	const struct resolve_opts *opts;
	/** NULL: there are no frames of the kernel. */
	struct sym_kernel *kernel;
	/** The same. */
	struct pd_bpf *bpf;
	/** The kernel's own image; NULL: it was not recorded. */
	const struct pd_dso *kernel_dso;
	/** At the end of the recording. */
	const struct pd_maps *kernel_maps;
	/** By the binary's number in the profile. */
	struct naming_job *jobs;
	size_t n_jobs;
};

/**
 * Make @p name, which it borrows, of code from @p start all that is known of the job's address @p
 * i.
 */
struct pd_error *naming_set(
	struct naming_job *job, size_t i, const char *name, uint64_t start) pd_must_check;

/** Find out what names there are for frames of the kernel, if there are such frames. */
struct pd_error *naming_open_kernel(
	struct naming *naming, const struct pd_kernel *kernel) pd_must_check;
/** Name frames of the kernel. For several jobs at the same time. */
struct pd_error *naming_of_kernel(
	const struct naming *naming, struct naming_job *job) pd_must_check;
/** Tell in the profile whether there are names for the frames of the kernel, or why not. */
struct pd_error *naming_note_kernel(
	struct naming *naming, const struct naming_job *job) pd_must_check;

/** Name generated code as its program did. */
struct pd_error *naming_of_generated(struct naming_job *job) pd_must_check;

#endif
