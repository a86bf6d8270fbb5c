/**
 * @file Generated code of the recorded processes: their jitdumps, and what was there at a moment.
 */
#ifndef PD_RESOLVE_JIT_H
#define PD_RESOLVE_JIT_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "resolve/binaries.h"
#include "parse/space.h"
#include "symbolize/binary.h"

struct resolve_jits;

/** All are borrowed and outlive the result, but @p binaries, which must end before it. */
struct pd_error *resolve_jits_create(const struct pd_file *file, const struct sym_search *search,
	struct pd_space *space, struct resolve_binaries *binaries,
	struct resolve_jits **ret) pd_must_check;
void resolve_jits_destroy(struct resolve_jits *jits);

/**
 * If @p rec is a mapping of a jitdump, which is how a program tells of it, open that. One that is
 * not found, or cannot be read, goes to the file's diag. Errors: no memory.
 */
struct pd_error *resolve_jits_take_record(
	struct resolve_jits *jits, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/** Let process @p pid have the code that it had at @p time, ns. Errors: no memory. */
struct pd_error *resolve_jits_step(
	struct resolve_jits *jits, uint32_t pid, uint64_t time) pd_must_check;

#endif
