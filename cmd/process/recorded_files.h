/**
 * @file The files that the frames of a recording are in, and where perf's build-id cache has them.
 */
#ifndef PD_CMD_RECORDED_FILES_H
#define PD_CMD_RECORDED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "api/reading.h"
#include "profile/profile.h"
#include "resolve/resolve.h"

/** A file that was found. Borrowed from its profile, except for the bytes. */
struct cmd_recorded_file {
	const struct prof_binary *binary;
	/** Where it is on this machine. */
	const char *path;
	/** Name in the cache: "elf", "debug", "vdso" or "kallsyms". */
	const char *kind;
	/** The open file, borrowed; 0: it is opened by its path. */
	int held;
};

/**
 * Read the recording @p input for the files of its frames, which become the attempts of the
 * profile. @p opts is how it is read. If its search has dependencies, these have the .dwo and .dwp
 * files of the frames, too. Errors: those of resolve_profile().
 */
struct pd_error *cmd_recorded_files_read(const char *input, const struct resolve_opts *opts,
	struct pd_diag *diag, struct profile **ret) pd_must_check;

/** Return the file of @p attempt. False: it was not used. */
bool cmd_recorded_file(const struct profile *profile, const struct prof_attempt *attempt,
	struct cmd_recorded_file *ret) pd_must_check;

/**
 * Return the recorded path @p name as a path below a directory, which does not lead out of it or to
 * the links of the cache; others are replaced. Allocated; NULL: no memory.
 */
char *cmd_recorded_path(const char *name) pd_must_check;

/** The contents of a file: in @p fd, or, if that is -1, in memory. */
struct cmd_recorded_bytes {
	int fd;
	/** Owned; NULL: the file has them. */
	void *memory;
	uint64_t size;
	/** Seconds since 1970; 0: not known. */
	int64_t mtime;
};

/**
 * Open @p file. Files of /proc are read into memory, because their size is not known before.
 * Returns false if it cannot be opened any longer, or with an error in *@p err_ret: OS, NOMEM.
 */
bool cmd_recorded_bytes_open(const struct cmd_recorded_file *file, const struct sym_search *search,
	struct cmd_recorded_bytes *ret, struct pd_error **err_ret) pd_must_check;
void cmd_recorded_bytes_close(struct cmd_recorded_bytes *bytes);

#endif
