/**
 * @file Jitdumps of the recorded processes, and the generated code that was in memory at a given
 * time.
 */
#ifndef PD_RESOLVE_BINARIES_JITS_H
#define PD_RESOLVE_BINARIES_JITS_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "resolve/binaries/binaries.h"
#include "parse/space/space.h"
#include "symbolize/binary.h"

struct resolve_jits;

/**
 * @p arch is the architecture of the recording, or NULL if it is unknown. All arguments are
 * borrowed. They outlive the result, except for @p binaries, which must be destroyed first.
 */
struct pd_error *resolve_jits_create(const struct pd_file *file, const struct pd_arch *arch,
	const struct sym_search *search, struct parse_space *space,
	struct resolve_binaries *binaries, struct resolve_jits **ret) pd_must_check;
void resolve_jits_destroy(struct resolve_jits *jits);

/**
 * Open the jitdump if @p rec maps one: programs announce their jitdump by mapping it. A jitdump
 * that is not found or cannot be read is reported to the diag of the file. A process that @p rec
 * forks gets the generated code of its parent when parse_space_apply() follows. Errors: NOMEM.
 */
struct pd_error *resolve_jits_take_record(
	struct resolve_jits *jits, const struct pd_record *rec, size_t sid_bytes) pd_must_check;

/** Set the generated code of process @p pid to that at @p time (ns). Errors: NOMEM. */
struct pd_error *resolve_jits_step(
	struct resolve_jits *jits, uint32_t pid, uint64_t time) pd_must_check;

/** Whether process @p pid has a jitdump, so that resolve_jits_step() may change its mappings. */
bool resolve_jits_has(const struct resolve_jits *jits, uint32_t pid);

/** Return an error (OS) if a jitdump has shrunk: see pdconv/file_guard.h. */
struct pd_error *resolve_jits_check(const struct resolve_jits *jits) pd_must_check;

#endif
