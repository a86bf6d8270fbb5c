/**
 * @file A binary that a recording names: found on this machine, opened, and held open.
 *
 * A recording knows a binary by its path on the recording machine and, mostly, its build id. A file
 * with another build id is never used; that it was there is told. Only regular files are opened.
 *
 * Addresses are vaddrs of the ELF file unless said otherwise.
 */
#ifndef PD_SYMBOLIZE_BINARY_H
#define PD_SYMBOLIZE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "base/arch.h"
#include "symbolize/place_defs.h"

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

/** How the search for a binary ended. */
enum sym_status {
	SYM_FOUND,
	SYM_NO_FILE,	    /**< No such file anywhere. */
	SYM_WRONG_BUILD_ID, /**< There is a file, of another build. */
	SYM_UNREADABLE,	    /**< There is a file that cannot be opened or read. */
	SYM_NOT_ELF,	    /**< There is a file, which is no ELF file, or a damaged one. */
	SYM_NO_IMAGE, /**< The name stands for no file: anonymous memory, [stack], JIT code. */
};

/** Where a file was looked for: symbolize/place_defs.h. */
enum sym_place {
#define SYM_PLACE(name, binary, debug, title, text) SYM_PLACE_##name,
	SYM_PLACES(SYM_PLACE)
#undef SYM_PLACE
		SYM_N_PLACES,
};

/** As users know it, and what is tried there. */
const char *sym_place_name(enum sym_place place);
const char *sym_place_text(enum sym_place place);

/** A file that was tried. */
struct sym_attempt {
	enum sym_place place;
	/** It was to be the binary's debug file. */
	bool is_debug;
	/** SYM_FOUND: it was taken. */
	enum sym_status status;
	char *path;
	/** Why it was not taken, or "" or what is to be said of it. */
	char *why;
};

struct sym_binary;

/** Whether the name of a mapping stands for something that is no file. */
bool sym_is_no_image(const char *name);

/**
 * Look for the binary @p recorded. Not finding it is no error: there is a sym_binary that says why.
 * Errors: no memory.
 */
struct pd_error *sym_binary_open(const struct sym_search *search,
	const struct sym_recorded *recorded, struct sym_binary **ret) pd_must_check;
void sym_binary_destroy(struct sym_binary *binary);

enum sym_status sym_binary_status(const struct sym_binary *binary);
/** The file in use, or NULL. Borrowed. */
const char *sym_binary_path(const struct sym_binary *binary);
/** The file that holds its DWARF debug information, or NULL. May be the same. Borrowed. */
const char *sym_binary_debug_path(const struct sym_binary *binary);
/** The file in use is of another build than the recorded one. */
bool sym_binary_is_mismatched(const struct sym_binary *binary);
/** The files that were tried, in their order. Borrowed. */
const struct sym_attempt *sym_binary_attempts(const struct sym_binary *binary, size_t *n_ret);
/** When it was not found: which file was tried and what was wrong, one line. Borrowed. */
const char *sym_binary_why(const struct sym_binary *binary);
/** Its own build id; len 0 if it has none. */
const struct pd_build_id *sym_binary_build_id(const struct sym_binary *binary);
/** What its ELF header says it is for; NULL if it was not found or that is not known here. */
const struct pd_arch *sym_binary_arch(const struct sym_binary *binary);

/** Where its ELF header says that it begins to run; 0 if it was not found or does not say. */
uint64_t sym_binary_entry(const struct sym_binary *binary);

/**
 * Look for the debug file on servers too, which opening a binary does not do: only names need it.
 * Before sym_binary_names, by one thread. Errors: no memory.
 */
struct pd_error *sym_binary_fetch_debug(struct sym_binary *binary) pd_must_check;

/** Bytes of a section. */
struct sym_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
};

/**
 * The section @p name, uncompressed, borrowed from the binary; false if there is none with bytes in
 * the main file (or, for .debug_frame, in the debug file).
 */
bool sym_binary_section(struct sym_binary *binary, const char *name, struct sym_section *ret);

/** An executable PT_LOAD segment. */
struct sym_segment {
	uint64_t vaddr;
	uint64_t mem_size;
	/** Bytes in the file. */
	uint64_t offset;
	uint64_t file_size;
};

/**
 * The PT_LOAD segment that holds the byte at @p offset of the file, executable ones first; false if
 * none does. A mapping's vaddr is offset - segment.offset + segment.vaddr.
 */
bool sym_binary_segment(const struct sym_binary *binary, uint64_t offset, struct sym_segment *ret);

/** Where the byte at @p vaddr is in the file, of code if there is some; false if no PT_LOAD segment has it. */
bool sym_binary_offset(const struct sym_binary *binary, uint64_t vaddr, uint64_t *ret);

#endif
