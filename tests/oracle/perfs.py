"""The installed perf: what differs between its versions, so that each test expects its form only, and how often it is tried."""
import functools
import pathlib
import re
import subprocess

FP = pathlib.Path(__file__).resolve().parents[2] / "testdata/fp/perf.data"


@functools.lru_cache(maxsize=None)
def version():
    """Return the version of perf as a pair of numbers."""
    text = subprocess.run(["perf", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return tuple(int(number) for number in re.search(r"(\d+)\.(\d+)", text).groups())


@functools.lru_cache(maxsize=None)
def prints_file_offsets():
    """
    Return whether perf prints the address of a frame as its offset in the file. perf 6.1 does so in stacks, 6.12 prints
    the address in the process.
    """
    text = subprocess.run(["perf", "script", "--no-inline", "-F", "ip", "-i", FP], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    # Code of the program is at 0x400000 plus its offset.
    leaf = int(text.split()[0], 16)
    if leaf not in (0x1652, 0x401652):
        raise RuntimeError(f"perf shows {leaf:#x} for the first address of {FP}")
    return leaf == 0x1652


@functools.lru_cache(maxsize=None)
def id_width():
    """Return the columns to which perf pads processes and threads: 5 in 6.1, 7 in 6.12."""
    text = subprocess.run(["perf", "script", "-F", "tid", "-i", FP], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout
    width = len(text.splitlines()[0].rstrip())
    if width not in (5, 7):
        raise RuntimeError(f"perf pads threads to {width} columns")
    return width


@functools.lru_cache(maxsize=None)
def names_numbers():
    """Return whether perf prints the names of numbers in attrs: "type = 1 (software)" in 6.12, "type = 1" in 6.1."""
    text = subprocess.run(["perf", "script", "--header-only", "-i", FP], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return re.search(r", type = 1( \(software\))?, size = ", text)[1] is not None


def check_modes(modes, check):
    """Call check(*mode) for each mode, up to three times until it is true. Returns whether all are.

    A machine with much other work can lose records, and an old perf can crash.
    """
    wrong = [mode[0] for mode in modes if not any(_succeeds(check, mode) for _ in range(3))]
    for name in wrong:
        print(f"{name}: wrong")
    return not wrong


def _succeeds(check, mode):
    try:
        return check(*mode)
    except subprocess.CalledProcessError as error:
        print(error)
        return False


@functools.lru_cache(maxsize=None)
def before_others():
    """Return words before a command that let it run before other work on the machine, if that is allowed."""
    words = ("chrt", "--fifo", "1")
    try:
        done = subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return ()
    return words if done.returncode == 0 else ()
