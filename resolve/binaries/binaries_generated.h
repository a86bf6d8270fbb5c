/**
 * @file Generated code: described by jitdumps, or named by perf-PID.map files. All functions are
 * called with the lock of the binaries held.
 */
#ifndef PD_RESOLVE_BINARIES_BINARIES_GENERATED_H
#define PD_RESOLVE_BINARIES_BINARIES_GENERATED_H

#include "resolve/binaries/binaries_state.h"

/** Create the binary @p name for generated code of process @p pid. NULL: memory ran out. */
struct resolve_binary *binaries_add_generated(
	struct resolve_binaries *binaries, const char *name, uint32_t pid);

/**
 * Look at the file of binary->live if it is time for that, and read it if it has changed. Set @p
 * is_missing if the map lacks what was looked for. Errors: NOMEM.
 */
struct pd_error *binaries_follow_map(struct resolve_binaries *binaries,
	struct resolve_binary *binary, bool is_missing) pd_must_check;

/**
 * Find the module of the code at the process address @p addr, if the map of @p binary names code
 * that is known by its name. *ret is NULL if it does not. Errors: NOMEM.
 */
struct pd_error *binaries_get_known_code(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct resolve_module **ret) pd_must_check;

/**
 * Find the perf-PID.map that may describe code in @p mapping. *ret is NULL if there is none.
 * Errors: NOMEM.
 */
struct pd_error *binaries_get_perf_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret) pd_must_check;

/**
 * Like binaries_get_perf_map(), for @p mapping of a file that is not a known binary. *ret is NULL
 * if the map has no code there.
 */
struct pd_error *binaries_get_file_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret) pd_must_check;

/**
 * Find the module of the code at @p addr in the jitdump of @p maps. *ret is NULL if there is none.
 * Errors: NOMEM.
 */
struct pd_error *binaries_get_jit(struct resolve_binaries *binaries, const struct parse_maps *maps,
	uint64_t addr, struct resolve_module **ret) pd_must_check;

#endif
