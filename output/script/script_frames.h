/**
 * @file Stacks, functions and binaries in the script format.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_FRAMES_H
#define PD_OUTPUT_SCRIPT_SCRIPT_FRAMES_H

#include "output/script/script.h"

/** Write the sampled address on the line of the sample. */
void script_write_location(struct script *s, const struct script_sample *at);
/** Write the stack, a line for each frame. */
void script_write_stack(struct script *s, const struct script_sample *at);
/**
 * Write "function+0x1f", or "[unknown]", for a frame outside of stacks (a data address or branch).
 */
void script_write_symbol(const struct script *s, struct prof_frame_id frame, bool with_offset);
/** Write the name of the binary of @p frame; @p pid is the process that it was mapped in. */
void script_write_binary(const struct script *s, struct prof_frame_id frame, uint32_t pid);

#endif
