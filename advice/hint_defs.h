/*
 * Hints: H(KIND, "name in JSON", finder, least share of the samples, "sentence").
 *
 * The finder is a function of advice/hints.c that looks for the reason of the hint. The hint is
 * given if the reason concerns at least one sample and at least this share of all samples, or if
 * the finder is certain that it matters. Hints are sorted by the number of samples.
 *
 * In sentences, {n}, {m} and {k} are numbers, {name} and {what} are texts, all set by the finder.
 * {one|many} is chosen by the number before it: "{n} {stack ends|stacks end}".
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
	H(RUNTIME, "runtime", find_runtimes, 0.01, "{n} {name}: {what}") \
	H(UNNAMED, "unnamed_code", find_unnamed, 0.01, "{n} {sample|samples} in generated code without names: a jitdump or a perf-PID.map, written by the program, has them") \
	H(GENERATED, "generated_code", find_generated, 0.01, "{n} {stack ends|stacks end} in generated code: it needs frame pointers, or a jitdump with unwind information") \
	H(BUILD, "build", find_stuck, 0.01, "{n} {stack ends|stacks end} in {name}: build with -fasynchronous-unwind-tables or -fno-omit-frame-pointer") \
	H(ASSEMBLY, "assembly", find_stuck, 0.01, "{n} {stack ends|stacks end} in {name}: code without call frame information, such as assembly, needs .cfi directives") \
	H(SYMBOLS, "no_call_frame_information", find_stuck, 0.01, "{n} {stack ends|stacks end} in {name}: built without call frame information, which its debug symbols may have") \
	H(FILES, "missing_binaries", find_files, 0.01, "{n} {stack ends|stacks end} in binaries that are not here or cannot be read: copy them to this machine, or below the symfs directory") \
	H(OTHER_BUILD, "other_build", find_other_build, 0.01, "{n} {stack ends|stacks end} in binaries of another build: an archive made on the machine of the recording has the right ones") \
	H(REPLACED, "replaced_files", find_replaced, 0.01, "{n} {stack ends|stacks end} in binaries such as {name} that were replaced, or are of a container: perf noted the build id of another file at that path; record with build ids in the mappings, or point to the files that ran") \
	H(DEBUG_FILES, "missing_debug_files", find_debug_files, 0.05, "{n} {sample has|samples have} functions without symbols, most of them in {name}: its debug symbols have more names") \
	H(KERNEL, "kernel_symbols", find_kernel, 0.01, "{n} {sample|samples} in a kernel without symbols: {what}") \
	H(LOST, "lost", find_lost, 0, "the recorder lost {m} {record|records} and {k} {sample|samples}: record with a larger buffer or at a lower frequency") \
	H(MAPPINGS, "lost_mappings", find_mappings, 0.01, "{n} {stack ends|stacks end} in no mapping, which may be among the lost records: record with a larger buffer") \
	H(REGISTERS, "registers", find_registers, 0.01, "{n} {stack needs|stacks need} registers that were not recorded: record all of them, as the call graph dwarf of perf does") \
	H(CUT, "cut_stacks", find_cut, 0.01, "{n} {stack|stacks} of {name} {is|are} cut at {what}: record with call graph dwarf,{m}") \
	H(CUT_AT_MOST, "cut_at_maximum", find_cut, 0.01, "{n} {stack|stacks} of {name} {is|are} cut at {what}, the most that can be captured: stitching may find the rest") \
	H(CHAINS, "no_frame_pointers", find_chains, 0.01, "{n} of {m} recorded call chains do not reach main: for code without frame pointers, record with call graph dwarf") \
	H(FULL_CHAINS, "full_call_chains", find_full_chains, 0.01, "{n} {call chain has|call chains have} as many frames as the kernel records: raise kernel.perf_event_max_stack, or record with call graph dwarf") \
	H(RETURN_PROBES, "return_probes", find_return_probes, 0.01, "{n} {stack ends|stacks end} at a return probe, which hides the caller: record without it") \
	H(STITCH, "other_stack", find_stitch, 0.01, "{n} {stack ends|stacks end} at a switch to another stack: stitching may find the rest") \
	H(LIMIT, "frame_limit", find_limit, 0.01, "{n} {stack reaches|stacks reach} the frame limit: raise it") \
	H(SHORT_LIVES, "short_lives", find_short_lives, 0, "{n} processes and threads lived shorter than the sampling period, {name} s in all, of which {what} s were sampled: record all CPUs instead of a program")
/* clang-format on */
