# Libraries that Android maps out of a package (base.apk): two of them, by offset in the package, and by the name that
# simpleperf gives to a library there. A compressed one is not mapped, and another package has no library there.
. "$root/tests/cli/common.sh"
mkdir sys other
for lib in first second; do
    cat >$lib.c <<C
__attribute__((noinline, aligned(64))) int ${lib}_leaf(int x) { return x * 3; }
__attribute__((aligned(64))) int ${lib}_entry(int x) { return ${lib}_leaf(x) + 1; }
C
    gcc -O1 -shared -fPIC -nostdlib -Wl,--build-id=none,-z,max-page-size=4096 -o lib$lib.so $lib.c
    readelf -lW lib$lib.so | awk '/LOAD.* R E / { print $2, $3 }' >$lib.segment
    nm lib$lib.so | awk '{ print $3, $1 }' >$lib.symbols
done
PYTHONPATH=$root/tests/oracle python3 - <<'PY'
import struct
import zipfile
import made_recording


def add(package, name, data, compression=zipfile.ZIP_STORED):
    """Add a member that begins at a page, as zipalign does it."""
    info = zipfile.ZipInfo(name)
    pad = -(package.fp.tell() + 30 + len(name)) % 4096
    info.extra = struct.pack("<HH", 0xd935, (pad - 4) % 4096) + bytes((pad - 4) % 4096)
    info.compress_type = compression
    package.writestr(info, data)
    return package.fp.tell() - len(data)


offsets = {}
with zipfile.ZipFile("sys/base.apk", "w") as package:
    package.writestr("AndroidManifest.xml", "x" * 100)
    for lib in "first", "second":
        offsets[lib] = add(package, f"lib/x86_64/lib{lib}.so", open(f"lib{lib}.so", "rb").read())
    add(package, "lib/x86_64/libpacked.so", open("libfirst.so", "rb").read(), zipfile.ZIP_DEFLATED)
    package.comment = b"a comment at the end"
with zipfile.ZipFile("other/base.apk", "w") as package:
    package.writestr("AndroidManifest.xml", "x" * 100)
recording = made_recording.Recording("<", "x86_64")
for i, lib in enumerate(offsets):
    offset, vaddr = (int(word, 16) for word in open(f"{lib}.segment").read().split())
    symbols = dict(line.split() for line in open(f"{lib}.symbols"))
    for kind, (name, more) in enumerate((("/data/app/base.apk", offsets[lib]), (f"/data/app/base.apk!/lib/x86_64/lib{lib}.so", 0))):
        base = 0x10000000 + 0x1000000 * i + 0x100000 * kind
        recording.map(name, base + vaddr, 0x1000, offset + more)
        recording.sample([base + int(symbols[f"{lib}_leaf"], 16), base + int(symbols[f"{lib}_entry"], 16) + 1])
recording.map("/data/app/base.apk!/lib/x86_64/libpacked.so", 0x20000000, 0x1000, 0)
recording.sample([0x20000010])
recording.write("perf.data")
PY
for dir in sys other .; do
    "$PDCONV" perf.data --symfs "$nowhere" --symbol-dir $dir --script --no-cache -F ip,sym,dso 2>/dev/null | grep .
done
"$PDCONV" info perf.data --binaries --symfs "$nowhere" --symbol-dir sys 2>/dev/null | grep -v 'No such file'
