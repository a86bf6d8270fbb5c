/**
 * @file Where to search for binaries and debug files, and what a recording says about a binary.
 */
#ifndef PD_SYMBOLIZE_FIND_SEARCH_H
#define PD_SYMBOLIZE_FIND_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/profile_opts.h>

#include "base/id_source.h"
#include "symbolize/file/open.h"

struct sym_archive;
struct sym_debuginfod;
struct sym_roots;

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
	struct sym_roots *roots;
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
	enum pd_id_source id_source;
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

#endif
