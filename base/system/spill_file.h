/**
 * @file The file of an array that became large (base/io/spill.h). It is mapped.
 */
#ifndef PD_BASE_SPILL_FILE_H
#define PD_BASE_SPILL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/** Zero-initialized, there is none. */
struct base_spill_file {
	int fd;
	/** Mapping of the whole file; NULL before base_spill_file_resize(). */
	void *bytes;
	size_t size;
};

/** Whether there are such files. If not, arrays stay in memory and no function below is called. */
bool base_spill_files_exist(void);
/**
 * Let the file have @p size bytes and map them. Blocks of the disk are reserved, because writing to
 * a mapping cannot fail. The bytes may move. Returns false and sets errno on failure.
 */
bool base_spill_file_resize(struct base_spill_file *file, size_t size);
/** Take the first @p size bytes out of memory. They can still be read. */
void base_spill_file_drop(const struct base_spill_file *file, size_t size);
void base_spill_file_close(struct base_spill_file *file);

#endif
