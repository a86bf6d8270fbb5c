"""The rows of tests/languages: a program in a language, how it is built and run, and the chain of its callers."""
import dataclasses

# A C program's callers of main.
C_ROOT = "_start __libc_start_main(_impl|_alias_\\d)? __libc_start_call_main"
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
    root: str = C_ROOT
    chain: str = CHAIN
    # Percentages of samples whose chain is exact, and whose stack reaches the root.
    floor: float = 100
    rooted: float = 100
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


ON_FP = "the code has no call frame information, and frame pointers are not valid in prologues and epilogues"

D = ("D.main|_Dmain (zoo.|_D3zoo9)zoo_outer(F.*)? (zoo.|_D3zoo__T10)zoo_middle.* (zoo.|_D3zoo9)zoo_outer.*lambda.* "
     "(zoo.Animal.|_D3zoo6Animal9)zoo_inner.*")
OCAML = ("caml_program|caml_startup__code_begin (camlZoo__|Zoo.)entry (camlZoo__|Zoo.)zoo_outer_\\d+ "
         "(camlZoo__|Zoo.)zoo_middle_\\d+ (camlStdlib__List__|Stdlib.List.)iter_\\d+ (camlZoo__|Zoo.)fun_\\d+ "
         "(camlZoo__|Zoo.)zoo_inner_\\d+")
CRYSTAL = ".*rounds:Nil .*zoo_outer<.* .*zoo_middle<.* ~procProc.* .*Animal#zoo_inner<.*"
CPP = "main zoo_outer .*::zoo_middle *:(std::|zoo_outer).* .*::zoo_inner"

GO_ASIDE = r"^runtime\.goexit\S* > runtime\.(gc|bg|forcegc|runfinq)"
GO_IMPOSSIBLE = r"runtime\.newproc\S* > runtime\.(systemstack|mcall|morestack)"
GO_SWITCHES = "the runtime's own code runs on the stack of the thread, and the stack of the goroutine is not captured"

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
    c("c-tcc", "tcc", "-g", packages="tcc"),
    c("c-musl", "musl-gcc", "-O2 -static", packages="musl-tools", root="_start libc_start_main_stage2"),
    c("c-qsort", "gcc", "-O2", "callback.c", is_quick=True,
      chain="main zoo_outer zoo_middle.* *:(__GI___)?(qsort|__qsort_r|qsort_r|msort_with_tmp.*) zoo_inner"),
    c("c-threads", "gcc", "-O2", "threads.c", is_quick=True, root=THREAD_ROOT,
      chain="thread_main zoo_outer zoo_middle zoo_inner"),
    c("c-signals", "gcc", "-O2", "signals.c", is_quick=True,
      chain="main zoo_outer zoo_middle (__GI_)?(raise|gsignal) __pthread_kill_implementation __restore_rt zoo_inner"),
    c("c-signals-musl", "musl-gcc", "-O2 -static", "signals.c", packages="musl-tools",
      root="_start libc_start_main_stage2",
      chain="main zoo_outer zoo_middle raise ?:__restore_sigs __restore_rt zoo_inner"),
    c("c-signals-stack", "gcc", "-O2 -DALTERNATE", "signals.c", floor=20, rooted=20,
      reason="the stack that the handler interrupts is not captured",
      chain="main zoo_outer zoo_middle (__GI_)?(raise|gsignal) __pthread_kill_implementation __restore_rt zoo_inner"),
    c("c-contexts", "gcc", "-O2", "contexts.c", root="__start_context", chain="run zoo_outer zoo_middle zoo_inner",
      aside="^_start > ", floor=99, rooted=99,
      reason="the information of swapcontext leads to the context that it goes to, which is not on the stack"),
    c("cpp-gcc", "g++", "-O2", "zoo.cpp", is_quick=True,
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
        root="runtime.goexit(.abi0)? runtime.main",
        floor=98, rooted=98, reason=GO_SWITCHES, aside=GO_ASIDE, impossible=GO_IMPOSSIBLE,
        chain="main.main main.rounds main.zooOuter main.zooMiddle main.zooOuter.func1 main..?.?lion.?.zooInner"),
    Row("go-cgo", "Go, C", "zoo_cgo.go", build=("cp {src}/zoo_cgo.go . && go build -o zoo zoo_cgo.go",),
        version="go version", root="runtime.goexit(.abi0)? runtime.main", floor=0, rooted=0,
        reason="C code runs on the stack of the thread, and the stack of the goroutine is not captured",
        impossible=rf"{GO_IMPOSSIBLE}|\[unknown\].* > runtime\.cgocallback",
        chain="main.main *:(main._Cfunc_zoo_outer(.abi0)?|runtime..*) ?:_cgo_.*_Cfunc_zoo_outer ?:zoo_outer ?:zooMiddle "
        "*:(crosscall2|runtime..*|_cgoexp_.*_zooMiddle) main.zooMiddle *:(main._Cfunc_zoo_inner(.abi0)?|runtime..*) "
        "_cgo_.*_Cfunc_zoo_inner zoo_inner"),
    Row("fortran", "Fortran", "zoo.f90", "gfortran",
        ("gfortran -O2 -fno-inline -fno-ipa-cp -fno-optimize-sibling-calls -o zoo {src}/zoo.f90",),
        version="gfortran --version", root=f"{C_ROOT} main", chain="MAIN__ __zoo_MOD_zoo_outer "
        "__zoo_MOD_zoo_middle __zoo_MOD_zoo_inner"),
    Row("ada", "Ada", "zoo.adb", "gnat", ("gnatmake -q -O2 -D . -o zoo {src}/zoo.adb",), version="gnatmake --version",
        root=f"{C_ROOT} main", chain="_ada_zoo zoo__zoo_outer.* zoo__zoo_middle.* zoo__zoo_inner.*"),
    Row("d-gdc", "D", "zoo.d", "gdc", ("gdc -O2 -o zoo {src}/zoo.d",), version="gdc --version",
        root=f"{C_ROOT} ?:main *:(_d_run_main.*|.*rt.dmain2.*|\\[unknown\\])",
        chain=D),
    Row("d-ldc", "D", "zoo.d", "ldc", ("ldc2 -O2 -of=zoo {src}/zoo.d",), version="ldc2 --version",
        root=f"{C_ROOT} ?:main *:(_d_run_main.*|.*rt.dmain2.*|\\[unknown\\])",
        chain=D),
    Row("ocaml", "OCaml", "zoo.ml", "ocaml-nox",
        ("cp {src}/zoo.ml . && ocamlopt -o zoo zoo.ml",),
        version="ocamlopt -version", root=f"{C_ROOT} main *:(caml_main|caml_startup.*) caml_start_program",
        chain=OCAML),
    Row("nim", "Nim", "zoo.nim", "nim",
        ("nim c -d:release --hints:off --nimcache:cache -o:zoo {src}/zoo.nim",), version="nim --version",
        root=f"{C_ROOT} main *:(NimMain.*|PreMain.*)",
        chain="NimMainInner ?:main__zoo_.* zooOuter__zoo_.* zooMiddle__zoo_.* ?:colonanonymous___zoo_.* zooInner__zoo_.* ?:zooInner__zoo_.*"),
    Row("vala", "Vala", "zoo.vala", "valac libglib2.0-dev",
        ("valac -X -O2 -X -fno-inline -X -fno-optimize-sibling-calls -o zoo {src}/zoo.vala",),
        version="valac --version", root=f"{C_ROOT} main", chain="_vala_main zoo_outer zoo_middle "
        "___lambda\\d__visit __lambda\\d_.* animal_zoo_inner animal_real_zoo_inner"),
    Row("pascal", "Pascal", "zoo.pas", "fpc", ("fpc -v0 -Xs- -O2 -FE. -ozoo {src}/zoo.pas",), version="fpc -iV",
        root="_start main", chain="PASCALMAIN|main .*ZOO_OUTER.* .*ZOO_MIDDLE.* .*ZOO_INNER.*"),
    Row("objc", "Objective-C", "zoo.m", "gobjc",
        ("gcc -std=gnu11 -O2 -fno-optimize-sibling-calls -o zoo {src}/zoo.m -lobjc",), version="gcc --version",
        chain="main .*Zoo.*outer.* .*Zoo.*middle.* .*Zoo.*inner.*"),
    Row("modula2", "Modula-2", "zoo.mod", "gm2",
        ("D=$(dirname $(gcc -print-libgcc-file-name))/m2 && gm2 -I$D/m2pim -L$D/m2pim -L$D/m2iso -O1 -fno-inline "
         "-o zoo {src}/zoo.mod -lm2iso",),
        version="gm2 --version", root=f"{C_ROOT} main *:.*", chain="_M2_zoo_init zoo_ZooOuter zoo_ZooMiddle zoo_ZooInner"),
    Row("cobol", "COBOL", "zoo.cob", "gnucobol", ("cobc -x -g -O2 -o zoo {src}/zoo.cob",), version="cobc --version",
        root=f"{C_ROOT} main", chain="zoo zoo_ zoo_outer_ zoo_middle_ zoo_inner_"),
    Row("asm-nasm", "Assembly", "zoo.asm", "nasm", ("nasm -f elf64 -o zoo.o {src}/zoo.asm && gcc -o zoo zoo.o",),
        version="nasm --version", chain="main(.again)? zoo_outer zoo_middle zoo_inner(.again)?", floor=97, reason=ON_FP),
    Row("crystal", "Crystal", "zoo.cr", "crystal", ("crystal build --release -o zoo {src}/zoo.cr",),
        version="crystal --version", chain=CRYSTAL, root=f"{C_ROOT} *:(main|main_user_code|__crystal_main)"),
)
