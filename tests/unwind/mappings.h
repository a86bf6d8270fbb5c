/**
 * @file The mappings of a process.
 */
#ifndef PD_TESTS_UNWIND_MAPPINGS_H
#define PD_TESTS_UNWIND_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/vec.h>

struct mapping {
	uint64_t start;
	uint64_t end;
	/** Offset in the file, in bytes. */
	uint64_t offset;
	/** Protection: PROT_*. */
	int prot;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	/** Path as in /proc/PID/maps; "" for memory without a name. */
	char path[256];
};

struct mappings {
	PD_VEC(struct mapping) list;
};

/** Replace @p ret by the current mappings of @p pid. */
void mappings_read(pid_t pid, struct mappings *ret);
/** Find the mapping that contains @p addr, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t addr);
/** Free the list. Zeroed mappings are empty. */
void mappings_deinit(struct mappings *mappings);

#endif
