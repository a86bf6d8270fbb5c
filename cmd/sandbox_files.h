/**
 * @file The part of the sandbox about files, TCP and signals: Landlock.
 */
#ifndef PD_CMD_SANDBOX_FILES_H
#define PD_CMD_SANDBOX_FILES_H

#include <stdbool.h>
#include <stdint.h>

/** A set of rules that is built. */
struct cmd_landlock {
	/** Kinds of access to files that need a rule, as bits of Landlock. */
	uint64_t handled_fs;
	/** -1: the kernel has no Landlock. */
	int fd;
};

/** Start a set. With @p keeps_network TCP and Unix sockets stay as they are. */
void cmd_landlock_init(struct cmd_landlock *landlock, bool keeps_network);
void cmd_landlock_deinit(struct cmd_landlock *landlock);

/* @p dir is the directory of a relative @p path, or AT_FDCWD. */

/** Allow to create, replace, write and remove regular files in the directory @p path and below. */
void cmd_landlock_allow_dir(struct cmd_landlock *landlock, int dir, const char *path);

/** Like cmd_landlock_allow_dir(), for directories in it, too. */
void cmd_landlock_allow_tree(struct cmd_landlock *landlock, int dir, const char *path);

/** Allow to write, truncate and control the existing file @p path, unless it is a directory. */
void cmd_landlock_allow_file(struct cmd_landlock *landlock, int dir, const char *path);

/**
 * Forbid this thread and those that it creates all else that changes files, executing them,
 * signals to other processes and, unless the network is kept, TCP connections. Reading files stays
 * allowed.
 */
void cmd_landlock_restrict(struct cmd_landlock *landlock);

#endif
