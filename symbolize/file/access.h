/**
 * @file Opening files whose names come from a recording, from a binary, or from a directory of
 * another machine. Private to symbolize/.
 *
 * Only regular files are opened. Anything else is only looked at, so that no device is started and
 * no pipe is waited for. Below a root, ".." and links do not lead out of it: absolute links are
 * those of the machine that the root is of.
 */
#ifndef PD_SYMBOLIZE_FILE_ACCESS_H
#define PD_SYMBOLIZE_FILE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "symbolize/file/deps.h"
#include "symbolize/file/path.h"
#include "symbolize/file/trouble.h"

/** Result of the search for a binary. */
enum sym_status {
	SYM_FOUND,
	SYM_NO_FILE,	    /**< There is no such file. */
	SYM_WRONG_BUILD_ID, /**< A file exists, but of another build. */
	SYM_UNREADABLE,	    /**< A file exists that cannot be opened or read. */
	SYM_NOT_ELF,	    /**< A file exists that is not a valid ELF file. */
	SYM_NO_IMAGE, /**< The name is not that of a file: anonymous memory, [stack], JIT code. */
};

/** Reason why a file cannot be used. */
struct sym_failure {
	enum sym_status status;
	/** Predicate of a sentence about the file, such as "is not an ELF file". Static storage. */
	const char *text;
};

/** How files are opened. Borrows what it refers to. Zero-initialized, it has no roots. */
struct sym_access {
	/**
	 * Directories that are roots: paths below them do not lead out of them. NULL: none. In
	 * addition, /proc/PID/root is a root for every process.
	 */
	const char *symfs;
	const char *kernel_dir;
	/** Receives all files that are opened; NULL: they are not listed. */
	struct sym_deps *deps;
	/** Receives files that exist and cannot be read; NULL: they are not listed. */
	struct sym_trouble *trouble;
	/**
	 * Files of the kernel's file systems, such as /proc/kallsyms, may be opened. Reading others
	 * of them has side effects, so this is only set where such a file is expected.
	 */
	bool is_kernel_expected;
};

/**
 * Format of the path of a file that a process has mapped: its id, and the start and end of the
 * mapping. Only such links of /proc are followed.
 */
#define SYM_MAP_FILE_FORMAT "/proc/%u/map_files/%lx-%lx"

/**
 * Open the regular file @p path read-only, and add it to access.deps. Returns a descriptor, or a
 * negative number and the reason in @p failure_ret.
 */
int sym_open_regular(const char *path, struct sym_access access, struct sym_failure *failure_ret);

/**
 * Set @p failure_ret to the reason why @p path cannot be opened or read: @p error, as errno has it.
 * It is added to access.trouble unless it says that there is no such file, or no permission.
 * Returns -1.
 */
int sym_open_failed(
	const char *path, struct sym_access access, int error, struct sym_failure *failure_ret);

/** Get the state of the regular file @p path, and add it to access.deps. False: there is none. */
bool sym_stat_regular(const char *path, struct sym_access access, struct stat *ret);

/**
 * Set @p ret to @p path without links, and add it to access.deps. A path below a root stays below
 * it. Returns false if there is no such file.
 */
bool sym_real_path(const char *path, struct sym_access access, struct sym_path *ret);

#endif
