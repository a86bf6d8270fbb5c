/**
 * @file Language runtimes: recognized by their files and functions.
 */
#ifndef PD_PROFILE_RUNTIMES_H
#define PD_PROFILE_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/runtime_defs.h"

enum prof_runtime {
#define PROF_RUNTIME_ENUM(id, ...) PROF_RUNTIME_##id,
	PROF_RUNTIMES(PROF_RUNTIME_ENUM)
#undef PROF_RUNTIME_ENUM
		PROF_N_RUNTIMES,
};

enum {
	/** The stack has the interpreter, but no functions of the program that it runs. */
	PROF_LACKS_FRAMES = 1,
	/** Generated code has no names. */
	PROF_LACKS_NAMES = 2,
	/** The stack ends in code of the program. */
	PROF_LACKS_CALLERS = 4,
	/** Generated code lacks both. */
	PROF_LACKS_CODE = PROF_LACKS_NAMES | PROF_LACKS_CALLERS,
	/** Number of combinations. */
	PROF_N_LACKS = 8,
	/** Version that is newer than all others. */
	PROF_NEWEST = 9999,
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

/** Whether stacks of @p runtime end in code that is not generated at run time. */
bool prof_runtime_has_no_stack(enum prof_runtime runtime);
/** Whether no captured stack of @p runtime is large enough. */
bool prof_runtime_is_endless(enum prof_runtime runtime);

/** Whether the command line @p command makes @p runtime write a perf map or a jitdump. */
bool prof_runtime_is_told_to_name(enum prof_runtime runtime, const char *command);

/**
 * Whether the command line @p command runs a program of @p runtime without the option that gives
 * its generated code frame pointers.
 */
bool prof_runtime_lacks_frame_pointers(enum prof_runtime runtime, const char *command);

/** Whether @p command has the option that gives generated code of @p runtime frame pointers. */
bool prof_runtime_is_told_frame_pointers(enum prof_runtime runtime, const char *command);

/** Whether something is known to do if @p runtime lacks one of @p lacks (PROF_LACKS_*). */
bool prof_runtime_is_known_to_lack(enum prof_runtime runtime, unsigned lacks);

/**
 * Find what to do if version @p version (0: not known) of @p runtime lacks one of @p lacks. Sets
 * the bits that @p ret is about, and returns the text: NULL if nothing is known. Static storage.
 */
const char *prof_runtime_hint(
	enum prof_runtime runtime, uint32_t version, unsigned lacks, unsigned *ret);

#endif
