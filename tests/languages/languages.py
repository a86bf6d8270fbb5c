"""The rows of tests/languages: a program in a language, how it is built and run, and the chain of its callers."""
import dataclasses
import glob
import os
import re
import shutil
import subprocess

# A C program's callers of main.
C_ROOT = "(_start|\\[unknown\\]) __libc_start_main(_impl|_alias_\\d)? __libc_start_call_main"
THREAD_ROOT = "(__)?clone3? start_thread"
CHAIN = "main zoo_outer zoo_middle zoo_inner"


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    language: str
    source: str
    # Debian packages, beyond those of `make ci-deps`.
    packages: str = ""
    # Shell commands in the build folder; {src} is the folder of the sources.
    build: tuple = ()
    run: str = "./zoo"
    # Command that prints the version; its first line is shown.
    version: str = ""
    # More options of perf record.
    record: str = ""
    # Regular expressions for the frames from the root to main, and from main to the loop. "*:EXPR" is any number of
    # frames, "?:EXPR" one or none.
    # Without a chain all samples are considered, and should reach the root over frames in files only.
    root: str = C_ROOT
    chain: str = CHAIN
    # Percentages of samples whose chain is exact, and whose stack reaches the root.
    floor: float = 100
    # The dynamic linker's first stacks may be cut at a page that is not in memory.
    rooted: float = 99.5
    # Why a figure is below 100.
    reason: str = ""
    # Regular expressions, searched in "ROOT > ... > LEAF". Stacks of other work on the same thread, which are left out;
    # callers that cannot be; and of these, or of other wrong frames, those that are known, with the reason.
    aside: str = ""
    impossible: str = ""
    excused: dict = dataclasses.field(default_factory=dict)
    # Part of the default run.
    is_quick: bool = False


def c(name, cc, flags, source="zoo.c", packages="", **more):
    language = "C++" if source.endswith("cpp") else "C"
    return Row(name, language, source, packages, (f"{cc} {flags} -o zoo {{src}}/{source}",),
               version=f"{cc.split()[0]} --version", **more)


PROLOGUES = "code without call frame information is crossed by frame pointers where its instructions are not followed"
IN_DELIVERY = "while the kernel delivers a signal, it has changed the stack pointer and not yet the program counter"
OTHER_STACK = "the handler runs on another stack, and that of the interrupted functions is not captured"
GO_SWITCHES = "the runtime's own code runs on the stack of the thread, and that of the goroutine is not captured"
CGO_SWITCHES = "C code runs on the stack of the thread, and that of the goroutine that called it is not captured"
OWN_STACK = "its functions keep their frames on a separate stack, which is not captured"
NO_TABLES = "generated code has neither call frame information nor frame pointers, and no file holds its instructions"
JIT = ("frame pointers of generated code are not valid in prologues, and calls from interpreted code have other "
       "frames; the kernel captures a stack up to its first page that is not in memory")
PAGES = ("the kernel captures a stack up to its first page that is not in memory, and large frames of start-up code "
         "have pages that were not touched yet")
NO_ENTRY = "the section .init of a stripped library has neither call frame information nor a symbol"
BEAM = "functions in C that the program calls run on the stack of the thread, and that of the process is not captured"
GO_ASIDE = r"^runtime\.goexit\S* > runtime\.(gc|bg|forcegc|runfinq)"
GO_IMPOSSIBLE = r"runtime\.newproc\S* > runtime\.(systemstack|mcall|morestack)"

D = ("D.main|_Dmain (zoo.|_D3zoo9)zoo_outer(F.*)? (zoo.|_D3zoo__T10)zoo_middle.* (zoo.|_D3zoo9)zoo_outer.*lambda.* "
     "(zoo.Animal.|_D3zoo6Animal9)zoo_inner.*")
OCAML = ("caml_program|caml_startup__code_begin (camlZoo__|Zoo.)entry (camlZoo__|Zoo.)zoo_outer(_\\d+)? "
         "(camlZoo__|Zoo.)zoo_middle(_\\d+)? (camlStdlib__List__|Stdlib.List.)iter(_\\d+)? (camlZoo__|Zoo.)fun_\\d+ "
         "(camlZoo__|Zoo.)zoo_inner(_\\d+)?")
CRYSTAL = ".*rounds:Nil .*zoo_outer<.* .*zoo_middle<.* ~procProc.* .*Animal#zoo_inner<.*"
CPP = "main zoo_outer .*::zoo_middle *:(std::|zoo_outer).* .*::zoo_inner"


def native(name, language, source, packages, run, version, **more):
    """A row for a program whose functions have no frames of their own, or no names."""
    return Row(name, language, source, packages, run=run, version=version, chain="", **more)


NODE = f"{C_ROOT} main *:.*"


# Functions that V8 interprets have no names of their own.
JS_ASIDE = r"Builtins_InterpreterEntryTrampoline[^>]*> [^>]*(zoo(Outer|Middle|Inner)|/zoo.js:1\d:)"
JS_CHAIN = (".*zooRounds.* .*zooOuter.* .*zooMiddle.* *:(JS:.?./.*|.*/zoo.js:1[26]:.*|Builtins_.*) "
            ".*zooInner.*")


def js(name, run, **more):
    named = {"chain": JS_CHAIN, "aside": JS_ASIDE} if "--perf-" in run else {"chain": ""}
    return Row(name, "JavaScript", "zoo.js", "nodejs", run=run, version="echo Node $(node --version)", root=NODE,
               floor=99, rooted=99, reason=JIT, **named, **more)


JAVA_FP = "-XX:-Inline -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"


def java(name, flags, language="Java", source="Zoo.java", packages="default-jdk-headless",
         build="javac -d . {src}/Zoo.java", run="java {flags} -cp . Zoo", version="java -version 2>&1", **more):
    more = {"chain": ".*zooOuter.* .*zooMiddle.* *:.*(lambda|anonfun|invoke|apply|Lambda).* .*zooInner.*",
            "aside": r"Interpreter( \[fp\])? > (Interpreter( \[fp\])? > )*[^>]*"
            r"(zooMiddle|zooInner|apply|lambda|anonfun)",
            "floor": 98, "rooted": 97, "reason": JIT, **more}
    return Row(name, language, source, packages, (build,), run.replace("{flags}", flags), version=version,
               root=f"{THREAD_ROOT} *:.*", **more)


def other_jdks():
    """Return the folders of Java development kits beside the one in the path, by their major version."""
    own = os.path.realpath(shutil.which("javac") or "")
    found = {}
    for compiler in sorted(glob.glob("/usr/lib/jvm/*/bin/javac")):
        if os.path.realpath(compiler) == own or not os.access(compiler, os.X_OK):
            continue
        version = re.search(r"\d+", subprocess.run([compiler, "-version"], capture_output=True, text=True, check=False).stdout)
        if version:
            found.setdefault(version[0], os.path.dirname(os.path.realpath(compiler)))
    return found


def java_rows(suffix="", tools="", **more):
    """Rows for one Java development kit, whose programs are in the folder tools."""
    def row(name, flags, **other):
        return java(name + suffix, flags, build=f"{tools}javac -d . {{src}}/Zoo.java",
                    run=f"{tools}java {{flags}} -cp . Zoo", version=f"{tools}java -version 2>&1", **more, **other)
    return (
        row("java-fp", JAVA_FP, is_quick=True),
        row("java-map", "-XX:-Inline -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit", floor=0, rooted=0,
            reason=NO_TABLES),
        row("java", "", chain="", rooted=20, reason=NO_TABLES),
        row("java-interpreted", "-Xint", chain="", rooted=99),
    )


ROWS = (
    # C and C++
    c("c-gcc-O0", "gcc", "-O0", is_quick=True),
    c("c-gcc-O1", "gcc", "-O1"),
    c("c-gcc-O2", "gcc", "-O2 -g", is_quick=True),
    c("c-gcc-O3", "gcc", "-O3 -fno-optimize-sibling-calls", is_quick=True),
    c("c-clang-O0", "clang", "-O0"),
    c("c-clang-O2", "clang", "-O2", is_quick=True),
    c("c-clang-O3", "clang", "-O3"),
    c("c-static", "gcc", "-O2 -static"),
    c("c-i386", "i686-linux-gnu-gcc", "-O2 -static", is_quick=True, root="_start __libc_start_main(_impl)? "
      "__libc_start_call_main"),
    c("c-tcc", "tcc", "-g", packages="tcc", floor=99.5, reason=PROLOGUES),
    c("c-musl", "musl-gcc", "-O2 -static", packages="musl-tools", root="_start libc_start_main_stage2"),
    c("c-qsort", "gcc", "-O2", "callback.c", is_quick=True,
      chain="main zoo_outer zoo_middle.* *:(__GI___)?(qsort|(__)?qsort_r(_malloc|_mergesort)?|msort_with_tmp.*) zoo_inner"),
    c("c-threads", "gcc", "-O2", "threads.c", is_quick=True, root=THREAD_ROOT,
      chain="thread_main zoo_outer zoo_middle zoo_inner"),
    c("c-signals", "gcc", "-O2", "signals.c", is_quick=True, floor=99.9, rooted=99.9,
      chain="main zoo_outer zoo_middle (__GI_)?(raise|gsignal) __pthread_kill_implementation __restore_rt zoo_inner"),
    c("c-signals-musl", "musl-gcc", "-O2 -static", "signals.c", packages="musl-tools",
      root="_start libc_start_main_stage2", floor=99.5, rooted=99.5, reason=IN_DELIVERY,
      chain="main zoo_outer zoo_middle raise ?:__restore_sigs __restore_rt zoo_inner"),
    c("c-signals-stack", "gcc", "-O2 -DALTERNATE", "signals.c", floor=20, rooted=20, reason=OTHER_STACK,
      chain="main zoo_outer zoo_middle (__GI_)?(raise|gsignal) __pthread_kill_implementation __restore_rt zoo_inner"),
    c("c-contexts", "gcc", "-O2", "contexts.c", floor=99.5, rooted=99.5,
      reason="between the instructions of swapcontext that change stacks, registers are of two stacks",
      root="__start_context", chain="run zoo_outer zoo_middle zoo_inner",
      aside="> main( |$)"),
    c("cpp-gcc", "g++", "-O2", "zoo.cpp", is_quick=True, floor=99.7,
      reason="the last instructions of _Unwind_RaiseException change stacks before they jump to the handler",
      chain=CPP),
    c("cpp-gcc-O0", "g++", "-O0", "zoo.cpp",
      chain=CPP),
    c("cpp-clang", "clang++", "-O2", "zoo.cpp",
      chain=CPP),
    c("cpp-libc++", "clang++", "-O2 -stdlib=libc++", "zoo.cpp", packages="libc++-dev libc++abi-dev libunwind-14-dev",
      chain=CPP),
    c("cpp-coroutine", "g++", "-O2 -std=c++20", "coroutine.cpp",
      chain="main zoo_outer.* generate.* zoo_middle.* zoo_inner.*"),

    # Compiled languages
    Row("rust", "Rust", "zoo.rs", build=("rustc -O -o zoo {src}/zoo.rs",), version="rustc --version", is_quick=True,
        root=f"{C_ROOT} main *:.*(std|core|alloc)::.*",
        chain="?:zoo::main zoo::rounds zoo::zoo_outer zoo::zoo_middle.* ?:zoo::zoo_outer::.*closure.* .*zoo_inner"),
    Row("rust-debug", "Rust", "zoo.rs", build=("rustc -g -o zoo {src}/zoo.rs",), version="rustc --version",
        root=f"{C_ROOT} main *:.*(std|core|alloc)::.*",
        chain="zoo::main zoo::rounds zoo::zoo_outer zoo::zoo_middle.* ?:zoo::zoo_outer::.*closure.* .*zoo_inner"),
    Row("rust-thread", "Rust", "zoo.rs", build=("rustc -O -o zoo {src}/zoo.rs",), run="./zoo thread",
        version="rustc --version", is_quick=True, root=f"{THREAD_ROOT} *:.*(std|core|alloc)::.*",
        chain="zoo::rounds zoo::zoo_outer zoo::zoo_middle.* ?:zoo::zoo_outer::.*closure.* .*zoo_inner"),
    Row("go", "Go", "zoo.go", build=("go build -o zoo {src}/zoo.go",), version="go version", is_quick=True,
        root="runtime.goexit(.abi0)? runtime.main",
        floor=98, rooted=98, reason=GO_SWITCHES, aside=GO_ASIDE, impossible=GO_IMPOSSIBLE,
        chain="main.main main.rounds main.zooOuter main.zooMiddle main.zooOuter.func1 main..?.?lion.?.zooInner"),
    Row("go-goroutine", "Go", "zoo.go", build=("go build -o zoo {src}/zoo.go",), run="./zoo goroutine",
        version="go version", root="runtime.goexit(.abi0)? ?:main.main.func\\d",
        floor=98, rooted=98, reason=GO_SWITCHES, aside=GO_ASIDE, impossible=GO_IMPOSSIBLE,
        chain="main.rounds main.zooOuter main.zooMiddle main.zooOuter.func1 main..?.?lion.?.zooInner"),
    Row("go-stripped", "Go", "zoo.go", build=("go build -ldflags '-s -w' -o zoo {src}/zoo.go",), version="go version",
        is_quick=True, root="runtime.goexit(.abi0)? runtime.main",
        floor=98, rooted=98, reason=GO_SWITCHES, aside=GO_ASIDE, impossible=GO_IMPOSSIBLE,
        chain="main.main main.rounds main.zooOuter main.zooMiddle main.zooOuter.func1 main..?.?lion.?.zooInner"),
    Row("go-cgo", "Go, C", "zoo_cgo.go", build=("cp {src}/zoo_cgo.go . && go build -o zoo zoo_cgo.go",),
        version="go version", floor=0, rooted=0, reason=CGO_SWITCHES, root="runtime.goexit(.abi0)? runtime.main",
        impossible=GO_IMPOSSIBLE,
        chain="main.main *:(main._Cfunc_zoo_outer(.abi0)?|runtime..*) ?:_cgo_.*_Cfunc_zoo_outer ?:zoo_outer "
        "?:zooMiddle *:(crosscall2|runtime..*|_cgoexp_.*_zooMiddle) main.zooMiddle *:(main._Cfunc_zoo_inner(.abi0)?|runtime..*) "
        "_cgo_.*_Cfunc_zoo_inner zoo_inner"),
    Row("fortran", "Fortran", "zoo.f90", "gfortran",
        ("gfortran -O2 -fno-inline -fno-ipa-cp -fno-optimize-sibling-calls -o zoo {src}/zoo.f90",),
        version="gfortran --version", root=f"{C_ROOT} main", chain="MAIN__ (zoo::|__zoo_MOD_)zoo_outer "
        "(zoo::|__zoo_MOD_)zoo_middle (zoo::|__zoo_MOD_)zoo_inner"),
    Row("ada", "Ada", "zoo.adb", "gnat", ("gnatmake -q -O2 -D . -o zoo {src}/zoo.adb",), version="gnatmake --version",
        root=f"{C_ROOT} main",
        chain="(_ada_)?zoo zoo(__|[.])zoo_outer.* zoo(__|[.])zoo_middle.* zoo(__|[.])zoo_inner.*"),
    Row("d-gdc", "D", "zoo.d", "gdc", ("gdc -O2 -o zoo {src}/zoo.d",), version="gdc --version",
        root=f"{C_ROOT} ?:main *:(_d_run_main.*|.*rt.dmain2.*|\\[unknown\\])",
        chain=D),
    Row("d-ldc", "D", "zoo.d", "ldc", ("ldc2 -O2 -of=zoo {src}/zoo.d",), version="ldc2 --version | tr -d '()'",
        root=f"{C_ROOT} ?:main *:(_d_run_main.*|.*rt.dmain2.*|\\[unknown\\])",
        chain=D),
    Row("ocaml", "OCaml", "zoo.ml", "ocaml-nox",
        ("cp {src}/zoo.ml . && ocamlopt -o zoo zoo.ml",),
        version="ocamlopt -version", root=f"{C_ROOT} main *:(caml_main|caml_startup.*) caml_start_program",
        chain=OCAML),
    Row("nim", "Nim", "zoo.nim", "nim",
        ("nim c -d:release --hints:off --nimcache:cache -o:zoo {src}/zoo.nim",), version="nim --version",
        root=f"{C_ROOT} main *:(NimMain.*|PreMain.*)",
        chain="NimMainInner ?:(zoo.)?main(__zoo_.*)? (zoo.)?zooOuter(__zoo_.*)? (zoo.)?zooMiddle(__zoo_.*)? "
        "?:(zoo.)?colonanonymous.* (zoo.)?zooInner(__zoo_.*)?"),
    Row("vala", "Vala", "zoo.vala", "valac libglib2.0-dev",
        ("valac -X -O2 -X -fno-inline -X -fno-optimize-sibling-calls -o zoo {src}/zoo.vala",),
        version="valac --version", root=f"{C_ROOT} main", chain="_vala_main zoo_outer zoo_middle "
        "___lambda\\d__visit __lambda\\d_.* animal_zoo_inner animal_real_zoo_inner"),
    Row("pascal", "Pascal", "zoo.pas", "fpc", ("fpc -v0 -Xs- -O2 -FE. -ozoo {src}/zoo.pas",), version="fpc -iV",
        root="_start|si_prc._fpc_proc_start *:.*entry",
        chain="main (?i:.*zoo_outer.*) (?i:.*zoo_middle.*) (?i:.*zoo_inner.*)"),
    Row("objc", "Objective-C", "zoo.m", "gobjc",
        ("gcc -std=gnu11 -O2 -fno-optimize-sibling-calls -o zoo {src}/zoo.m -lobjc",), version="gcc --version",
        chain="main .*Zoo.*outer.* .*Zoo.*middle.* .*Zoo.*inner.*"),
    Row("modula2", "Modula-2", "zoo.mod", "gm2",
        ("D=$(dirname $(gcc -print-libgcc-file-name))/m2 && gm2 -I$D/m2pim -L$D/m2pim -L$D/m2iso -O1 -fno-inline "
         "-o zoo {src}/zoo.mod -lm2iso",),
        version="gm2 --version", root=f"{C_ROOT} main *:.*",
        chain="_M2_zoo_init (zoo_)?ZooOuter (zoo_)?ZooMiddle (zoo_)?ZooInner"),
    Row("cobol", "COBOL", "zoo.cob", "gnucobol", ("cobc -x -g -O2 -o zoo {src}/zoo.cob",), version="cobc --version",
        root=f"{C_ROOT} main", chain="?:zoo zoo_ zoo_outer_ zoo_middle_ zoo_inner_"),
    Row("asm-nasm", "Assembly", "zoo.asm", "nasm", ("nasm -f elf64 -o zoo.o {src}/zoo.asm && gcc -o zoo zoo.o",),
        version="nasm --version", chain="main(.again)? zoo_outer zoo_middle zoo_inner(.again)?", floor=99.5,
        reason=PROLOGUES),
    Row("crystal", "Crystal", "zoo.cr", "crystal", ("crystal build --release -o zoo {src}/zoo.cr",),
        version="crystal --version", chain=CRYSTAL, floor=99,
        rooted=99, reason="stacks within its garbage collector are larger than the captured 16 KiB",
        root=f"{C_ROOT} *:(main|main_user_code|__crystal_main)"),

    # Runtimes that tell where their generated code is, and some that do not
    Row("haskell", "Haskell", "zoo.hs", "ghc", ("ghc -v0 -O1 -g -outputdir . -o zoo {src}/zoo.hs",),
        version="echo GHC $(ghc --numeric-version)", chain="", rooted=0, reason=OWN_STACK),
    js("node", "node --no-turbo-inlining {src}/zoo.js"),
    js("node-map", "node --no-turbo-inlining --perf-basic-prof --interpreted-frames-native-stack {src}/zoo.js", is_quick=True),
    js("node-map-plain", "node --no-turbo-inlining --perf-basic-prof {src}/zoo.js"),
    js("node-jitdump", "node --no-turbo-inlining --perf-prof --interpreted-frames-native-stack {src}/zoo.js",
        record="-k mono"),
    Row("typescript", "TypeScript", "zoo.ts", "node-typescript",
        ("tsc --target es2018 --outFile zoo.js {src}/zoo.ts || true",),
        "node --no-turbo-inlining --perf-basic-prof zoo.js",
        version="tsc --version", root=NODE, floor=97, rooted=99, aside=JS_ASIDE,
        reason="between calls the queue of promises runs, which calls back zooRounds",
        chain=".*zooRounds.* .*zooOuter.* .*zooMiddle.* .*zooInner.*"),
    Row("wasm-node", "WebAssembly", "zoo.wat", "wabt", ("wat2wasm --debug-names -o zoo.wasm {src}/zoo.wat",),
        "node --no-turbo-inlining --perf-basic-prof {src}/zoo_wasm.js zoo.wasm", version="node --version",
        root=NODE,
               floor=99, rooted=99,
        reason="the map of V8 leaves out some of the generated code",
        chain=".*rounds.*|.*wasm-function.3.* .*zoo_outer.* .*zoo_middle.* .*zoo_inner.*"),
    *java_rows(),
    *(row for version, tools in other_jdks().items() for row in java_rows(f"-{version}", tools + "/", packages="")),
    java("scala", JAVA_FP, "Scala", "Zoo.scala", "scala", "scalac -d . {src}/Zoo.scala",
         run="env JAVA_OPTS='{flags}' scala -nc -cp . Zoo", version="scala -version"),
    java("kotlin", JAVA_FP, "Kotlin", "Zoo.kt", "kotlin", "kotlinc -d . {src}/Zoo.kt",
         run="java {flags} -cp .:/usr/share/java/kotlin-stdlib.jar ZooKt", version="dpkg-query -W kotlin"),
    java("clojure", JAVA_FP, "Clojure", "zoo.clj", "clojure", "true", chain=".*zoo_outer.* ?:.*zoo_outer.* "
         ".*zoo_middle.* ?:.*zoo_middle.* .*zoo_inner.* ?:.*zoo_inner.*",
         aside=r"Interpreter( \[fp\])? > [^>]*zoo_(inner|middle)",
         run="java {flags} -cp /usr/share/java/clojure.jar:/usr/share/java/spec.alpha.jar:"
         "/usr/share/java/core.specs.alpha.jar clojure.main {src}/zoo.clj", version="dpkg-query -W clojure"),
    Row("mono", "C#", "zoo.cs", "mono-devel", ("mcs -optimize+ -out:zoo.exe {src}/zoo.cs",), "mono --jitmap zoo.exe",
        version="mono --version", floor=0, rooted=90, reason=NO_TABLES, root=f"{C_ROOT} *:.*",
        chain=".*Zoo:Main.* .*zoo_outer.* .*zoo_middle.* *:.*Zoo.* .*zoo_inner.*"),
    native("mono-plain", "C#", "zoo.cs", "mono-devel", "mono zoo.exe", "mono --version", rooted=90, reason=NO_TABLES,
           build=("mcs -optimize+ -out:zoo.exe {src}/zoo.cs",)),
    Row("erlang", "Erlang", "zoo.erl", "erlang-nox", ("erlc {src}/zoo.erl",), "erl +JPperf true -noshell -s zoo main",
        version="erl +V", root=".*normal_exit.* *:.*", floor=98, rooted=90, reason=BEAM,
        chain=".*zoo:zoo_rounds/2 .*zoo:zoo_outer/1 .*zoo:zoo_middle/1 .*zoo:zoo_inner/1"),
    Row("elixir", "Elixir", "zoo.exs", "elixir", (), "env ERL_FLAGS='+JPperf true' elixir {src}/zoo.exs",
        version="elixir --version | tail -n 1", root=".*normal_exit.* *:.*", floor=97, rooted=75, reason=BEAM,
        chain=".*Zoo.*:zoo_rounds/2 .*Zoo.*:zoo_outer/1 .*Zoo.*:zoo_middle/1 .*Zoo.*:zoo_inner/1"),
    Row("lli", "LLVM", "zoo.c", "llvm clang", ("clang -O1 -S -emit-llvm -o zoo.ll {src}/zoo.c",),
        "env JITDUMPDIR=$PWD lli -jit-kind=mcjit zoo.ll",
        record="-k mono", version="lli --version | sed -n 's/.*LLVM version/LLVM/p'", root=f"{C_ROOT} *:.*",
        floor=99, rooted=99,
        reason="LLVM writes a jitdump without call frame information, and code without frame pointers",
        chain="main zoo_outer zoo_middle zoo_inner"),
    Row("cython", "Cython", "zoo.pyx", "cython3 python3-dev",
        ("cython3 -3 -o zoo.c {src}/zoo.pyx && gcc -O2 -fno-inline -fno-optimize-sibling-calls -shared -fPIC "
         "$(python3-config --includes) -o zoo.so zoo.c",),
        "python3 -c 'import zoo; print(zoo.zoo_rounds())'", version="cython3 --version", root=f"{C_ROOT} *:.*",
        chain="__pyx_pf.*zoo_rounds.* __pyx_f_3zoo_zoo_outer.* __pyx_f_3zoo_zoo_middle.* __pyx_f_3zoo_zoo_inner.*"),
    Row("chicken", "Scheme", "zoo.scm", "chicken-bin libchicken-dev", ("csc -O2 -o zoo {src}/zoo.scm",),
        version="csi -release", chain="", rooted=98,
        reason=NO_ENTRY),
    Row("gambit", "Scheme", "zoo.scm", "gambc libgambit4", ("cp {src}/zoo.scm . && gsc -exe -o zoo zoo.scm",),
        version="gsi -v", chain="", rooted=98,
        reason=NO_ENTRY),
    Row("gprolog", "Prolog", "zoo.prolog", "gprolog",
        ("cp {src}/zoo.prolog zoo.pl && gplc --no-top-level -o zoo zoo.pl",),
        version="gplc --version", chain="", root=C_ROOT),
    Row("polyml", "Standard ML", "zoo.sml", "polyml libpolyml-dev", ("polyc -o zoo {src}/zoo.sml",),
        version="poly -v", chain="", rooted=0,
        reason="its functions keep their frames on a separate stack, and share one symbol"),
    Row("icon", "Icon", "zoo.icn", "icont iconx", ("cp {src}/zoo.icn . && icont -s -o zoo zoo.icn",),
        version="icont -V",
        chain="", root=C_ROOT),

    # Interpreters, and compilers in memory: without frames of the program the stack still reaches the root.
    native("python", "Python", "zoo.py", "", "python3 {src}/zoo.py", "python3 --version", rooted=98,
           reason=PAGES, is_quick=True),
    native("pypy", "Python", "zoo.py", "pypy3", "pypy3 {src}/zoo.py", "pypy3 --version", rooted=0,
           reason=NO_TABLES),
    native("lua", "Lua", "zoo.lua", "lua5.4", "lua5.4 {src}/zoo.lua", "lua5.4 -v"),
    native("luajit", "Lua", "zoo.lua", "luajit", "luajit {src}/zoo.lua", "luajit -v", rooted=0,
           reason=NO_TABLES),
    native("luajit-joff", "Lua", "zoo.lua", "luajit", "luajit -joff {src}/zoo.lua", "luajit -v", rooted=30,
           reason="its call frame information leaves out the calls within the interpreter"),
    native("ruby", "Ruby", "zoo.rb", "ruby", "ruby {src}/zoo.rb", "ruby --version"),
    native("perl", "Perl", "zoo.pl", "perl", "perl {src}/zoo.pl", "perl -e 'print \"Perl $^V\"'"),
    native("php", "PHP", "zoo.php", "php-cli", "php {src}/zoo.php", "php --version", rooted=98,
           reason=PAGES),
    native("tcl", "Tcl", "zoo.tcl", "tcl", "tclsh {src}/zoo.tcl", "echo 'puts $tcl_patchLevel' | tclsh"),
    native("r", "R", "zoo.r", "r-base-core", "Rscript {src}/zoo.r", "Rscript --version", rooted=60,
           reason=PAGES),
    native("octave", "Octave", "zoo_octave.m", "octave", "octave-cli {src}/zoo_octave.m", "octave-cli --version",
        rooted=98,
           reason=PAGES),
    native("guile", "Scheme", "zoo_slow.scm", "guile-3.0", "guile --no-auto-compile {src}/zoo_slow.scm",
        "guile --version", rooted=0,
           reason=NO_TABLES),
    native("racket", "Racket", "zoo.rkt", "racket", "racket {src}/zoo.rkt", "racket --version", rooted=0,
           reason=NO_TABLES),
    native("chez", "Scheme", "zoo.scm", "chezscheme", "chezscheme --script {src}/zoo.scm", "chezscheme --version",
        rooted=0,
           reason=NO_TABLES),
    native("gambit-interpreter", "Scheme", "zoo_slow.scm", "gambc", "gsi {src}/zoo_slow.scm", "gsi -v", rooted=98,
           reason=NO_ENTRY),
    native("chicken-interpreter", "Scheme", "zoo_slow.scm", "chicken-bin", "csi -s {src}/zoo_slow.scm",
        "csi -release", rooted=95,
           reason=PAGES),
    native("sbcl", "Common Lisp", "zoo.lisp", "sbcl", "sbcl --script {src}/zoo.lisp", "sbcl --version", rooted=0,
           reason="frame pointers lead to call_into_lisp_, which keeps none for what called it"),
    native("swi-prolog", "Prolog", "zoo.prolog", "swi-prolog", "swipl {src}/zoo.prolog", "swipl --version"),
    native("pike", "Pike", "zoo.pike", "pike8.0-core", "pike {src}/zoo.pike", "pike --version"),
    native("gforth", "Forth", "zoo.fs", "gforth", "gforth {src}/zoo.fs", "gforth --version"),
    native("gawk", "awk", "zoo.awk", "gawk", "gawk -f {src}/zoo.awk", "gawk --version"),
    native("mawk", "awk", "zoo.awk", "mawk", "mawk -f {src}/zoo.awk", "mawk -W version"),
    native("bash", "Shell", "zoo.sh", "", "bash {src}/zoo.sh", "bash --version"),
    native("dash", "Shell", "zoo.sh", "", "dash {src}/zoo.sh", "dpkg-query -W dash"),
    native("algol68", "ALGOL 68", "zoo.a68", "algol68g", "a68g {src}/zoo.a68", "a68g --version"),
    native("emacs", "Emacs Lisp", "zoo.el", "emacs-nox", "emacs --batch -l {src}/zoo.el", "emacs --version",
        rooted=98,
           reason=PAGES),
    Row("qemu-aarch64", "C (aarch64)", "zoo.c", "qemu-user gcc-aarch64-linux-gnu",
        ("aarch64-linux-gnu-gcc -O2 -static -o zoo {src}/zoo.c",), "qemu-aarch64 ./zoo",
        version="qemu-aarch64 --version",
        chain="", root=C_ROOT, rooted=0,
        reason="QEMU 7.2 has no map of the code that it translates, which keeps no frame pointers"),
)
