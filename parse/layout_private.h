/**
 * @file What parse/layout.c and parse/walk.c share.
 */
#ifndef PD_PARSE_LAYOUT_PRIVATE_H
#define PD_PARSE_LAYOUT_PRIVATE_H

#include "parse/layout.h"

/** Decode one field into @p body, in which the fields before it are. Look at c->overrun. */
void pd_field_decode(
	const struct pd_field *field, struct pd_cursor *c, struct pd_layout_env *env, void *body);

/** What an overrun in @p field means. Static storage. */
const char *pd_field_overrun_text(const struct pd_field *field);

#endif
