/*
 * Kinds of hints: H(NAME, "name in JSON").
 *
 * RUNTIME: a language runtime lacks frames, names or callers.
 * UNNAMED: generated code has no names, and no runtime explains it.
 * GENERATED: stacks end in generated code that has no names either.
 * BUILD: stacks end in programs that were built without call frame information, by the user.
 * ASSEMBLY: stacks end in code without it, such as assembly, of programs that have it elsewhere.
 * SYMBOLS: stacks end in binaries of the distribution that were built without it.
 * FILES: binaries were not found.
 * OTHER_BUILD: binaries were found only from another build than the recorded one.
 * REPLACED: binaries had the paths of others, whose build ids were recorded.
 * DEBUG_FILES: functions have no symbols, which debug files may have.
 * KERNEL: the symbols of the kernel were not found.
 * LOST: the recorder lost records or samples.
 * MAPPINGS: mappings may be among the records that were lost.
 * REGISTERS: not all registers were recorded.
 * CUT: stacks were larger than the captured bytes.
 * CUT_AT_MOST: stacks were larger than the most that can be captured.
 * CHAINS: call chains were recorded by frame pointers, which the programs do not have.
 * FULL_CHAINS: recorded call chains have as many frames as the kernel records.
 * RETURN_PROBES: return probes have replaced return addresses.
 * STITCH: stacks end at a switch to another stack, such as that of a signal handler.
 * LIMIT: stacks have more frames than the limit allows.
 * SHORT_LIVES: processes lived shorter than the sampling period.
 */
/* clang-format off */
#define ADVICE_HINT_KINDS(H) \
	H(RUNTIME, "runtime") \
	H(UNNAMED, "unnamed_code") \
	H(GENERATED, "generated_code") \
	H(BUILD, "build") \
	H(ASSEMBLY, "assembly") \
	H(SYMBOLS, "no_call_frame_information") \
	H(FILES, "missing_binaries") \
	H(OTHER_BUILD, "other_build") \
	H(REPLACED, "replaced_files") \
	H(DEBUG_FILES, "missing_debug_files") \
	H(KERNEL, "kernel_symbols") \
	H(LOST, "lost") \
	H(MAPPINGS, "lost_mappings") \
	H(REGISTERS, "registers") \
	H(CUT, "cut_stacks") \
	H(CUT_AT_MOST, "cut_at_maximum") \
	H(CHAINS, "no_frame_pointers") \
	H(FULL_CHAINS, "full_call_chains") \
	H(RETURN_PROBES, "return_probes") \
	H(STITCH, "other_stack") \
	H(LIMIT, "frame_limit") \
	H(SHORT_LIVES, "short_lives")
/* clang-format on */
