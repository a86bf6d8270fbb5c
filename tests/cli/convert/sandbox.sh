# What pdconv can still do when it reads untrusted files: a preloaded library tries it (tests/sandbox/probe.c).
. "$root/tests/cli/common.sh"
needs_linux
[ -z "${SAN:-}" ] || { echo "the leak sanitizer needs what the sandbox forbids"; exit 77; }
python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 3)' ||
    { echo "the kernel has no Landlock of version 3"; exit 77; }
grep -q errno /proc/sys/kernel/seccomp/actions_avail || { echo "the kernel has no seccomp"; exit 77; }

attempt() { # ARGUMENTS...: the environment, and a command of pdconv
    rm -rf output outside
    mkdir output outside
    echo text >outside/old
    echo text >outside/spare
    echo text >outside/command
    chmod 755 outside/command
    env PDCONV_PROBE=1 TMPDIR="$PWD/output" LD_PRELOAD="$BUILD/tests/sandbox/probe.so" "$@" 2>&1 >/dev/null
}

convert nested >/dev/null
attempt "$PDCONV" nested.data --symfs "$nowhere" -q -o output/report >refused
echo "In a conversion:"
cat refused
echo "The output was written:"
ls output

for command in "report nested.data" "nested.data -f pprof" "nested.data -f html" "annotate nested.data side --symbol-dir $root/testdata/nested" \
    "diff nested.data nested.data" "view nested.data --no-open" "archive nested.data" "info nested.data" "dump nested.data" "sql nested.data select(1)"; do
    attempt "$PDCONV" $command -q -o output/report | cmp - refused || echo "differs: $command"
done
attempt "$PDCONV" - -q -o output/report <nested.data | cmp - refused || echo "differs: standard input"
attempt "$PDCONV" report nested.data -q --debuginfod=http://127.0.0.1:1 --offline -o output/report | cmp - refused ||
    echo "differs: offline"
# The command that is recorded does not attempt anything. The recorder, which is not confined, does so last.
if "$PDCONV" record -qN -e cpu-clock -o recorded -- true 2>/dev/null; then
    attempt "$PDCONV" record -q -e cpu-clock -f folded -o output/report -- env -u PDCONV_PROBE true |
        head -n "$(wc -l <refused)" | cmp - refused ||
        echo "differs: record"
fi

echo "With servers:"
attempt "$PDCONV" report nested.data -q --debuginfod=http://127.0.0.1:1 -o output/report | grep -e elsewhere -e TCP -e execute -e 'create a dir'
echo "With servers, and the cache of their files elsewhere:"
attempt DEBUGINFOD_CACHE_PATH="$PWD/outside" "$PDCONV" report nested.data -q --debuginfod=http://127.0.0.1:1 -o output/report |
    grep -e elsewhere -e execute

echo "Without the sandbox:"
attempt "$PDCONV" report nested.data -q --no-sandbox -o output/report | grep -c allowed
