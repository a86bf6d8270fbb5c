# Generated code in shared memory, in huge pages and in files that libffi has removed. An ELF file there is one, and a map
# names no other files.
. "$root/tests/cli/common.sh"
mkdir maps sys
cp "$root/testdata/nested/nested" sys/code
PYTHONPATH=$root/tests/oracle python3 - <<'PY'
import made_recording
recording = made_recording.Recording("<", "x86_64")
NAMES = ("//anon", "/memfd:doublemapper (deleted)", "/dev/shm/shm-id-123 (deleted)", "/dev/hugepages/java.1",
         "/mnt/huge/map_0 (deleted)", "/tmp/ffiAbCdEf (deleted)", "/dev/ashmem/dalvik-jit-code-cache (deleted)",
         "/dev/shm/code", "/opt/ffiAbCdEf", "/tmp/ffiAbCdEfG (deleted)", "/opt/lib.so (deleted)", "/dev/shm/no-code")
with open("maps/perf-7.map", "w") as out:
    for i, name in enumerate(NAMES):
        base = 0x10000000 + 0x100000 * i
        recording.map(name, base, 0x2000, 0)
        recording.sample([base + 0x1120])
        if name != NAMES[-1]:
            out.write(f"{base + 0x1100:x} 100 jit_{i}\n")
recording.write("perf.data")
PY
"$PDCONV" perf.data --symfs "$nowhere" --symbol-dir sys --perf-map-path maps --script -F ip,sym,dso 2>/dev/null | grep .
