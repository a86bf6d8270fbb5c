/**
 * @file Remedies: what to do if programs of language runtimes lack frames, names or callers.
 */
#ifndef PD_ADVICE_REMEDIES_H
#define PD_ADVICE_REMEDIES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/known_runtimes.h"

enum {
	/** The stack has the interpreter, but no functions of the program that it runs. */
	ADVICE_LACKS_FRAMES = 1,
	/** Generated code has no names. */
	ADVICE_LACKS_NAMES = 2,
	/** The stack ends in code of the program. */
	ADVICE_LACKS_CALLERS = 4,
	/** Generated code lacks both. */
	ADVICE_LACKS_CODE = ADVICE_LACKS_NAMES | ADVICE_LACKS_CALLERS,
	/** Number of combinations. */
	ADVICE_N_LACKS = 8,
	/** Version that is newer than all others. */
	ADVICE_NEWEST = 9999,
};

/** Whether stacks of @p runtime end in code that is not generated at run time. */
bool advice_runtime_has_no_stack(enum prof_runtime runtime);
/** Whether no captured stack of @p runtime is large enough. */
bool advice_runtime_is_endless(enum prof_runtime runtime);

/** Whether the command line @p command makes @p runtime write a perf map or a jitdump. */
bool advice_runtime_is_told_to_name(enum prof_runtime runtime, const char *command);

/**
 * Whether the command line @p command runs a program of @p runtime without the option that gives
 * its generated code frame pointers.
 */
bool advice_runtime_lacks_frame_pointers(enum prof_runtime runtime, const char *command);

/** Whether @p command has the option that gives generated code of @p runtime frame pointers. */
bool advice_runtime_is_told_frame_pointers(enum prof_runtime runtime, const char *command);

/** Whether something is known to do if @p runtime lacks one of @p lacks (ADVICE_LACKS_*). */
bool advice_remedy_exists(enum prof_runtime runtime, unsigned lacks);

/**
 * Find what to do if version @p version (0: not known) of @p runtime lacks one of @p lacks. Sets
 * the bits that @p ret is about, and returns the text: NULL if nothing is known. Static storage.
 */
const char *advice_remedy_find(
	enum prof_runtime runtime, uint32_t version, unsigned lacks, unsigned *ret);

#endif
