# Damage is passed over, what follows it is read, and all outputs that count losses have the same figures.
. "$root/tests/cli/common.sh"
# The size of a sample becomes 0, and bytes of two others become zeros.
python3 - "$root/testdata/nested/perf.data" nested.data <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
samples, end = [], at + size
while at < end:
    kind, _, size = struct.unpack_from("<IHH", data, at)
    samples += [at] * (kind == 9)
    at += size
struct.pack_into("<H", data, samples[20] + 6, 0)
data[samples[40] + 500:samples[41] + 500] = bytes(samples[41] - samples[40])
open(sys.argv[2], "wb").write(data)
END
status convert nested -f folded -o /dev/null --stats 2>&1 | grep -e damage -e passed -e status
status convert nested -f folded -o /dev/null --strict 2>&1 | grep -e damage -e passed -e status
convert nested --quiet | grep '^ *losses'
convert nested --json --quiet >report.json
"$PDCONV" info nested.data --quiet | grep -e '^damage' -e '^samples'
"$PDCONV" info nested.data --quiet --json >info.json
python3 - report.json info.json <<'END'
import json, sys
report, info = (json.load(open(path)) for path in sys.argv[1:])
for losses in (report["quality"]["losses"], info):
    print({key: losses[key] for key in ("gaps", "gap_bytes", "samples_after_gaps")})
print(info["samples"], "samples")
END
convert nested -f pprof -o nested.pb.gz --quiet
gzip -dc nested.pb.gz | grep -ao -e 'bytes of damage, passed over: 3816' -e 'samples after damage: 61'
convert nested -f firefox -o nested.json.gz --quiet
gzip -dc nested.json.gz | grep -o '"[A-Za-z ]* damage[a-z, :"]*[0-9]*'
