/**
 * @file Ids of the parts of a profile. Each kind of id is a separate type that holds an index.
 *
 * A function that takes the id of a frame does not compile with the id of a stack. At run time an
 * id is the number that it holds.
 */
#ifndef PD_PROFILE_IDS_H
#define PD_PROFILE_IDS_H

#include <stdbool.h>
#include <stdint.h>

/** The number of an id that refers to nothing: no binary, no tags, or no memory to add one. */
#define PROF_NONE UINT32_MAX

/** Whether an id, of any kind, refers to nothing. */
#define prof_is_none(id) ((id).i == PROF_NONE)

#define PROF_DEFINE_ID(kind) \
	struct prof_##kind##_id { \
		uint32_t i; \
	}; \
	static inline struct prof_##kind##_id prof_no_##kind(void) \
	{ \
		return (struct prof_##kind##_id){ PROF_NONE }; \
	} \
	static inline bool prof_same_##kind(struct prof_##kind##_id a, struct prof_##kind##_id b) \
	{ \
		return a.i == b.i; \
	}

/* clang-format off */
PROF_DEFINE_ID(string)
PROF_DEFINE_ID(binary)
PROF_DEFINE_ID(frame)
PROF_DEFINE_ID(function)
PROF_DEFINE_ID(stack)
PROF_DEFINE_ID(thread)
PROF_DEFINE_ID(tags)
PROF_DEFINE_ID(labels)
PROF_DEFINE_ID(event)
PROF_DEFINE_ID(sample)
PROF_DEFINE_ID(pcs)
PROF_DEFINE_ID(bytes)
PROF_DEFINE_ID(note_text)
PROF_DEFINE_ID(trace_text)
PROF_DEFINE_ID(edge)
PROF_DEFINE_ID(code)
/* clang-format on */

#undef PROF_DEFINE_ID

#endif
