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
    "arm": Arch("arm-linux-gnueabihf-gcc", "-static", "qemu-arm", "--skip-startup"),
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


CASES = (
    Case("plain-O0", "plain.c", "-O0", ALL),
    Case("plain-O2", "plain.c", "-O2", ALL),
    Case("plain-fp", "plain.c", "-O2 -fno-omit-frame-pointer", ALL),
)
