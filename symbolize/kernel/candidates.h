/**
 * @file Candidates for the files of a recorded kernel: its vmlinux, its kallsyms, its modules.
 * Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_CANDIDATES_H
#define PD_SYMBOLIZE_KERNEL_CANDIDATES_H

#include <stdbool.h>

#include "symbolize/find/file_search.h"

enum sym_kernel_file { SYM_KERNEL_VMLINUX, SYM_KERNEL_KALLSYMS, SYM_KERNEL_MODULE };

/**
 * Facts that paths are made of. NULL, "" and len 0 mean that one is not known; candidates that need
 * it are left out.
 */
struct sym_kernel_facts {
	/** Release, as printed by `uname -r`. */
	const char *release;
	struct pd_build_id build_id;
	/** Path of a module as recorded: "/lib/modules/6.1.0/kernel/net/x.ko.xz". */
	const char *path;
};

/** File that may be the one that is searched for. */
struct sym_kernel_candidate {
	const char *path;
	enum sym_search_path search_path;
	/** The path contains the build id, or the file comes with the recording. */
	bool has_id;
};

/** Called for each candidate, best first. Returns true to stop. */
typedef bool sym_kernel_candidate_fn(void *ctx, const struct sym_kernel_candidate *candidate);

/**
 * Part of @p message after the path @p path, with which it may begin. Attempts are shown with their
 * path anyway.
 */
const char *sym_kernel_without_path(const char *message, const char *path);

/**
 * Call @p fn for the candidates for @p file: first those by build id, then those in directories
 * that @p search names, then those of this machine unless symfs is set, and those of debuginfod
 * last.
 */
void sym_kernel_each_candidate(const struct sym_search *search, enum sym_kernel_file file,
	const struct sym_kernel_facts *facts, sym_kernel_candidate_fn *fn, void *ctx);

/** Length of a module's @p path without the suffix of a compressor such as ".xz". */
size_t sym_module_path_len(const char *path);

#endif
