/**
 * @file Where bytes come from: a file, a pipe, a socket, or memory, possibly compressed.
 *
 * What can be mapped is there as a whole. All else comes piece by piece, once: pipes, and what
 * somebody compressed (gzip, zstd, xz), which is unpacked on the way.
 */
#ifndef PD_PARSE_INPUT_H
#define PD_PARSE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/window.h"

struct pd_input;

/**
 * Open the file or pipe @p path; "-" is standard input, whatever it is. Damage of compressed bytes
 * goes to @p diag, which is borrowed and may be NULL. Errors: it cannot be opened, or is a
 * directory, a device, or compressed in a way that is not known.
 */
struct pd_error *pd_input_open(
	const char *path, struct pd_diag *diag, struct pd_input **ret) pd_must_check;
/** The same of descriptor @p fd, which stays the caller's; @p name is for messages. */
struct pd_error *pd_input_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_input **ret) pd_must_check;
/** The same of memory, which is borrowed until pd_input_close. */
struct pd_error *pd_input_open_memory(const void *bytes, size_t size, const char *name,
	struct pd_diag *diag, struct pd_input **ret) pd_must_check;
/** NULL is fine. */
void pd_input_close(struct pd_input *input);

/** All its bytes, until it is closed; NULL if they come piece by piece. */
const uint8_t *pd_input_bytes(const struct pd_input *input, uint64_t *size_ret);

/** Of one that comes piece by piece: what has come and was not taken. */
struct pd_seen pd_input_peek(const struct pd_input *input);
void pd_input_take(struct pd_input *input, size_t len);
/** Wait for more behind what peek shows. False: that is the end. Errors: reading, no memory. */
struct pd_error *pd_input_fill(struct pd_input *input, bool *more_ret) pd_must_check;

/** The first bytes, @p want of them or all there are; nothing is taken. */
struct pd_error *pd_input_look(
	struct pd_input *input, size_t want, struct pd_seen *ret) pd_must_check;

/**
 * Make all of one that comes piece by piece there as a whole, in a temporary file without a name
 * (in $TMPDIR, else /tmp). Nothing must have been taken from it.
 */
struct pd_error *pd_input_spool(struct pd_input *input) pd_must_check;

#endif
