/**
 * @file State of the space, which parse/space.c changes by records and parse/long_space.c copies.
 * Private to these and to parse/dso.c.
 */
#ifndef PD_PARSE_SPACE_STATE_H
#define PD_PARSE_SPACE_STATE_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "parse/space.h"

/** Mappings of a process. */
struct pd_process {
	struct pd_maps *maps;
	/** Mappings of code and of data; NULL unless pd_space.keeps_data. */
	struct pd_maps *all_maps;
	/** Mappings of the program before the last exec; NULL if there was none. */
	struct pd_maps *replaced;
	/** The program, which is the first file whose code is mapped; NULL: not known yet. */
	const struct pd_dso *program;
};

/** See parse/space.h. */
struct pd_space {
	const struct pd_file *file;
	struct pd_arena arena;
	/** Map from pid to struct pd_process *. */
	struct pd_map processes;
	/** Map from pid << 32 | tid to struct pd_thread *. */
	struct pd_map threads;
	/** Names of threads and of symbols. */
	struct pd_intern names;
	/** Keys of the dsos, which have the same indexes. */
	struct pd_intern dso_keys;
	PD_VEC(struct pd_dso *) dsos;
	struct pd_maps *kernel_maps;
	struct pd_kernel kernel;
	/**
	 * Mappings of pd_space_add_module(). They are in kernel_maps except where others were
	 * recorded.
	 */
	PD_VEC(const struct pd_mapping *) modules;
	/** Number of the file's build ids that were applied. */
	size_t n_build_ids;
	/** Map from a name and a cpumode to the last struct pd_dso * that has no build id yet. */
	struct pd_map unidentified;
	uint64_t next_maps_id;
	uint32_t next_mapping_id;
	/** Steps that are left: see spend_step(). */
	uint64_t n_steps;
	/** See pd_space_use_namesakes(); NULL: no files of one path are known. */
	const struct pd_namesakes *namesakes;
	/** See pd_space_keep_data(). */
	bool keeps_data;
	/** See pd_space_split_inodes(). */
	bool splits_inodes;
};

/** Common contents of MMAP and both forms of MMAP2. */
struct pd_region {
	uint32_t pid;
	uint32_t prot;
	uint32_t flags;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	const char *name;
	struct pd_build_id build_id;
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
};

/** Return the process; NULL: it is not known. */
struct pd_process *pd_space_find_process(const struct pd_space *space, uint32_t pid);
/** Return the process, which is created if it is not known. NULL if out of memory. */
struct pd_process *pd_space_process(struct pd_space *space, uint32_t pid);

/** Create the mapping of @p region. NULL if out of memory, or if @p dso is NULL. */
const struct pd_mapping *pd_space_create_mapping(
	struct pd_space *space, const struct pd_region *region, const struct pd_dso *dso);

/**
 * Replace all mappings in [@p start, @p end) by @p mapping. If it is NULL, only remove them.
 * Errors: NOMEM.
 */
struct pd_error *pd_space_replace(struct pd_space *space, struct pd_maps **maps, uint64_t start,
	uint64_t end, const struct pd_mapping *mapping) pd_must_check;

#endif
