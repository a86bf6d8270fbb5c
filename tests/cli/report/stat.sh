# Counters of perf stat record: the last count of each event, CPU and thread, scaled where counters were shared.
. "$root/tests/cli/common.sh"
python3 - <<'PY'
import struct
HEADER, ATTR = 104, 128
def attr(config, at):
    # PERF_TYPE_SOFTWARE, PERF_SAMPLE_IDENTIFIER; the ids are in another section.
    return struct.pack("<IIQQQQQ", 1, ATTR, config, 0, 1 << 16, 7, 0).ljust(ATTR, b"\0") + struct.pack("<QQ", at, 8)
def record(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body
def stat(event, cpu, count, enabled=100, running=100):
    return record(76, struct.pack("<QIIQQQ", event, cpu, 0, count, enabled, running))
ids = struct.pack("<QQ", 11, 12)
data = record(78, struct.pack("<QQ", 0, 11) + b"msec\0\0\0\0") + record(78, struct.pack("<QQd", 1, 11, 1e-6))
data += stat(11, 0, 5000000) + stat(12, 0, 30) + stat(12, 1, 4, 100, 50) + stat(99, 0, 1)
data += stat(11, 0, 7500000) + stat(12, 0, 50) + stat(12, 1, 4, 100, 50)
attrs = HEADER + len(ids)
at = attrs + 2 * (ATTR + 16)
with open("perf.data", "wb") as file:
    file.write(b"PERFILE2" + struct.pack("<QQ6Q", HEADER, ATTR + 16, attrs, 2 * (ATTR + 16), at, len(data), 0, 0) + bytes(32))
    file.write(ids + attr(0, HEADER) + attr(2, HEADER + 8) + data)
PY
"$PDCONV" perf.data
"$PDCONV" perf.data --json | sed -n '/"counters"/,/]/p'
"$PDCONV" perf.data --folded
