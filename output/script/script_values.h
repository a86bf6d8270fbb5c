/**
 * @file Fields of a sample in the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_VALUES_H
#define PD_OUTPUT_SCRIPT_SCRIPT_VALUES_H

#include "output/script/script.h"

/** Write the sample @p at with all its fields. */
void script_write_sample(struct script *s, const struct script_sample *at);

/**
 * First fields of a line, common to samples and other records: thread, CPU and time in nanoseconds,
 * and the event that the record belongs to.
 */
struct script_start {
	const struct prof_event *event;
	const char *comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
};

/** Write the fields of @p start that are in @p shown. */
void script_write_start(const struct script *s, const struct script_start *start, uint32_t shown);

/**
 * Format @p data_src, the source of a memory access, as text into @p buf, truncated to @p size
 * bytes. Returns the length of the text.
 */
int script_data_src(uint64_t data_src, char *buf, size_t size);

#endif
