/**
 * @file The binaries of a recording, opened when the first frame falls into them.
 *
 * Joins what parse/ knows of a mapping, what symbolize/ finds for it and what unwind/ needs of it.
 */
#ifndef PD_RESOLVE_BINARIES_H
#define PD_RESOLVE_BINARIES_H

#include <pdconv/error.h>

#include "base/arch.h"
#include "parse/space.h"
#include "profile/ids.h"
#include "symbolize/binary.h"
#include "unwind/unwind.h"

/** A binary that a mapping refers to. Addresses of its frames are those of out_binary_addr. */
struct resolve_binary {
	const struct pd_dso *dso;
	/** Never NULL; its status says whether it was found. */
	struct sym_binary *symbols;
	struct unw_cfi *cfi;
	/** It is generated code: addresses are offsets in its dump. NULL: it is not. */
	const struct pd_jit *jit;
	/**
	 * It is generated code, of which this perf-PID.map tells: process addresses. NULL: it is
	 * not.
	 */
	const char *perf_map;
	/**
	 * The lowest segment that was mapped. Changes while others walk: resolve_binaries_segment.
	 */
	struct sym_segment segment;
	bool has_segment;
	/** Refers to nothing before the binary is in the profile. */
	struct prof_binary_id profile_id;
};

/** Whether it is generated code that its program told of. */
static inline bool resolve_binary_is_generated(const struct resolve_binary *binary)
{
	return binary->jit || binary->perf_map;
}

/** A mapping of a binary, as the unwinder sees it. */
struct resolve_module {
	struct unw_module unw;
	struct resolve_binary *binary;
	/** Of its start in what is mapped, bytes. */
	uint64_t pgoff;
};

/** A snapshot, as the unwinder sees it. */
struct resolve_space {
	struct unw_space unw;
	struct resolve_binaries *binaries;
	/** Borrowed: outlives it. */
	struct pd_maps *maps;
};

struct resolve_binaries;

/** @p search is borrowed and outlives the result. */
struct pd_error *resolve_binaries_create(
	const struct sym_search *search, struct resolve_binaries **ret) pd_must_check;
void resolve_binaries_destroy(struct resolve_binaries *binaries);

/** How @p binaries answers for @p maps. */
struct resolve_space resolve_space_init(struct resolve_binaries *binaries, struct pd_maps *maps);

/**
 * Let what @p jit (borrowed) tells of be found in snapshots that have it; it is called after
 * process
 * @p pid. Errors: no memory.
 */
struct pd_error *resolve_binaries_add_jit(
	struct resolve_binaries *binaries, const struct pd_jit *jit, uint32_t pid) pd_must_check;

/**
 * The module at the process address @p addr of @p maps, opened if it was not. Not finding any is no
 * error: *ret is NULL. From any thread. Lives as long as the binaries. Errors: no memory.
 */
struct pd_error *resolve_binaries_find(struct resolve_binaries *binaries,
	const struct pd_maps *maps, uint64_t addr, const struct resolve_module **ret) pd_must_check;

/** The lowest segment of @p binary that has been looked into; all 0 if it has none. */
struct sym_segment resolve_binaries_segment(
	struct resolve_binaries *binaries, const struct resolve_binary *binary);

/** Where the process address @p addr is: vaddr if the file was found, else its offset there. */
uint64_t resolve_module_addr(const struct resolve_module *module, uint64_t addr);

/**
 * Where the process address @p addr is in @p binary, bytes, by the mappings that were looked into:
 * of what has no file, whose frames hold process addresses. False if it is in none of them.
 */
bool resolve_binaries_offset(const struct resolve_binaries *binaries,
	const struct resolve_binary *binary, uint64_t addr, uint64_t *ret);

size_t resolve_binaries_n(const struct resolve_binaries *binaries);
struct resolve_binary *resolve_binaries_get(const struct resolve_binaries *binaries, size_t i);

#endif
