/**
 * @file What a record of a mapping maps, in whichever of the three layouts it is.
 */
#ifndef PD_PARSE_REGION_H
#define PD_PARSE_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/record.h>

/** Common contents of MMAP and both forms of MMAP2. */
struct parse_region {
	uint32_t pid;
	uint32_t prot;
	uint32_t flags;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	/** Borrowed from the record. */
	const char *name;
	struct pd_build_id build_id;
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
};

/**
 * Set *@p ret to what @p rec maps, whose body is @p body. Returns false for other records than
 * MMAP and MMAP2.
 */
bool parse_region_of(
	const struct pd_record *rec, const union pd_body *body, struct parse_region *ret);

#endif
