/**
 * @file Executables of processes: the programs that they run.
 */
#ifndef PD_ANALYZE_EXECUTABLES_H
#define PD_ANALYZE_EXECUTABLES_H

#include <pdconv/error.h>

#include "base/containers/map.h"
#include "profile/profile.h"

/**
 * Executables as stacks show them: the program at the root of a complete stack of a main thread,
 * else a program that threads are named after. Zero-initialise.
 */
struct ana_executables {
	/** Binaries by process and thread name, and by process. */
	struct base_map by_name;
	struct base_map by_pid;
};

/** Find the executables of all processes. Deinit in any case. Errors: NOMEM. */
struct pd_error *ana_executables_init(
	struct ana_executables *executables, const struct profile *profile) pd_must_check;
void ana_executables_deinit(struct ana_executables *executables);

/**
 * Return the executable of the process of @p thread; none: it is not known. A process that executed
 * another program has one for each name of its threads.
 */
struct prof_binary_id ana_executable(
	const struct ana_executables *executables, const struct prof_thread *thread);

#endif
