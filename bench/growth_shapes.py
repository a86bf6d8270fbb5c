"""Recordings of any size in which one thing grows: what a recording that is made to take long would have."""
import struct

MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, KSYMBOL = 1, 3, 4, 7, 9, 10, 17
HEADER_ATTR, HEADER_BUILD_ID, FINISHED_ROUND = 64, 67, 68
KERNEL, USER, EXEC = 1, 2, 1 << 13
# A bit of misc that no record has.
UNDEFINED = 1 << 5
CODE, DATA = 5, 3
# IP, TID, TIME, PERIOD, CALLCHAIN; trailers have TID and TIME.
SAMPLE_TYPE = 1 | 2 | 4 | 256 | 32
RAW = 1 << 10
# perf_event_attr.flags: mmap, comm, sample_id_all, mmap2.
FLAGS = 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23
PAGE = 0x1000
# Mappings of one process: the kernel allows 65530 by default.
FULL = 20000


def text(string):
    raw = string.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def attr(config, ids):
    """perf_event_attr of a software event. Samples begin with the id of their event if there are ids."""
    return struct.pack("<IIQQQQQIIQ", 1, 64, config, 1000, SAMPLE_TYPE | (1 << 16 if ids else 0), 4 if ids else 0,
                       FLAGS, 0, 0, 0)


class Shape:
    """A recording in memory. Times count the records, unless the shape sets them."""

    def __init__(self):
        self.data = bytearray()
        self.time = 0
        # Contents of the header's features by number.
        self.features = {}
        # Contents of files of the recording machine by path, and of those next to the recording by suffix.
        self.files = {}
        self.beside = {}

    def add(self, kind, misc, body):
        self.data += struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def tick(self):
        self.time += 1
        return self.time

    def event(self, kind, misc, body, pid=7):
        """Add a record of the kernel with its trailer."""
        self.add(kind, misc, body + struct.pack("<IIQ", pid, pid, self.tick()))

    def map(self, start, size, name, pid=7, offset=0, prot=CODE, misc=USER):
        self.event(MMAP2, misc, struct.pack("<IIQQQIIQQII", pid, pid, start, size, offset, 8, 1, 4711, 0, prot, 2) +
                   text(name), pid)

    def fork(self, parent, child):
        self.event(FORK, 0, struct.pack("<IIIIQ", child, parent, child, parent, self.time + 1), child)

    def comm(self, pid, name, misc=0):
        self.event(COMM, misc, struct.pack("<II", pid, pid) + text(name), pid)

    def ksymbol(self, start, size, name):
        self.event(KSYMBOL, 0, struct.pack("<QIHH", start, size, 1, 0) + text(name))

    def sample(self, addr, pid=7, tid=None, callers=(), misc=USER):
        tid = pid if tid is None else tid
        self.add(SAMPLE, misc, struct.pack(f"<QIIQQQ{len(callers)}Q", addr, pid, tid, self.tick(), 1000, len(callers),
                                           *callers))

    def full_process(self, pid=7):
        for i in range(FULL):
            self.map(2 * i * PAGE + PAGE, PAGE, "/bin/program", pid)

    def attr(self):
        return attr(0, False)

    def file(self):
        """Return the recording. The header has a bitmap of features, and their places follow the data."""
        event = self.attr()
        attrs = event + struct.pack("<QQ", 0, 0)
        header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, len(attrs), 104, len(attrs), 104 + len(attrs),
                                           len(self.data), 0, 0)
        bits = sum(1 << i for i in self.features)
        at = 104 + len(attrs) + len(self.data) + 16 * len(self.features)
        places, contents = bytearray(), bytearray()
        for number in sorted(self.features):
            places += struct.pack("<QQ", at + len(contents), len(self.features[number]))
            contents += self.features[number]
        return header + bits.to_bytes(32, "little") + attrs + self.data + places + contents


def mappings(n):
    """Mappings of one process, from high to low addresses"""
    s = Shape()
    for i in range(n):
        s.map((n - i) * 2 * PAGE, PAGE, "/bin/program")
    s.sample(2 * PAGE)
    return s


def mappings_sampled(n):
    """A mapping and a sample, in turn"""
    s = Shape()
    for i in range(n):
        s.map(i * 2 * PAGE + PAGE, PAGE, "/bin/program")
        s.sample(i * 2 * PAGE + PAGE)
    return s


def changes_of_many(n):
    """One of 20,000 mappings replaced, and a sample, in turn"""
    s = Shape()
    s.full_process()
    for i in range(n):
        at = i * 7919 % FULL * 2 * PAGE + PAGE
        s.map(at, PAGE // 2, "/bin/other")
        s.sample(at)
    return s


def forks_of_many(n):
    """Processes forked from one with 20,000 mappings: a mapping and a sample each"""
    s = Shape()
    s.full_process()
    for i in range(n):
        s.fork(7, 100 + i)
        s.map(PAGE, 2 * PAGE, "/bin/other", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def fork_chain(n):
    """Processes forked from each other: a mapping and a sample each"""
    s = Shape()
    for i in range(n):
        s.fork(7 + i, 8 + i)
        s.map(i % 60000 * 2 * PAGE + PAGE, PAGE, "/bin/program", 8 + i)
        s.sample(PAGE, 8 + i)
    return s


def exec_of_many(n):
    """Processes forked from one with 20,000 mappings that execute another program"""
    s = Shape()
    s.full_process()
    for i in range(n):
        s.fork(7, 100 + i)
        s.comm(100 + i, "other", EXEC)
        s.map(PAGE, PAGE, "/bin/other", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def processes(n):
    """Processes with a mapping and a sample each"""
    s = Shape()
    for i in range(n):
        s.map(PAGE, PAGE, "/bin/program", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def threads(n):
    """Threads of one process with a name and a sample each"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for i in range(n):
        s.event(COMM, 0, struct.pack("<II", 7, 100 + i) + text(f"thread{i}"))
        s.sample(PAGE, 7, 100 + i)
    return s


def nested(n):
    """Mappings inside each other: each divides the one before"""
    s = Shape()
    for i in range(n):
        s.map(PAGE + i, 4 * n - 2 * i, f"/bin/p{i % 7}")
        s.sample(PAGE + i)
    return s


def covering(n):
    """Mappings that cover 20,000 inherited ones"""
    s = Shape()
    s.full_process()
    for i in range(n):
        s.fork(7, 100 + i)
        s.map(PAGE, 2 * FULL * PAGE, "/bin/other", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def data_over_code(n):
    """Data of the same file mapped over 20,000 mappings of code"""
    s = Shape()
    for i in range(FULL):
        s.map(2 * i * PAGE + PAGE, PAGE, "/bin/program", offset=2 * i * PAGE + PAGE)
    for i in range(n):
        s.map(0, 2 * FULL * PAGE, "/bin/program", prot=DATA)
        s.sample(PAGE)
    return s


def data_over_inherited(n):
    """Data mapped over 20,000 inherited mappings, of which it is the file of every other one"""
    s = Shape()
    for i in range(FULL):
        s.map(2 * i * PAGE + PAGE, PAGE, "/bin/ab"[:6 + i % 2], offset=2 * i * PAGE + PAGE)
    for i in range(n):
        s.fork(7, 100 + i)
        s.map(0, 2 * FULL * PAGE, "/bin/a", 100 + i, prot=DATA)
        s.sample(PAGE, 100 + i)
    return s


def binaries(n):
    """Binaries with a mapping and a sample each"""
    s = Shape()
    for i in range(n):
        s.map(i % 60000 * 2 * PAGE + PAGE, PAGE, f"/nowhere/lib{i}.so")
        s.sample(i % 60000 * 2 * PAGE + PAGE)
    return s


def jitdumps(n):
    """Jitdumps that are not there, in a process each"""
    s = Shape()
    for i in range(n):
        s.map(PAGE, PAGE, f"/nowhere/jit-{100 + i}.dump", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def anonymous(n):
    """Processes with code in memory without a file"""
    s = Shape()
    for i in range(n):
        s.map(PAGE, PAGE, "//anon", 100 + i)
        s.sample(PAGE, 100 + i)
    return s


def regions(n):
    """Mappings of memory with a name, in processes with one each"""
    s = Shape()
    for i in range(n):
        s.map(i * PAGE + PAGE, PAGE, "/memfd:x", 100 + i)
        s.sample(i * PAGE + PAGE, 100 + i)
    return s


# Only this format needs file offsets.
regions.args = "-f script -o /dev/null"


def bpf(n):
    """BPF programs with a sample each"""
    s = Shape()
    s.map(0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0xffffffff, misc=KERNEL)
    for i in range(n):
        start = 0xffffffffc0000000 + i * 0x100
        s.ksymbol(start, 0x80, f"bpf_prog_{i}")
        s.sample(start, misc=KERNEL)
        s.sample(start + 0x80, misc=KERNEL)
    return s


def modules(n):
    """Mappings of kernel modules, with a sample outside of all"""
    s = Shape()
    for i in range(n):
        start = 0xffffffffc0000000 + i * 0x1000
        s.map(start, 0x800, f"[module{i}]", 0xffffffff, misc=KERNEL)
        s.sample(start + 0x900, misc=KERNEL)
    return s


def kernels(n):
    """Mappings of the kernel's image"""
    s = Shape()
    for i in range(n):
        s.map(0xffffffff81000000 + i % 16, 0x1000000, "[kernel.kallsyms]_text", 0xffffffff, misc=KERNEL)
        s.sample(0xffffffff81000100 + i % 4096, misc=KERNEL)
    return s


def one_record(n):
    """The same sample"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for _ in range(n):
        s.time = 5
        s.sample(PAGE)
    return s


def addresses(n):
    """Samples at different addresses of one binary"""
    s = Shape()
    s.map(PAGE, n * 16, "/bin/program")
    for i in range(n):
        s.sample(PAGE + i * 16)
    return s


def unmapped(n):
    """Samples at different addresses of nothing"""
    s = Shape()
    for i in range(n):
        s.sample(PAGE + i * 16, callers=(0xfffffffffffffe00, PAGE + i * 32))
    return s


def backwards(n):
    """Samples in descending order of time, in one round"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for i in range(n):
        s.time = 10 + 2 * (n - i)
        s.sample(PAGE)
    return s


def rounds(n):
    """A round for each sample"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for _ in range(n):
        s.sample(PAGE)
        s.add(FINISHED_ROUND, 0, b"")
    return s


def deep_stacks(n):
    """Call chains of 1,000 different frames"""
    s = Shape()
    s.map(PAGE, 1 << 30, "/bin/program")
    for i in range(n // 100):
        s.sample(PAGE, callers=(0xfffffffffffffe00, *(PAGE + (i * 1000 + k) * 8 for k in range(1000))))
    return s


def unhash(value):
    """Return the key whose hash is the value, in a function without a seed as tables once used it."""
    mask = (1 << 64) - 1
    value ^= value >> 32
    value = value * pow(0xd6e8feb86659fd93, -1, 1 << 64) & mask
    return value ^ value >> 32


def colliding(n):
    """Threads whose numbers collide in a hash table without a seed"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for i in range(n):
        key = unhash(i + 1 << 30)
        s.sample(PAGE, key >> 32, key & 0xffffffff)
    return s


def names(n):
    """One thread that changes its name before each sample"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for i in range(n):
        s.comm(7, f"name{i}")
        s.sample(PAGE)
    return s


class WithAttrs(Shape):
    """Events of one file with an id each."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def file(self):
        ids_at = 104
        attrs_at = ids_at + 8 * self.n
        ids = struct.pack(f"<{self.n}Q", *range(1, self.n + 1))
        attrs = b"".join(attr(i, True) + struct.pack("<QQ", ids_at + 8 * i, 8) for i in range(self.n))
        data_at = attrs_at + len(attrs)
        header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, attrs_at, len(attrs), data_at, len(self.data), 0, 0)
        return header + bytes(32) + ids + attrs + self.data


def identified(s, n_events, n):
    """Add samples that begin with the id of their event."""
    for i in range(n):
        s.add(SAMPLE, USER, struct.pack("<QQIIQQQ", 1 + i % n_events, PAGE, 7, 7, s.tick(), 1000, 0))


def attrs(n):
    """Events of a file, with a sample each"""
    s = WithAttrs(n)
    identified(s, n, n)
    return s


def attrs_reported(n):
    """Events of a file, with a sample each, in a report"""
    return attrs(n)


attrs_reported.args = "-f report -o /dev/null"


def attrs_pprof(n):
    """Events of a file, with a sample each, for pprof"""
    return attrs(n)


attrs_pprof.args = "-f pprof -o /dev/null"


def last_attr(n):
    """Events of a file, of which the last one has samples"""
    s = WithAttrs(n)
    for _ in range(n):
        s.add(SAMPLE, USER, struct.pack("<QQIIQQQ", n, PAGE, 7, 7, s.tick(), 1000, 0))
    return s


def fork_flat(n):
    """Processes forked from one, without samples"""
    s = Shape()
    s.map(PAGE, PAGE, "/bin/program")
    for i in range(n):
        s.fork(7, 100 + i)
    s.sample(PAGE)
    return s


def exec_storm(n):
    """One process that executes programs, with a mapping and a sample each"""
    s = Shape()
    for i in range(n):
        s.comm(7, f"name{i % 7}", EXEC)
        s.map(PAGE, PAGE, f"/bin/p{i % 7}")
        s.sample(PAGE)
    return s


class Pipe(Shape):
    """A stream as perf writes it into a pipe."""

    def file(self):
        return b"PERFILE2" + struct.pack("<Q", 16) + self.data


def pipe_attrs(n):
    """Events of a stream, with a sample each"""
    s = Pipe()
    for i in range(n):
        s.add(HEADER_ATTR, 0, attr(i, True) + struct.pack("<Q", 1 + i))
    identified(s, n, n)
    return s


def pipe_attrs_late(n):
    """Events of a stream, each followed by its sample"""
    s = Pipe()
    for i in range(n):
        s.add(HEADER_ATTR, 0, attr(i, True) + struct.pack("<Q", 1 + i))
        identified(s, i + 1, 1)
    return s


def build_ids(n):
    """Build ids of a stream, each before a mapping of its binary and a sample"""
    s = Pipe()
    s.add(HEADER_ATTR, 0, attr(0, False))
    for i in range(n):
        name = f"/nowhere/lib{i}.so"
        s.add(HEADER_BUILD_ID, USER, struct.pack("<i20s4x", -1, i.to_bytes(20, "little")) + text(name))
        s.map(i % 60000 * 2 * PAGE + PAGE, PAGE, name)
        s.sample(i % 60000 * 2 * PAGE + PAGE)
    return s


def damaged(n):
    """Damage after every fifth sample, which is passed over"""
    s = Shape()
    for i in range(n):
        s.sample(PAGE)
        if i % 5 == 4:
            s.add(SAMPLE, UNDEFINED, b"")
    return s


def only_damage(n):
    """Damage after every second sample, so that no chain of records is found"""
    s = Shape()
    for i in range(n):
        s.sample(PAGE)
        if i % 2:
            s.add(SAMPLE, UNDEFINED, b"")
    return s


class Raw(Shape):
    """Samples have raw data, which may hold anything. So only chains that are longer than that are accepted."""

    def attr(self):
        return struct.pack("<IIQQQQQIIQ", 1, 64, 0, 1000, SAMPLE_TYPE | RAW, 0, FLAGS, 0, 0, 0)


def broken_chains(n):
    """Damage after every 1,000 samples with raw data, so that all chains of records are too short"""
    s = Raw()
    for i in range(n):
        s.add(SAMPLE, USER, struct.pack("<QIIQQQII", PAGE, 7, 7, s.tick(), 1000, 0, 4, 0))
        if i % 1000 == 999:
            s.add(SAMPLE, UNDEFINED, b"")
    return s


SHAPES = (mappings, mappings_sampled, changes_of_many, forks_of_many, fork_chain, exec_of_many, processes, threads,
          nested, covering, data_over_code, data_over_inherited, binaries, jitdumps, anonymous, regions, bpf, modules,
          kernels, one_record, addresses, unmapped, backwards, rounds, deep_stacks, colliding, names, attrs,
          attrs_reported, attrs_pprof, last_attr, pipe_attrs, pipe_attrs_late, build_ids, fork_flat, exec_storm,
          damaged, only_damage, broken_chains)
