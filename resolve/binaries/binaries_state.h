/**
 * @file The state of the binaries. Functions that take it are called with the lock held.
 */
#ifndef PD_RESOLVE_BINARIES_BINARIES_STATE_H
#define PD_RESOLVE_BINARIES_BINARIES_STATE_H

#include <pthread.h>

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/containers/map.h"
#include "resolve/binaries/binaries.h"

/** Name for generated code and the kernel, which are not looked for as files. No file has it. */
#define BINARIES_NO_FILE "//none"

/** Generated code of a jitdump. */
struct jit {
	const struct parse_jit *jit;
	/** Architecture of the code; NULL: its call frame information cannot be used. */
	const struct pd_arch *arch;
	struct resolve_binary *binary;
	/** Modules by number of the code; NULL if not opened yet. */
	struct resolve_module **modules;
};

struct resolve_binaries {
	/** Architecture of the recording, or NULL. */
	const struct pd_arch *arch;
	const struct sym_search *search;
	/**
	 * Protects the members below. Walkers cache what they find, so it is only taken when a
	 * program counter is looked up for the first time.
	 */
	pthread_mutex_t lock;
	struct base_arena arena;
	PD_VEC(struct resolve_binary *) list;
	/** Binaries by parse_dso.id and modules by parse_mapping.id; NULL if not opened yet. */
	PD_VEC(struct resolve_binary *) by_dso;
	PD_VEC(struct resolve_module *) by_mapping;
	PD_VEC(struct jit) jits;
	/** Map from the address of a struct parse_jit to its index in jits. */
	struct base_map jit_numbers;
	/**
	 * Binary of the perf-PID.map by process id, as a pointer; 0 if the process has no such
	 * file. If maps are followed, each kind of memory of the process has a binary.
	 */
	struct base_map perf_maps;
	bool follows_maps;
	/** Binaries of libraries in packages, as pointers, by package and offset of the library. */
	struct base_map in_packages;
	/** Searches in packages that were made. */
	unsigned n_searched;
	/** Generated code, for the unwinder. */
	PD_VEC(struct unw_binary *) generated_unwinds;
};

/** Create a binary that is not opened yet. NULL: memory ran out. */
struct resolve_binary *binaries_add(struct resolve_binaries *binaries, const struct parse_dso *dso);

#endif
