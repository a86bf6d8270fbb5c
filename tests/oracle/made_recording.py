"""Recordings that are made without a recorder, for machines that are not there and samples at known addresses."""
import struct

PERIOD = 1000


class Recording:
    """A perf.data without a recorder: mappings of process 7, and samples."""

    def __init__(self, order, machine):
        self.order = order
        self.machine = machine
        self.records = [(3, 0x2000, self.pack("II", 7, 7) + self.text("prog") + self.trailer())]

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text(self, string):
        raw = string.encode() + b"\0"
        return raw + b"\0" * (-len(raw) % 8)

    def trailer(self):
        return self.pack("IIQ", 7, 7, 1)

    def map(self, name, start, size, offset, misc=2, pid=7):
        self.records.append((1, misc, self.pack("IIQQQ", pid, pid if pid == 7 else 0, start, size, offset) +
                             self.text(name) + self.trailer()))

    def sample(self, addrs, misc=2):
        for addr in addrs:
            self.records.append((9, misc, self.pack("QIIQQ", addr, 7, 7, 10 + len(self.records), PERIOD)))

    def write(self, path):
        # PERF_SAMPLE_IP | TID | TIME | PERIOD; perf_event_attr.flags: mmap, comm, sample_id_all.
        flags = 1 << 8 | 1 << 9 | 1 << 18
        if self.order == ">":
            flags = int("{:064b}".format(flags)[::-1], 2)
        attr = self.pack("IIQQQQQ", 1, 64, 0, PERIOD, 1 | 2 | 4 | 256, 0, flags) + self.pack("IIQ", 0, 0, 0)
        attr += self.pack("QQ", 0, 0)
        data = b"".join(self.pack("IHH", kind, misc, 8 + len(body)) + body for kind, misc, body in self.records)
        arch = self.text(self.machine)
        feature = self.pack("I", len(arch)) + arch
        data_at = 104 + len(attr)
        with open(path, "wb") as file:
            file.write(b"PERFILE2" if self.order == "<" else b"2ELIFREP")
            file.write(self.pack("QQQQQQQQ", 104, len(attr), 104, len(attr), data_at, len(data), 0, 0))
            # HEADER_ARCH
            file.write(self.pack("QQQQ", 1 << 6, 0, 0, 0) + attr + data)
            file.write(self.pack("QQ", data_at + len(data) + 16, len(feature)) + feature)
