/**
 * @file Build ids of what is mapped here and now, each file read once.
 */
#ifndef PD_CAPTURE_BUILD_IDS_H
#define PD_CAPTURE_BUILD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/intern.h"
#include "capture/machine.h"

/** What is mapped, as a line of /proc/PID/maps says. */
struct cap_mapping {
	/** Process addresses; the end does not belong to it. */
	uint64_t start;
	uint64_t end;
	/** Of the file, bytes. */
	uint64_t pgoff;
	/** PROT_*, MAP_*. */
	uint32_t prot;
	uint32_t flags;
	/** Device and inode; zeros where there is no file. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** Borrowed. */
	const char *name;
};

/** Files that were looked at, by device and inode. A zeroed one is empty. */
struct cap_build_ids {
	struct pd_intern files;
	PD_VEC(struct pd_build_id) ids;
};

void cap_build_ids_deinit(struct cap_build_ids *cache);

/**
 * The build id of the file that @p pid has mapped; its length is 0 if there is none, or the file cannot
 * be read. The file is the mapped one itself (/proc/PID/map_files), or if that is not allowed, the
 * one of its name in the root of the process, if it has the same inode, or in ours, if it has the same
 * device, too. Errors: no memory.
 */
struct pd_error *cap_build_ids_find(struct cap_build_ids *cache, const struct cap_machine *machine,
	uint32_t pid, const struct cap_mapping *mapping, struct pd_build_id *ret) pd_must_check;

/** The build id of the file @p path; false if it has none, cannot be read, or is no regular file. */
bool cap_build_id_file(const char *path, struct pd_build_id *ret) pd_must_check;

/** The kernel's; false if it does not say. */
bool cap_build_id_kernel(const struct cap_machine *machine, struct pd_build_id *ret) pd_must_check;

/** That of the loaded module @p name; false if it does not say. */
bool cap_build_id_module(
	const struct cap_machine *machine, const char *name, struct pd_build_id *ret) pd_must_check;

/** That of the vdso that @p pid has mapped; false if it has none or may not be read. */
bool cap_build_id_vdso(const struct cap_machine *machine, uint32_t pid,
	const struct cap_mapping *mapping, struct pd_build_id *ret) pd_must_check;

#endif
