"""The cases of tests/unwind: a program, how it is built and stepped, and what is expected of it."""
import dataclasses

# Names of architectures.
NATIVE = ("x86_64",)
CROSS = ("i386", "aarch64", "arm", "riscv64", "s390x", "ppc64", "ppc64le")
ALL = NATIVE + CROSS
# Architectures whose dynamic linker can be stepped, in addition to i386 and riscv64. On ppc64 it waits for locks that
# cannot be taken in single steps.
DYNAMIC = ("aarch64", "arm", "s390x")


@dataclasses.dataclass(frozen=True)
class Arch:
    # C compiler, and options to link with.
    cc: str
    static: str = "-static"
    dynamic: str = ""
    # Command of qemu, or "" if this machine runs the programs.
    qemu: str = ""
    # Options of the stepper for a static program.
    options: str = ""
    # Compiler options for every program.
    flags: str = ""


def cross(name, triple, qemu="", flags=""):
    """An architecture for qemu, with libraries in the directory of Debian's cross compilers."""
    return Arch(f"{triple}-gcc", qemu=f"qemu-{name} -L /usr/{triple} {qemu}", options="--skip-startup", flags=flags)


ARCHES = {
    "x86_64": Arch("gcc", static=""),
    "i386": Arch("i686-linux-gnu-gcc", dynamic="-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2 "
                 "-Wl,-rpath=/usr/i686-linux-gnu/lib"),
    "aarch64": cross("aarch64", "aarch64-linux-gnu", "-cpu max"),
    "arm": cross("arm", "arm-linux-gnueabihf", flags="-fasynchronous-unwind-tables"),
    "riscv64": cross("riscv64", "riscv64-linux-gnu"),
    "s390x": cross("s390x", "s390x-linux-gnu"),
    "ppc64": cross("ppc64", "powerpc64-linux-gnu"),
    "ppc64le": cross("ppc64le", "powerpc64le-linux-gnu"),
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    source: str
    flags: str = "-O2"
    arches: tuple = NATIVE
    # Options of the stepper.
    options: str = ""
    # The program is linked dynamically for other architectures, too.
    is_dynamic: bool = False
    # Compiler, or "" for that of the architecture.
    cc: str = ""
    # Commands before and after the compiler's; {cc}, {objcopy}, {flags}, {src}, {dir} and {prog} are replaced.
    before: tuple = ()
    after: tuple = ()
    # File of a library that the program needs, or "".
    needs: str = ""
    # Function that jumps to the first function of a stack, and is entered when that returns.
    root: str = ""
    # Percentage of cut stacks that stitching completes; 0: it is not tried.
    stitched: float = 0
    # Percentage of samples whose chain must be right, and the reason if it is below 100.
    floor: float = 100
    reason: str = ""
    # Percentage of samples whose stack must count as rooted, while no stack may that lacks a frame; 0: both may be.
    rooted: float = 0
    # Functions, or ARCH/FUNCTION, in which the call frame information is wrong: the reason.
    explained: dict = dataclasses.field(default_factory=dict)


X86 = ("x86_64", "i386")
# Architectures whose functions are followed to the return.
BARE = (*X86, "aarch64", "s390x")


def bare(name, source, flags, arches=BARE, options="", **others):
    """A program without call frame information, not even from the start files."""
    return Case(f"no-tables-{name}", source, f"{flags} {NO_TABLES} -g0", arches, options, is_dynamic=True,
                after=("{objcopy} -R .eh_frame -R .eh_frame_hdr {prog}",), **others)


DESCRIBES_TARGET = "its call frame information already describes the frame that it jumps to"
INTO_LONGJMP = {
    "__longjmp": DESCRIBES_TARGET,
    # With _FORTIFY_SOURCE, which gcc of Ubuntu sets.
    "____longjmp_chk": DESCRIBES_TARGET,
    **{f"{arch}/siglongjmp": "glibc has no information there, and following its instructions finds no return"
       for arch in ("arm", "riscv64")},
    **{f"{arch}/__vmx__sigsetjmp_ent": "its information leaves out that it releases its frame before it returns"
       for arch in ("ppc64", "ppc64le")},
}
# Without the symbol of __longjmp.
INTO_LIBRARY_LONGJMP = {**INTO_LONGJMP, **{f"siglongjmp@@GLIBC_2.{version}": DESCRIBES_TARGET
                                           for version in ("2.5", "0", "17", "2")}}
THROWN = "overwrites the registers saved in its frame before it jumps"
INTO_HANDLER = {name: THROWN for name in (
    "uw_install_context_1", "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
    "_Unwind_ForcedUnwind")}
NO_START_TABLES = {name: "gcc's start files have no call frame information" for name in (
    "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux")}
# A thread that ends loads libgcc_s. It is stripped, so its start functions have the names of symbols nearby.
NO_LIBGCC_START_TABLES = {name: "the start files in libgcc_s have no call frame information" for name in (
    "libgcc_s.so.1", "__cpu_indicator_init@GCC_4.8.0")}
CONTEXTS = {
    "__start_context": "glibc's information describes it as called",
    "setcontext": "its information leads to the context that it jumps to, which is not on the stack",
    "swapcontext": "its information leads to the context that it goes to, which is not on the stack",
}
CONTEXTS_BY_LINK = {name: "glibc's information leaves out how it changes the return address and the stack pointer"
                    for name in ("setcontext", "swapcontext", "__startcontext", "__start_context", "arm/getcontext",
                                 "arm/____setcontext_from_thumb")}
# The linker is stripped, so its function has the name of a symbol nearby.
INTO_RESOLVE = {"aarch64/__tls_get_addr@@GLIBC_2.17":
                "information on the first instruction of _dl_runtime_resolve leaves out what the PLT header has pushed"}
BOOST = {name: "boost's assembly has no call frame information"
         for name in ("jump_fcontext", "make_fcontext", "ontop_fcontext")}
GONE_EARLY = {
    **{name: "gcc's information ends the frame one instruction early, before the jump to __riscv_restore"
       for name in ("recursive", "with_array", "early_return")},
    **{f"__riscv_save_{n}": "libgcc's information describes its frame before it exists, and with a wrong size at the end"
       for n in (3, 5, 7, 9, 11)},
}
PUSHES_EAX = "glibc's information on memcpy leaves out that it pushes eax"
BELOW_STACK = {"SHA224_Final@@OPENSSL_3.0.0":
               "sha512_block_data_order_avx2 saves the caller's stack pointer below its own, where nothing is captured"}
BY_FP = "frame pointers are not valid in prologues and epilogues"
SKIPS = "the caller of a function without a frame pointer is skipped if nothing is known of its code"
MAY_NOT_RETURN = "what follows a call that may not return may be another function"
WHOLE = "--begin - --end - --every 5"
NO_TABLES = "-fno-asynchronous-unwind-tables -fno-unwind-tables"
ASSEMBLY = "{cc} {flags} -DKIND=%d -c {src}/assembly.S -o assembly.o"
LIBRARY = "{cc} {flags} -O2 -fPIC -shared %s {src}/library.c -o %s.so"
GO = "go build %s -o {prog} {src}/goroutine.go"
RUST = "rustc %s -g -C target-feature=+crt-static -o {prog} {src}/rust.rs"
PASCAL = "fpc -v0 -Xs- %s -o{prog} -FU. {src}/pascal.pas"
GO_WINDOW = "--run-to main.main.func1 --goroutine --begin main.corpusBegin --end main.corpusEnd"

CASES = (
    # Prologues, epilogues, leaves.
    Case("plain-O0", "plain.c", "-O0", ALL),
    Case("plain-O1", "plain.c", "-O1 -fomit-frame-pointer"),
    Case("plain-O2", "plain.c", "-O2", ALL),
    Case("plain-Os", "plain.c", "-Os", ALL),
    Case("plain-fp", "plain.c", "-O2 -fno-omit-frame-pointer", ALL),
    Case("plain-O3-native", "plain.c", "-O3 -mavx2"),
    Case("plain-lto", "plain.c", "-O2 -flto -ffat-lto-objects"),
    Case("plain-cet", "plain.c", "-O2 -fcf-protection"),
    Case("plain-clang", "plain.c", "-O2", cc="clang"),
    Case("plain-clang-O0", "plain.c", "-O0", cc="clang"),
    Case("plain-lld", "plain.c", "-O2 -fuse-ld=lld", cc="clang"),
    Case("cold-parts", "cold.c", "-O2 -freorder-blocks-and-partition", ALL),
    Case("cold-clang", "cold.c", "-O2", cc="clang"),
    Case("tail-calls", "tail.c", "-O2", ALL),
    Case("no-return", "noreturn.c", "-O2 -static", ALL, explained=INTO_LONGJMP),
    Case("no-return-clang", "noreturn.c", "-O2 -static", cc="clang", explained=INTO_LONGJMP),

    # Frames whose size is not constant.
    Case("alloca", "alloca.c", "-O2", ALL),
    Case("alloca-O0", "alloca.c", "-O0", ALL),
    Case("realigned", "realign.c", "-O2", ALL),
    Case("realigned-O0", "realign.c", "-O0", ALL),
    Case("realigned-clang", "realign.c", "-O2", cc="clang"),
    Case("realigned-all", "plain.c", "-O2 -mstackrealign -mincoming-stack-boundary=3"),
    Case("realigned-i386", "plain.c", "-O2 -mstackrealign", ("i386",)),
    Case("pushed-arguments", "plain.c", "-Os -mpush-args -mno-accumulate-outgoing-args", ("x86_64", "i386")),
    Case("kept-arguments", "plain.c", "-O2 -maccumulate-outgoing-args", ("x86_64", "i386")),
    Case("recursion", "deep.c", "-O2", ALL, "--every 7", stitched=98),
    Case("recursion-O0", "deep.c", "-O0", ALL, "--every 11"),

    Case("recursion-large", "deep.c", "-O2", options="--every 7 --slice 65000"),
    Case("small-slice", "plain.c", "-O0", ALL, "--slice 256"),
    Case("tiny-slice", "plain.c", "-O2", ("x86_64", "aarch64", "s390x"), "--slice 32"),

    # Control flow other than call and return.
    Case("longjmp", "jumps.c", "-O2 -static", ALL, explained=INTO_LONGJMP),
    Case("signals", "signals.c", "-O2", ALL, "--interrupt 29"),
    Case("signals-O0", "signals.c", "-O0", ALL, "--interrupt 61"),
    Case("signals-fp", "signals.c", "-O2 -fno-omit-frame-pointer -static", ALL, "--interrupt 31"),
    Case("signals-nested", "nested.c", "-O2", ALL),
    Case("signals-other-stack", "nested.c", "-O2 -DON_ANOTHER_STACK", ALL, stitched=100),
    Case("signals-left", "signal_leave.c", "-O2 -static", ALL, explained=INTO_LONGJMP),
    Case("signals-plt", "signal_calls.c", "-O2 -Wl,-z,now", options="--interrupt 7 --samples 1500"),
    Case("signals-plt-lazy", "signal_calls.c", "-O2 -Wl,-z,lazy", options="--interrupt 97 --samples 1500"),
    Case("signals-plt-lazy", "signal_calls.c", "-O2 -Wl,-z,lazy", ("aarch64", "s390x"), "--interrupt 97",
         is_dynamic=True, explained=INTO_RESOLVE),
    Case("signals-plt-lazy", "signal_calls.c", "-O2 -Wl,-z,lazy", ("arm",), "--interrupt 97", is_dynamic=True, floor=97,
         reason="no table describes the prologue of _dl_fixup, and following its instructions finds no return"),
    Case("signals-plt-cet", "signal_calls.c", "-O2 -Wl,-z,now -fcf-protection -Wl,-z,ibtplt",
         options="--interrupt 7 --samples 1500"),
    Case("signals-first-insn", "signals.c", "-O0", options="--interrupt 7 --samples 1500"),
    Case("signals-musl", "signals.c", "-O2 -static", cc="musl-gcc", options="--interrupt 29"),
    Case("exceptions", "throws.cpp", "-O2 -static-libgcc -static-libstdc++", cc="g++", explained=INTO_HANDLER,
         options="--warm-up --every 41 --samples 700"),
    Case("exceptions-static", "throws.cpp", "-O2 -static", cc="g++", explained=INTO_HANDLER,
         options="--warm-up --every 41 --samples 700"),
    Case("exceptions-O0", "throws.cpp", "-O0 -static-libgcc -static-libstdc++", cc="clang++", explained=INTO_HANDLER,
         options="--warm-up --every 41 --samples 700"),
    Case("threads", "threads.c", "-O2 -pthread", explained=NO_LIBGCC_START_TABLES,
         options="--threads --every 7 --samples 700"),
    Case("threads-created", "threads.c", "-O2 -pthread -static -DCREATION",
         options="--threads --every 23 --samples 700"),
    Case("threads-small-stacks", "threads.c", "-O2 -pthread -static -DCREATION -DSMALL_STACKS",
         options="--threads --every 23 --samples 700"),
    # Its function clone() has no call frame information: the exit that follows the call shows the root. Before the
    # call, the return address would be above the stack. Each of the two threads may have one of 130 samples there.
    Case("threads-musl", "threads.c", "-O2 -pthread -static", cc="musl-gcc", rooted=98,
         options="--threads --every 7 --samples 700"),
    Case("clone", "clone.c", "-O2 -static", options="--threads"),
    Case("vfork", "vfork.c", "-O2 -static"),
    Case("coroutines", "contexts.c", "-O2 -static", explained=CONTEXTS),
    Case("coroutines", "contexts.c", "-O2", CROSS, explained=CONTEXTS_BY_LINK),
    Case("coroutines-by-hand", "switches.c", "-O2"),
    Case("coroutines-longjmp", "jump_switches.c", "-O2 -static", explained=INTO_LONGJMP),
    Case("coroutines-cpp", "coroutines.cpp", "-O2 -std=c++20 -fcoroutines", cc="g++", options="--warm-up --every 3"),
    Case("coroutines-cpp-O0", "coroutines.cpp", "-O0 -std=c++20 -fcoroutines", cc="g++",
         options="--warm-up --every 5"),
    Case("coroutines-boost", "boost.cpp", "-O2 -Wl,-z,now -Wl,--no-as-needed -lboost_context", cc="g++",
         options="--warm-up --every 3", explained=BOOST, root="make_fcontext",
         needs="/usr/include/boost/context/fiber.hpp"),

    # Sources of unwind information, and none.
    Case("assembly-cfi", "assembly.c", "-O2 assembly.o", before=(ASSEMBLY % 1,)),
    Case("assembly-fp", "assembly.c", "-O2 assembly.o", before=(ASSEMBLY % 2,)),
    Case("assembly-alone", "assembly.c", "-O2 assembly.o", before=(ASSEMBLY % 3,)),
    Case("assembly-section", "assembly.c", "-O2 assembly.o", before=(ASSEMBLY % 4,)),
    Case("jit-fp", "jit.c", "-O2", floor=80, reason=BY_FP, rooted=75),
    Case("jit-leaf", "jit.c", "-O2 -DWITHOUT_FRAME", floor=60, reason=SKIPS, rooted=60),
    Case("debug-frame", "plain.c", f"-O2 {NO_TABLES} -g"),
    Case("debug-frame-signals", "signals.c", f"-O2 {NO_TABLES} -g", options="--interrupt 29"),
    Case("debug-frame-compressed", "plain.c", f"-O2 {NO_TABLES} -g -gz"),
    Case("no-tables-fp", "plain.c", f"-O2 {NO_TABLES} -g0 -fno-omit-frame-pointer"),
    bare("O0", "plain.c", "-O0"),
    bare("O1", "plain.c", "-O1 -fomit-frame-pointer"),
    bare("O2", "plain.c", "-O2"),
    bare("O3", "plain.c", "-O3"),
    bare("Os", "plain.c", "-Os"),
    bare("fp-O2", "plain.c", "-O2 -fno-omit-frame-pointer"),
    bare("clang", "plain.c", "-O2", NATIVE, cc="clang"),
    bare("clang-O0", "plain.c", "-O0", NATIVE, cc="clang"),
    bare("cold", "cold.c", "-O2 -freorder-blocks-and-partition"),
    bare("tail-calls", "tail.c", "-O2"),
    bare("alloca", "alloca.c", "-O2"),
    bare("realigned", "realign.c", "-O2"),
    bare("realigned-O0", "realign.c", "-O0"),
    bare("realigned-all", "plain.c", "-O2 -mstackrealign -mincoming-stack-boundary=3", NATIVE),
    bare("realigned-i386", "plain.c", "-O2 -mstackrealign", ("i386",)),
    bare("pushed-arguments", "plain.c", "-Os -mpush-args -mno-accumulate-outgoing-args", X86),
    bare("recursion", "deep.c", "-O2", BARE, "--every 7"),
    bare("no-return", "noreturn.c", "-O2", explained=INTO_LIBRARY_LONGJMP, floor=98, reason=MAY_NOT_RETURN),
    bare("signals", "signals.c", "-O2", BARE, "--interrupt 29"),
    Case("musl", "calls.c", "-O2", cc="musl-gcc", options="--every 3"),
    Case("musl-static", "calls.c", "-O2 -static", cc="musl-gcc", options="--every 3"),
    Case("no-index", "plain.c", "-O2 -Wl,--no-eh-frame-hdr"),
    Case("no-index-static", "calls.c", "-O2 -static -Wl,--no-eh-frame-hdr", options="--every 3"),

    # Files and mappings.
    Case("static", "calls.c", "-O2 -static", ALL, "--every 3", explained={"i386/memcpy": PUSHES_EAX}),
    Case("static-plt", "calls.c", "-O2 -static", options="--samples 1500"),
    Case("static-pie", "calls.c", "-O2 -static-pie", options="--every 3"),
    Case("plt-lazy", "calls.c", "-O2 -Wl,-z,lazy", options="--every 11"),
    Case("plt-lazy", "calls.c", "-O2 -Wl,-z,lazy", DYNAMIC, "--every 11", is_dynamic=True),
    Case("plt-lazy", "calls.c", "-O2 -Wl,-z,lazy", ("i386",), "--every 11", is_dynamic=True, floor=97,
         reason=PUSHES_EAX),
    Case("plt-lazy", "calls.c", "-O2 -Wl,-z,lazy", ("riscv64",), "--every 11", is_dynamic=True, floor=97,
         reason="glibc's information on _dl_runtime_resolve leaves out its frame"),
    Case("plt-now", "calls.c", "-O2 -Wl,-z,now", options="--every 3"),
    Case("plt-cet", "calls.c", "-O2 -Wl,-z,now -fcf-protection -Wl,-z,ibtplt", options="--every 3"),
    Case("plt-cet-lazy", "calls.c", "-O2 -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt", options="--every 11"),
    Case("plt-lld", "calls.c", "-O2 -fuse-ld=lld -Wl,-z,lazy", cc="clang", options="--every 11"),
    Case("no-pie", "calls.c", "-O2 -no-pie", options="--every 11"),
    Case("shifted", "calls.c", "-O2 -no-pie -Wl,-Ttext-segment=0x10000000", options="--every 11"),
    Case("shifted-pie", "calls.c", "-O2 -pie -Wl,-Ttext-segment=0x200000", options="--every 11"),
    Case("one-segment", "calls.c", "-O2 -Wl,-z,noseparate-code", options="--every 11"),
    Case("separate-code", "calls.c", "-O2 -Wl,-z,separate-code -Wl,-z,max-page-size=0x200000", options="--every 11"),
    Case("dlopen", "opens.c", "-O2", before=(LIBRARY % ("", "library"), LIBRARY % ("-DOTHER", "other")),
         explained=NO_START_TABLES, options="--every 53 --samples 700"),
    Case("dlopen-shifted", "opens.c", "-O2", explained=NO_START_TABLES, options="--every 53 --samples 700", before=(
        LIBRARY % ("-Wl,-Ttext-segment=0x200000", "library"),
        LIBRARY % ("-Wl,-z,noseparate-code -Wl,-Ttext-segment=0x12345000", "other"))),
    Case("mapped-twice", "twice.c", "-O2"),
    Case("vdso", "vdso.c", "-O2"),
    Case("dynamic-linker", "calls.c", "-O2 -Wl,-z,now", options="--run-to - --begin - --every 41 --samples 700",
         explained=NO_START_TABLES),
    Case("start-to-end", "calls.c", "-O2", options=WHOLE, explained=NO_START_TABLES),
    Case("start-to-end-static", "calls.c", "-O2 -static", options=WHOLE, explained=NO_START_TABLES),
    Case("libcrypto", "crypto.c", "-O2", options="--warm-up --every 13", explained=BELOW_STACK),

    # Other languages.
    Case("go", "-", before=(GO % "",), cc="go", options=GO_WINDOW),
    # Without .debug_frame, but with symbols for the stepper.
    Case("go-table", "-", before=(GO % "-ldflags=-w",), cc="go", options=GO_WINDOW),
    Case("go-table-pie", "-", before=(GO % "-ldflags=-w -buildmode=pie",), cc="go", options=GO_WINDOW),
    Case("rust", "-", before=(RUST % "-O",), cc="rustc", explained=INTO_HANDLER, options="--every 11 --samples 700"),
    Case("rust-debug", "-", before=(RUST % "",), cc="rustc", explained=INTO_HANDLER,
         options="--every 11 --samples 700"),

    Case("pascal", "-", before=(PASCAL % "-O2",), cc="fpc", options="--every 97"),
    Case("pascal-debug", "-", before=(PASCAL % "-O- -g",), cc="fpc", options="--every 97"),

    # Features of one architecture.
    Case("pac", "plain.c", "-O2 -mbranch-protection=pac-ret+leaf", ("aarch64",)),
    Case("pac-O0", "plain.c", "-O0 -mbranch-protection=standard", ("aarch64",)),
    Case("pac-signals", "signals.c", "-O2 -mbranch-protection=standard", ("aarch64",), "--interrupt 29"),
    Case("arm-state", "plain.c", "-O2 -marm", ("arm",)),
    Case("arm-state-O0", "plain.c", "-O0 -marm", ("arm",)),
    Case("exidx", "plain.c", "-O2 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-O0", "plain.c", "-O0 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-arm-state", "plain.c", "-O2 -marm -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-alloca", "alloca.c", "-O2 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-signals", "signals.c", "-O2 -funwind-tables -Wl,-S", ("arm",), "--interrupt 29"),
    Case("saved-by-calls", "plain.c", "-Os -msave-restore", ("riscv64",), explained=GONE_EARLY),
    Case("packed-stack", "cold.c", "-O2 -mpacked-stack -mbackchain -msoft-float", ("s390x",)),
)

# Words of --only for a quick run: each machine, and each kind of call frame information once.
QUICK = ("plain-O2", "signals", *(f"x86_64/{name}" for name in (
    "plain-clang", "alloca", "longjmp", "assembly-cfi", "debug-frame", "static", "plt-lazy", "vdso", "go", "go-table")))
