/**
 * @file Where to search for the files of a recording, and what a search has tried.
 *
 * A search is by what the recording says about a binary. It is made in directories and archives
 * that the caller gives, and where paths of the recording machine lead on this one.
 */
#ifndef PD_SYMBOLIZE_FIND_FILE_SEARCH_H
#define PD_SYMBOLIZE_FIND_FILE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "base/id_origin.h"
#include "symbolize/file/access.h"
#include "symbolize/file/path.h"
#include "symbolize/find/search_path_defs.h"

struct sym_archive;
struct sym_debuginfod;
struct sym_process_roots;

/** Options of searches. All members may be NULL. Borrowed: outlives the binaries opened with it. */
struct sym_search {
	/** Directory that stands for the root of the recording machine. */
	const char *symfs;
	/** Further directories with binaries and debug files, separated by ':'. */
	const char *debug_dirs;
	/** Directory of perf's build-id cache; NULL means ~/.debug. */
	const char *buildid_dir;
	const struct pd_path_map *path_maps;
	size_t n_path_maps;
	/** Archives of binaries. The array and the archives are borrowed. */
	struct sym_archive *const *archives;
	size_t n_archives;
	/** Client for debuginfod servers, borrowed; NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
	/**
	 * Root directories of other processes, such as those of containers, borrowed; NULL: only
	 * those of recorded processes are used.
	 */
	struct sym_process_roots *roots;
	/** Receives all files that are looked for, borrowed; NULL: they are not listed. */
	struct sym_deps *deps;
	/**
	 * Receives files that exist and cannot be read, and limits that were reached, borrowed;
	 * NULL: they are not listed.
	 */
	struct sym_trouble *trouble;
	/** Directory in which tables of names are cached; NULL: none are. */
	const char *cache_dir;
	/**
	 * Directory with the files kallsyms and modules that the recorder copied; NULL if there is
	 * none.
	 */
	const char *kernel_dir;
	/**
	 * Directory with maps of generated code, perf-PID.map; NULL means /tmp of the recording
	 * machine.
	 */
	const char *perf_map_dir;
	/** If no other file is found, use one of another build. */
	bool force_mismatch;
	/**
	 * Look for no file at its recorded path on this machine, nor at the default paths of this
	 * machine's kernel: such a path may be on a network mount, or belong to another machine.
	 */
	bool no_own_paths;
	/**
	 * The recording was made on this machine, so that its inodes and processes may still exist.
	 */
	bool is_here;
	/**
	 * End of the recording in seconds since 1970; 0: not known. Used only if is_here is set.
	 */
	int64_t ended_at;
};

/** Recorded facts about a binary. */
struct sym_recorded {
	/** Path on the recording machine, or a special name such as "[vdso]". */
	const char *name;
	/** Build id; len 0: not known. */
	struct pd_build_id id;
	enum base_id_origin id_origin;
	/** Process that had the file mapped; 0: not known. */
	uint32_t pid;
	/** Inode, and the device it is on; ino 0: not known. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** Highest known offset in bytes that was mapped. The file is larger than this. */
	uint64_t offset;
	/** Size of the mapping at that offset in bytes; 0: not known. */
	uint64_t size;
	/** That mapping is executable, and as the loader made it. */
	bool is_code;
};

/** Whether files of this machine are looked for at their recorded paths. */
static inline bool sym_search_has_own_paths(const struct sym_search *search)
{
	return !search->symfs && !search->no_own_paths;
}

/** Whether files are looked for in processes of this machine that may be recorded ones. */
static inline bool sym_search_has_processes(const struct sym_search *search)
{
	return sym_search_has_own_paths(search) && search->is_here;
}

/** How the files of @p search are opened. */
static inline struct sym_access sym_search_access(const struct sym_search *search)
{
	return (struct sym_access){
		.symfs = search->symfs,
		.kernel_dir = search->kernel_dir,
		.deps = search->deps,
		.trouble = search->trouble,
	};
}

/** Whether the name of a mapping is not that of a file. */
bool sym_is_no_image(const char *name);

/** Name of this machine's vdso in place of a path. */
#define SYM_OWN_VDSO "this machine's vdso"

/**
 * Set @p ret to @p file, without "." and "..", with map->from replaced by map->to. Returns false if
 * it is not below map->from.
 */
bool sym_path_map_apply(const struct pd_path_map *map, const char *file, struct sym_path *ret);

/**
 * Whether @p path leads into a file system that would show this machine, or pdconv itself, instead
 * of the recorded process.
 */
bool sym_path_is_of_this_machine(const char *path);

/**
 * Get path @p i of those at which the recorded path @p name may be: below the symfs or at its own
 * path, then with each path map. *ret is "" if that one does not apply. Returns false after the
 * last one.
 */
bool sym_recorded_path(
	const struct sym_search *search, const char *name, size_t i, struct sym_path *ret);

/**
 * Directories and archives in which the caller wants binaries to be looked for. Zero-initialise.
 */
struct sym_given {
	/** Directories, each followed by ':'; NULL: none. */
	char *dirs;
	PD_VEC(struct sym_archive *) archives;
};

/** Whether @p path, which may be NULL, is a regular file. It is added to @p deps. */
bool sym_given_is_file(const char *path, struct sym_deps *deps);

/** Add the tarball @p path. @p deps is borrowed and may be NULL. Errors: NOMEM. */
struct pd_error *sym_given_add_archive(
	struct sym_given *given, const char *path, struct sym_deps *deps) pd_must_check;

/**
 * Add @p path, or each of several paths separated by ':': an archive if it is a regular file,
 * otherwise a directory. Errors: NOMEM.
 */
struct pd_error *sym_given_add(
	struct sym_given *given, const char *path, struct sym_deps *deps) pd_must_check;

/** Let @p search look in @p given, which it borrows. */
void sym_given_use(const struct sym_given *given, struct sym_search *search);

/** Add what failed when the archives were read to @p diag. */
void sym_given_report(const struct sym_given *given, struct pd_diag *diag);

void sym_given_deinit(struct sym_given *given);

/** Where a candidate was found; see symbolize/find/search_path_defs.h. */
enum sym_search_path {
#define SYM_SEARCH_PATH(name, binary, debug, title, text) SYM_SEARCH_##name,
	SYM_SEARCH_PATHS(SYM_SEARCH_PATH)
#undef SYM_SEARCH_PATH
		SYM_N_SEARCH_PATHS,
};

/**
 * Name of a search path as users see it, and a description of what is tried there. Static storage.
 */
const char *sym_search_path_name(enum sym_search_path search_path);
const char *sym_search_path_text(enum sym_search_path search_path);

/** Candidate that was tried. */
struct sym_attempt {
	enum sym_search_path search_path;
	/** The file was tried as the binary's debug file. */
	bool is_debug;
	/** SYM_FOUND if the file was used. */
	enum sym_status status;
	char *path;
	/** Reason why the file was not used; for one that was, how it was identified. */
	char *why;
};

/** Attempts in the order in which they were made. Zero-initialized it is empty. */
struct sym_attempts {
	PD_VEC(struct sym_attempt) list;
};

void sym_attempts_deinit(struct sym_attempts *attempts);

/**
 * Append an attempt that is not at a debug file. The texts are copied. Returns false if there is no
 * memory.
 */
bool sym_attempts_add(struct sym_attempts *attempts, enum sym_search_path search_path,
	enum sym_status status, const char *path, const char *why) pd_must_check;

#endif
