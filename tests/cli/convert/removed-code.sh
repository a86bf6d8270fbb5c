# The debug information of functions that the linker has removed is at address 0, in the first segment, which holds code
# as well as the headers of the file. It names no code, neither in its own unit nor in others.
. "$root/tests/cli/common.sh"
cat >kept.c <<'C'
void removed_here(void) { __asm__(".skip 30000, 0x90"); }
void kept(void) { __asm__(".skip 200, 0x90"); }
C
echo 'void removed_elsewhere(void) { __asm__(".skip 30000, 0x90"); }' >removed.c
gcc -g -O1 -ffunction-sections -fcf-protection=none -nostdlib -shared -Wl,--gc-sections,-z,noseparate-code,-e,kept,-u,kept \
    -fvisibility=hidden -Wl,--build-id=none,-Ttext=0x400 -o program removed.c kept.c
readelf -lW program | awk '/LOAD.* R E / { print $2, $3, $5 }' >segments
nm program | awk '{ print $3, $1 }' >symbols
PYTHONPATH=$root/tests/oracle python3 - <<'PY'
import made_recording
recording = made_recording.Recording("<", "x86_64")
offset, vaddr, size = (int(word, 16) for word in open("segments").read().split())
recording.map("/nowhere/program", 0x10000000 + vaddr, 0x10000, offset)
recording.sample([0x10000000 + int(dict(line.split() for line in open("symbols"))["kept"], 16) + 100])
recording.write("perf.data")
PY
"$PDCONV" perf.data --symbol-dir . --script -F ip,sym,srcline | sed "s|$PWD|.|"
