/**
 * @file Mappings: what was mapped where, as MMAP and MMAP2 records say it. A profile has them only
 * if requested.
 */
#ifndef PD_PROFILE_MAPPING_H
#define PD_PROFILE_MAPPING_H

#include <stdint.h>

#include "profile/ids.h"

/** A mapping, in the order of the recording. It stays until another one covers it. */
struct prof_mapping {
	/** In ns on the clock of the recording; PD_NO_TIME: before it, or not recorded. */
	uint64_t time;
	/** Process addresses are [start, start + size). */
	uint64_t start;
	uint64_t size;
	/** File offset of start, in bytes. */
	uint64_t pgoff;
	/** Process; UINT32_MAX: the kernel. */
	uint32_t pid;
	/** PD_PROT_* bits. MMAP records only say whether code was mapped. */
	uint32_t prot;
	/** Path, or the kernel's name for memory without a file, e.g. "[heap]". */
	struct prof_string_id name;
	/** None: no frame is in the binary, or it is data. */
	struct prof_binary_id binary;
};

#endif
