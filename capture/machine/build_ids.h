/**
 * @file Build ids of mapped files, the kernel, its modules and the vdso. Each file is read once.
 */
#ifndef PD_CAPTURE_MACHINE_BUILD_IDS_H
#define PD_CAPTURE_MACHINE_BUILD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "capture/machine/machine.h"

/** A mapping, as a line of /proc/PID/maps describes it. */
struct cap_mapping {
	/** Process addresses: [start, end). */
	uint64_t start;
	uint64_t end;
	/** Offset in the file, in bytes. */
	uint64_t pgoff;
	/** PROT_*, MAP_*. */
	uint32_t prot;
	uint32_t flags;
	/** Device and inode of the file; 0 for anonymous memory. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** Path of the file, or a name like "[vdso]" or "//anon"; borrowed. */
	const char *name;
};

/** Cache of build ids by device and inode. A zeroed one is empty. */
struct cap_build_ids {
	struct base_intern files;
	PD_VEC(struct pd_build_id) ids;
};

/** Empty the cache. */
void cap_build_ids_deinit(struct cap_build_ids *cache);

/**
 * Find the build id of the file that @p pid has mapped; its length is 0 if there is none or the
 * file cannot be read. The file is opened through /proc/PID/map_files if that is permitted, else by
 * its name: below the root of the process if the inode is the same, or below our own root if the
 * device is also the same. Errors: NOMEM.
 */
struct pd_error *cap_build_ids_find(struct cap_build_ids *cache, const struct cap_machine *machine,
	uint32_t pid, const struct cap_mapping *mapping, struct pd_build_id *ret) pd_must_check;

/**
 * Read the build id of the file @p path. False if it has none, cannot be read, or is not a regular
 * file.
 */
bool cap_build_id_file(const char *path, struct pd_build_id *ret) pd_must_check;

/** Read the build id of the running kernel. False if it has none. */
bool cap_build_id_kernel(const struct cap_machine *machine, struct pd_build_id *ret) pd_must_check;

/** Read the build id of the loaded module @p name. False if it has none. */
bool cap_build_id_module(
	const struct cap_machine *machine, const char *name, struct pd_build_id *ret) pd_must_check;

/**
 * Read the build id of the vdso that @p pid has mapped. False if it has none or may not be read.
 */
bool cap_build_id_vdso(const struct cap_machine *machine, uint32_t pid,
	const struct cap_mapping *mapping, struct pd_build_id *ret) pd_must_check;

#endif
