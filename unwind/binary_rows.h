/**
 * @file Binary: the ways from an address in a file to the caller.
 *
 * Rows come from these, in this order: Go's table of functions (unwind/go/go_frames.h), call frame
 * information (unwind/cfi/cfi.h), ARM's exception tables (unwind/cfi/exidx.h), the instructions
 * (unwind/rules/code_analysis.h). Where ARM's tables may be wrong, instructions come first.
 *
 * Addresses are vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_BINARY_ROWS_H
#define PD_UNWIND_BINARY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/limit.h"
#include "base/pclntab.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/cfi/cfi.h"
#include "unwind/cfi/exidx.h"
#include "unwind/rules/section.h"

enum { UNW_MAX_PLTS = 4 };

/** Sections with PLT entries; unused ones are empty ranges. */
struct unw_plts {
	struct unw_range list[UNW_MAX_PLTS];
	/** The first section starts with a header, which calls the dynamic linker. */
	bool has_header;
};

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

/** Code of such a function. */
struct unw_base {
	/** Where it is the base: all of it, or the part after the switch. */
	struct unw_range range;
	/** Vaddr at which the function begins. */
	uint64_t function;
	/** struct unw_root.switches */
	bool switches;
};

/**
 * Sections of a binary, and facts about it. The bytes must outlive the unw_binary. They are in the
 * byte order of the file, which is that of the architecture.
 */
struct unw_binary_input {
	const struct pd_arch *arch;
	struct unw_section eh_frame;
	struct unw_section eh_frame_hdr;
	struct unw_section debug_frame;
	/** .ARM.exidx and .ARM.extab; 32-bit ARM only. */
	struct unw_section exidx;
	struct unw_section extab;
	/** Go's table of functions, borrowed; NULL if the binary has none. */
	const struct base_pclntab *go;
	/**
	 * Code, to be analysed if none of these sections covers an address. It may be that of
	 * several sections that are next to each other, without PLTs. Its mapping symbols are
	 * copied.
	 */
	struct unw_section text;
	/** Bases of DW_EH_PE_textrel and DW_EH_PE_datarel outside .eh_frame_hdr; 0 if unknown. */
	uint64_t text_vaddr;
	uint64_t data_vaddr;
	struct unw_plts plts;
	/** Entry point of the program (e_entry); 0 if there is none. */
	uint64_t entry_vaddr;
	/** Functions at the base of a stack, in any order; copied, at most UNW_MAX_ROOTS. */
	UNW_LIST(struct unw_root) roots;
	/** The file may not be the one that ran, so its rows are guesses. */
	bool is_doubtful;
};

/** A binary. Thread-safe: members do not change after unw_binary_create(), except for limits. */
struct unw_binary {
	const struct unw_arch *arch;
	struct unw_cfi cfi;
	struct unw_exidx exidx;
	const struct base_pclntab *go;
	struct unw_section text;
	struct unw_starts *starts;
	struct unw_plts plts;
	/** Code at the entry point that has no caller; empty if there is none. */
	struct unw_range entry;
	PD_VEC(struct unw_base) roots;
	bool is_doubtful;
	/** Limits that were noted. Accessed atomically. */
	struct base_limit_set *limits;
};

/**
 * Prepare the binary @p input. Invalid sections are not an error; they have no rows. Errors: NOMEM;
 * UNSUPPORTED if the architecture cannot be unwound.
 */
struct pd_error *unw_binary_create(
	const struct unw_binary_input *input, struct unw_binary **ret) pd_must_check;
void unw_binary_destroy(struct unw_binary *binary);

/**
 * Whether an address was looked up in `.debug_frame`, and none of its FDEs begins in the code of
 * unw_binary.text, so that it is of no use. Free Pascal writes such sections for 64-bit machines.
 */
bool unw_binary_has_unusable_debug_frame(const struct unw_binary *binary);

/**
 * Note that the limits of the innermost scope (base/limit.h) were reached in @p binary.
 * Thread-safe.
 */
void unw_binary_note_limits(const struct unw_binary *binary);
/** All limits that were noted. Thread-safe. */
struct base_limit_set unw_binary_limits(const struct unw_binary *binary);

/** Code at the vaddr @p pc, for unwind/rules/arch_rules.h. */
static inline struct unw_code_at unw_binary_code_at(const struct unw_binary *binary, uint64_t pc)
{
	const struct unw_section *text = &binary->text;

	return (struct unw_code_at){ binary->arch, text->data, text->size, pc - text->vaddr };
}

/** Size of the header of PLT section number @p i, in bytes. */
static inline uint64_t unw_binary_plt_header(const struct unw_binary *binary, size_t i)
{
	return i == 0 && binary->plts.has_header ? binary->arch->plt.header : 0;
}

/**
 * Step from the vaddr @p addr if it is in a PLT. Not all linkers describe PLTs by call frame
 * information. Returns false if it is not in a PLT.
 */
bool unw_binary_plt_step(const struct unw_binary *binary, uint64_t addr, struct unw_step *ret);

/**
 * Whether a call in the code at the program's entry point returns to the vaddr @p pc. That code is
 * written by hand, often without call frame information, and has no caller. False on architectures
 * where instructions do not show it.
 */
bool unw_binary_is_after_entry_call(const struct unw_binary *binary, uint64_t pc);

/**
 * Whether the vaddr @p addr is in a function at the base of a stack, which has no caller on that
 * stack. @p addr is a lookup address: see unwind/unwind.h.
 */
bool unw_binary_is_root(const struct unw_binary *binary, uint64_t addr);

/** Whether the function at the vaddr @p start first pushes the frame pointer and sets it. */
bool unw_binary_sets_fp(const struct unw_binary *binary, uint64_t start);

/**
 * Whether a call may return to the vaddr @p pc, by the instruction before it. With @p from_outside
 * the function that is called is not in this binary. Where instructions are not known, it may.
 */
bool unw_binary_may_return_to(const struct unw_binary *binary, uint64_t pc, bool from_outside);

/**
 * Find the FDE that covers the vaddr @p addr, or the function of Go's table. The range is empty if
 * none does. Errors: NOMEM.
 */
struct pd_error *unw_binary_find_fde(
	const struct unw_binary *binary, uint64_t addr, struct unw_range *ret) pd_must_check;

/** Like unw_binary_find_fde(). On ARM an entry of .ARM.exidx will do, too. Errors: NOMEM. */
struct pd_error *unw_binary_find_function(
	const struct unw_binary *binary, uint64_t addr, struct unw_range *ret) pd_must_check;

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
struct pd_error *unw_binary_is_by_hand(
	const struct unw_binary *binary, uint64_t pc, bool is_covered, bool *ret) pd_must_check;

/**
 * Whether the return address @p pc, a vaddr, does not follow a call, so that the step that found it
 * was wrong. The word on the stack may have been overwritten, as libgcc does to jump to a handler.
 *
 * There are two exceptions. Go's runtime makes frames of functions that it has interrupted, and a
 * function of Haskell returns to the second byte that an FDE covers. Errors: NOMEM.
 */
struct pd_error *unw_binary_is_uncalled(
	const struct unw_binary *binary, uint64_t pc, bool *ret) pd_must_check;

/**
 * Find the row of the vaddr @p addr. With @p is_at_call that is the last byte of a call. @p row_ret
 * is written only with UNW_CFI_ROW. Errors: NOMEM.
 */
struct pd_error *unw_binary_find_row(const struct unw_binary *binary, uint64_t addr,
	bool is_at_call, enum unw_cfi_result *result_ret, struct unw_row *row_ret) pd_must_check;

/**
 * Whether the same FDE or Go function covers the vaddrs @p a and @p b, so that they are in the same
 * function (or the same part of it, if the compiler split it). On ARM an entry of .ARM.exidx will
 * do, which may cover several functions with equal tables. False if one of them is not covered.
 * Errors: NOMEM.
 */
struct pd_error *unw_binary_is_same_function(
	const struct unw_binary *binary, uint64_t a, uint64_t b, bool *ret) pd_must_check;

/**
 * Append the vaddrs at which FDEs and functions of Go's table begin, sorted and each once. Errors:
 * NOMEM.
 */
struct pd_error *unw_binary_list_starts(
	const struct unw_binary *binary, struct unw_vaddrs *ret) pd_must_check;

/** Callback for rows, which it may change. Returns false to end the visit. */
typedef bool unw_binary_on_row(void *ctx, struct unw_row *row);

/**
 * Pass the rows of @p range to @p fn, which are those of unw_binary_find_row() without
 * is_at_call. No FDE or function begins within @p range (unw_binary_list_starts()). *end_ret is the
 * vaddr up to which rows were passed: what one run of an FDE's program does not find is left to
 * unw_binary_find_row(). Errors: NOMEM.
 */
struct pd_error *unw_binary_visit_rows(const struct unw_binary *binary, struct unw_range range,
	unw_binary_on_row *fn, void *ctx, uint64_t *end_ret) pd_must_check;

#endif
