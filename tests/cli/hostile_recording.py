"""A recording with a name in each place that can have one, and a program for it."""
import struct

TRACEPOINT = 2
# IP, TID, TIME, PERIOD, RAW, CGROUP.
SAMPLE_TYPE = 1 | 2 | 4 | 256 | 1024 | 1 << 21
# perf_event_attr.flags: mmap, comm, sample_id_all, mmap2, cgroup.
FLAGS = 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 32
MMAP2, COMM, SAMPLE, KSYMBOL, CGROUP = 10, 3, 9, 17, 19
KERNEL, USER = 1, 2
CODE, BPF = 0x400000, 0xffffffffc0000000
CONFIG = 17
IDENTITY = bytes(range(20))
TAG = bytes(range(8))
BPF_NAME = b"bpf_prog_" + TAG.hex().encode() + b"_"


def padded(data):
    return data + b"\0" * (-len(data) % 8)


def string(name):
    """A string of the header's features."""
    data = name + b"\0" * (64 - len(name) % 64)
    return struct.pack("<I", len(data)) + data


def attr():
    return struct.pack("<IIQQQQQIIQQQQIi", TRACEPOINT, 96, CONFIG, 1, SAMPLE_TYPE, 0, FLAGS, 0, 0, 0, 0, 0, 0, 0, 0)


def blob(data, size="<Q"):
    return struct.pack(size, len(data)) + data


def tracing_data(name):
    """Descriptions of one tracepoint: system, name, a field of 16 bytes, and how it is printed."""
    text = name.replace(b"\n", b"")
    form = (b"name: " + text + b"\nID: %d\nformat:\n" % CONFIG +
            b"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
            b"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
            b"\tfield:char " + text.replace(b";", b"") + b"[16];\toffset:8;\tsize:16;\tsigned:0;\n\n"
            b"print fmt: \"" + text + b" %s\", REC->" + text + b"\n")
    return (b"\x17\x08\x44tracing0.6\0" + bytes((0, 8)) + struct.pack("<I", 4096) + b"header_page\0" + blob(b"") +
            b"header_event\0" + blob(b"") + struct.pack("<I", 0) + struct.pack("<I", 1) + text + b"\0" +
            struct.pack("<I", 1) + blob(form) + blob(b"ffffffff81000000 T " + text + b"\n", "<I") +
            blob(b"0x1 : \"" + text + b"\"\n", "<I") + blob(b"7 " + text + b"\n"))


def build_ids(name):
    body = struct.pack("<i", -1) + IDENTITY + struct.pack("<I", 20) + padded(name + b"\0")
    return struct.pack("<IHH", 0, 1 << 15 | USER, 8 + len(body)) + body


def bpf_programs(name):
    """Description of the program at BPF, with a line in a file of its type information."""
    arrays = struct.pack("<Q", BPF) + struct.pack("<I4x", 0x1000) + TAG + struct.pack("<IIII", 0, 1, 0, 7 << 10)
    arrays += struct.pack("<Q", BPF)
    info = struct.pack("<II8sIIQQQIIQ16sIIQQIIQQIIQIIQQIIIIQ", 1, 1, TAG, 0, 0, 0, 0, 0, 0, 0, 0, name[:16], 0, 0, 0, 0,
                       1, 1, 0, 8, 1, 0, 0, 0, 1, 24, 40, 1, 16, 8, 1, 16)
    used = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 8
    return struct.pack("<I", 1) + struct.pack("<IIQ", len(info), len(arrays), used) + info + arrays


def bpf_types(name):
    strings = b"\0bpf/" + name + b"\0"
    data = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, 0, 0, len(strings)) + strings
    return struct.pack("<I", 1) + struct.pack("<II", 1, len(data)) + data


def features(name, is_traced):
    """Contents of the header's features by number, with the name in each of them."""
    words = struct.pack("<I", 3) + string(b"pdconv") + string(name) + string(name)
    made = {
        2: build_ids(b"/" + name[:60000]), 3: string(name), 4: string(name), 5: string(name), 6: string(b"x86_64"),
        8: string(name), 9: string(name), 11: words,
        12: struct.pack("<II", 1, 96) + attr() + struct.pack("<I", 0) + string(name),
        13: (struct.pack("<I", 1) + string(name)) * 2,
        14: struct.pack("<IIQQ", 1, 0, 1, 1) + string(name),
        16: struct.pack("<II", 1, 99) + string(name),
        17: struct.pack("<I", 1) + string(name) + struct.pack("<II", 0, 1),
        20: struct.pack("<II", 1, 1) + struct.pack("<IIII", 1, 64, 8, 64) + string(name) * 3,
        25: bpf_programs(name), 26: bpf_types(name),
        28: struct.pack("<I", 1) + string(name) * 2,
    }
    if is_traced:
        made[1] = tracing_data(name)
    return made


class Recording:
    def __init__(self, name, is_traced=True):
        """`name` is without NUL. The paths of records have at most 64 KiB."""
        self.data = bytearray()
        self.time = 0
        short = name[:60000]
        self.event(COMM, 0, struct.pack("<II", 7, 7) + padded(short[:4000] + b"\0"))
        self.event(CGROUP, 0, struct.pack("<Q", 5) + padded(b"/" + short + b"\0"))
        self.event(MMAP2, USER, struct.pack("<IIQQQIIQQII", 7, 7, CODE, 0x1000, 0, 8, 1, 4711, 0, 5, 2) +
                   padded(b"/" + short + b"\0"))
        self.event(KSYMBOL, 0, struct.pack("<QIHH", BPF, 0x1000, 1, 0) + padded(BPF_NAME + short + b"\0"))
        raw = struct.pack("<HHi", CONFIG, 0, 7) + (name + b"\0" * 16)[:16]
        for ip, misc in ((CODE + 0x10, USER), (BPF + 0x10, KERNEL), (CODE + 0x20, USER)):
            self.time += 1
            body = struct.pack("<QIIQQ", ip, 7, 7, self.time, 1) + struct.pack("<I", len(raw) + 4) + raw + bytes(4)
            self.add(SAMPLE, misc, body + struct.pack("<Q", 5))
        self.features = features(name, is_traced)

    def add(self, kind, misc, body):
        self.data += struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def event(self, kind, misc, body):
        self.time += 1
        self.add(kind, misc, body + struct.pack("<IIQ", 7, 7, self.time))

    def file(self):
        attrs = attr() + struct.pack("<QQ", 0, 0)
        at = 104 + len(attrs) + len(self.data) + 16 * len(self.features)
        places, contents = bytearray(), bytearray()
        for number in sorted(self.features):
            places += struct.pack("<QQ", at + len(contents), len(self.features[number]))
            contents += self.features[number]
        bits = sum(1 << i for i in self.features)
        header = struct.pack("<QQQQQQQQ", 104, len(attrs), 104, len(attrs), 104 + len(attrs), len(self.data), 0, 0)
        return b"PERFILE2" + header + bits.to_bytes(32, "little") + attrs + self.data + places + contents

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.file())
