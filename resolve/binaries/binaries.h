/**
 * @file Binaries of a recording, opened when the first frame in them is found.
 *
 * A binary joins the mapping (parse/), the file that was found for it (symbolize/) and its call
 * frame information (unwind/).
 */
#ifndef PD_RESOLVE_BINARIES_BINARIES_H
#define PD_RESOLVE_BINARIES_BINARIES_H

#include <pdconv/error.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/containers/map.h"
#include "parse/space/space.h"
#include "profile/ids.h"
#include "symbolize/binary.h"
#include "symbolize/perf_map.h"
#include "unwind/unwind.h"

/** How a perf-PID.map that its process may still write was last read. */
struct resolve_live_map {
	/** Process; 0: the map is not followed. */
	uint32_t pid;
	/** The file and its state at that time; ino 0: there was none. */
	uint64_t dev;
	uint64_t ino;
	int64_t size;
	int64_t mtime_ns;
	/** Time of the last look at it and earliest time of the next one: see base/clock.h. */
	double looked;
	double next;
};

/**
 * A binary that a mapping refers to. Addresses of its frames are those of resolve_module_addr().
 */
struct resolve_binary {
	const struct parse_dso *dso;
	/** Symbols; never NULL. Their status says whether the file was found. */
	struct sym_binary *symbols;
	/** The binary for the unwinder; NULL if it was not found or has nothing to unwind by. */
	struct unw_binary *unwind;
	/** Jitdump of generated code, whose addresses are offsets in the dump; else NULL. */
	const struct parse_jit *jit;
	/** Recorded path of that jitdump, borrowed; else NULL. */
	const char *jitdump;
	/**
	 * perf-PID.map of generated code, whose addresses are process addresses; else NULL. It may
	 * be replaced if it is followed: use resolve_binaries_generated_name() then.
	 */
	struct sym_perf_map *perf_map;
	/** Process of generated code, for its perf-PID.map. */
	uint32_t pid;
	struct resolve_live_map live;
	/** Modules of known code (known_code.h) by its process address, as pointers. */
	struct base_map known_code;
	/**
	 * Lowest mapped segment. It may change while workers unwind: read it by
	 * resolve_binaries_segment().
	 */
	struct sym_segment segment;
	bool has_segment;
	/** Modules of its mappings that have been used: a list by resolve_module.next. */
	struct resolve_module *modules;
	/** Mappings of these modules by address, see resolve_binary_index_offsets(). */
	struct parse_range_node *regions;
	/** Id in the profile. Refers to nothing before the binary was added. */
	struct prof_binary_id profile_id;
};

/**
 * Whether the binary is generated code that its program described in a jitdump or a perf-PID.map.
 */
static inline bool resolve_binary_is_generated(const struct resolve_binary *binary)
{
	return binary->jit || binary->perf_map;
}

/**
 * Prepare the unwinding of @p symbols, which outlives it. *ret is left alone if the file was not
 * found or has nothing to unwind by. Errors: NOMEM.
 */
struct pd_error *resolve_unwind_open(
	struct sym_binary *symbols, struct unw_binary **ret) pd_must_check;

/** A mapping of a binary, for the unwinder. */
struct resolve_module {
	struct unw_module unw;
	struct resolve_binary *binary;
	/** File offset of the start of the mapping, in bytes; in a package, that in the library. */
	uint64_t pgoff;
	/** Offset of a library in the package that is mapped, in bytes; else 0. */
	uint64_t in_package;
	/** Mapping of the module, and the next one of the binary; NULL for generated code. */
	const struct parse_mapping *mapping;
	struct resolve_module *next;
	/**
	 * Module of the rest of the mapping, from unw.end on, if another segment that is loaded
	 * elsewhere shares its pages; else NULL.
	 */
	struct resolve_module *rest;
};

/** A snapshot of the mappings of a process, for one unwind. */
struct resolve_space {
	struct unw_space unw;
	struct resolve_binaries *binaries;
	/** Borrowed; outlives the space. */
	struct parse_maps *maps;
	/**
	 * First error of a search, in which the unwinder took the address for not mapped. Then the
	 * result of the unwind is invalid, and so are new frames of the walker. The
	 * caller takes it.
	 */
	struct pd_error *err;
};

struct resolve_binaries;

/**
 * @p arch is the architecture of the recording, or NULL if it is unknown. @p search is borrowed and
 * outlives the result.
 */
struct pd_error *resolve_binaries_create(const struct pd_arch *arch,
	const struct sym_search *search, struct resolve_binaries **ret) pd_must_check;
void resolve_binaries_destroy(struct resolve_binaries *binaries);

/**
 * Read perf-PID.map files again when running processes have changed them. Must be called before
 * anything is looked up.
 */
void resolve_binaries_follow_maps(struct resolve_binaries *binaries);

/**
 * Find the name of the code at the process address @p addr in the perf-PID.map of @p binary, and
 * copy it to @p arena. *ret is NULL if there is none. Thread-safe. Errors: NOMEM.
 */
struct pd_error *resolve_binaries_generated_name(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct base_arena *arena,
	const char **ret) pd_must_check;

/** Check the files of all binaries like sym_binary_check(). Thread-safe. */
struct pd_error *resolve_binaries_check(struct resolve_binaries *binaries) pd_must_check;

/** Report the limits that unwinding has reached in each binary. No thread may be unwinding. */
void resolve_binaries_report_limits(const struct resolve_binaries *binaries);

/** Return the address space of @p maps, whose modules are found in @p binaries. */
struct resolve_space resolve_space_init(struct resolve_binaries *binaries, struct parse_maps *maps);

/**
 * Add generated code of @p jit, the jitdump @p path (both borrowed), which is found in snapshots
 * that refer to it. Its call frame information is that of @p arch; NULL: it is not used. The binary
 * is named after process @p pid. Errors: NOMEM.
 */
struct pd_error *resolve_binaries_add_jit(struct resolve_binaries *binaries,
	const struct parse_jit *jit, const char *path, const struct pd_arch *arch,
	uint32_t pid) pd_must_check;

/**
 * Find the module at the process address @p addr of @p maps, and open it if necessary. *ret is NULL
 * if nothing is mapped there. The module lives as long as the binaries. May be called from any
 * thread. Errors: NOMEM.
 */
struct pd_error *resolve_binaries_find(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr,
	const struct resolve_module **ret) pd_must_check;

/**
 * Find the module at the kernel address @p addr of @p maps, a snapshot of the kernel. Addresses
 * that are not mapped are in modules that were loaded after the recording began. They are
 * attributed to the kernel image, because kallsyms may have their symbols. Otherwise like
 * resolve_binaries_find().
 */
struct pd_error *resolve_binaries_find_kernel(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr,
	const struct resolve_module **ret) pd_must_check;

/** Find the module of @p mapping. Otherwise like resolve_binaries_find(). */
struct pd_error *resolve_binaries_module(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, const struct resolve_module **ret) pd_must_check;

/**
 * Find the module of the data at the process address @p addr of @p maps, which has mappings of
 * data. Memory after the mapping of a file belongs to the file's module if it is its .bss.
 * Otherwise like resolve_binaries_find().
 */
struct pd_error *resolve_binaries_find_data(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr,
	const struct resolve_module **ret) pd_must_check;

/** Return the lowest segment of @p binary that has been used; all 0 if there is none. */
struct sym_segment resolve_binaries_segment(
	struct resolve_binaries *binaries, const struct resolve_binary *binary);

/**
 * Convert a process address to a virtual address of the file if it was found, else to a file
 * offset.
 */
uint64_t resolve_module_addr(const struct resolve_module *module, uint64_t addr);

/**
 * Prepare resolve_binary_offset() for the mappings of @p binary that have been used, if it has no
 * file. No other thread may use the binary at the same time. Errors: NOMEM.
 */
struct pd_error *resolve_binary_index_offsets(struct resolve_binary *binary) pd_must_check;
/**
 * Convert the process address @p addr in @p binary to an offset in bytes. Needed for binaries
 * without a file, whose frames hold process addresses. Where mappings of several processes overlap,
 * the first one that was recorded decides. False if no mapping has the address.
 */
bool resolve_binary_offset(const struct resolve_binary *binary, uint64_t addr, uint64_t *ret);

size_t resolve_binaries_n(const struct resolve_binaries *binaries);
struct resolve_binary *resolve_binaries_get(const struct resolve_binaries *binaries, size_t i);

#endif
