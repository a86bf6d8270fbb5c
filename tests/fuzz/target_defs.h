/*
 * Table of the fuzz targets: T(name, corpus, max_len, "what it feeds"), where tests/fuzz/targets/<name>.c
 * defines fuzz_target_<name>(). Targets whose inputs have the same form share the folder `corpus`, and the
 * dictionary tests/fuzz/dictionaries/<corpus>.dict if there is one. max_len is the largest input in bytes: small ones
 * are fast. fuzz.mk, run.sh and oss-fuzz/build.sh read this table, one row on each line.
 */
/* clang-format off */
#define FUZZ_TARGETS(T)                                                                              \
	T(file, recording, 16384, "recordings to the reader, in file or time order")                 \
	T(dump, recording, 16384, "recordings to the dump, as text or as JSON")                      \
	T(info, recording, 16384, "recordings to info, as text and as JSON")                         \
	T(copy, recording, 16384, "recordings to the copy, in either byte order and container")      \
	T(convert, recording, 16384, "recordings to the pipeline and a format")                      \
	T(rewrite, recording, 16384, "recordings to the format perfdata")                            \
	T(stream, stream, 32768, "recordings from a pipe, also compressed ones")                     \
	T(directory, directory, 16384, "directories of perf record --threads")                       \
	T(records, records, 4096, "records and samples of any layout")                               \
	T(features, features, 8192, "features of the header, with BPF programs")                     \
	T(tracing, tracing, 16384, "tracing data, with samples of tracepoints")                      \
	T(jitdump, jitdump, 8192, "jitdumps")                                                        \
	T(inflate, inflate, 8192, "compressed streams: gzip, zstd, xz")                              \
	T(cfi, cfi, 4096, "call frame information and its search table")                             \
	T(unwind, unwind, 4096, "registers, stack bytes and call frame information to the unwinder") \
	T(code, code, 1024, "instructions to the analysis of code")                                  \
	T(disassembler, code, 1024, "instructions to the disassembler")                              \
	T(listing, listing, 16384, "code, its debug information and its source to listings")         \
	T(elf, elf, 32768, "ELF files to the naming")                                                \
	T(sections, sections, 8192, "sections of symbols, DWARF and compressed data to the naming")  \
	T(go_table, go_table, 8192, "tables of functions of Go")                                     \
	T(module, elf, 32768, "relocatable files to the naming of kernel modules")                   \
	T(demangle, demangle, 512, "mangled names, and names that must fit a line")                  \
	T(kallsyms, kallsyms, 4096, "kallsyms files")                                                \
	T(perf_map, perf_map, 4096, "perf-PID.map files")                                            \
	T(folded_text, folded_text, 4096, "folded stacks in place of a recording")                   \
	T(foreign, foreign, 4096, "profiles of pprof and OpenTelemetry, stacks as text, heaps")        \
	T(archive, archive, 16384, "archives of binaries")                                           \
	T(names_cache, names_cache, 8192, "files of the cache of names")                             \
	T(index, index, 8192, "files of the index")                                                  \
	T(store, store, 16384, "stored profiles, filtered and written")                              \
	T(writers, writers, 2048, "profiles of any shape to every format")                           \
	T(diff, writers, 2048, "profiles of any shape to comparisons")                               \
	T(sql, writers, 2048, "profiles of any shape to SQL")                                       \
	T(events, events, 512, "event strings of record")                                            \
	T(options, options, 512, "command lines")
/* clang-format on */
