/**
 * @file What the format script is told, and what there is to know of it.
 */
#ifndef PD_OUTPUT_SCRIPT_H
#define PD_OUTPUT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** What samples are shown with, and what beside them. Zero it. */
struct out_script_opts {
	/** "[TYPE:]FIELD,FIELD" and so on, as in `perf script -F`; applied one after the other. Borrowed. */
	const char *const *fields;
	size_t n_fields;
	/** No inlined functions. */
	bool no_inline;
	/** Times to the nanosecond. */
	bool ns;
	/** Only where samples were, not the stacks behind. */
	bool hide_call_graph;
	/** What the recording says of its machine comes first, or is all. */
	bool header;
	bool header_only;
	/** Records that are no samples, among them. */
	bool show_mmap;
	bool show_task;
	bool show_switch;
	bool show_lost;
};

/** The fields that can be asked for, for people. */
void out_script_help(FILE *out);

#endif
