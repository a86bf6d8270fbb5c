/**
 * @file What fuzz targets do with a recording.
 */
#ifndef PD_TESTS_FUZZ_RECORDING_H
#define PD_TESTS_FUZZ_RECORDING_H

#include <pdconv/file.h>
#include <pdconv/reader.h>

#include "resolve/resolve.h"
#include "tests/fuzz/fuzz.h"

/** Open the rest of @p in as a recording, borrowed. NULL if it is not one. */
struct pd_file *fuzz_open(const struct fuzz_input *in);

/** Read all records of @p file and decode them with their samples and trailers. */
void fuzz_read(struct pd_file *file, enum pd_order_kind order);

/** Options that make a profile without files of this machine and without threads. */
struct resolve_opts fuzz_resolve_opts(void);

/** Writes a recording to @p out that it makes from @p in. */
typedef struct pd_error *fuzz_write_fn(struct fuzz_input *in, FILE *out);

/**
 * Make a recording with @p write. ret->bytes are to be freed, and NULL if the recording cannot be
 * written.
 */
void fuzz_make_recording(fuzz_write_fn *write, struct fuzz_input *in, struct fuzz_input *ret);

/** Dump @p recording as JSON, and convert it to @p format. */
void fuzz_dump_and_convert(const struct fuzz_input *recording, const char *format);

/** Make a profile of @p file for @p format, and write it. */
void fuzz_convert(struct pd_file *file, const char *format);

#endif
