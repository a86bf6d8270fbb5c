/**
 * @file Which file a region of memory is of. Private to space.c and long_space.c.
 *
 * A process may move code of a file to anonymous memory at the same addresses, to have it in huge
 * pages. The kernel records such memory as a mapping without a file. A process may also have
 * unmapped a library, which is not recorded, and generate code at its addresses. So only the
 * program itself, and whole huge pages within a library, count as moved.
 */
#ifndef PD_PARSE_DSO_H
#define PD_PARSE_DSO_H

#include "parse/space/space_state.h"

/** Kind of a dso. */
enum parse_owner { PD_OWNER_USER, PD_OWNER_KERNEL, PD_OWNER_GENERATED };

/** Return the dso that @p region maps, which is created if it is not known. NULL: no memory. */
const struct parse_dso *parse_space_get_dso(struct parse_space *space, const char *name,
	enum parse_owner owner, const struct parse_region *region);

/** Note @p dso, whose code is mapped, as the program if it is the first file. */
void parse_note_program(struct parse_process *process, const struct parse_dso *dso);

/** Whether @p region has no file, and lies within code of a file that the process has mapped. */
bool parse_is_moved_text(const struct parse_process *process, const struct parse_region *region);

/**
 * If @p region is what is left of a file after code that was moved before the recording, let it
 * begin with that code.
 */
void parse_join_moved_text(const struct parse_process *process, struct parse_region *region);

#endif
