/**
 * @file CIEs and FDEs: the entries of `.eh_frame` and `.debug_frame`.
 *
 * A frame description entry (FDE) covers a range of addresses. It refers to a common information
 * entry (CIE) with the data that many FDEs share. DWARF 5, section 6.4.1, and the Linux Standard
 * Base for the differences of `.eh_frame`.
 */
#ifndef PD_UNWIND_FDE_H
#define PD_UNWIND_FDE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/cursor.h>

#include "unwind/rules/section.h"

/** Section with entries, and the facts needed to read addresses in it. */
struct unw_frame_section {
	struct unw_section bytes;
	bool is_debug_frame;
	bool swap;
	/** Size of an address in bytes, if a CIE does not say. */
	uint8_t word;
	uint64_t text_vaddr;
	uint64_t data_vaddr;
};

struct unw_cie {
	/** Offset in the section. */
	uint64_t off;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_column;
	/** Encoding of addresses in FDEs, DW_EH_PE_*. */
	uint8_t encoding;
	/** Size of an address in bytes. */
	uint8_t word;
	uint8_t segment_size;
	bool has_augmentation_data;
	bool is_signal;
	struct pd_cursor program;
};

struct unw_fde {
	/** CIE of the entry, borrowed from the caller of unw_fde_read(). */
	const struct unw_cie *cie;
	/** Covered vaddrs [start, end). */
	uint64_t start;
	uint64_t end;
	struct pd_cursor program;
};

/** Header of an entry. */
struct unw_entry {
	/** Offset of the next entry in the section. */
	uint64_t next_off;
	bool is_cie;
	/** FDE only: offset of its CIE in the section. */
	uint64_t cie_off;
	/** Bytes from the header to the end of the entry. */
	struct pd_cursor body;
};

/**
 * Read the header of the entry at @p off. Returns false if it is invalid or outside the section. An
 * entry of length zero, which linkers put at the end, is a CIE with an empty body.
 */
bool unw_entry_read(const struct unw_frame_section *section, uint64_t off, struct unw_entry *ret);

/** Read the CIE at @p off. Returns false if it is invalid or of an unknown version. */
bool unw_cie_read(const struct unw_frame_section *section, uint64_t off, struct unw_cie *ret);

/** Read the FDE @p entry, whose CIE is @p cie. Returns false if it is invalid. */
bool unw_fde_read(const struct unw_frame_section *section, const struct unw_entry *entry,
	const struct unw_cie *cie, struct unw_fde *ret);

/**
 * Read an address in the encoding @p encoding (DW_EH_PE_*) with @p c, which reads @p section.
 * Returns false, or overruns @p c, if it cannot be read. Indirect addresses cannot: they are in the
 * memory of the process.
 */
bool unw_read_encoded(struct pd_cursor *c, uint8_t encoding,
	const struct unw_frame_section *section, uint64_t *ret);

#endif
