/**
 * @file CIEs and FDEs: the entries of `.eh_frame` and `.debug_frame`.
 *
 * A frame description entry (FDE) covers a range of addresses; what is common to many is in the
 * common information entry (CIE) it names. DWARF 5, section 6.4.1, and the Linux Standard Base for
 * the differences of `.eh_frame`.
 */
#ifndef PD_UNWIND_FDE_H
#define PD_UNWIND_FDE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/cursor.h>

#include "unwind/cfi.h"

/** One of the two sections, and what is needed to read the addresses in it. */
struct unw_frame_section {
	struct unw_section bytes;
	bool is_debug_frame;
	bool swap;
	/** Bytes in an address, where a CIE does not say. */
	uint8_t word;
	uint64_t text_vaddr;
	uint64_t data_vaddr;
};

struct unw_cie {
	/** In the section. */
	uint64_t off;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_column;
	/** DW_EH_PE_* of the addresses in FDEs. */
	uint8_t encoding;
	/** Bytes in an address. */
	uint8_t word;
	uint8_t segment_size;
	bool has_augmentation_data;
	bool is_signal;
	struct pd_cursor program;
};

struct unw_fde {
	/** Covers start to end, not included; vaddrs. */
	uint64_t start;
	uint64_t end;
	struct pd_cursor program;
};

/** What every entry begins with. */
struct unw_entry {
	/** Where the entry after it begins, as an offset in the section. */
	uint64_t next_off;
	bool is_cie;
	/** Of an FDE: its CIE, as an offset in the section. */
	uint64_t cie_off;
	/** What follows the header, up to the entry's end. */
	struct pd_cursor body;
};

/**
 * The entry at @p off; false if there is none that fits. One of length zero, as linkers put at the
 * end, is a CIE with an empty body.
 */
bool unw_entry_read(const struct unw_frame_section *section, uint64_t off, struct unw_entry *ret);

/** The CIE at @p off; false if it is damaged or not of a kind that is known. */
bool unw_cie_read(const struct unw_frame_section *section, uint64_t off, struct unw_cie *ret);

/** The FDE @p entry, whose CIE is @p cie; false if it is damaged. */
bool unw_fde_read(const struct unw_frame_section *section, const struct unw_entry *entry,
	const struct unw_cie *cie, struct unw_fde *ret);

/**
 * An address in the DW_EH_PE_* encoding @p encoding. @p c reads @p section. False, or an overrun of
 * @p c, if it cannot be read; indirect addresses are in memory that is not there.
 */
bool unw_read_encoded(struct pd_cursor *c, uint8_t encoding,
	const struct unw_frame_section *section, uint64_t *ret);

#endif
