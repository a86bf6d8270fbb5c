/**
 * @file Call frame information of one binary: from an address to the row that unwinds it.
 *
 * Reads `.eh_frame` (found through `.eh_frame_hdr`, or through an index made here where there is
 * none) and `.debug_frame`, and on 32-bit ARM its own tables (unwind/exidx.h). Format: DWARF 5
 * section 6.4, and the Linux Standard Base for `.eh_frame`. Nothing is compiled ahead: a row is
 * computed when it is asked for.
 *
 * Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_CFI_H
#define PD_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/arch.h"

/** A section's bytes, uncompressed. data NULL: the file has no such section. */
struct unw_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
};

/** Vaddrs, end not included. */
struct unw_range {
	uint64_t start;
	uint64_t end;
};

enum { UNW_MAX_PLTS = 4 };

/**
 * Where the call frame information of a binary is. The bytes outlive the unw_cfi, and are in the
 * byte order of the architecture, which is the file's own.
 */
struct unw_cfi_input {
	const struct pd_arch *arch;
	struct unw_section eh_frame;
	struct unw_section eh_frame_hdr;
	struct unw_section debug_frame;
	/** Of 32-bit ARM: .ARM.exidx and .ARM.extab. */
	struct unw_section exidx;
	struct unw_section extab;
	/** For what none of these covers. */
	struct unw_section text;
	/** For DW_EH_PE_textrel and DW_EH_PE_datarel outside .eh_frame_hdr; 0 if not known. */
	uint64_t text_vaddr;
	uint64_t data_vaddr;
	/** Sections of PLT entries; empty ranges: none. */
	struct unw_range plts[UNW_MAX_PLTS];
	/** Before the entries in the first of them there is code that calls the dynamic linker. */
	bool has_plt_header;
	/** e_entry of the ELF header; 0 if there is none. */
	uint64_t entry_vaddr;
	/** The file may be another one than the one that ran: what it says is a guess. */
	bool is_doubtful;
};

/** May be used from several threads at once. */
struct unw_cfi;

/**
 * Damaged sections are no error: what cannot be read has no rows. Errors: no memory, and
 * UNSUPPORTED for an architecture that cannot be unwound.
 */
struct pd_error *unw_cfi_create(
	const struct unw_cfi_input *input, struct unw_cfi **ret) pd_must_check;
void unw_cfi_destroy(struct unw_cfi *cfi);

struct unw_row;

/** What is known about an address. */
enum unw_cfi_result {
	UNW_CFI_ROW,  /**< There is a row. */
	UNW_CFI_NONE, /**< Nothing covers it. */
	UNW_CFI_BAD,  /**< It is covered, by instructions that make no sense. */
};

/** What binaries of this architecture @p cfi can be asked about. */
const struct unw_arch *unw_cfi_arch(const struct unw_cfi *cfi);

struct unw_step;

/**
 * The step from the vaddr @p addr, if it is in a PLT. Linkers describe them, but not all and not
 * always. False if it is not in one.
 */
bool unw_cfi_plt_step(const struct unw_cfi *cfi, uint64_t addr, struct unw_step *ret);

/**
 * Whether the vaddr @p addr is in the first instructions at the program's entry point. They are hand
 * written, often without call frame information, and nothing called them.
 */
bool unw_cfi_is_entry(const struct unw_cfi *cfi, uint64_t addr);

/**
 * The row of the vaddr @p addr; @p is_at_call: of a call, whose last byte is there. `.debug_frame`
 * is asked where `.eh_frame` has nothing, then ARM's tables, then the instructions themselves,
 * which are also asked before ARM's tables where these may be wrong. @p row_ret (unwind/row.h) is
 * written only with UNW_CFI_ROW. Errors: no memory.
 */
struct pd_error *unw_cfi_find_row(const struct unw_cfi *cfi, uint64_t addr, bool is_at_call,
	enum unw_cfi_result *result_ret, struct unw_row *row_ret) pd_must_check;

#endif
