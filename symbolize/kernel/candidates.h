/**
 * @file Where files of a recorded kernel may be: its vmlinux, its kallsyms, its modules. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_CANDIDATES_H
#define PD_SYMBOLIZE_KERNEL_CANDIDATES_H

#include <stdbool.h>

#include "symbolize/find/attempts.h"
#include "symbolize/find/search.h"

enum sym_kernel_file { SYM_KERNEL_VMLINUX, SYM_KERNEL_KALLSYMS, SYM_KERNEL_MODULE };

/** What paths are made of. NULL, "" and len 0: not known, and places that need it are left out. */
struct sym_kernel_facts {
	/** As `uname -r` prints it. */
	const char *release;
	struct pd_build_id build_id;
	/** Of a module, as recorded: "/lib/modules/6.1.0/kernel/net/x.ko.xz". */
	const char *path;
};

/** A file that may be what is looked for. */
struct sym_kernel_candidate {
	const char *path;
	enum sym_search_path search_path;
	/** Files are there by build id, or with the recording. */
	bool has_id;
};

/** Asked for each candidate, best first; true: go no further. */
typedef bool sym_kernel_candidate_fn(void *ctx, const struct sym_kernel_candidate *candidate);

/**
 * What is behind the path @p path in @p message, which may begin with it: what is to be said of a
 * candidate beside its path.
 */
const char *sym_kernel_without_path(const char *message, const char *path);

/**
 * Go through the places of @p file: those that go by build id first, then those in directories that
 * @p search names, then this machine's, unless there is a symfs; last, what debuginfod has.
 */
void sym_kernel_each_candidate(const struct sym_search *search, enum sym_kernel_file file,
	const struct sym_kernel_facts *facts, sym_kernel_candidate_fn *fn, void *ctx);

/** The length of a module's @p path without the suffix of a packer: ".xz". */
size_t sym_module_path_len(const char *path);

#endif
