/**
 * @file The dump: everything in a recording, as it is decoded, for those who debug the format.
 *
 * Its parts come in the order of the file: the file header, the attrs, the records, the features.
 * Text has a line for each part, or for each field; JSON an object a line.
 */
#ifndef PD_INSPECT_DUMP_H
#define PD_INSPECT_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct inspect_dump_opts {
	bool json;
	/** Text: a line for each field, "OFFSET TYPE.FIELD VALUE". */
	bool by_field;
	/** Text: all bytes as hex views, not only those that are unknown or damaged. */
	bool hex;
	/** Names or numbers of types, with commas between; NULL: all. */
	const char *types;
	/** Only what begins there in the file or later, bytes. */
	uint64_t offset;
	/** Parts at most; 0: all. */
	uint64_t limit;
};

/** Write the dump of @p file. Errors: a type is not known; reading; no memory. */
struct pd_error *inspect_dump(
	struct pd_file *file, const struct inspect_dump_opts *opts, FILE *out) pd_must_check;

#endif
