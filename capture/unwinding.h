/**
 * @file Stacks of a recording that BPF walks: the program, the events through which it writes to
 * the rings, and the merging of what it writes.
 */
#ifndef PD_CAPTURE_UNWINDING_H
#define PD_CAPTURE_UNWINDING_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "capture/bpf.h"
#include "capture/chains.h"
#include "capture/events.h"
#include "capture/session.h"
#include "capture/target.h"

struct cap_unwinding {
	/** NULL: BPF is not used. */
	struct cap_bpf *bpf;
	struct cap_chains *chains;
	/** Events that write to the rings, one for each ring. */
	PD_VEC(int) outputs;
};

/**
 * Load the programs, and let @p session attach them to the events that it will open.
 * @p table_bytes: bytes of all tables, at most; 0: the default. Errors: see cap_bpf_create().
 */
struct pd_error *cap_unwinding_init(struct cap_unwinding *unwinding,
	const struct cap_table_source *source, uint64_t table_bytes,
	struct cap_session *session) pd_must_check;

/** Connect the program with the rings of @p session, which is open. Errors: NOMEM, OS. */
struct pd_error *cap_unwinding_connect(
	struct cap_unwinding *unwinding, const struct cap_session *session) pd_must_check;

/**
 * Load the tables of the processes of @p target that exist, and of its command, as far as they are
 * known before it starts. Errors: NOMEM, OS.
 */
struct pd_error *cap_unwinding_read_targets(
	struct cap_unwinding *unwinding, const struct cap_target *target) pd_must_check;

/** Close all. Call it after the session has been closed. A zeroed one is fine. */
void cap_unwinding_deinit(struct cap_unwinding *unwinding);

#endif
