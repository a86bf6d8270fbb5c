/**
 * @file The state of naming: the frames of each binary, and what names them.
 */
#ifndef PD_RESOLVE_NAMING_NAMING_STATE_H
#define PD_RESOLVE_NAMING_NAMING_STATE_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "resolve/binaries/binaries.h"
#include "resolve/naming/naming.h"
#include "profile/profile.h"
#include "parse/space/space.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/kernel/module.h"
#include "symbolize/binary_names.h"
#include "symbolize/code_list.h"

/** The frames of one binary, and their names before they are entered in the profile. */
struct naming_job {
	struct resolve_binary *binary;
	/** Frames by ascending address. Several frames can have the same address. */
	PD_VEC(struct prof_frame_id) frames;
	/** Distinct ascending addresses, and the index of the address of each frame. */
	uint64_t *addrs;
	size_t n_addrs;
	uint32_t *addr_of_frame;
	/** Names by address. */
	struct sym_names *names;
	/** Names of data by address; NULL if no frame is of data. */
	struct sym_names *data_names;
	bool has_data;
	/** Addresses in generated code with a name, and those that had other code earlier. */
	size_t n_generated;
	size_t n_reused;
	/** Code of the functions, and its names; NULL: not requested. */
	struct sym_code_list code;
	struct sym_names *code_names;
	/** Values of prof_function.made_size by address; NULL: all functions have symbols. */
	uint32_t *made_sizes;
	/** Memory of names and of what they point to. */
	struct base_arena arena;
	struct pd_error *err;
	/** Limits that were reached outside of binaries. */
	struct base_limit_set limits;
	/**
	 * Symbols of the kernel module; NULL if the binary is not a module or was not looked for.
	 */
	struct sym_module *module;
};

/** A function of the profile, and the texts that it came from. Zeroed: none. */
struct naming_function {
	const char *function;
	const char *linkage;
	const char *file;
	const char *decl_file;
	uint32_t start_line;
	struct prof_binary_id binary;
	struct prof_function_id id;
};

enum { NAMING_RECENT = 64 };

struct naming {
	const struct pd_file *file;
	struct profile *profile;
	struct resolve_binaries *binaries;
	const struct resolve_naming_opts *opts;
	/** Symbols of the kernel; NULL without kernel frames. */
	struct sym_kernel *kernel;
	/** BPF programs; NULL without kernel frames. */
	struct parse_bpf *bpf;
	/** Facts about the kernel, and its image in them, which is NULL if it was not recorded. */
	const struct parse_kernel *kernel_facts;
	const struct parse_dso *kernel_dso;
	/** Mappings of the kernel at the end of the recording. */
	const struct parse_maps *kernel_maps;
	/** Error of opening the kernel; NULL: none. */
	struct pd_error *kernel_err;
	/** Jobs by binary id. */
	struct naming_job *jobs;
	size_t n_jobs;
	/** Functions that were found last. */
	struct naming_function recent[NAMING_RECENT];
};

/** Set @p name (borrowed) of the code at @p start as the only name of address @p i of the job. */
struct pd_error *naming_set(
	struct naming_job *job, size_t i, const char *name, uint64_t start) pd_must_check;

#endif
