/**
 * @file Functions, frames and stacks of the html format.
 */
#ifndef PD_OUTPUT_HTML_HTML_TREE_H
#define PD_OUTPUT_HTML_HTML_TREE_H

#include "output/html/html_state.h"

/** Return the id of @p text, as base_text_write_n() writes it, in the strings of the page. */
uint32_t html_string(struct html *h, const char *text, size_t len);
/** Like html_string(), for a string of the profile. */
uint32_t html_profile_string(struct html *h, struct prof_string_id id);

/** Return the id of the function @p function, which is zeroed, then filled. */
uint32_t html_function(struct html *h, const struct html_function *function);

/** Add the nodes of @p stack. */
void html_add_stack(struct html *h, struct prof_stack_id stack);
/**
 * Fill the columns of nodes and leaves, when all stacks have been added. @p stacks has @p n of
 * them: the key is UINT64_MAX minus the number of samples, the index that of the stack.
 */
void html_put_nodes(struct html *h, const struct base_keyed *stacks, size_t n);
/** Fill the columns of binaries, functions and frames. All stacks must have been added. */
void html_put_tree(struct html *h);

#endif
