/**
 * @file Language runtimes: recognized by their files and functions.
 */
#ifndef PD_PROFILE_KNOWN_RUNTIMES_H
#define PD_PROFILE_KNOWN_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/runtime_defs.h"

enum prof_runtime {
#define PROF_RUNTIME_ENUM(id, ...) PROF_RUNTIME_##id,
	PROF_RUNTIMES(PROF_RUNTIME_ENUM)
#undef PROF_RUNTIME_ENUM
		PROF_N_RUNTIMES,
};

/** Name of the runtime: "CPython". Static storage. */
const char *prof_runtime_name(enum prof_runtime runtime);

/**
 * The runtime that the file at @p path is part of, or PROF_N_RUNTIMES. Its version is stored as
 * 100 * major + minor, 0 if the name of the file does not have it.
 */
enum prof_runtime prof_runtime_of_file(const char *path, uint32_t *version_ret);

/**
 * The runtime that the function @p linkage in the file at @p path belongs to if it runs code of
 * programs, or PROF_N_RUNTIMES. Several runtimes may have a function of that name; the file
 * decides between them.
 */
enum prof_runtime prof_runtime_of_function(const char *linkage, const char *path);

/** The runtime whose programs have a function @p name, or PROF_N_RUNTIMES. */
enum prof_runtime prof_runtime_of_script(const char *name);

/** Whether functions that @p runtime interprets have frames, by a perf map or a jitdump. */
bool prof_runtime_names_script(enum prof_runtime runtime);

/** Whether the file at @p path holds compiled code of programs, but is not an ELF file. */
bool prof_runtime_is_image(const char *path);

#endif
