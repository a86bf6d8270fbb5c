/**
 * @file Sections of a binary, and ranges of addresses in it. Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_SECTION_H
#define PD_UNWIND_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "unwind/rules/list.h"

/** Bytes of a section, uncompressed. data is NULL if the file has no such section. */
struct unw_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
	/**
	 * Vaddrs where the instruction set of code may change, ascending; bit 0 is set where Thumb
	 * begins. 32-bit ARM only; empty if they are not known.
	 */
	UNW_LIST(uint64_t) mapping_symbols;
};

/** Vaddrs [start, end). */
struct unw_range {
	uint64_t start;
	uint64_t end;
};

/** List of vaddrs. */
struct unw_vaddrs {
	PD_VEC(uint64_t) list;
};

static inline bool unw_range_has(const struct unw_range *range, uint64_t addr)
{
	return addr >= range->start && addr < range->end;
}

static inline struct unw_range unw_section_range(const struct unw_section *section)
{
	return (struct unw_range){ section->vaddr, section->vaddr + section->size };
}

#endif
