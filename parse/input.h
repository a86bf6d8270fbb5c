/**
 * @file Input: a file, a pipe, a socket, or memory, possibly compressed.
 *
 * A regular file is mapped as a whole or, where mappings are copies, read by offset. Either allows
 * any number of readers. Pipes and compressed input (gzip, zstd, xz), which is decompressed
 * transparently, are streams that can be read once.
 */
#ifndef PD_PARSE_INPUT_H
#define PD_PARSE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/io/window.h"

struct parse_input;

/**
 * Open the file or pipe @p path; "-" is standard input. Damage of compressed input is noted in
 * @p diag, which is borrowed and may be NULL. Errors: OS; UNSUPPORTED for a directory, a device, or
 * an unsupported compression format; NOMEM.
 */
struct pd_error *parse_input_open(
	const char *path, struct pd_diag *diag, struct parse_input **ret) pd_must_check;
/** Like parse_input_open(), for @p fd, which the caller keeps. @p name is used in messages. */
struct pd_error *parse_input_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct parse_input **ret) pd_must_check;
/** Like parse_input_open(), for memory, which is borrowed until parse_input_close(). */
struct pd_error *parse_input_open_memory(const void *bytes, size_t size, const char *name,
	struct pd_diag *diag, struct parse_input **ret) pd_must_check;
/** Open @p input again, which is not a stream. Borrows it if it is mapped or memory. */
struct pd_error *parse_input_open_again(const struct parse_input *input, struct pd_diag *diag,
	struct parse_input **ret) pd_must_check;
/** Close @p input, which may be NULL. */
void parse_input_close(struct parse_input *input);

/** Return an error (OS) if the mapped file has shrunk: see pdconv/file_guard.h. */
struct pd_error *parse_input_check(const struct parse_input *input) pd_must_check;

/** Size of the input in bytes; UINT64_MAX for a stream. */
uint64_t parse_input_size(const struct parse_input *input);
/** The whole input, valid until it is closed; NULL for a stream and a file that is not mapped. */
const uint8_t *parse_input_bytes(const struct parse_input *input);
/**
 * Read @p size bytes at @p offset, which are within an input that is not a stream, to @p to.
 * Errors: OS, also if the file has shrunk.
 */
struct pd_error *parse_input_read_at(
	const struct parse_input *input, uint64_t offset, void *to, size_t size) pd_must_check;

/**
 * Take the bytes [@p from, @p to) out of memory if they are mapped: they were read, and are hardly
 * ever read again. They stay valid.
 */
void parse_input_drop(const struct parse_input *input, uint64_t from, uint64_t to);

/** Bytes of a stream that were read and not consumed. */
struct base_seen parse_input_peek(const struct parse_input *input);
void parse_input_take(struct parse_input *input, size_t len);
/** Read more bytes of a stream, blocking. @p more_ret is false at the end. Errors: OS, NOMEM. */
struct pd_error *parse_input_fill(struct parse_input *input, bool *more_ret) pd_must_check;

/**
 * Copy the first @p want bytes to @p to, or fewer if the input is shorter, without consuming them.
 * *@p n_ret is their number. Errors: OS, NOMEM.
 */
struct pd_error *parse_input_look(
	struct parse_input *input, void *to, size_t want, size_t *n_ret) pd_must_check;

/**
 * Wait for the end of a stream: move what was not read yet to an unnamed temporary file, and read
 * it from there. Errors: OS, NOMEM.
 */
struct pd_error *parse_input_await(struct parse_input *input) pd_must_check;

/**
 * Copy a stream, of which nothing was consumed, to an unnamed temporary file (in $TMPDIR, otherwise
 * /tmp) and read that from now on. Errors: OS, NOMEM.
 */
struct pd_error *parse_input_spool(struct parse_input *input) pd_must_check;

#endif
