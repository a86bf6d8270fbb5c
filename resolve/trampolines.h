/**
 * @file Trampolines: generated code whose instructions are known by its name and size.
 *
 * A perf-PID.map has no instructions and no call frame information. Interpreters that generate one
 * short sequence of instructions for each function of the program can be unwound nevertheless.
 */
#ifndef PD_RESOLVE_TRAMPOLINES_H
#define PD_RESOLVE_TRAMPOLINES_H

#include <stdint.h>

#include "base/arch.h"
#include "symbolize/perf_map.h"
#include "unwind/cfi.h"

/**
 * Return the .eh_frame of @p code on @p arch. Its addresses are those of the process. The section
 * is empty if the code is not a known trampoline. Its bytes are constant.
 */
struct unw_section resolve_trampoline_eh_frame(
	const struct pd_arch *arch, const struct sym_perf_map_code *code);

#endif
