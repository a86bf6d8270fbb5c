/**
 * @file Naming the frames of code that has no symbols.
 */
#ifndef PD_RESOLVE_NAMING_NAMING_WITHOUT_SYMBOLS_H
#define PD_RESOLVE_NAMING_NAMING_WITHOUT_SYMBOLS_H

#include "resolve/naming/naming_state.h"

/** Name generated code by its jitdump or perf-PID.map. */
struct pd_error *naming_of_generated(struct naming_job *job) pd_must_check;

/** Name the code to which functions with a return probe return. */
struct pd_error *naming_of_probes(struct naming_job *job) pd_must_check;

/**
 * Name signal trampolines that have no symbol, as that of musl, which a symbol without a size
 * before it would cover.
 */
struct pd_error *naming_of_trampolines(struct naming_job *job) pd_must_check;

/**
 * Name code without symbols after its binary and the first byte of its function, which call frame
 * information or Go's table has.
 */
struct pd_error *naming_of_nameless(struct naming_job *job) pd_must_check;

#endif
