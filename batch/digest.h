/**
 * @file Digests by XXH3: hashes that are the same on each machine and in each version.
 *
 * They are not cryptographic: two recordings with the same digest can be made on purpose.
 */
#ifndef PD_BATCH_DIGEST_H
#define PD_BATCH_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

/** Bytes of a digest of 128 bits as a string of hexadecimal digits, with its NUL. */
enum { BAT_DIGEST_SIZE = 33 };

/** Digest of a string, 64 bits. */
uint64_t bat_digest_number(const char *text);

/** Digest of a string, as text. */
void bat_digest_text(const char *text, char ret[static BAT_DIGEST_SIZE]);

/** A file or a folder that was digested. */
struct bat_digested {
	char digest[BAT_DIGEST_SIZE];
	/** Digest of the content alone. */
	char content[BAT_DIGEST_SIZE];
	/** Sum of the sizes of all files, in bytes. */
	uint64_t bytes;
	/** Time of the last change of the (first) file, in seconds since 1970. */
	int64_t changed_at;
	/** Changes if a file was changed: see bat_file_state(). */
	uint64_t state;
};

/**
 * Return in *@p ret a number made of size, times and inode of the regular file @p path, which
 * another content would have changed. Returns false if it is not a regular file, or if it was
 * changed in the last seconds: a further change might leave its times as they are.
 */
bool bat_file_state(const char *path, uint64_t *ret);

/**
 * Digest the content of @p path and then @p more, which may be "". Of a folder, names and contents
 * of the files in it are digested. For a file and "", it is what xxhsum -H2 prints. Errors: OS,
 * NOMEM.
 */
struct pd_error *bat_digest_path(
	const char *path, const char *more, struct bat_digested *ret) pd_must_check;

/** Whether @p path was changed since it was digested, or is gone. */
bool bat_digest_is_outdated(const char *path, const struct bat_digested *digested);

#endif
