# Two segments of code that are next to each other in the file, and far apart in memory: each mapping consists of whole
# pages, of whatever size, and so has the end of the segment before it, or both segments.
. "$root/tests/cli/common.sh"
cat >program.c <<'C'
#define PART(name) __attribute__((section(".text." #name)))
PART(a) void first(void) { __asm__(".skip 300, 0x90"); }
PART(a) void second(void) { __asm__(".skip 700, 0x90"); }
PART(b) void third(void) { __asm__(".skip 900, 0x90"); }
PART(b) void fourth(void) { __asm__(".skip 200, 0x90"); }
C
cat >script <<'LD'
PHDRS { a PT_LOAD FLAGS(5); b PT_LOAD FLAGS(5); }
SECTIONS
{
    . = 0x400000 + SIZEOF_HEADERS + 0x1000;
    .a : { *(.text.a) } :a
    . = 0x600000 + (. & 0xffff);
    .b : { *(.text.b) } :b
    /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame) }
}
LD
gcc -O1 -fno-stack-protector -fcf-protection=none -nostdlib -static -Wl,-z,max-page-size=0x10000,-T,script,-e,first \
    -Wl,--build-id=none -o program program.c
readelf -lW program | awk '/LOAD/ { print $2, $3, $5 }' >segments
nm program | awk '{ print $3, $1 }' >symbols
for page in 4096 16384 65536; do
    for base in 0 0x10000000; do
        PYTHONPATH=$root/tests/oracle python3 - "$page" "$base" <<'PY'
import sys
import made_recording
page, base = int(sys.argv[1]), int(sys.argv[2], 0)
recording = made_recording.Recording("<", "x86_64")
for line in open("segments"):
    offset, vaddr, size = (int(word, 16) for word in line.split())
    start = vaddr // page * page
    recording.map("/nowhere/program", base + start, -(-(vaddr + size) // page) * page - start, offset // page * page)
symbols = dict(line.split() for line in open("symbols"))
for name in ("first", "second", "third", "fourth"):
    recording.sample([base + int(symbols[name], 16) + 150])
recording.write("perf.data")
PY
        echo "pages of $page bytes at $base"
        "$PDCONV" perf.data --symbol-dir . --folded
    done
done
