/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/**
 * @file Maps that the BPF program shares with the recorder (capture/bpf/bpf_program.h), which fills
 * them.
 *
 *	spaces:  process ─► first address of each chunk of mappings
 *	chunks:  (generation, index) ─► 32 mappings, sorted by address
 *	tables:  number, modulo BW_MAX_TABLES ─► whether the table exists, and its last use
 *	slabs:   pages of all tables
 *	caches:  CPU ─► rows of addresses that were looked up before
 *
 *	top page ─► index pages, with a block for 2^shift bytes of code ─► rows (bpf/row.h)
 *
 * A process whose mappings change gets chunks with a new generation before its space refers to
 * them, so the program never sees half of a change. Numbers of tables and generations are not used
 * again, so a mapping that still refers to a table which was dropped finds none. A process that was
 * forked has the generation of its parent, until one of them changes.
 */
#ifndef PD_BPF_MAPS_H
#define PD_BPF_MAPS_H

#include "bpf/row.h"

enum {
	BW_PAGE_ROWS = 256,
	BW_PAGE_BLOCKS = 512,
	BW_PAGE_NUMBERS = 1024,
	BW_SLAB_PAGES = 256,
	/** Limit of the numbers of pages. */
	BW_MAX_PAGES = 1 << 27,
	/** Page that is all zeros, for parts of a table without code. */
	BW_EMPTY_PAGE = 0,
	/** Blocks that a table may have. */
	BW_MAX_BLOCKS = BW_PAGE_NUMBERS * BW_PAGE_BLOCKS,
	/** Blocks of so many bytes always have less than BW_PAGE_ROWS rows. */
	BW_LEAST_SHIFT = 7,
	BW_CHUNK_MAPPINGS = 32,
	BW_MAX_CHUNKS = 64,
	/** Mappings with code that a process may have; others are left out. */
	BW_MAX_MAPPINGS = BW_CHUNK_MAPPINGS * BW_MAX_CHUNKS,
	/** Tables that exist at the same time. */
	BW_MAX_TABLES = 4096,
	BW_MAX_PROCESSES = 16384,
	BW_MAX_ALL_CHUNKS = 65536,
	/** Addresses whose rows are kept for each CPU. */
	BW_CACHE_ENTRIES = 4096,
};

/** Address after all others, for unused entries of sorted lists. */
#define BW_NO_ADDR ((uint64_t)INT64_MAX)

/** In place of the number of a table: there is none, or there will be one. */
#define BW_NO_TABLE UINT32_MAX
#define BW_TABLE_LOADING (UINT32_MAX - 1)

/** Shift of the kernel's monotonic time in ns to that of used_at: steps of about a second. */
enum { BW_USE_SHIFT = 30 };

/** Mapping with code. */
struct bw_mapping {
	/** Process addresses [start, end). */
	uint64_t start;
	uint64_t end;
	/** Process address of the base of the table. */
	uint64_t base;
	/** Number of its table, BW_NO_TABLE, or BW_TABLE_LOADING. */
	uint32_t table;
	/** Top page of the table, and above it the size of a block as a power of two. */
	uint32_t top : 27;
	uint32_t shift : 5;
};

struct bw_chunk {
	struct bw_mapping mappings[BW_CHUNK_MAPPINGS];
};

struct bw_chunk_key {
	uint32_t generation;
	uint32_t index;
};

struct bw_space {
	uint32_t generation;
	/** Shortest time between two misses, in ns: it grows while they change nothing. */
	uint32_t patience;
	/** Time of the last miss. Written by the program. */
	uint64_t missed_at;
	/** First address of each chunk. */
	uint64_t first[BW_MAX_CHUNKS];
};

/**
 * Rows of 2^shift bytes of code: @p n rows from number @p first on, which counts the rows of all
 * pages. They are in one page. The first one begins at or before the block. 0 rows: a gap.
 */
struct bw_block {
	uint32_t first;
	uint32_t n;
};

/** Piece of a table. */
union bw_page {
	/** Top page: numbers of index pages. */
	uint32_t numbers[BW_PAGE_NUMBERS];
	/** Index page. */
	struct bw_block blocks[BW_PAGE_BLOCKS];
	struct bw_row rows[BW_PAGE_ROWS];
};

_Static_assert(sizeof(union bw_page) == 4096, "a page of the processor");

struct bw_table {
	/** Number that mappings refer to; BW_NO_TABLE: the table was dropped. */
	uint32_t number;
	/** Time of the last use, in steps of BW_USE_SHIFT. Written by the program. */
	uint32_t used_at;
};

/** Row that was found before. */
struct bw_known {
	/** Address that was looked up. */
	uint64_t addr;
	/** Generation of the space, time, and whether addr is the first address of the row. */
	uint64_t tag;
	struct bw_row row;
};

struct bw_cache {
	struct bw_known entries[BW_CACHE_ENTRIES];
};

/** Set by the recorder before the program runs. */
struct bw_config {
	/** Namespace of process ids that the recorder sees: device and inode of its file. */
	uint64_t pid_ns_dev;
	uint64_t pid_ns_ino;
	/** It is the first one, in which the kernel's ids are valid. */
	uint32_t is_first_ns;
	/** All processes are recorded, not only those whose threads have events. */
	uint32_t is_system_wide;
};

/** Kind of event that a stack was unwound for. */
enum bw_record_kind {
	BW_RECORD_SAMPLE, /**< The sample of an event that overflowed, which follows at once. */
	BW_RECORD_TRACE,  /**< Samples of all events of a tracepoint or probe that was reached. */
	BW_N_RECORD_KINDS
};

/** Stack of one sample. It precedes the sample in the ring. */
struct bw_record {
	uint32_t pid;
	uint32_t tid;
	/** enum bw_end; BW_N_ENDS: there is no user stack to walk. */
	uint8_t end;
	/** The process or one of its mappings was not known. */
	uint8_t is_missed;
	/** Number of pcs. */
	uint16_t n;
	/** enum bw_record_kind. */
	uint32_t kind;
	/** Generation of the space by which the stack was unwound. */
	uint32_t generation;
	uint32_t reserved;
	uint64_t pcs[127];
};

/** Why the program asks for mappings. */
enum bw_miss_kind {
	BW_MISS_UNKNOWN, /**< An address or its process is not known. */
	BW_MISS_EXEC,	 /**< The process has begun another program. */
};

/** Process whose mappings are to be read. */
struct bw_miss {
	uint32_t pid;
	/** enum bw_miss_kind. */
	uint32_t kind;
};

#endif
