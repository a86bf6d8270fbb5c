/**
 * @file What the files of the format script share: output/script.c goes through the samples, the others
 * write what is in them. Private to output/script*.c.
 */
#ifndef PD_OUTPUT_SCRIPT_PRIVATE_H
#define PD_OUTPUT_SCRIPT_PRIVATE_H

#include <pdconv/file.h>

#include "output/formats.h"
#include "profile/profile.h"
#include "output/script_fields.h"

struct script {
	const struct profile *profile;
	const struct out_script_opts *opts;
	FILE *out;
	struct script_fields fields;
	/** Of the longest event name. */
	int event_width;
	/** Some event has stacks, and they are to be seen: names of threads are not padded then. */
	bool has_stacks;
	/** Of the longest data_src so far. */
	int data_src_width;
};

/** A sample that is being written. */
struct script_sample {
	const struct prof_row *row;
	const struct prof_sample *sample;
	const struct prof_event *event;
	const struct prof_thread *thread;
	const struct prof_detail *detail;
	/** SCRIPT_BIT of each field that is shown. */
	uint32_t shown;
};

/** All of one sample. */
void script_write_sample(struct script *s, const struct script_sample *at);

/** What stands before a record as it stands before a sample: who, where, when. */
struct script_start {
	const char *comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
};
void script_write_start(const struct script *s, const struct script_start *start, uint32_t shown);

/** Where a sample was, on its line, or the stack behind it, a line for each frame. */
void script_write_place(const struct script *s, const struct script_sample *at);
void script_write_stack(const struct script *s, const struct script_sample *at);
/** "function+0x1f", or "[unknown]", of a frame that no stack has; and "(file)". */
void script_write_symbol(const struct script *s, struct prof_frame_id frame, bool with_offset);
void script_write_binary(const struct script *s, struct prof_frame_id frame, uint32_t pid);

/** What a data_src says, for people; its length. */
int script_data_src(uint64_t data_src, char *buf, size_t size);

/** Write what @p rec says, in the words of `perf script`; as prof_request.write_note wants it. */
void script_write_note(const struct pd_record *rec, const union pd_body *body, FILE *out);

/** What @p file says of its machine and events, each line with a # in front. Errors: none. */
struct pd_error *script_write_header(const struct pd_file *file, FILE *out);

#endif
