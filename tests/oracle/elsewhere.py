#!/usr/bin/env python3
"""Name a recording on a machine without the recorded programs, and compare with naming it here.

usage: elsewhere.py PDCONV

Records a program here with perf, and copies it, its libraries and their debug files to a directory. Then runs
pdconv in a root directory that holds only that directory, the recording and pdconv. With --symfs the output
must be the same, byte for byte. Without it nothing may be named. Then the same with the tarball of pdconv archive
next to the recording, of the program, of another one with the kernel, of one that generates code and writes a
perf-PID.map, and of ones whose debug information is in part in a supplementary file (dwz), in .dwo files or in a package;
unpacked, it must have the
layout of perf's cache, and perf must read it. At last the same with pdconv record --archive of processes whose binaries are deleted, in memory,
or in a mount namespace of their own. Needs root.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from processes import cpu_seconds, wait_for_events, wait_until

# Keep the user's caches out.
ENVIRONMENT = {"HOME": "/dev/null", "PATH": os.environ["PATH"]}
FORMATS = ("folded", "script", "pprof", "report")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def record(work):
    """Record a program with debug information, and one without."""
    source = pathlib.Path(__file__).parent / "program.cpp"
    program = work / "program"
    run("c++", "-O2", "-g", "-o", program, source)
    recording = work / "perf.data"
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf,16384", "-o", recording,
        "--", "sh", "-c", f"{program}; xz -6 -k -c {program} >/dev/null; ls -R /usr/include >/dev/null",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return recording


def copy_into(root, path):
    target = root / str(path).lstrip("/")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def pack(pdconv, recording, root):
    """Return the files in use by `info --binaries`, by their recorded names."""
    listing = json.loads(run(pdconv, "info", "--binaries", "--json", recording, stdout=subprocess.PIPE,
                             env=ENVIRONMENT).stdout)
    n_debug = 0
    for binary in listing["binaries"]:
        if binary["filename"].startswith("/") and "file" in binary:
            target = root / binary["filename"].lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(os.path.realpath(binary["file"]), target)
        if "debug_file" in binary:
            n_debug += 1
            copy_into(root, binary["debug_file"])
            # dwz may have moved parts of it to other files.
            for common in pathlib.Path("/usr/lib/debug/.dwz").rglob("*.debug"):
                copy_into(root, common)
    return n_debug


def libraries(binary):
    lines = run("ldd", binary, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [path[1] for path in (re.search(r"(/\S+)", line) for line in lines) if path]


def install(pdconv, root):
    """Copy pdconv and its libraries to a separate directory, with libarchive, which it loads itself."""
    home = root / "pdconv-home"
    home.mkdir()
    shutil.copy2(pdconv, home / "pdconv")
    found = libraries(pdconv)
    cache = run("ldconfig", "-p", stdout=subprocess.PIPE, text=True).stdout
    archive = re.search(r"libarchive\.so\.13 .*=> (\S+)", cache)
    if archive:
        found += [archive[1], *libraries(archive[1])]
    for path in found:
        shutil.copy2(os.path.realpath(path), home / os.path.basename(path))
    return ["chroot", root, "/pdconv-home/ld-linux-x86-64.so.2", "--library-path", "/pdconv-home",
            "/pdconv-home/pdconv"]


def convert(command, recording, form, *options):
    result = run(*command, recording, "-f", form, "-q", "-o", "-", *options, stdout=subprocess.PIPE,
                 env=ENVIRONMENT)
    return result.stdout


def record_kernel(work):
    """Record a program that calls the kernel and the vdso."""
    recording = work / "kernel.data"
    run("perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "999", "-o", recording, "--", "python3", "-c",
        "import os, time\nend = time.time() + 1\nwhile time.time() < end: os.stat('/')", stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    return recording


def record_generated(work):
    """Record a program that names the code that it generates in a perf-PID.map. Returns nothing without node."""
    if not shutil.which("node"):
        return None
    recording = work / "generated.data"
    script = "function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; } " \
             "for (let i = 0; i < 2000; i++) hot(200000);"
    run("perf", "record", "-q", "-g", "-e", "cpu-clock:u", "-F", "999", "-o", recording, "--", "node",
        "--perf-basic-prof", "-e", script, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return recording


def record_supplemented(work):
    """Record a program whose strings and types dwz has moved to another file. Returns nothing without dwz."""
    if not shutil.which("dwz"):
        return None
    programs = [work / "supplemented", work / "other"]
    for program in programs:
        run("c++", "-O2", "-g", "-o", program, pathlib.Path(__file__).parent / "program.cpp")
    run("dwz", "-m", work / "common.debug", *programs)
    recording = work / "supplemented.data"
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "-g", "-o", recording, "--", programs[0],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return recording


def record_split(work, name, packer=None):
    """Record a program whose debug information is in a .dwo file, or in a package. Returns nothing without PACKER."""
    if packer and not shutil.which(packer):
        return None
    home = work / name
    home.mkdir()
    source = (pathlib.Path(__file__).parent / "program.cpp").resolve()
    # llvm-dwp 18 and 21 do not end if they are given DWARF 5 by gcc 13 and 16.
    version = ["-gdwarf-4"] if packer else []
    run("c++", "-O2", "-g", "-gsplit-dwarf", *version, "-c", "-o", home / "split.o", source, cwd=home)
    run("c++", "-o", home / name, home / "split.o")
    if packer:
        run(packer, "-e", home / name, "-o", home / f"{name}.dwp", cwd=home)
        (home / "split.dwo").unlink()
    recording = work / f"{name}.data"
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "-g", "-o", recording, "--", home / name,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return recording


SPINNER = r"""
#include <stdlib.h>
#include <unistd.h>

volatile unsigned long sum;

static __attribute__((noinline)) void spin(void)
{
    for (unsigned i = 0; i < 100000; i++)
        sum += i * sum;
}

/* Run for so many seconds of CPU time, or sleep. */
int main(int argc, char **argv)
{
    (void)argv;
    alarm(60);
    if (argc > 1)
        pause();
    for (int i = 0; i < 100000; i++)
        spin();
    return 0;
}
"""

# A container: a mount namespace with a root directory that nothing else can reach. $1 is where to make it.
CONTAINER = """
mount -t tmpfs none "$1" && cp spinner "$1" && mkdir -p "$1/old" "$1/dev" "$1/usr/lib/debug/.build-id" &&
    : >"$1/dev/null" && cp -r debug/. "$1/usr/lib/debug/.build-id" && cd "$1" && pivot_root . old || exit 1
./spinner sleep &
exec ./spinner
"""


def build_spinner(work):
    """Build a stripped static program and its debug file below work/debug."""
    (work / "spinner.c").write_text(SPINNER, encoding="utf-8")
    run("cc", "-O1", "-g", "-static", "-Wl,--build-id=0x" + 20 * "5e", "-o", work / "spinner", work / "spinner.c")
    debug = work / "debug" / "5e" / (19 * "5e" + ".debug")
    debug.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", work / "spinner", debug)
    shutil.copy2(work / "spinner", work / "whole")
    run("strip", work / "spinner")


def start_deleted(work):
    shutil.copy2(work / "whole", work / "deleted")
    process = subprocess.Popen([work / "deleted"])
    os.unlink(work / "deleted")
    return process


def start_from_memory(work):
    memory = os.memfd_create("spinner", 0)
    os.write(memory, (work / "whole").read_bytes())
    process = subprocess.Popen([f"/proc/self/fd/{memory}"], pass_fds=[memory])
    os.close(memory)
    return process


def start_in_container(work):
    (work / "box").mkdir(exist_ok=True)
    return subprocess.Popen(["unshare", "-m", "sh", "-c", CONTAINER, "sh", work / "box"], cwd=work,
                            start_new_session=True)


def wait_until_spinning(process):
    """Wait until the process has executed the program."""
    comm = pathlib.Path(f"/proc/{process.pid}/comm")
    wait_until(lambda: comm.read_text(encoding="utf-8").strip() not in ("python3", "unshare", "sh"),
               "the program does not run")


def check_living(pdconv, there, root, work, name, start):
    """Record a process whose binary cannot be opened by a path of this machine, with its archive. When the process
    is gone, naming the recording must give the same here, and there, as while it was alive."""
    recording = work / f"{name}.data"
    process = start(work)
    try:
        wait_until_spinning(process)
        run(pdconv, "record", "--archive", "--debug", "-q", "-N", "-g", "-e", "cpu-clock:u", "-F", "999", "-d", "0.5", "-o",
            recording.name, "-p", str(process.pid), env=ENVIRONMENT)
        tarball = recording.with_name(recording.name + ".tar.zst")
        os.rename(tarball, work / "aside")
        alive = convert([pdconv], recording.name, "folded", "--no-sandbox")
        os.rename(work / "aside", tarball)
    finally:
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        process.kill()
        process.wait()
    for path in (recording, tarball):
        os.link(path, root / path.name)
    outputs = {"alive": alive, "here": convert([pdconv], recording.name, "folded"),
               "there": convert(there, recording.name, "folded")}
    if b";spin " not in alive or len(set(outputs.values())) != 1:
        print(f"elsewhere: {name}: {outputs}")
        return 1
    # perf 6.1 names code of stripped static programs by the debug file at wrong addresses.
    return check_unpacked(recording, tarball, "spin") if name != "container" else 0


def check_unpacked(recording, tarball, function):
    """perf must name FUNCTION with the unpacked tarball as its cache, and not without."""
    cache, empty = recording.with_suffix(".unpacked"), recording.with_suffix(".empty")
    cache.mkdir()
    empty.mkdir()
    run("tar", "-x", "-f", tarball, "-C", cache)
    shown = {path: run("perf", "--buildid-dir", path, "script", "-F", "ip,sym", "-i", recording, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL).stdout.decode() for path in (cache, empty)}
    report = run("perf", "--buildid-dir", cache, "report", "--stdio", "-i", recording, stdout=subprocess.PIPE,
                 stderr=subprocess.DEVNULL).stdout.decode()
    if f" {function}\n" in shown[cache] and f" {function}\n" not in shown[empty] and f" {function}" in report:
        return 0
    print(f"elsewhere: {recording.name}: perf with the unpacked archive: {shown[cache][:400]}")
    return 1


def check_exited(pdconv, there, root, work):
    """Like check_living(), with a recorded process that has exited when the archive is made, in a container in which
    another process runs."""
    recording = work / "exited.data"
    process = start_in_container(work)
    try:
        wait_until_spinning(process)
        sleeper = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        recorder = subprocess.Popen([pdconv, "record", "--archive", "--debug", "-q", "-N", "-g", "-e", "cpu-clock:u", "-F",
                                     "999", "-o", recording.name, "-p", str(process.pid)], env=ENVIRONMENT)
        wait_for_events(recorder)
        used = cpu_seconds(process.pid)
        wait_until(lambda: cpu_seconds(process.pid) > used + 0.5, "the program does not run")
        process.kill()
        process.wait()
        if recorder.wait():
            return 1
    finally:
        process.kill()
        os.kill(sleeper, signal.SIGKILL)
    for path in (recording, recording.with_name(recording.name + ".tar.zst")):
        os.link(path, root / path.name)
    found = convert(there, recording.name, "folded")
    if b";spin " in found:
        return 0
    print(f"elsewhere: exited: {found}")
    run(pdconv, "info", "--binaries", recording.name)
    return 1


def check_archive(pdconv, there, root, recording, *others):
    """Return the number of differences with the archive of a recording. It must have members that match OTHERS."""
    run(pdconv, "archive", "--debug", "-q", recording.name, env=ENVIRONMENT)
    tarball = recording.with_name(recording.name + ".tar.zst")
    os.link(tarball, root / tarball.name)
    # Here, too, files would be taken from the archive.
    tarball.unlink()
    failures = 0
    for form in FORMATS:
        here = convert([pdconv], recording.name, form)
        same = convert(there, recording.name, form)
        if here != same or not here:
            failures += 1
            print(f"elsewhere: archive of {recording.name}: {form}: {len(here)} bytes here, {len(same)} there")
    cache = recording.with_suffix(".cache")
    cache.mkdir()
    run("tar", "-x", "-f", root / tarball.name, "-C", cache)
    for other in others:
        if not [path for path in cache.rglob("*") if re.search(other, str(path.relative_to(cache)))]:
            failures += 1
            print(f"elsewhere: the archive of {recording.name} has no {other}")
    # Without a link for each build id, perf would not find the file.
    links = list(cache.glob(".build-id/*/*"))
    kinds = {path.name for link in links for path in link.iterdir()}
    if not links or not kinds <= {"elf", "debug", "vdso", "kallsyms"} or "elf" not in kinds:
        failures += 1
        print(f"elsewhere: {recording.name}: the archive has {kinds}")
    print(f"elsewhere: {recording.name}: {len(links)} build ids, {os.path.getsize(root / tarball.name)} bytes")
    return failures


def main():
    pdconv = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        recording = record(work)
        root = work / "root"
        (root / "symfs").mkdir(parents=True)
        n_debug = pack(pdconv, recording, root / "symfs")
        there = install(pdconv, root)
        os.link(recording, root / recording.name)
        failures = 0
        os.chdir(work)
        for form in FORMATS:
            here = convert([pdconv], recording.name, form)
            same = convert(there, recording.name, form, "--symfs", "/symfs")
            none = convert(there, recording.name, form)
            if here != same or none == here or not here:
                failures += 1
                print(f"elsewhere: {form}: {len(here)} bytes here, {len(same)} there, {len(none)} without files")
        folded = convert([pdconv], recording.name, "folded").decode()
        if "walk" not in folded:
            failures += 1
            print("elsewhere: the program itself is not named")
        kernel = record_kernel(work)
        os.link(kernel, root / kernel.name)
        # pdconv unpacks tarballs there.
        (root / "tmp").mkdir()
        others = {recording: (), kernel: (), record_generated(work): (r"^tmp/perf-\d+\.map$",),
                  record_supplemented(work): (r"/common\.debug/[0-9a-f]{40}/debug$",),
                  record_split(work, "split"): (r"/split\.dwo$",),
                  record_split(work, "packed", "llvm-dwp"): (r"/packed\.dwp$",)}
        for path in filter(None, others):
            if path not in (recording, kernel):
                os.link(path, root / path.name)
            failures += check_archive(pdconv, there, root, path, *others[path])
            for found in path.with_suffix(".cache").glob("tmp/perf-*.map"):
                os.unlink(f"/tmp/{found.name}")
        build_spinner(work)
        for name, start in (("deleted", start_deleted), ("memory", start_from_memory),
                            ("container", start_in_container)):
            failures += check_living(pdconv, there, root, work, name, start)
        failures += check_exited(pdconv, there, root, work)
        print(f"elsewhere: {len(FORMATS)} formats, {len(folded.splitlines())} stacks, {n_debug} debug files")
    return 1 if failures else 0


sys.exit(main())
