/**
 * @file What an unwinder knows: processes, binaries and caches. It only grows. So a large one is
 * replaced by a new one with the processes that live, and is destroyed with the last frames that
 * refer to it.
 */
#ifndef PD_API_UNWINDER_STATE_H
#define PD_API_UNWINDER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <pdconv/unwinder.h>
#include <pdconv/vec.h>

#include "api/reading.h"
#include "base/arch.h"
#include "base/arena.h"
#include "base/containers/map.h"
#include "parse/space/space.h"
#include "resolve/binaries/binaries.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/binary_names.h"
#include "unwind/unwind.h"

struct api_unwinder_worker;

/** Options of an unwinder, which all of its states refer to. They do not change. */
struct api_unwinder_config {
	/** References: by the states. */
	atomic_uint refs;
	const struct pd_arch *arch;
	/** Release of the running kernel; NULL if samples may be of another one. */
	const char *release;
	/** Strings and arrays of the options. */
	struct base_arena arena;
	/** Where to look for files, and how to name. */
	struct api_reading reading;
};

struct api_unwinder_state {
	/** References: by the unwinder while it is the current state, by unwinds, by frames. */
	atomic_uint refs;
	struct api_unwinder_config *config;

	/* The unwinder's lock protects these members, and references to snapshots of the space. */
	struct parse_space *space;
	/** Snapshot of processes that are not known. */
	struct parse_maps *no_maps;
	/** Workers that no thread uses. */
	PD_VEC(struct api_unwinder_worker *) idle;

	/** Thread-safe. */
	struct resolve_binaries *binaries;
	/** Number of binaries that have frames. */
	atomic_size_t n_binaries;
	/** Protects the members below. */
	pthread_mutex_t lock;
	/** Map from the address of a struct resolve_binary to its struct api_unwinder_binary. */
	struct base_map frame_binaries;
	struct base_arena arena;
	/** NULL before the first frame of the kernel is named. */
	struct sym_kernel *kernel;
	/** Memory ran out while the kernel was named: see api_unwinder_binary.has_failed. */
	bool has_kernel_failed;
};

/** A binary with frames. */
struct api_unwinder_binary {
	struct pd_frame_binary shown;
	struct resolve_binary *binary;
	/** A binary answers one question for names at a time. */
	pthread_mutex_t naming;
	/** Memory ran out in an answer, which may have left the table of names incomplete. */
	bool has_failed;
};

/**
 * Create the first state of an unwinder for @p arch, with one reference. @p opts are copied.
 * Errors: see pd_unwinder_create().
 */
struct pd_error *api_unwinder_state_create(const struct pd_arch *arch,
	const struct pd_unwinder_opts *opts, struct api_unwinder_state **ret) pd_must_check;
/**
 * Create the state that follows @p old, whose space must not change meanwhile, with one reference.
 * Errors: NOMEM.
 */
struct pd_error *api_unwinder_state_renew(
	const struct api_unwinder_state *old, struct api_unwinder_state **ret) pd_must_check;

struct api_unwinder_state *api_unwinder_state_ref(struct api_unwinder_state *state);
/** Drop a reference. @p state may be NULL. */
void api_unwinder_state_unref(struct api_unwinder_state *state);

/**
 * Describe a frame at the process address @p pc in @p module (NULL: nothing is mapped there).
 * Thread-safe. Errors: NOMEM.
 */
struct pd_error *api_unwinder_state_frame(struct api_unwinder_state *state,
	const struct resolve_module *module, uint64_t pc, bool is_return,
	struct pd_frame *ret) pd_must_check;

/**
 * Find the names of @p frame, which has a binary. They come from @p arena. @p kernel are the facts
 * about the kernel at the time of the frame. Thread-safe. Errors: NOMEM.
 */
struct pd_error *api_unwinder_state_name(struct api_unwinder_state *state,
	const struct sym_kernel_identity *kernel, const struct pd_frame *frame,
	struct base_arena *arena, struct sym_names *ret) pd_must_check;

#endif
