/**
 * @file What is mapped in a process.
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
	/** Bytes in the file. */
	uint64_t offset;
	/** PROT_*. */
	int prot;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	/** As /proc/PID/maps has it; "" for memory without a name. */
	char path[256];
};

struct mappings {
	PD_VEC(struct mapping) list;
};

/** Replace @p ret by what is mapped in @p pid now. */
void mappings_read(pid_t pid, struct mappings *ret);
/** The one that covers @p addr, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t addr);
/** Zeroed is empty. */
void mappings_deinit(struct mappings *mappings);

#endif
