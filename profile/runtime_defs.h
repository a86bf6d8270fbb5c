/*
 * Language runtimes, and what their programs lack in a recording.
 *
 * A list of patterns is separated by '|'. A pattern that ends with '*' matches by its beginning.
 */

/*
 * R(ID, "name", has_version, "files", "interpreter", "script", "image")
 *
 * has_version: the names of its files have its version.
 * files: names of the executables and libraries of the runtime, without folders.
 * interpreter: linkage names of functions that run code of the program.
 * script: names that functions of the program have if the runtime shows them, for example through
 * a perf map.
 * image: files, other than executables and libraries, that hold compiled code of programs.
 */
/* clang-format off */
#define PROF_RUNTIMES(R)                                                                           \
	R(CPYTHON, "CPython", true, "python2*|python3*|libpython*",                                \
		"_PyEval_EvalFrameDefault*|PyEval_EvalFrameEx*", "py::*", "")                      \
	R(PYPY, "PyPy", false, "pypy*|libpypy*", "", "", "")                                       \
	R(RUBY, "Ruby", true, "ruby*|libruby*", "rb_vm_exec*|vm_exec_core*", "", "")               \
	R(PHP, "PHP", true, "php*|libphp*", "execute_ex*", "", "")                                 \
	R(PERL, "Perl", false, "perl*|libperl*", "Perl_runops_standard|Perl_runops_debug", "", "") \
	R(LUA, "Lua", true, "lua|lua5*|lua-5*|liblua5*|liblua-5*|liblua.so*",                      \
		"luaV_execute*|lua_pcallk|lua_callk|lua_pcall|lua_call|lua_resume", "", "")        \
	R(LUAJIT, "LuaJIT", false, "luajit*|libluajit*", "lua_pcall|lua_call|lua_resume", "", "")  \
	R(TCL, "Tcl", true, "tclsh*|libtcl*", "TEBCresume*|TclNRRunCallbacks", "", "")             \
	R(GNU_R, "R", false, "libR.so*", "bcEval*|Rf_eval*", "", "")                               \
	R(OCTAVE, "Octave", true, "octave*|liboctinterp*", "_ZN6octave14tree_evaluator*", "", "")  \
	R(PROLOG, "SWI-Prolog", false, "swipl*|libswipl*", "PL_next_solution*", "", "")            \
	R(OCAML, "OCaml", false, "ocamlrun*|ocaml|libcamlrun*", "caml_interprete*", "", "")        \
	R(JAVA, "Java", false, "libjvm.so*", "", "", "")                                           \
	R(V8, "V8", false, "node|nodejs|libnode.so*|libv8*|d8|deno|chrome|chromium|electron",      \
		"Builtins_InterpreterEntryTrampoline", "", "")                                     \
	R(DOTNET, ".NET", false, "libcoreclr.so*", "", "", "")                                     \
	R(MONO, "Mono", false, "mono|mono-sgen*|mono-boehm*|libmonosgen*|libmono-2*", "", "", "")  \
	R(ERLANG, "Erlang", false, "beam.smp|beam", "", "", "")                                    \
	R(WASMTIME, "Wasmtime", false, "wasmtime|libwasmtime*", "", "", "")                        \
	R(GUILE, "Guile", true, "guile*|libguile*", "", "", "")                                    \
	R(CHEZ, "Chez Scheme", false, "chezscheme*|scheme|petite*", "", "", "")                    \
	R(RACKET, "Racket", false, "racket*|libracket*", "", "", "")                               \
	R(CHICKEN, "Chicken", false, "libchicken*|csi|chicken*", "", "", "")                       \
	R(SBCL, "SBCL", false, "sbcl*", "", "", "sbcl.core")                                       \
	R(GHC, "Haskell", false, "", "stg_ap_*|stg_upd_frame*|stg_catch*|hs_main|scheduleWaitThread|base_GHC*|ghczm*", \
		"", "")                                                                            \
	R(POLYML, "Poly/ML", false, "poly|libpolyml*", "", "", "")                                 \
	R(SMLNJ, "SML/NJ", false, "run.x86-linux|run.amd64-linux", "", "", "")                     \
	R(QEMU, "QEMU", false, "qemu-*", "", "", "")

/*
 * H(RUNTIME, LACKS, oldest, newest, "what to do")
 *
 * LACKS are PROF_LACKS_*, of which the samples have one or more. oldest and newest limit the
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
#define PROF_RUNTIME_HINTS(H)                                                                      \
	H(CPYTHON, FRAMES, 313, PROF_NEWEST, "run it with -X perf_jit")                            \
	H(CPYTHON, FRAMES, 312, 312, "run it with -X perf")                                        \
	H(CPYTHON, FRAMES, 0, 311,                                                                 \
		"Python functions have frames since CPython 3.12, with -X perf")                   \
	H(PYPY, CODE, 0, PROF_NEWEST,                                                              \
		"PyPy writes no perf map; the profiler vmprof shows Python functions")             \
	H(RUBY, FRAMES, 303, PROF_NEWEST,                                                          \
		"only methods that YJIT compiled have frames, with its option yjit-perf")          \
	H(RUBY, FRAMES, 0, 302,                                                                    \
		"methods have frames since Ruby 3.3, if YJIT compiled them, with yjit-perf")       \
	H(RUBY, NAMES, 303, PROF_NEWEST, "run ruby with its option yjit-perf")                     \
	H(PHP, FRAMES, 0, PROF_NEWEST,                                                             \
		"only functions that the JIT compiled have frames, with opcache.jit_debug=16")     \
	H(PHP, NAMES, 0, PROF_NEWEST, "set opcache.jit_debug=16, which writes a perf map")         \
	H(PHP, CALLERS, 0, PROF_NEWEST, "the JIT keeps no frame pointers")                         \
	H(PERL, FRAMES, 0, PROF_NEWEST,                                                            \
		"Perl functions have no frames; Devel::NYTProf shows them")                        \
	H(LUAJIT, FRAMES, 0, PROF_NEWEST, "Lua functions have no frames; luajit -jp shows them")   \
	H(LUAJIT, CODE, 0, PROF_NEWEST,                                                            \
		"LuaJIT names it if built with LUAJIT_USE_PERFTOOLS; luajit -jp shows functions") \
	H(LUA, FRAMES, 0, PROF_NEWEST, "Lua functions have no frames")                             \
	H(TCL, FRAMES, 0, PROF_NEWEST, "Tcl procedures have no frames")                            \
	H(GNU_R, FRAMES, 0, PROF_NEWEST, "R functions have no frames; Rprof() shows them")         \
	H(OCTAVE, FRAMES, 0, PROF_NEWEST,                                                          \
		"Octave functions have no frames; its command profile shows them")                 \
	H(PROLOG, FRAMES, 0, PROF_NEWEST, "predicates have no frames; profile/1 shows them")       \
	H(OCAML, FRAMES, 0, PROF_NEWEST, "OCaml functions have frames if ocamlopt compiled them")  \
	H(JAVA, NAMES, 0, PROF_NEWEST,                                                             \
		"run java with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, since JDK 17") \
	H(JAVA, CALLERS, 0, PROF_NEWEST, "run java with -XX:+PreserveFramePointer")                \
	H(V8, FRAMES, 0, PROF_NEWEST, "run node with its option interpreted-frames-native-stack")  \
	H(V8, NAMES, 0, PROF_NEWEST,                                                               \
		"run node with its option perf-basic-prof, or perf-prof for a jitdump")            \
	H(DOTNET, NAMES, 0, PROF_NEWEST, "set DOTNET_PerfMapEnabled=1")                            \
	H(MONO, NAMES, 0, PROF_NEWEST, "run mono with its option jitmap")                          \
	H(ERLANG, CODE, 0, PROF_NEWEST, "run erl with +JPperf true")                               \
	H(WASMTIME, NAMES, 0, PROF_NEWEST,                                                         \
		"run wasmtime with its option profile=perfmap or profile=jitdump")                 \
	H(GUILE, CODE, 0, PROF_NEWEST,                                                             \
		"the stack of Guile is not captured; statprof shows procedures")  \
	H(CHEZ, CODE, 0, PROF_NEWEST, "the stack of Scheme is not captured") \
	H(RACKET, CODE, 0, PROF_NEWEST,                                                            \
		"the stack of Racket is not captured; its library profile shows procedures") \
	H(CHICKEN, CALLERS, 0, PROF_NEWEST,                                                        \
		"the stack holds earlier calls, which never return, instead of callers")           \
	H(SBCL, NAMES, 0, PROF_NEWEST, "its core file has no symbols; sb-sprof shows functions")   \
	H(GHC, CALLERS, 0, PROF_NEWEST,                                                            \
		"the stack is on the heap and cannot be captured; ghc -prof shows callers")        \
	H(POLYML, CALLERS, 0, PROF_NEWEST, "the stack is on the heap and cannot be captured")      \
	H(SMLNJ, CODE, 0, PROF_NEWEST, "its frames are on the heap and cannot be captured")        \
	H(QEMU, NAMES, 0, PROF_NEWEST, "QEMU 8.0 and newer name it with -perfmap")                 \
	H(QEMU, CALLERS, 0, PROF_NEWEST, "the stack of the guest is not captured")

/*
 * T(RUNTIME, "words"): words of a command line that make the runtime write a perf map or a
 * jitdump, separated by '|'.
 */
#define PROF_RUNTIME_ARGUMENTS(T)                                                                  \
	T(CPYTHON, "-X perf|-Xperf")                                                               \
	T(RUBY, "yjit-perf")                                                                       \
	T(PHP, "opcache.jit_debug=")                                                               \
	T(JAVA, "DumpPerfMapAtExit|libperfmap")                                                    \
	T(V8, "perf-basic-prof|perf-prof|perf_basic_prof|perf_prof")                               \
	T(MONO, "jitmap|jitdump")                                                                  \
	T(ERLANG, "+JPperf true|+JPperf map|+JPperf dump")                                         \
	T(WASMTIME, "profile=perfmap|profile=jitdump|jitdump")                                     \
	T(QEMU, "-perfmap|-jitdump")

/*
 * F(RUNTIME, "program", "option"): runtimes whose generated code has frame pointers only with an
 * option. Recorded chains skip callers without it, and look complete.
 */
#define PROF_RUNTIME_FRAME_POINTERS(F) F(JAVA, "java", "PreserveFramePointer")

/*
 * W(RUNTIME, is_endless): runtimes whose stacks end in code of the program, which is not
 * generated at run time. is_endless: captured stacks are never large enough.
 */
#define PROF_RUNTIMES_WITHOUT_STACK(W)                                                             \
	W(CHICKEN, true)                                                                           \
	W(GHC, false)                                                                              \
	W(POLYML, false)
/* clang-format on */
