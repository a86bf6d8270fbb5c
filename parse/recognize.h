/**
 * @file What is a recording, judged by its first bytes or by the names of its files.
 */
#ifndef PD_PARSE_RECOGNIZE_H
#define PD_PARSE_RECOGNIZE_H

#include <stdbool.h>

/** Kinds of files by their first bytes. */
enum parse_likeness {
	PARSE_LIKE_NOTHING,
	PARSE_LIKE_RECORDING,
	/** Compressed: a recording or anything else. */
	PARSE_LIKE_COMPRESSED,
};

/** Judge the open file @p fd from its current position on, which is kept. */
enum parse_likeness parse_likeness_of(int fd);

/** Whether the folder @p fd has the files of `perf record --threads`. */
bool parse_is_recorded_folder(int fd);

#endif
