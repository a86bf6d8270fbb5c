/**
 * @file Code that a program will have mapped once it runs: its own, that of the dynamic linker, and
 * that of the libraries it is linked with.
 *
 * This is a forecast, for what is better prepared before the program starts: libraries are looked
 * for as glibc does, except for directories of processor variants, and what is not found is left
 * out.
 */
#ifndef PD_SYMBOLIZE_FIND_NEEDED_H
#define PD_SYMBOLIZE_FIND_NEEDED_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** Executable segment of a file. */
struct sym_needed_code {
	/** Path; belongs to the list. */
	const char *path;
	/** Offset in the file, which is a multiple of the page size, and size in bytes. */
	uint64_t offset;
	uint64_t size;
};

/** Initialize with zeros. */
struct sym_needed {
	PD_VEC(struct sym_needed_code) list;
	/** Paths of the files. */
	PD_VEC(char *) paths;
};

/**
 * Append the code of @p program, which is looked up on the PATH if it has no slash. A script needs
 * what its interpreter does. Errors: NOMEM.
 */
struct pd_error *sym_needed_find(const char *program, struct sym_needed *ret) pd_must_check;
void sym_needed_deinit(struct sym_needed *needed);

#endif
