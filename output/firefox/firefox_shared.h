/**
 * @file Tables that all threads of the firefox format share.
 */
#ifndef PD_OUTPUT_FIREFOX_FIREFOX_SHARED_H
#define PD_OUTPUT_FIREFOX_FIREFOX_SHARED_H

#include "output/firefox/firefox.h"

/** Write functions, frames, stacks and strings. Call it last: the other parts add to them. */
void firefox_write_shared(struct firefox *f);
/** Write the number of the stack in the table, or null if it has no frames. */
void firefox_write_stack(struct firefox *f, const char *key, struct prof_stack_id stack);

#endif
