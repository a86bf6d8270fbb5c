/**
 * @file Naming the frames of the kernel and its modules.
 */
#ifndef PD_RESOLVE_NAMING_NAMING_KERNEL_H
#define PD_RESOLVE_NAMING_NAMING_KERNEL_H

#include "resolve/naming/naming_state.h"

/** Whether the frames of the job are of the kernel or one of its modules, and there are any. */
bool naming_is_of_kernel(const struct naming_job *job);
/** Open the symbols of the kernel if there are kernel frames. */
struct pd_error *naming_open_kernel(struct naming *naming) pd_must_check;
/** Name kernel frames after naming_open_kernel(). May be called for several jobs in parallel. */
struct pd_error *naming_of_kernel(
	const struct naming *naming, struct naming_job *job) pd_must_check;
/** Record in the profile whether kernel frames have names, or why not. */
struct pd_error *naming_note_kernel(
	struct naming *naming, const struct naming_job *job) pd_must_check;
/**
 * Return the start of the mapping of the kernel module at the end of the recording; 0 if it was
 * unloaded.
 */
uint64_t naming_module_start(const struct naming *naming, const struct naming_job *job);

/** Open the symbols of the recorded kernel, or of one of its modules. */
struct pd_error *resolve_open_kernel(const struct profile *profile,
	const struct parse_kernel *kernel, const struct sym_search *search,
	const struct sym_kernel_opts *opts, struct sym_kernel **ret) pd_must_check;
struct pd_error *resolve_open_module(const struct profile *profile, const struct parse_dso *dso,
	const struct sym_search *search, struct sym_module **ret) pd_must_check;

#endif
