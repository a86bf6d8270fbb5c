/*
 * Language runtimes, and how they are recognized.
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
/* clang-format on */
