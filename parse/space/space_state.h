/**
 * @file State of the space, which space.c changes by records and long_space.c copies. Private to
 * these and to dso.c.
 */
#ifndef PD_PARSE_SPACE_STATE_H
#define PD_PARSE_SPACE_STATE_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "parse/space/region.h"
#include "parse/space/space.h"

/** Mappings of a process. */
struct parse_process {
	struct parse_maps *maps;
	/** Mappings of code and of data; NULL unless parse_space.keeps_data. */
	struct parse_maps *all_maps;
	/** Mappings of the program before the last exec; NULL if there was none. */
	struct parse_maps *replaced;
	/** The program, which is the first file whose code is mapped; NULL: not known yet. */
	const struct parse_dso *program;
};

/** See parse/space/space.h. */
struct parse_space {
	const struct pd_file *file;
	struct base_arena arena;
	/** Map from pid to struct parse_process *. */
	struct base_map processes;
	/** Map from pid << 32 | tid to struct parse_thread *. */
	struct base_map threads;
	/** Names of threads and of symbols. */
	struct base_intern names;
	/** Keys of the dsos, which have the same indexes. */
	struct base_intern dso_keys;
	PD_VEC(struct parse_dso *) dsos;
	struct parse_maps *kernel_maps;
	struct parse_kernel kernel;
	/**
	 * Mappings of parse_space_add_module(). They are in kernel_maps except where others were
	 * recorded.
	 */
	PD_VEC(const struct parse_mapping *) modules;
	/** Number of the file's build ids that were applied. */
	size_t n_build_ids;
	/**
	 * Map from a name and a cpumode to the last struct parse_dso * that has no build id yet.
	 */
	struct base_map unidentified;
	uint64_t next_maps_id;
	uint32_t next_mapping_id;
	/** Steps that are left: see spend_step(). */
	uint64_t n_steps;
	/** See parse_space_use_namesakes(); NULL: no files of one path are known. */
	const struct parse_namesakes *namesakes;
	/** See parse_space_keep_data(). */
	bool keeps_data;
	/** See parse_space_split_inodes(). */
	bool splits_inodes;
};

/** Return the process; NULL: it is not known. */
struct parse_process *parse_space_find_process(const struct parse_space *space, uint32_t pid);
/** Return the process, which is created if it is not known. NULL if out of memory. */
struct parse_process *parse_space_process(struct parse_space *space, uint32_t pid);

/** Create the mapping of @p region. NULL if out of memory, or if @p dso is NULL. */
const struct parse_mapping *parse_space_create_mapping(
	struct parse_space *space, const struct parse_region *region, const struct parse_dso *dso);

/**
 * Replace all mappings in [@p start, @p end) by @p mapping. If it is NULL, only remove them.
 * Errors: NOMEM.
 */
struct pd_error *parse_space_replace(struct parse_space *space, struct parse_maps **maps,
	uint64_t start, uint64_t end, const struct parse_mapping *mapping) pd_must_check;

#endif
