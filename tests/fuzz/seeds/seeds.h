/**
 * @file Seeds: inputs from which fuzzers start. They are made of the tables of the format, of
 * testdata/ and of the builders of the unit tests, in the form that the targets take apart.
 */
#ifndef PD_TESTS_FUZZ_SEEDS_H
#define PD_TESTS_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>
#include <pdconv/file.h>

/** Write the seed @p name of the folder @p corpus. Ends the program on failure. */
void seeds_write(const char *corpus, const char *name, const void *bytes, size_t size);

/** Like seeds_write(), and free @p bytes. */
void seeds_put(const char *corpus, const char *name, struct pd_bytes *bytes);

/** Append a piece, as fuzz_piece() takes it. Longer ones are cut. */
void seeds_piece(struct pd_bytes *out, const void *bytes, size_t size);

/** Read a file; at most @p most bytes. Ends the program on failure. Free with pd_bytes_deinit(). */
struct pd_bytes seeds_read(const char *path, size_t most);

/** Open a recording of testdata/. Ends the program on failure. */
struct pd_file *seeds_open(const char *path);

/** Paths of the recordings that seeds are made of; ends with a NULL. */
extern const char *const seeds_recordings[];

/** Write the seeds of some targets. */
void seeds_of_recordings(void);
void seeds_of_records(void);
void seeds_of_features(void);
void seeds_of_binaries(void);
/** Write the seeds that are made of the ELF file @p path. */
void seeds_of_binary(const char *path);
void seeds_of_unwinding(void);
void seeds_of_profiles(void);

#endif
