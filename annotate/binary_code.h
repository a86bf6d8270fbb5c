/**
 * @file Code of a binary of a profile: found again by its build id or its recorded path, as when
 * the profile was made.
 *
 * Code comes from the file of the binary; of the kernel from the copy of /proc/kcore in the
 * recording, or else from its vmlinux or the file of its module; of generated code from the
 * jitdump. Addresses are those of the frames of the binary. Marks say which bytes are code and
 * which are data (see symbolize/symbols/marks.h).
 */
#ifndef PD_ANNOTATE_BINARY_CODE_H
#define PD_ANNOTATE_BINARY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/arena.h"
#include "profile/profile.h"
#include "symbolize/binary.h"
#include "symbolize/find/file_search.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/binary_names.h"

/** How files are found. Borrowed: outlives the code that is opened with it. */
struct ann_files {
	const struct sym_search *search;
	const struct sym_kernel_opts *kernel;
};

struct ann_code;

/**
 * Find the code of @p binary in @p profile, which is borrowed. If it is not found, ann_code_why()
 * returns the reason. Errors: NOMEM.
 */
struct pd_error *ann_code_open(const struct ann_files *files, const struct profile *profile,
	struct prof_binary_id binary, struct ann_code **ret) pd_must_check;
/** Return an error (OS) if a file of the code has shrunk: see pdconv/file_guard.h. */
struct pd_error *ann_code_check(const struct ann_code *code) pd_must_check;
/** @p code may be NULL. */
void ann_code_destroy(struct ann_code *code);

/** Reason why the code was not found, in one line; NULL if it was. Borrowed. */
const char *ann_code_why(const struct ann_code *code);
/** File with the code, or NULL. Borrowed. */
const char *ann_code_path(const struct ann_code *code);
/** Whether the file is of another build than the recorded one. */
bool ann_code_is_mismatched(const struct ann_code *code);
/** Architecture of the code; NULL if it is not supported. */
const struct pd_arch *ann_code_arch(const struct ann_code *code);
/** Build id of the file; len 0 if it has none. */
const struct pd_build_id *ann_code_build_id(const struct ann_code *code);

/**
 * Find the function that contains @p addr. *ret is zero if none does. Errors: NOMEM.
 */
struct pd_error *ann_code_extent(
	struct ann_code *code, uint64_t addr, struct sym_code_extent *ret) pd_must_check;

/**
 * Find up to @p size bytes at @p addr, *n_ret in number. *ret is borrowed, and NULL if there are
 * none. Errors: NOMEM.
 */
struct pd_error *ann_code_bytes(struct ann_code *code, uint64_t addr, size_t size,
	const uint8_t **ret, size_t *n_ret) pd_must_check;

/** Name the @p n addresses @p addrs like sym_binary_names(). Errors: NOMEM. */
struct pd_error *ann_code_names(struct ann_code *code, const struct pd_name_opts *opts,
	const uint64_t *addrs, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

/** Marks by ascending address, at least one. What precedes the second one is of the first kind. */
struct ann_mapping_symbols {
	PD_VEC(struct sym_mapping_symbol) list;
};

/**
 * List the marks of @p binary in @p extent, whose addresses are @p bias higher than those of the
 * binary. Without a binary (NULL), or without marks, everything is code. Errors: NOMEM.
 */
struct pd_error *ann_mapping_symbols_create(const struct sym_binary *binary, uint64_t bias,
	const struct sym_code_extent *extent, struct ann_mapping_symbols *ret) pd_must_check;
void ann_mapping_symbols_deinit(struct ann_mapping_symbols *marks);

/**
 * Kind of the bytes from @p addr to *@p end_ret, where the next mark is (UINT64_MAX: none follows).
 * Addresses ascend from call to call; *@p at is 0 at first.
 */
enum sym_code_kind ann_mapping_symbols_kind(
	const struct ann_mapping_symbols *marks, uint64_t addr, size_t *at, uint64_t *end_ret);

/** List the marks of the code in @p extent, like ann_mapping_symbols_create(). Errors: NOMEM. */
struct pd_error *ann_code_marks(struct ann_code *code, const struct sym_code_extent *extent,
	struct ann_mapping_symbols *ret) pd_must_check;

#endif
