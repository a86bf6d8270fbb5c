/**
 * @file perf-PID.map: names that a process wrote for the code that it generated.
 *
 * A line is "START SIZE NAME": two hexadecimal numbers, with or without 0x, and a name that may
 * contain spaces (tools/perf/Documentation/jit-interface.txt of Linux). Lines are appended as code
 * is generated, so the later of two lines that overlap is valid.
 *
 * Addresses are those of the process.
 */
#ifndef PD_SYMBOLIZE_PERF_MAP_H
#define PD_SYMBOLIZE_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/find/file_search.h"

/**
 * Whether the mapping called @p name may have generated code, because it is memory without a file.
 */
bool sym_may_be_generated(const char *name);

/**
 * Whether the mapping called @p name may have generated code although it may be one of an ELF
 * file: files in memory (memfd_create), shared memory, huge pages, and files that libffi removes as
 * soon as it has mapped them. Only a map that has code there shows that it is generated.
 */
bool sym_file_may_be_generated(const char *name);

/** Map that was found and is open, so that it is the file that was checked. */
struct sym_perf_map_file {
	/** From malloc(); NULL: none was found. */
	char *path;
	/** -1: none was found, or it is in an archive. */
	int fd;
	/** Member of an archive that has the map, borrowed; else NULL. */
	const struct sym_archive *archive;
	const struct sym_member *member;
};

/** File that a map was read from. */
struct sym_perf_map_origin {
	/** Owned by the map. */
	char *path;
	/** Device and inode of a file that is not in an archive; else 0. */
	uint64_t dev;
	uint64_t ino;
};

/**
 * Search for the map of process @p pid: in the directories and the archives of @p search and, if
 * the recording was made on this machine, in /tmp, as the process itself sees it if it still runs.
 * A map in /tmp must belong to root, to the user, or to the owner of the process.
 * sym_perf_map_file_deinit() releases *ret. Errors: NOMEM.
 */
struct pd_error *sym_perf_map_find(
	const struct sym_search *search, uint32_t pid, struct sym_perf_map_file *ret) pd_must_check;
void sym_perf_map_file_deinit(struct sym_perf_map_file *file);

struct sym_perf_map;

/**
 * Read the open map @p file, which the caller still releases. The map is empty if it cannot be
 * read. Errors: NOMEM.
 */
struct pd_error *sym_perf_map_read(const struct sym_perf_map_file *file, struct sym_access access,
	struct sym_perf_map **ret) pd_must_check;
/** Return where @p map was read from. */
const struct sym_perf_map_origin *sym_perf_map_origin(const struct sym_perf_map *map);
/** @p map may be NULL. */
void sym_perf_map_destroy(struct sym_perf_map *map);

/** Code that a line of a map describes. */
struct sym_perf_map_code {
	/** Process address. */
	uint64_t start;
	/** Size in bytes. Lines that follow may describe other code in a part of it. */
	uint64_t size;
	/** Name, borrowed from the map. */
	const char *name;
	/**
	 * Other lines of the map have code of another name at the address that was looked up. A map
	 * does not say when, so samples from before have the wrong name.
	 */
	bool is_reused;
};

/** Whether @p map has code within [@p start, @p end). */
bool sym_perf_map_has_code(const struct sym_perf_map *map, uint64_t start, uint64_t end);

/** Find the code that contains @p addr. Returns false if there is none. Thread-safe. */
bool sym_perf_map_lookup(
	const struct sym_perf_map *map, uint64_t addr, struct sym_perf_map_code *ret);

#endif
