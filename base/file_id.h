/**
 * @file The state of a file: what differs after a change of the file, or when another one takes its
 * place.
 */
#ifndef PD_BASE_FILE_ID_H
#define PD_BASE_FILE_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/** State of a file. It has no padding, so states can be compared by their bytes. */
struct pd_file_id {
	uint64_t dev;
	uint64_t ino;
	uint64_t size;
	/** Time of the last change of the contents, and of contents or attributes, in ns. */
	int64_t mtime_ns;
	int64_t ctime_ns;
	uint64_t mode;
};

struct pd_file_id pd_file_identify(const struct stat *st);

/**
 * Whether the file was changed so shortly before now that its times may be the same after another
 * change.
 */
bool pd_file_is_fresh(const struct stat *st);

#endif
