"""Names of one address in a binary. perf and pdconv choose different ones (symbolize/symbols/symtab.c)."""
import atexit
import collections
import functools
import os
import pathlib
import re
import subprocess
import tempfile


def output(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          check=False, **more).stdout


# Suffixes that compilers of C append to clones and to pieces of a function, which perf shows.
SUFFIXES = re.compile(r"(?<=[^.])(\.(constprop|isra|part|cold|lto_priv|localalias|llvm|__part|specialized|__uniq)\.\d+"
                      r"|\.cold|\.localalias)+$")


# The same as libiberty shows them.
CLONES = re.compile(r"( \[clone \.[^]]*\])+$")


def unsuffixed(name):
    return SUFFIXES.sub("", CLONES.sub("", name))


def unversioned(name):
    """Remove a symbol version, also as readelf shows it, and before "@plt", and suffixes of compilers."""
    return unsuffixed(re.sub(r"@@?(?!plt$)[A-Za-z][\w.+-]*( \(\d+\))?(?=$|@plt$)", "", name.strip()))


@functools.lru_cache(maxsize=None)
def vdso_file():
    """Write the memory of [vdso] to a file, and return its path."""
    maps = pathlib.Path("/proc/self/maps").read_text()
    start, end = (int(number, 16) for number in re.search(r"^(\w+)-(\w+) .*\[vdso\]$", maps, re.M).groups())
    with open("/proc/self/mem", "rb") as memory, tempfile.NamedTemporaryFile(prefix="vdso", delete=False) as file:
        memory.seek(start)
        file.write(memory.read(end - start))
    atexit.register(os.unlink, file.name)
    return file.name


def debug_file(path):
    match = re.search(r"Build ID: (..)(\w+)", output("readelf", "-nW", path))
    debug = pathlib.Path("/usr/lib/debug/.build-id", match[1], match[2] + ".debug") if match else None
    return [str(debug)] if debug and debug.exists() else []


def symbols(path):
    """Yield the symbols that a file and its debug file define, as lists of the columns of readelf, for each file."""
    for file in [path, *debug_file(path)]:
        rows = [line.split(None, 7) for line in output("readelf", "-sW", file).splitlines()]
        yield [row for row in rows if len(row) == 8 and row[0][:-1].isdigit() and row[6] != "UND"]


@functools.lru_cache(maxsize=None)
def addresses(path):
    """Return the addresses of each name of a symbol in a file, as linkers know it and as it is demangled."""
    found = collections.defaultdict(set)
    for rows in symbols(vdso_file() if path.endswith("[vdso]") else path):
        mangled = [unversioned(row[7]) for row in rows]
        for how in ([], ["-p"]):
            plain = output("c++filt", *how, input="\n".join(mangled)).splitlines()
            for row, name, other in zip(rows, mangled, plain):
                found[name].add(int(row[1], 16))
                found[other].add(int(row[1], 16))
    return found


@functools.lru_cache(maxsize=None)
def data(path):
    """Return the names of variables in a file, as linkers know them."""
    return {unversioned(row[7]) for rows in symbols(path) for row in rows if row[3] == "OBJECT"}


def are_same(path, one, other):
    """Return true if both are names of one address in the file."""
    one, other = unversioned(one), unversioned(other)
    if one.endswith("@plt") and other.endswith("@plt"):
        one, other = one.removesuffix("@plt"), other.removesuffix("@plt")
    return one == other or bool(addresses(path).get(one, set()) & addresses(path).get(other, set()))


@functools.lru_cache(maxsize=None)
def entries(path):
    """Return by address what the entries of a file's PLT call: functions, or "*ABS*+0x..." where a function is chosen at run time."""
    text = output("objdump", "-d", "-j", ".plt", "-j", ".plt.sec", path)
    return {int(address, 16): target for address, target in re.findall(r"^0*([0-9a-f]+) <(.*)@plt>:$", text, re.M)}


def is_entry_of(path, address, name):
    """Return true if an address is in an entry of the PLT that calls the function NAME, by objdump."""
    target, name = entries(path).get(address & ~15), unversioned(name).removesuffix("@plt")
    chosen = re.fullmatch(r"\*ABS\*\+0x([0-9a-f]+)", target or "")
    return int(chosen[1], 16) in addresses(path).get(name, ()) if chosen else bool(target) and unversioned(target) == name
