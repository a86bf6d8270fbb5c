/*
 * Parts of a profile, in the order in which they are stored.
 *
 * Arrays: A(member, kind). The kind is vec for PD_VEC and spill for PD_SPILL_VEC.
 *
 * Sets of interned bytes: S(member, MEMORY_USE). Their memory is counted as PD_MEMORY_<MEMORY_USE>.
 */
/* clang-format off */
#define PROF_ARRAYS(A) \
	A(binaries, vec) \
	A(attempts, vec) \
	A(unused, vec) \
	A(companions, vec) \
	A(runtimes, vec) \
	A(frame_lines, vec) \
	A(frame_offsets, vec) \
	A(lines, vec) \
	A(code_lines, vec) \
	A(function_labels, vec) \
	A(pattern_names, vec) \
	A(processes, vec) \
	A(events, vec) \
	A(samples, vec) \
	A(values, vec) \
	A(times, vec) \
	A(rows, spill) \
	A(origins, spill) \
	A(uncounted, spill) \
	A(details, spill) \
	A(edge_counts, vec) \
	A(waits, vec) \
	A(ledgers, vec) \
	A(ledger_threads, vec) \
	A(ledger_cpus, vec) \
	A(ledger_wakers, vec) \
	A(interval_kinds, vec) \
	A(intervals, spill) \
	A(ledger_delays, spill) \
	A(ledger_phases, spill) \
	A(ledger_changes, spill) \
	A(paths, vec) \
	A(path_steps, vec) \
	A(mappings, vec) \
	A(notes, vec) \
	A(sockets, vec)

#define PROF_SETS(S) \
	S(strings, TEXTS) \
	S(frames, FRAMES) \
	S(functions, FRAMES) \
	S(stacks, STACKS) \
	S(threads, SAMPLES) \
	S(tags, SAMPLES) \
	S(labels, SAMPLES) \
	S(pcs, ADDRESSES) \
	S(bytes, FIELDS) \
	S(note_texts, TEXTS) \
	S(trace_texts, TEXTS) \
	S(edges, SAMPLES) \
	S(code, FRAMES)
/* clang-format on */
