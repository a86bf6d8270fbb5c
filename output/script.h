/**
 * @file Options and field list of the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_H
#define PD_OUTPUT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * Options of the script format. Zero-initialise; all zero prints the default fields of each sample.
 */
struct out_script_opts {
	/** Field lists "[TYPE:]FIELD,FIELD" as in `perf script -F`, applied in order. Borrowed. */
	const char *const *fields;
	size_t n_fields;
	/** Leave out inlined functions. */
	bool no_inline;
	/** Print times in nanoseconds instead of microseconds. */
	bool ns;
	/** Print only the sampled address, not the call stack. */
	bool hide_call_graph;
	/** Print the header of the recording (machine and events) before the samples. */
	bool header;
	/** Print only the header. */
	bool header_only;
	/** Print MMAP; COMM, FORK and EXIT; SWITCH; and LOST records among the samples. */
	bool show_mmap;
	bool show_task;
	bool show_switch;
	bool show_lost;
};

/** Print the help text about the fields of the script format to @p out. */
void out_script_help(FILE *out);

#endif
