/**
 * @file Code that took the place of other code, which BPF may go on to unwind by the tables of the
 * old code until the mappings of the process have been read again.
 *
 *	MMAP2 of b.so ──► noted     stack of generation 7 ──► has generation 7 b.so there?
 *	                                                      no: its caller is wrong
 */
#ifndef PD_CAPTURE_BPF_REPLACED_H
#define PD_CAPTURE_BPF_REPLACED_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "bpf/maps.h"

enum {
	/** Records of mappings that are remembered. */
	CAP_MAX_REPLACED = 64,
	/** Generations of a process that are remembered: stacks of older ones are hardly left. */
	CAP_MAX_VIEWS = 8,
};

/** A file of code in memory. */
struct cap_code {
	uint64_t start;
	uint64_t end;
	/** Hash of the path. */
	uint64_t file;
};

/** Code that a process had when its mappings were read. */
struct cap_code_view {
	uint32_t generation;
	PD_VEC(struct cap_code) list;
};

/** The last views of a process. Zero-initialise. */
struct cap_code_views {
	struct cap_code_view list[CAP_MAX_VIEWS];
	uint64_t n;
};

/** Code that a process has mapped. */
struct cap_replaced_code {
	uint32_t pid;
	/** Time of the record in ns. */
	uint64_t time;
	struct cap_code code;
};

/** Zero-initialise. */
struct cap_replaced {
	struct cap_replaced_code list[CAP_MAX_REPLACED];
	/** Mappings that were ever noted: the last ones are in the list. */
	uint64_t n;
};

/** Begin the view of @p generation, in the place of the oldest one. */
struct cap_code_view *cap_code_views_begin(struct cap_code_views *views, uint32_t generation);
void cap_code_views_deinit(struct cap_code_views *views);

/** Hash of a path, for cap_code.file. */
uint64_t cap_code_file(const char *path, size_t len);

/** Note that a process has mapped code. */
void cap_replaced_note(struct cap_replaced *replaced, const struct cap_replaced_code *code);

/** Whether code of the process @p pid was noted. */
bool cap_replaced_has(const struct cap_replaced *replaced, uint32_t pid);

/**
 * Number of the first frames of @p stack, taken at @p time, that are certain: the caller of a frame
 * in code that its generation in @p views does not have is not.
 */
uint16_t cap_replaced_n_certain(const struct cap_replaced *replaced,
	const struct cap_code_views *views, const struct bw_record *stack, uint64_t time);

#endif
