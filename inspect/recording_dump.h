/**
 * @file The dump: every byte of a recording as it is decoded, for debugging the format.
 *
 * Parts are printed in file order: file header, attrs, records, features. Text has one line for
 * each part or for each field. JSON has one object on each line.
 */
#ifndef PD_INSPECT_RECORDING_DUMP_H
#define PD_INSPECT_RECORDING_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct inspect_dump_opts {
	bool json;
	/** Text: one line for each field, "OFFSET TYPE.FIELD VALUE". */
	bool by_field;
	/** Text: hex dumps of all byte fields, not only of those that are unknown or damaged. */
	bool hex;
	/** Names or numbers of record types, separated by commas; NULL: all. */
	const char *types;
	/** File offset in bytes; parts that begin before it are skipped. */
	uint64_t offset;
	/** Maximum number of parts; 0: all. */
	uint64_t limit;
};

/**
 * Write the dump of @p file to @p out. Errors: USAGE, an unknown type in opts->types; reading;
 * NOMEM.
 */
struct pd_error *inspect_dump(
	struct pd_file *file, const struct inspect_dump_opts *opts, FILE *out) pd_must_check;

#endif
