/**
 * @file Call frame information of one binary: finding the row of an address.
 *
 * Reads `.eh_frame` (by `.eh_frame_hdr`, or by an index built here if there is none),
 * `.debug_frame`, ARM's exception tables (unwind/exidx.h) and Go's table of functions
 * (unwind/go_frames.h). Format: DWARF 5 section 6.4, and the Linux Standard Base for `.eh_frame`.
 * Rows are computed on demand.
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
#include "base/limit.h"
#include "base/pclntab.h"

/** Bytes of a section, uncompressed. data is NULL if the file has no such section. */
struct unw_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
	/**
	 * Vaddrs where the instruction set of code may change, ascending; bit 0 is set where Thumb
	 * begins. 32-bit ARM only; empty if they are not known.
	 */
	const uint64_t *isa_marks;
	size_t n_isa_marks;
};

/** Vaddrs [start, end). */
struct unw_range {
	uint64_t start;
	uint64_t end;
};

enum { UNW_MAX_PLTS = 4 };

/** Function at the base of a stack: the vaddrs [start, end). */
struct unw_root {
	uint64_t start;
	uint64_t end;
	/**
	 * The function is called on one stack and calls on another one, whose base it is. Only its
	 * code after the first instruction that sets the stack pointer is the root.
	 */
	bool switches;
};

enum { UNW_MAX_ROOTS = PD_LIMIT_ROOT_FUNCTIONS };

/**
 * Sections of a binary with its call frame information. The bytes must outlive the unw_cfi. They
 * are in the byte order of the file, which is that of the architecture.
 */
struct unw_cfi_input {
	const struct pd_arch *arch;
	struct unw_section eh_frame;
	struct unw_section eh_frame_hdr;
	struct unw_section debug_frame;
	/** .ARM.exidx and .ARM.extab; 32-bit ARM only. */
	struct unw_section exidx;
	struct unw_section extab;
	/** Go's table of functions, borrowed; NULL if the binary has none. */
	const struct pd_pclntab *go;
	/**
	 * Code, to be analysed if none of these sections covers an address. It may be that of
	 * several sections that are next to each other, without PLTs. Its isa_marks are copied.
	 */
	struct unw_section text;
	/** Bases of DW_EH_PE_textrel and DW_EH_PE_datarel outside .eh_frame_hdr; 0 if unknown. */
	uint64_t text_vaddr;
	uint64_t data_vaddr;
	/** Sections with PLT entries; unused ones are empty ranges. */
	struct unw_range plts[UNW_MAX_PLTS];
	/** The first PLT section starts with a header, which calls the dynamic linker. */
	bool has_plt_header;
	/** Entry point of the program (e_entry); 0 if there is none. */
	uint64_t entry_vaddr;
	/** Functions at the base of a stack, in any order; copied, at most UNW_MAX_ROOTS. */
	const struct unw_root *roots;
	size_t n_roots;
	/** The file may not be the one that ran, so its rows are guesses. */
	bool is_doubtful;
};

/** Call frame information of a binary. Thread-safe. */
struct unw_cfi;

/**
 * Prepare the call frame information of @p input. Invalid sections are not an error; they have no
 * rows. Errors: NOMEM; UNSUPPORTED if the architecture cannot be unwound.
 */
struct pd_error *unw_cfi_create(
	const struct unw_cfi_input *input, struct unw_cfi **ret) pd_must_check;
void unw_cfi_destroy(struct unw_cfi *cfi);

/**
 * Whether an address was looked up in `.debug_frame`, and none of its FDEs begins in the code of
 * unw_cfi_input.text, so that it is of no use. Free Pascal writes such sections for 64-bit
 * machines.
 */
bool unw_cfi_has_unusable_debug_frame(const struct unw_cfi *cfi);

/** Note the limits that this thread has reached (base/limit.h) as limits of @p cfi. Thread-safe. */
void unw_cfi_note_limits(const struct unw_cfi *cfi);
/** All limits that were noted. Thread-safe. */
struct pd_limit_set unw_cfi_limits(const struct unw_cfi *cfi);

struct unw_row;

/** Result of looking up an address. */
enum unw_cfi_result {
	UNW_CFI_ROW,  /**< There is a row. */
	UNW_CFI_NONE, /**< Nothing covers the address. */
	UNW_CFI_BAD,  /**< Invalid call frame information covers the address. */
};

/** Architecture of the binary. */
const struct unw_arch *unw_cfi_arch(const struct unw_cfi *cfi);

struct unw_step;

/**
 * Step from the vaddr @p addr if it is in a PLT. Not all linkers describe PLTs by call frame
 * information. Returns false if it is not in a PLT.
 */
bool unw_cfi_plt_step(const struct unw_cfi *cfi, uint64_t addr, struct unw_step *ret);

/**
 * Whether the vaddr @p addr is in the first instructions at the program's entry point. They are
 * written by hand, often without call frame information, and have no caller.
 */
bool unw_cfi_is_entry(const struct unw_cfi *cfi, uint64_t addr);

/**
 * Whether a call in these instructions returns to the vaddr @p pc. False on architectures where
 * instructions do not show it.
 */
bool unw_cfi_is_after_entry_call(const struct unw_cfi *cfi, uint64_t pc);

/**
 * Whether the vaddr @p addr is in a function at the base of a stack, which has no caller on that
 * stack. @p addr is a lookup address: see unwind/unwind.h.
 */
bool unw_cfi_is_root(const struct unw_cfi *cfi, uint64_t addr);

/**
 * Whether the instructions at the vaddr @p pc are known code: see unwind/known_code.h. They are
 * read from unw_cfi_input.text.
 */
bool unw_cfi_is_trampoline(const struct unw_cfi *cfi, uint64_t pc, bool is_return);
bool unw_cfi_is_after_trampoline(const struct unw_cfi *cfi, uint64_t pc);
bool unw_cfi_is_base(const struct unw_cfi *cfi, uint64_t pc);
bool unw_cfi_is_exit(const struct unw_cfi *cfi, uint64_t pc);
/** Vaddr from @p pc on, but before @p end, where known code may begin; @p end if there is none. */
uint64_t unw_cfi_next_known(const struct unw_cfi *cfi, uint64_t pc, uint64_t end);
bool unw_cfi_is_after_syscall(const struct unw_cfi *cfi, uint64_t pc);

/**
 * Whether a call may return to the vaddr @p pc, by the instruction before it. With @p from_outside
 * the function that is called is not in this binary. Where instructions are not known, it may.
 */
bool unw_cfi_may_return_to(const struct unw_cfi *cfi, uint64_t pc, bool from_outside);

/**
 * Find the FDE that covers the vaddr @p addr, or the function of Go's table. The range is empty if
 * none does. Errors: NOMEM.
 */
struct pd_error *unw_cfi_find_fde(
	const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret) pd_must_check;

/** Like unw_cfi_find_fde(). On ARM an entry of .ARM.exidx will do, too. Errors: NOMEM. */
struct pd_error *unw_cfi_find_function(
	const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret) pd_must_check;

/**
 * Whether the return address @p pc, a vaddr, is that of a function and does not follow a call. Such
 * an address was put on the stack by hand, like that of __start_context by makecontext().
 *
 * That is so if an FDE begins at @p pc and none covers the byte before: a call that does not return
 * may be the last instruction of a function, but not of a gap. With @p is_covered the caller knows
 * that one covers it. In Go no call is the last instruction of a function: see src/runtime/
 * traceback.go, where the first address of a function is not taken for a return address. Errors:
 * NOMEM.
 */
struct pd_error *unw_cfi_is_by_hand(
	const struct unw_cfi *cfi, uint64_t pc, bool is_covered, bool *ret) pd_must_check;

/**
 * Whether the return address @p pc, a vaddr, does not follow a call, so that the step that found it
 * was wrong. The word on the stack may have been overwritten, as libgcc does to jump to a handler.
 *
 * There are two exceptions. Go's runtime makes frames of functions that it has interrupted, and a
 * function of Haskell returns to the second byte that an FDE covers. Errors: NOMEM.
 */
struct pd_error *unw_cfi_is_uncalled(
	const struct unw_cfi *cfi, uint64_t pc, bool *ret) pd_must_check;

/**
 * Find the row of the vaddr @p addr. With @p is_at_call that is the last byte of a call. Sources
 * are tried in this order: `.eh_frame`, `.debug_frame`, Go's table, ARM's tables, the instructions.
 * Where ARM's tables may be wrong, instructions come first. @p row_ret (unwind/row.h) is written
 * only with UNW_CFI_ROW. Errors: NOMEM.
 */
struct pd_error *unw_cfi_find_row(const struct unw_cfi *cfi, uint64_t addr, bool is_at_call,
	enum unw_cfi_result *result_ret, struct unw_row *row_ret) pd_must_check;

/**
 * Whether the same FDE or Go function covers the vaddrs @p a and @p b, so that they are in the same
 * function (or the same part of it, if the compiler split it). On ARM an entry of .ARM.exidx will
 * do, which may cover several functions with equal tables. False if one of them is not covered.
 * Errors: NOMEM.
 */
struct pd_error *unw_cfi_is_same_function(
	const struct unw_cfi *cfi, uint64_t a, uint64_t b, bool *ret) pd_must_check;

#endif
