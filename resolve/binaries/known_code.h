/**
 * @file Generated code that can be unwound because its name shows how it uses the stack.
 *
 * A perf-PID.map has no instructions and no call frame information, and many jitdumps have no call
 * frame information. Some programs generate code of one form only.
 */
#ifndef PD_RESOLVE_BINARIES_KNOWN_CODE_H
#define PD_RESOLVE_BINARIES_KNOWN_CODE_H

#include <stdint.h>

#include "base/arch.h"
#include "symbolize/perf_map.h"
#include "unwind/binary_rows.h"

/**
 * Return the .eh_frame of @p code on @p arch. Its addresses are those of the code. The section is
 * empty if the code is not known. Its bytes are constant.
 */
struct unw_section resolve_known_eh_frame(
	const struct pd_arch *arch, const struct sym_perf_map_code *code);

#endif
