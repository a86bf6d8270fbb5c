/**
 * @file Processes, threads and mappings over time.
 *
 * Records are applied in time order. What a process has mapped at some moment is a snapshot (struct
 * pd_maps), which never changes while somebody holds it: a sample and its snapshot can be looked at
 * later, on any thread. Forked processes share the snapshot until one of them maps something.
 *
 * Only executable mappings are kept; others matter as far as they replace those. Unmapping is not
 * recorded: a mapping stays until another one covers it.
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

/** What is mapped: a file, or what the kernel calls a region without one. */
struct pd_dso {
	/** Dense from 0. */
	uint32_t id;
	/** Belongs to the kernel: its image, a module, BPF code. */
	bool is_kernel;
	/** As recorded; "[kernel.kallsyms]" for the kernel's image. */
	const char *name;
	/** len 0: not recorded. */
	struct pd_build_id build_id;
};

struct pd_mapping {
	/** Dense from 0. */
	uint32_t id;
	uint32_t prot;
	/** As mapped; parts of it may have been replaced since. End not included. */
	uint64_t start;
	uint64_t end;
	/** Of start in the file, bytes. */
	uint64_t pgoff;
	const struct pd_dso *dso;
	/** The one symbol it holds (BPF programs and other generated kernel code), or NULL. */
	const char *symbol;
};

struct pd_maps_entry {
	uint64_t start;
	uint64_t end;
	const struct pd_mapping *mapping;
};

struct pd_maps {
	/** Differs between any two snapshots with different contents; not 0. */
	uint64_t id;
	uint32_t refs;
	uint32_t n;
	/** Entries that there is room for. */
	uint32_t cap;
	/** Ascending, without overlaps. */
	struct pd_maps_entry entries[];
};

/** One more reference. From the thread that applies records only, as is pd_maps_unref. */
struct pd_maps *pd_maps_ref(struct pd_maps *maps);
void pd_maps_unref(struct pd_maps *maps);
/** What is mapped at @p addr, or NULL. */
const struct pd_mapping *pd_maps_find(const struct pd_maps *maps, uint64_t addr);

struct pd_thread {
	uint32_t pid;
	uint32_t tid;
	/** Its name at this moment; NULL before it had one. Lives as long as the space. */
	const char *comm;
};

/** What the recording says of its kernel. */
struct pd_kernel {
	/** The symbol that the kernel's MMAP is named after: "_text"; "" if unknown. */
	const char *ref_symbol;
	/** Its address when recorded; 0 if hidden. */
	uint64_t ref_addr;
	const struct pd_dso *dso;
};

struct pd_space;

/** @p file is borrowed and outlives the space. */
struct pd_error *pd_space_create(const struct pd_file *file, struct pd_space **ret) pd_must_check;
void pd_space_destroy(struct pd_space *space);

/**
 * Apply MMAP, MMAP2, COMM, FORK, EXIT and KSYMBOL; other records do nothing. @p sid_bytes is the
 * length of the record's trailer. A damaged record goes to the file's diag. Errors: no memory.
 */
struct pd_error *pd_space_apply(
	struct pd_space *space, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/** The file has more build ids than before: what is mapped and has none may have one now. */
void pd_space_learn_build_ids(struct pd_space *space);

/** The thread, which comes into being if it was not known; NULL if there is no memory. */
struct pd_thread *pd_space_thread(struct pd_space *space, uint32_t pid, uint32_t tid);

/** What process @p pid has mapped now; NULL if there is no memory. Borrowed until the next apply,
 * longer with pd_maps_ref. */
struct pd_maps *pd_space_maps(struct pd_space *space, uint32_t pid);
/** The same of the kernel. */
struct pd_maps *pd_space_kernel_maps(struct pd_space *space);

const struct pd_kernel *pd_space_kernel(const struct pd_space *space);

#endif
