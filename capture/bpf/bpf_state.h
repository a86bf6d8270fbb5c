/**
 * @file State of unwinding by BPF: the program, the tables of mapped files (bpf_files.h) and the
 * mappings of processes (bpf_processes.h).
 */
#ifndef PD_CAPTURE_BPF_BPF_STATE_H
#define PD_CAPTURE_BPF_BPF_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "bpf/maps.h"
#include "capture/bpf/bpf_program.h"
#include "capture/bpf/table_loader.h"
#include "capture/bpf/table_pool.h"
#include "capture/machine/machine.h"
#include "capture/synth/synth_state.h"

struct bpf_object;
struct ring_buffer;

/** A file with code that is mapped from one offset on. */
struct cap_bpf_file {
	/** Device and inode; all 0: the vdso. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** File offset for which delta was found: see cap_table_maker. */
	uint64_t pgoff;
	uint64_t delta;
	/** The delta is not known yet. */
	bool is_loading;
	/** Index of the file whose table it has: the first one with this inode. */
	size_t main;
	/** Only that one has the members below. Number of the table, as in struct bw_mapping. */
	uint32_t table;
	/** Pages of the table in the pool. Allocated. */
	uint32_t *pages;
	size_t n_pages;
	uint32_t shift;
	/** The table was dropped, or was not loaded, and may be requested again from then on. */
	bool is_dropped;
	double wanted_from;
	/** Vaddr of the table's base. */
	uint64_t base;
};

/** Process that the maps of the program know. */
struct cap_bpf_process {
	uint32_t generation;
	uint32_t n_chunks;
	uint32_t patience;
	/** Hash of its mappings. */
	uint64_t hash;
	/** A table of its mappings is being made. */
	bool is_loading;
	struct cap_code_views views;
};

struct cap_bpf {
	struct cap_table_loader *loader;
	struct cap_table_maker maker;
	struct cap_pool *pool;
	/** The map of tables, mapped. */
	struct bw_table *tables;
	struct bpf_object *object;
	struct ring_buffer *misses;
	struct cap_programs programs;
	int stats_fd;
	int forks_fd;
	int execs_fd;
	int spaces;
	int chunks;
	int rings;
	struct cap_machine machine;
	PD_VEC(struct cap_bpf_file) files;
	/** Index in files by a hash of device, inode and offset, plus 1. */
	struct base_map file_numbers;
	/** Index of the first one by a hash of device and inode, plus 1. */
	struct base_map main_numbers;
	/** Programs whose libraries were forecast, by a hash of device and inode. */
	struct base_map programs_seen;
	/** Recorded command, or NULL, and the programs that it has started. */
	char *command;
	PD_VEC(char *) started;
	bool is_system_wide;
	/** Processes, as pointers, by id; 0: forgotten. */
	struct base_map processes;
	struct cap_replaced replaced;
	/** Processes whose mappings changed. */
	PD_VEC(uint32_t) changed;
	/** Mappings of the process that is being read; a table of one is being made. */
	PD_VEC(struct bw_mapping) mappings;
	PD_VEC(struct cap_code) code;
	bool is_loading;
	/** Number of the next table, and of tables that exist. */
	uint32_t next_table;
	uint32_t n_tables;
	/** Generation that was given to a process last. Each is given once. */
	uint32_t generation;
	char *line;
	size_t line_cap;
	/** First error in a callback of libbpf. */
	struct pd_error *err;
	struct cap_bpf_counts counts;
};

#endif
