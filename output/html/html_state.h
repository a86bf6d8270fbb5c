/**
 * @file State of a page of the html format, for the files that fill its columns. The format of the
 * data is described in doc/design/html.md.
 */
#ifndef PD_OUTPUT_HTML_HTML_STATE_H
#define PD_OUTPUT_HTML_HTML_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "advice/lacks.h"
#include "advice/quality.h"
#include "base/containers/intern.h"
#include "base/json.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "output/folded_names.h"
#include "output/formats.h"
#include "output/html/html_columns.h"
#include "profile/profile.h"

/** Flags of a frame. */
enum {
	/** Inlined into the frame that follows, its caller. */
	HTML_FRAME_INLINED = 1,
	/** Found by frame pointer only. */
	HTML_FRAME_GUESSED = 2,
	/** Taken from a recorded call chain. */
	HTML_FRAME_JOINED = 4,
	/** A mark that stands for missing frames. */
	HTML_FRAME_MARK = 8,
};

/** A function. Functions with equal bytes are the same function. */
struct html_function {
	/** Ids in html.strings. */
	uint32_t name;
	uint32_t file;
	uint32_t line;
	/** Index of the binary plus 1; 0: none. */
	uint32_t binary;
};

/** A place in a function. Frames with equal bytes are the same frame. */
struct html_frame {
	uint32_t function;
	uint32_t line;
	uint32_t flags;
	/** Instruction of the page at the address plus 1; 0: none. */
	uint32_t instruction;
};

/** The frames of the page at a frame of the profile: a range of html.spots, innermost first. */
struct html_spot {
	uint32_t first;
	uint32_t n;
	bool is_known;
	/** The callers of the frame are left out. */
	bool is_last;
};

/** A node of the tree of stacks. */
struct html_node {
	uint32_t frame;
	/** Index of the caller's node plus 1; 0 at a root. */
	uint32_t parent;
};

/** A source line at an instruction. Places with equal bytes are the same place. */
struct html_place {
	/** Index of the place of the call that was inlined plus 1; 0: not inlined. */
	uint32_t caller;
	uint32_t function;
	/** 0: not known. */
	uint32_t line;
};

/** A source line whose text is in the page, with the lines around it. */
struct html_line {
	/** Path, an id in html.source_paths. */
	uint32_t file;
	uint32_t line;
	/** Binary whose debug information has the path. */
	struct prof_binary_id binary;
};

/** Samples of one thread. Threads are known by their pid and tid. */
struct html_thread {
	uint32_t pid;
	uint32_t tid;
	/** Name at its last sample. */
	struct prof_string_id name;
	/** Index of its process. */
	uint32_t process;
	/** When it began and ended, in ns; PD_NO_TIME if that is not in the recording. */
	uint64_t start;
	uint64_t end;
};

struct html_process {
	uint32_t pid;
	/** Name of its main thread if that has samples, else of another one. */
	struct prof_string_id name;
};

/** Number of ends of stacks: those of unwinds, and those of recorded call chains. */
enum { HTML_N_ENDS = PD_N_UNWIND_ENDS + ADVICE_N_CHAIN_ENDS };

/** A profile that is being written. */
struct html {
	const struct profile *profile;
	const struct out_write_opts *opts;
	struct folded_names names;
	struct html_columns columns;
	/** Texts of the page; string 0 is "". */
	struct base_intern strings;
	/**
	 * Id of a function plus 1, by the text of its name in the folded names and by the function
	 * of the profile.
	 */
	struct base_map named_functions;
	/** struct html_function and struct html_frame. */
	struct base_intern functions;
	struct base_intern frames;
	/** Indexed by frame of the profile. */
	struct html_spot *spots;
	/** Ids of frames of the page. */
	PD_VEC(uint32_t) spot_frames;
	PD_VEC(struct html_node) nodes;
	/** Index of each node plus 1, by its parent and frame. */
	struct base_map node_ids;
	/**
	 * Leaf of each stack, indexed by stack: its node plus 1, and after html_put_nodes() its
	 * number plus 1. 0: the stack has no frames, or no samples.
	 */
	uint32_t *leaves;
	/** Frames of the stack that is being added, leaf first. */
	PD_VEC(uint32_t) path;
	/** Nodes of the stack that was added last, root first. */
	PD_VEC(uint32_t) trail;
	PD_VEC(struct html_thread) threads;
	PD_VEC(struct html_process) processes;
	/** Indexes in threads by pid and tid, and in processes by pid. */
	struct base_map thread_ids;
	struct base_map process_ids;
	/** Unit of the times in the columns, in ns. */
	uint64_t unit_ns;
	/**
	 * Time of the first sample, or of the beginning of the recording if that is known, rounded
	 * down to the unit; PD_NO_TIME: no sample has a time.
	 */
	uint64_t base_ns;
	/** Time of the last sample with a time, in the unit of the page. */
	uint64_t last_time;
	/** Phases and steps shorter than these, in ns, are summed up; 0: none. */
	uint64_t least_phase_ns;
	uint64_t least_step_ns;
	/** Row of the thread whose critical path is in the page plus 1; 0: there is none. */
	uint32_t path_owner;
	/** Row of each thread of the profile plus 1, by its id; 0: not known. */
	uint32_t *thread_rows;
	struct advice_chain_ends chain_ends;
	/**
	 * Row of each reason in the list of ends of the page plus 1; 0: it does not occur. Ends of
	 * unwinds are first, then those of recorded call chains.
	 */
	uint32_t ends[HTML_N_ENDS];
	uint32_t n_ends;
	/** Instruction at each frame of the profile plus 1; NULL without instructions. */
	uint32_t *instructions;
	/** struct html_place. */
	struct base_intern places;
	/** Paths of source files as the debug information has them. */
	struct base_intern source_paths;
	/** Lines that are wanted, in any order. */
	PD_VEC(struct html_line) lines;
	/** Bytes of the texts of instructions and source lines so far. */
	size_t n_code_bytes;
	/** Number of functions that are left out because the page would be too large. */
	size_t n_left_out;
	/** An allocation failed; nothing of the state is valid. */
	bool no_memory;
};

/** Write untrusted text as people see it. */
void html_write_text(struct base_json *json, const char *key, const char *text, size_t len);
void html_write_string(
	const struct html *h, struct base_json *json, const char *key, struct prof_string_id id);
/** Write a number that may be larger than the numbers of JavaScript can be. */
void html_write_decimal(struct base_json *json, const char *key, uint64_t value);

#endif
