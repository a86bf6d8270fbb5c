/**
 * @file Reasons why an unwind ended.
 */
#ifndef PDCONV_UNWIND_END_H
#define PDCONV_UNWIND_END_H

#include <stdbool.h>

#include <pdconv/decls.h>
#include <pdconv/unwind_end_defs.h>

PD_DECLS_BEGIN

/** Reason why an unwind ended; pdconv/unwind_end_defs.h says what each means. */
enum pd_unwind_end {
#define PD_UNWIND_END_ENUM(name, text) PD_UNWIND_END_##name,
	PD_UNWIND_ENDS(PD_UNWIND_END_ENUM)
#undef PD_UNWIND_END_ENUM
	/** Number of reasons. */
	PD_N_UNWIND_ENDS
};

/** Whether the outermost frame is the root. Between it and the leaf a caller may be missing. */
PD_INLINE bool pd_unwind_end_has_root(enum pd_unwind_end end)
{
	return end == PD_UNWIND_END_ROOT || end == PD_UNWIND_END_ROOT_DOUBTFUL;
}

/** Identifier of the reason, such as "STACK_SHORT"; "" if @p end is invalid. Static storage. */
const char *pd_unwind_end_name(enum pd_unwind_end end);
/** Description of the reason in a few words; "" if @p end is invalid. Static storage. */
const char *pd_unwind_end_text(enum pd_unwind_end end);

PD_DECLS_END

#endif
