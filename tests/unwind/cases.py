"""The cases of tests/unwind: a program, how it is built and stepped, and what is expected of it."""
import dataclasses

# What kernels call it, run.py's name; each with how programs are built and run for it.
NATIVE = ("x86_64",)
CROSS = ("i386", "aarch64", "arm", "riscv64", "s390x", "ppc64", "ppc64le")
ALL = NATIVE + CROSS


@dataclasses.dataclass(frozen=True)
class Arch:
    # The C compiler and what every program is built with.
    cc: str
    flags: str
    # qemu's command, or "" where this machine runs it.
    qemu: str
    # Of the stepper.
    options: str


ARCHES = {
    "x86_64": Arch("gcc", "", "", ""),
    "i386": Arch("i686-linux-gnu-gcc", "-static", "", ""),
    "aarch64": Arch("aarch64-linux-gnu-gcc", "-static", "qemu-aarch64 -cpu max", "--skip-startup"),
    "arm": Arch("arm-linux-gnueabihf-gcc", "-static -fasynchronous-unwind-tables", "qemu-arm", "--skip-startup"),
    "riscv64": Arch("riscv64-linux-gnu-gcc", "-static", "qemu-riscv64", "--skip-startup"),
    "s390x": Arch("s390x-linux-gnu-gcc", "-static", "qemu-s390x", "--skip-startup"),
    "ppc64": Arch("powerpc64-linux-gnu-gcc", "-static", "qemu-ppc64", "--skip-startup"),
    "ppc64le": Arch("powerpc64le-linux-gnu-gcc", "-static", "qemu-ppc64le", "--skip-startup"),
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    source: str
    flags: str = "-O2"
    arches: tuple = NATIVE
    # Of the stepper.
    options: str = ""
    # The compiler; "" for that of the architecture.
    cc: str = ""
    # Commands before the compiler's, and after it; {cc}, {flags}, {src}, {dir} and {prog} are replaced.
    before: tuple = ()
    after: tuple = ()
    # Percent of the samples whose chain has to be right.
    floor: float = 100
    # Functions in which truth and call frame information differ for a reason, and the reason.
    explained: dict = dataclasses.field(default_factory=dict)


INTO_LONGJMP = "its call frame information already tells of the place that it goes to"

CASES = (
    Case("plain-O0", "plain.c", "-O0", ALL),
    Case("plain-O2", "plain.c", "-O2", ALL),
    Case("plain-fp", "plain.c", "-O2 -fno-omit-frame-pointer", ALL),
    Case("plain-O1", "plain.c", "-O1 -fomit-frame-pointer", ALL),
    Case("plain-Os", "plain.c", "-Os", ALL),
    Case("tail-calls", "tail.c", "-O2", ALL),
    Case("no-return", "noreturn.c", "-O2", ALL),
    Case("alloca", "alloca.c", "-O2", ALL),
    Case("alloca-O0", "alloca.c", "-O0", ALL),
    Case("realigned", "realign.c", "-O2", ALL),
    Case("realigned-O0", "realign.c", "-O0", ALL),
    Case("recursion", "deep.c", "-O2", ALL, "--every 7"),
    Case("recursion-O0", "deep.c", "-O0", ALL, "--every 11"),
    Case("longjmp", "jumps.c", "-O2", ALL),
    Case("signals", "signals.c", "-O2", ALL, "--interrupt 29"),
    Case("signals-O0", "signals.c", "-O0", ALL, "--interrupt 61"),
    Case("signals-nested", "nested.c", "-O2", ALL),
    Case("signals-other-stack", "altstack.c", "-O2", ALL),
    Case("signals-left", "signal_leave.c", "-O2", ALL),

    Case("pac", "plain.c", "-O2 -mbranch-protection=pac-ret+leaf", ("aarch64",)),
    Case("pac-O0", "plain.c", "-O0 -mbranch-protection=standard", ("aarch64",)),
    Case("arm-state", "plain.c", "-O2 -marm", ("arm",)),
    Case("arm-state-O0", "plain.c", "-O0 -marm", ("arm",)),
    Case("exidx", "plain.c", "-O2 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-O0", "plain.c", "-O0 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-arm-state", "plain.c", "-O2 -marm -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-alloca", "alloca.c", "-O2 -funwind-tables -Wl,-S", ("arm",)),
    Case("exidx-signals", "signals.c", "-O2 -funwind-tables -Wl,-S", ("arm",), "--interrupt 29"),
)
