/*
 * Tables of what programs of language runtimes lack in a recording, and of what to do about it.
 */

/*
 * R(RUNTIME, LACKS, oldest, newest, "what to do")
 *
 * LACKS are ADVICE_LACKS_*, of which the samples have one or more. oldest and newest limit the
 * versions to which the row applies, as 100 * major + minor; a row from 0 applies to unknown
 * versions as well. The first row that applies is used.
 *
 * Options that begin with two dashes are written without them, because the library does not name
 * such options.
 *
 * Sources: CPython Doc/howto/perf_profiling.rst; Ruby doc/yjit/yjit.md; PHP ext/opcache/jit/
 * zend_jit.h (ZEND_JIT_DEBUG_PERF); LuaJIT src/lj_trace.c; OpenJDK src/hotspot/share/runtime/
 * globals.hpp; V8 src/flags/flag-definitions.h; .NET clrconfignames.h; mono(1); erl(1); Wasmtime
 * docs/examples-profiling-perf.md; QEMU docs/devel/tcg.rst.
 */
/* clang-format off */
#define ADVICE_REMEDIES(R) \
	R(CPYTHON, FRAMES, 313, ADVICE_NEWEST, "run it with -X perf_jit") \
	R(CPYTHON, FRAMES, 312, 312, "run it with -X perf") \
	R(CPYTHON, FRAMES, 0, 311, \
		"Python functions have frames since CPython 3.12, with -X perf") \
	R(PYPY, CODE, 0, ADVICE_NEWEST, \
		"PyPy writes no perf map; the profiler vmprof shows Python functions") \
	R(RUBY, FRAMES, 303, ADVICE_NEWEST, \
		"only methods that YJIT compiled have frames, with its option yjit-perf") \
	R(RUBY, FRAMES, 0, 302, \
		"methods have frames since Ruby 3.3, if YJIT compiled them, with yjit-perf") \
	R(RUBY, NAMES, 303, ADVICE_NEWEST, "run ruby with its option yjit-perf") \
	R(PHP, FRAMES, 0, ADVICE_NEWEST, \
		"only functions that the JIT compiled have frames, with opcache.jit_debug=16") \
	R(PHP, NAMES, 0, ADVICE_NEWEST, "set opcache.jit_debug=16, which writes a perf map") \
	R(PHP, CALLERS, 0, ADVICE_NEWEST, "the JIT keeps no frame pointers") \
	R(PERL, FRAMES, 0, ADVICE_NEWEST, \
		"Perl functions have no frames; Devel::NYTProf shows them") \
	R(LUAJIT, FRAMES, 0, ADVICE_NEWEST, "Lua functions have no frames; luajit -jp shows them") \
	R(LUAJIT, CODE, 0, ADVICE_NEWEST, \
		"LuaJIT names it if built with LUAJIT_USE_PERFTOOLS; luajit -jp shows functions") \
	R(LUA, FRAMES, 0, ADVICE_NEWEST, "Lua functions have no frames") \
	R(TCL, FRAMES, 0, ADVICE_NEWEST, "Tcl procedures have no frames") \
	R(GNU_R, FRAMES, 0, ADVICE_NEWEST, "R functions have no frames; Rprof() shows them") \
	R(OCTAVE, FRAMES, 0, ADVICE_NEWEST, \
		"Octave functions have no frames; its command profile shows them") \
	R(PROLOG, FRAMES, 0, ADVICE_NEWEST, "predicates have no frames; profile/1 shows them") \
	R(OCAML, FRAMES, 0, ADVICE_NEWEST, "OCaml functions have frames if ocamlopt compiled them") \
	R(JAVA, NAMES, 0, ADVICE_NEWEST, \
		"run java with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, since JDK 17") \
	R(JAVA, CALLERS, 0, ADVICE_NEWEST, "run java with -XX:+PreserveFramePointer") \
	R(V8, FRAMES, 0, ADVICE_NEWEST, "run node with its option interpreted-frames-native-stack") \
	R(V8, NAMES, 0, ADVICE_NEWEST, \
		"run node with its option perf-basic-prof, or perf-prof for a jitdump") \
	R(DOTNET, NAMES, 0, ADVICE_NEWEST, "set DOTNET_PerfMapEnabled=1") \
	R(MONO, NAMES, 0, ADVICE_NEWEST, "run mono with its option jitmap") \
	R(ERLANG, CODE, 0, ADVICE_NEWEST, "run erl with +JPperf true") \
	R(WASMTIME, NAMES, 0, ADVICE_NEWEST, \
		"run wasmtime with its option profile=perfmap or profile=jitdump") \
	R(GUILE, CODE, 0, ADVICE_NEWEST, \
		"the stack of Guile is not captured; statprof shows procedures") \
	R(CHEZ, CODE, 0, ADVICE_NEWEST, "the stack of Scheme is not captured") \
	R(RACKET, CODE, 0, ADVICE_NEWEST, \
		"the stack of Racket is not captured; its library profile shows procedures") \
	R(CHICKEN, CALLERS, 0, ADVICE_NEWEST, \
		"the stack holds earlier calls, which never return, instead of callers") \
	R(SBCL, NAMES, 0, ADVICE_NEWEST, "its core file has no symbols; sb-sprof shows functions") \
	R(GHC, CALLERS, 0, ADVICE_NEWEST, \
		"the stack is on the heap and cannot be captured; ghc -prof shows callers") \
	R(POLYML, CALLERS, 0, ADVICE_NEWEST, "the stack is on the heap and cannot be captured") \
	R(SMLNJ, CODE, 0, ADVICE_NEWEST, "its frames are on the heap and cannot be captured") \
	R(QEMU, NAMES, 0, ADVICE_NEWEST, "QEMU 8.0 and newer name it with -perfmap") \
	R(QEMU, CALLERS, 0, ADVICE_NEWEST, "the stack of the guest is not captured")

/*
 * T(RUNTIME, "words"): words of a command line that make the runtime write a perf map or a
 * jitdump, separated by '|'.
 */
#define ADVICE_RUNTIME_ARGUMENTS(T) \
	T(CPYTHON, "-X perf|-Xperf") \
	T(RUBY, "yjit-perf") \
	T(PHP, "opcache.jit_debug=") \
	T(JAVA, "DumpPerfMapAtExit|libperfmap") \
	T(V8, "perf-basic-prof|perf-prof|perf_basic_prof|perf_prof") \
	T(MONO, "jitmap|jitdump") \
	T(ERLANG, "+JPperf true|+JPperf map|+JPperf dump") \
	T(WASMTIME, "profile=perfmap|profile=jitdump|jitdump") \
	T(QEMU, "-perfmap|-jitdump")

/*
 * F(RUNTIME, "program", "option"): runtimes whose generated code has frame pointers only with an
 * option. Recorded chains skip callers without it, and look complete.
 */
#define ADVICE_RUNTIME_FRAME_POINTERS(F) F(JAVA, "java", "PreserveFramePointer")

/*
 * W(RUNTIME, is_endless): runtimes whose stacks end in code of the program, which is not
 * generated at run time. is_endless: captured stacks are never large enough.
 */
#define ADVICE_RUNTIMES_WITHOUT_STACK(W) \
	W(CHICKEN, true) \
	W(GHC, false) \
	W(POLYML, false)
/* clang-format on */
