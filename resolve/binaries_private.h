/**
 * @file Shared parts of the binaries: resolve/binaries.c opens files, resolve/binaries_generated.c
 * describes generated code. Private to resolve/binaries*.c.
 *
 * All functions are called with the lock held.
 */
#ifndef PD_RESOLVE_BINARIES_PRIVATE_H
#define PD_RESOLVE_BINARIES_PRIVATE_H

#include <pthread.h>

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/map.h"
#include "resolve/binaries.h"

/** Name for generated code and the kernel, which are not looked for as files. No file has it. */
#define BINARIES_NO_FILE "//none"

/** Generated code of a jitdump. */
struct jit {
	const struct pd_jit *jit;
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
	struct pd_arena arena;
	PD_VEC(struct resolve_binary *) list;
	/** Binaries by pd_dso.id and modules by pd_mapping.id; NULL if not opened yet. */
	PD_VEC(struct resolve_binary *) by_dso;
	PD_VEC(struct resolve_module *) by_mapping;
	PD_VEC(struct jit) jits;
	/** Map from the address of a struct pd_jit to its index in jits. */
	struct pd_map jit_numbers;
	/**
	 * Binary of the perf-PID.map by process id, as a pointer; 0 if the process has no such
	 * file. If maps are followed, each kind of memory of the process has a binary.
	 */
	struct pd_map perf_maps;
	bool follows_maps;
	/** Binaries of libraries in packages, as pointers, by package and offset of the library. */
	struct pd_map in_packages;
	/** Searches in packages that were made. */
	unsigned n_searched;
	/** Generated code, for the unwinder. */
	PD_VEC(struct unw_binary *) generated_unwinds;
};

/** Create a binary that is not opened yet. NULL: memory ran out. */
struct resolve_binary *binaries_add(struct resolve_binaries *binaries, const struct pd_dso *dso);

/** Create the binary @p name for generated code of process @p pid. NULL: memory ran out. */
struct resolve_binary *binaries_add_generated(
	struct resolve_binaries *binaries, const char *name, uint32_t pid);

/**
 * Look at the file of binary->live if it is time for that, and read it if it has changed. Set @p
 * is_missing if the map lacks what was looked for. Errors: no memory.
 */
struct pd_error *binaries_follow_map(struct resolve_binaries *binaries,
	struct resolve_binary *binary, bool is_missing) pd_must_check;

/**
 * Find the module of the code at the process address @p addr, if the map of @p binary names code
 * that is known by its name. *ret is NULL if it does not. Errors: no memory.
 */
struct pd_error *binaries_get_known_code(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct resolve_module **ret) pd_must_check;

/**
 * Find the perf-PID.map that may describe code in @p mapping. *ret is NULL if there is none.
 * Errors: no memory.
 */
struct pd_error *binaries_get_perf_map(struct resolve_binaries *binaries,
	const struct pd_mapping *mapping, struct resolve_binary **ret) pd_must_check;
/**
 * Like binaries_get_perf_map(), for @p mapping of a file that is not a known binary. *ret is NULL
 * if the map has no code there.
 */
struct pd_error *binaries_get_file_map(struct resolve_binaries *binaries,
	const struct pd_mapping *mapping, struct resolve_binary **ret) pd_must_check;

/**
 * Find the module of the code at @p addr in the jitdump of @p maps. *ret is NULL if there is none.
 * Errors: no memory.
 */
struct pd_error *binaries_get_jit(struct resolve_binaries *binaries, const struct pd_maps *maps,
	uint64_t addr, struct resolve_module **ret) pd_must_check;

#endif
