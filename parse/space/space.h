/**
 * @file Processes, threads and mappings over time.
 *
 * Records are applied in order of time. The mappings of a process at one moment are a snapshot
 * (struct parse_maps), which never changes while it is referenced. So a sample and its snapshot can
 * be used later, on any thread. Forked processes share a snapshot until one of them maps something.
 *
 * Only executable mappings are kept; other mappings only replace them. Unmapping is not recorded: a
 * mapping stays until another one covers it.
 *
 * Addresses are process virtual addresses, or kernel addresses in the kernel's maps.
 */
#ifndef PD_PARSE_SPACE_H
#define PD_PARSE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "base/id_origin.h"

/** Name of the kernel's own image. */
#define PD_KERNEL_NAME "[kernel.kallsyms]"

/** Mapped object: a file, or a region without one, which has the kernel's name for it. */
struct parse_dso {
	/** Consecutive number from 0. */
	uint32_t id;
	/** The object belongs to the kernel: its image, a module, BPF code. */
	bool is_kernel;
	/** Code that the kernel generated, e.g. a BPF program, with one symbol of the same name. */
	bool is_generated;
	/** Recorded path or name; PD_KERNEL_NAME for the kernel's image. */
	const char *name;
	/** Build id; len 0: not recorded. */
	struct pd_build_id build_id;
	enum base_id_origin id_origin;
	/**
	 * Process that mapped it first; the file offset of that mapping and its size in bytes, and
	 * whether it was executable.
	 */
	uint32_t pid;
	uint64_t pgoff;
	uint64_t size;
	bool is_code;
	/** Device and inode; ino 0: not recorded. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** Private: an earlier dso of the same name without a build id, or NULL. */
	struct parse_dso *unidentified;
};

struct parse_mapping {
	/** Consecutive number from 0. */
	uint32_t id;
	uint32_t prot;
	/**
	 * Recorded addresses [start, end). Parts may have been replaced since: see
	 * parse_maps_entry.
	 */
	uint64_t start;
	uint64_t end;
	/** File offset of start, in bytes. */
	uint64_t pgoff;
	const struct parse_dso *dso;
	/** Process that mapped it. Forked processes inherit the mapping. */
	uint32_t pid;
};

struct parse_maps_entry {
	uint64_t start;
	uint64_t end;
	const struct parse_mapping *mapping;
};

struct parse_jit;
struct parse_range_node;

struct parse_maps {
	/** Id, never 0. Snapshots with different contents have different ids. */
	uint64_t id;
	uint32_t refs;
	/** Number of entries. */
	uint32_t n;
	/** Entries by address, see parse/space/range_tree.h: parse_maps_next() visits them. */
	struct parse_range_node *entries;
	/** Latest mapping of the kernel's image, in snapshots of the kernel; NULL: none. */
	const struct parse_mapping *kernel_image;
	/**
	 * Generated code of the process, of epoch jit_epoch: see parse/jitdump.h. NULL: none known.
	 */
	const struct parse_jit *jit;
	/**
	 * Generated code that the process had before jit, from its parent or another dump of its
	 * own; NULL: none.
	 */
	const struct parse_jit *older_jit;
	uint32_t jit_epoch;
	uint32_t older_jit_epoch;
};

/**
 * Take a reference. This and parse_maps_unref() may only be called by the thread that applies
 * records.
 */
struct parse_maps *parse_maps_ref(struct parse_maps *maps);
void parse_maps_unref(struct parse_maps *maps);
/** Find the mapping at @p addr, or NULL. Thread-safe. */
const struct parse_mapping *parse_maps_find(const struct parse_maps *maps, uint64_t addr);
/**
 * Find the mapping that ends where the one at @p addr begins, or NULL. Thread-safe.
 */
const struct parse_mapping *parse_maps_find_before(const struct parse_maps *maps, uint64_t addr);
/**
 * Find the entry after @p entry, or the first one if @p entry is NULL. Entries are in ascending
 * order, without overlaps. Returns NULL at the end. Borrowed from the snapshot. Thread-safe.
 */
const struct parse_maps_entry *parse_maps_next(
	const struct parse_maps *maps, const struct parse_maps_entry *entry);

struct parse_thread {
	uint32_t pid;
	uint32_t tid;
	/** Current name; NULL if not known yet. Lives as long as the space. */
	const char *comm;
	/** Its EXIT was applied, and no FORK or COMM since. */
	bool has_exited;
};

/** Properties of the recorded kernel. */
struct parse_kernel {
	/** Symbol in the name of the kernel's MMAP record, e.g. "_text"; "" if unknown. */
	const char *ref_symbol;
	/** Recorded address of ref_symbol; 0 if it was hidden. */
	uint64_t ref_addr;
	const struct parse_dso *dso;
};

struct parse_namesakes;
struct parse_space;

/** Create a space for @p file, which is borrowed and must outlive it. Errors: NOMEM. */
struct pd_error *parse_space_create(
	const struct pd_file *file, struct parse_space **ret) pd_must_check;
void parse_space_destroy(struct parse_space *space);

/**
 * Distinguish files of one path with @p namesakes, which are borrowed and must outlive the space.
 * Comes before the first record.
 */
void parse_space_use_namesakes(struct parse_space *space, const struct parse_namesakes *namesakes);

/**
 * Apply MMAP, MMAP2, COMM, FORK, EXIT and KSYMBOL records; other records are ignored. @p sid_bytes
 * is the size of the record's trailer. Damaged records are noted in file->diag. Errors: NOMEM.
 */
struct pd_error *parse_space_apply(
	struct parse_space *space, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/**
 * Add a mapping of the kernel module @p name ("[NAME]") of @p len bytes at @p start, as if it had
 * been recorded together with the kernel's, except where the recording has other mappings. Errors:
 * NOMEM.
 */
struct pd_error *parse_space_add_module(
	struct parse_space *space, const char *name, uint64_t start, uint64_t len) pd_must_check;

/** Look up build ids again for dsos without one, after build ids were added to the file. */
void parse_space_learn_build_ids(struct parse_space *space);

/** Return the thread, which is created if it is not known. NULL if out of memory. */
struct parse_thread *parse_space_thread(struct parse_space *space, uint32_t pid, uint32_t tid);

/**
 * Current snapshot of process @p pid. NULL if out of memory. Borrowed until the next
 * parse_space_apply(); parse_maps_ref() extends that.
 */
struct parse_maps *parse_space_maps(struct parse_space *space, uint32_t pid);

/**
 * Keep mappings of data in addition to those of code, for parse_space_all_maps(). Must be called
 * before the first record is applied.
 */
void parse_space_keep_data(struct parse_space *space);
/**
 * Current snapshot of all mappings of process @p pid: parse_space_maps() has only those of code.
 * NULL without parse_space_keep_data(), or if out of memory. Borrowed like parse_space_maps().
 */
struct parse_maps *parse_space_all_maps(struct parse_space *space, uint32_t pid);
/**
 * Set the generated code of process @p pid to @p jit, which is borrowed, in that epoch. Processes
 * that it forks inherit it until they call exec. Errors: NOMEM.
 */
struct pd_error *parse_space_set_jit(struct parse_space *space, uint32_t pid,
	const struct parse_jit *jit, uint32_t epoch) pd_must_check;
/**
 * Whether @p addr is in code of the program that process @p pid ran before its last exec, and not
 * in code of the current one. During execve() user registers are those of the old program for some
 * time.
 */
bool parse_space_is_replaced(const struct parse_space *space, uint32_t pid, uint64_t addr);
/** Current snapshot of the kernel's mappings. */
struct parse_maps *parse_space_kernel_maps(struct parse_space *space);

const struct parse_kernel *parse_space_kernel(const struct parse_space *space);

/** Number of dsos so far. parse_space_dso() returns them by parse_dso.id. */
size_t parse_space_n_dsos(const struct parse_space *space);
const struct parse_dso *parse_space_dso(const struct parse_space *space, size_t id);

#endif
