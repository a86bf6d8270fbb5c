/**
 * @file Where to look for binaries and debug files, and what a recording says of a binary.
 */
#ifndef PD_SYMBOLIZE_FIND_SEARCH_H
#define PD_SYMBOLIZE_FIND_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>

struct sym_archive;
struct sym_debuginfod;

/** Paths that begin with the directory from are below the directory to. */
struct sym_path_map {
	const char *from;
	const char *to;
};

/** Where to look. All may be NULL. Borrowed: outlives the binaries opened with it. */
struct sym_search {
	/** Directory that stands for the recording machine's root. */
	const char *symfs;
	/** Further directories with binaries and debug files, ':' between. */
	const char *debug_dirs;
	/** perf's build-id cache; NULL means ~/.debug. */
	const char *buildid_dir;
	const struct sym_path_map *path_maps;
	size_t n_path_maps;
	/** Borrowed, as are the pointers to them. */
	struct sym_archive *const *archives;
	size_t n_archives;
	/** Borrowed; NULL: nothing is fetched. */
	struct sym_debuginfod *debuginfod;
	/** Where names are kept from one run to the next; NULL: nowhere. */
	const char *cache_dir;
	/** What the recorder kept of its kernel: files kallsyms and modules. NULL: nothing. */
	const char *kernel_dir;
	/** Where maps of generated code are, perf-PID.map; NULL: in /tmp of the recording machine. */
	const char *perf_map_dir;
	/** Where nothing else is found, use a file of another build. */
	bool force_mismatch;
	/** The recording is of this machine: its inodes and processes mean something here. */
	bool is_here;
	/** When it ended, in seconds since 1970; 0: not known. Asked only where is_here. */
	int64_t ended_at;
};

/** What a recording says of a binary. */
struct sym_recorded {
	/** A path on the recording machine, or a special name such as "[vdso]". */
	const char *name;
	/** len 0: not known. */
	struct pd_build_id id;
	/** A process that had it mapped; 0: not known. */
	uint32_t pid;
	/** Inode, and the device it is on; ino 0: not known. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** Something at this offset of the file was mapped: it is larger than that. Bytes. */
	uint64_t offset;
};

/** Whether the name of a mapping stands for something that is no file. */
bool sym_is_no_image(const char *name);

#endif
