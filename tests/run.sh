#!/bin/sh
# Run the tests and print a line for each that fails, then "N passed, N failed".
#
# usage: BUILD=build tests/run.sh [layering|unit|cli|library|names|recordings|rewrites|perf|modes|pprof|debuginfod|unwind|valgrind|fuzz]...
# With GOLDEN=1 the command line tests rewrite what they expect. Recordings of other tools are looked
# for in $PERFDATA, or ../shared/perfdata. Kinds whose tools are not here pass in silence.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
BUILD=${BUILD:-build}
MAKE_BUILD=$BUILD
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
PDCONV=$BUILD/pdconv
export root BUILD PDCONV
scratch=$(mktemp -d)
# What is kept from one run to the next is kept here, and not where the user's own is.
export XDG_CACHE_HOME="$scratch/cache"
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# Seconds that a test may take before it counts as hanging; valgrind and sanitizers are slow.
LIMIT=300

verdict() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $1"
    fi
    return "$2"
}

finds_breach() { # FILE LINE
    mkdir -p "$scratch/layering/$(dirname "$1")"
    echo "$2" >"$scratch/layering/$1"
    (cd "$scratch/layering" && awk -f "$root/tests/layering.awk" "$root/tests/layering.txt" "$1" >/dev/null)
    [ $? -eq 1 ]
    verdict "layering finds $2 in $1" $?
}

run_layering() {
    awk -f tests/layering.awk tests/layering.txt \
        $(ls -d include/pdconv base parse unwind symbolize output capture cmd 2>/dev/null | sed 's,$,/*.[ch],' | xargs -n1 sh -c 'ls $0 2>/dev/null')
    verdict layering $?
    # The check itself must find what it looks for.
    finds_breach parse/bad.c '#include "output/profile.h"'
    finds_breach include/pdconv/bad.h '#include "base/map.h"'
    finds_breach include/pdconv/bad.h '#include <zstd.h>'
}

run_unit() {
    for source in tests/unit/test_*.c; do
        name=$(basename "$source" .c)
        timeout $LIMIT "$BUILD/tests/unit/$name" >"$scratch/out" 2>&1
        status=$?
        [ $status -eq 0 ] || grep -vE '^\[ +(RUN|OK) ' "$scratch/out"
        verdict "unit/$name" $status
    done
}

# A case is CASE.sh, run in a directory of its own. Beside it stand CASE.stdout.exact or
# CASE.stdout.glob, the same for stderr, and CASE.exit; absent means no output, and status 0.
compare() { # KIND CASE ACTUAL
    if [ -f "$2.$1.glob" ]; then
        [ "${GOLDEN:-}" ] && return 0
        awk -f tests/glob.awk "$2.$1.glob" "$3"
        return
    fi
    if [ "${GOLDEN:-}" ]; then
        if [ -s "$3" ]; then cp "$3" "$2.$1.exact"; else rm -f "$2.$1.exact"; fi
        return 0
    fi
    if [ -f "$2.$1.exact" ]; then
        diff -u "$2.$1.exact" "$3"
    else
        diff -u /dev/null "$3"
    fi
}

run_cli() {
    for script in tests/cli/*/*.sh; do
        case_=${script%.sh}
        rm -rf "$scratch/cli"
        mkdir "$scratch/cli"
        (cd "$scratch/cli" && LC_ALL=C HOME=/nonexistent timeout $LIMIT sh "$root/$script" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
        status=$?
        expected=0
        if [ "${GOLDEN:-}" ]; then
            if [ $status -ne 0 ]; then echo $status >"$case_.exit"; else rm -f "$case_.exit"; fi
            expected=$status
        elif [ -f "$case_.exit" ]; then
            expected=$(cat "$case_.exit")
        fi
        ok=0
        [ "$status" -eq "$expected" ] || { echo "exit status $status, expected $expected"; ok=1; }
        compare stdout "$case_" "$scratch/stdout" || ok=1
        compare stderr "$case_" "$scratch/stderr" || ok=1
        [ $ok -eq 0 ] || cat "$scratch/stderr"
        verdict "$case_" $ok
    done
}

# What the public headers declare, and the shared library exports, one name a line.
declared_names() {
    echo '#include <pdconv/pdconv.h>' | "$CC" -E -P -Iinclude - | awk -f tests/exports.awk | LC_ALL=C sort
}

exported_names() { # LIBRARY
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort
}

# Each header by itself, as a program would include it.
run_headers() { # COMPILER OPTIONS...
    for header in include/pdconv/*.h; do
        case $header in *_defs.h) continue ;; esac
        echo "#include <${header#include/}>" >"$work/header.c"
        "$@" -Wall -Wextra -Werror -Iinclude -fsyntax-only "$work/header.c" || return
    done
}

run_make() { # TARGET: as little as possible is built, in the way that the rest was
    MAKEFLAGS= make -s "$1" BUILD="$MAKE_BUILD" CC="$CC" ${SAN:+"SAN=$SAN"} DESTDIR="$work/root" PREFIX=/usr
}

installed() { # PKG-CONFIG-ARGUMENTS...
    PKG_CONFIG_PATH=$work/root/usr/lib/pkgconfig pkg-config --define-variable=prefix="$work/root/usr" pdconv "$@"
}

# An example is what somebody else builds, with what is installed.
build_example() { # NAME COMPILER LANGUAGE shared|static
    libs=$(installed --libs)
    [ "$4" = shared ] || libs=$(installed --static --libs | sed 's/-lpdconv/-l:libpdconv.a/')
    "$2" -Wall -Wextra -Werror $(installed --cflags) ${SAN:+-fsanitize=$SAN} -x "$3" "examples/$1.c" -x none $libs \
        -o "$work/$1"
}

example() { # NAME RECORDING cat|path: its output on that recording, from a pipe or by its path
    if [ "$3" = cat ]; then
        cat "testdata/$2/perf.data" | "$work/$1" -
    else
        "$work/$1" "testdata/$2/perf.data"
    fi
}

run_examples() { # COMPILER LANGUAGE shared|static
    for name in records metadata filter; do
        build_example $name "$@"
        verdict "library/build-$name-$2-$3" $? || return
    done
    unset LD_LIBRARY_PATH
    [ "$3" = static ] || export LD_LIBRARY_PATH="$work/root/usr/lib"
    for case_ in records,nested,path records,nested,cat records,piped,path records,piped,cat records,parallel,path \
        records,group,path metadata,nested,path metadata,nested,cat metadata,piped,cat metadata,parallel,path \
        metadata,tracepoints,path; do
        what=${case_%,*}
        example $(echo $case_ | tr , ' ') >"$work/out" 2>&1 && diff "tests/library/$(echo $what | tr , -).expected" "$work/out"
        verdict "library/$case_-$2-$3" $?
    done
    # The samples of the parent, out of those of two processes.
    "$work/records" testdata/forkexec/perf.data | grep '^SAMPLE .* 32501/' >"$work/expected"
    "$work/filter" testdata/forkexec/perf.data "$work/one" 32501 >"$work/out" 2>&1 &&
        "$work/records" "$work/one" | grep ^SAMPLE | diff "$work/expected" - && [ -s "$work/expected" ]
    verdict "library/filter-$2-$3" $? || cat "$work/out"
    unset LD_LIBRARY_PATH
}

# The library as others see it: headers, symbols, what is installed.
run_library() {
    CC=${CC:-cc}
    case $CC in *clang*) CXX=clang++ ;; *) CXX=c++ ;; esac
    work=$scratch/library
    mkdir -p "$work"
    run_headers "$CC" -std=c11 -x c
    verdict library/headers-c $?
    run_headers "$CXX" -std=c++11 -x c++
    verdict library/headers-c++ $?
    declared_names >"$work/declared"
    exported_names "$BUILD"/libpdconv.so.*.* >"$work/exported"
    [ -s "$work/declared" ] && diff "$work/declared" "$work/exported"
    verdict library/exports $?
    run_make install >"$work/out" 2>&1
    verdict library/install $? || cat "$work/out"
    run_examples "$CC" c shared
    run_examples "$CC" c static
    run_examples "$CXX" c++ shared
    run_make uninstall >"$work/out" 2>&1 && [ -z "$(find "$work/root" ! -type d)" ]
    verdict library/uninstall $? || find "$work/root" ! -type d
}

has() { # TOOL...
    for tool; do
        command -v "$tool" >/dev/null 2>&1 || return 1
    done
}

# Recordings by other tools, against what is known of them.
run_recordings() {
    perfdata=${PERFDATA:-../shared/perfdata}
    [ -d "$perfdata" ] && has python3 || return 0
    python3 tests/oracle/recordings.py "$PDCONV" "$perfdata"
    verdict recordings/conversions $?
    python3 tests/oracle/infos.py "$PDCONV" "$perfdata" >"$scratch/out"
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict recordings/facts $status
}

# What samples and records can hold, as far as perf can record it here.
record_kinds() { # DIR
    mkdir -p "$1"
    while read -r name options; do
        case $options in
        stat*) perf stat record -o "$1/$name" ${options#stat} ls ;;
        *) perf record -q -o "$1/$name" $options ls -R /usr/include/linux ;;
        esac >/dev/null 2>&1
    done <<EOF
all -a -g -e cpu-clock
group -g -e {cpu-clock,page-faults,context-switches}:S
registers -e cpu-clock:u -I -d -W --phys-data --call-graph dwarf,4096 --switch-events --namespaces --all-cgroups
counters -s -T -e cpu-clock,page-faults
traces -a -e sched:* -e cpu-clock
threads-z -z --threads -a -e cpu-clock
stat stat -e cpu-clock,page-faults
EOF
}

# Recordings written again in either byte order and container, field by field and as perf shows them.
run_rewrites() {
    has python3 || return 0
    perfdata=${PERFDATA:-../shared/perfdata}
    set -- testdata/*/perf.data
    if [ -d "$perfdata" ]; then
        # Beside each recording stands X.golden.json; the hostile ones have no fields to compare.
        for golden in "$perfdata"/*/*.golden.json; do
            case $golden in */quipper-fuzz/*) ;; *) set -- "$@" "${golden%.golden.json}" ;; esac
        done
    fi
    with=
    if has perf; then
        with=--perf
        record_kinds "$scratch/rewrites"
        for recording in "$scratch"/rewrites/*; do
            [ -s "$recording" ] && set -- "$@" "$recording"
        done
    fi
    python3 tests/oracle/rewrites.py $with "$BUILD/tests/oracle/rewrite" "$PDCONV" "$@" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict rewrites $status
}

# Words of -e as perf takes them, and probes on a program.
run_perf_events() {
    mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
    python3 tests/oracle/events.py "$BUILD/tests/oracle/event_attrs" "$BUILD/tests/oracle/probe_count" "$work" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/events $status
}

# Fields of tracepoints as perf hands them to scripts, where perf can do that.
run_perf_tracepoints() {
    perf version --build-options 2>/dev/null | grep -q 'libpython: .* on' || return 0
    set -- testdata/tracepoints/perf.data
    if perf record -q -a -e 'sched:sched_*,task:*,signal:*,syscalls:sys_enter_openat' -o "$work/traces" ls >"$work/out" 2>&1; then
        set -- "$@" "$work/traces"
    fi
    python3 tests/oracle/trace_fields.py "$BUILD/tests/oracle/traces" "$@" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/trace-fields $status
}

# Into generated code and out of it again, in one stack; by the jitdump of the program that made it.
run_perf_generated() {
    has node || return 0
    cat >"$work/fib.js" <<EOF
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sorted(n) { return Array.from({length: n}, (_, i) => i * 7919 % 1009).sort(function order(a, b) { for (let i = 0; i < 99; i++) a ^= i * b; return a; }); }
for (let end = Date.now() + 1500; Date.now() < end;) { fib(18); sorted(5000); }
EOF
    (cd "$work" && perf record -q -k mono -e cpu-clock:u -F 999 --call-graph dwarf,32768 -o node.data \
        node --perf-prof --perf-prof-unwinding-info fib.js) >"$work/out" 2>&1 &&
        "$PDCONV" "$work/node.data" --folded --fail-under-rooted 95 >"$work/folded" 2>"$work/out" &&
        grep -q ';_start;.*;JS:.*fib ' "$work/folded" && grep -q ';JS:.*sorted .*;JS:.*order ' "$work/folded"
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/generated $status
}

# Named in a root that has none of the recorded programs, with copies of them.
run_perf_elsewhere() {
    [ -z "${SAN:-}" ] && [ "$(id -u)" -eq 0 ] && has xz chroot || return 0
    python3 tests/oracle/elsewhere.py "$PDCONV" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/elsewhere $status
}

# Generated code that its program told of in /tmp/perf-PID.map: names as perf script has them.
run_perf_map() { # NAME COMMAND...
    name=$1
    shift
    (cd "$work" && perf record -q -e cpu-clock:u -F 999 -g -o "$name.map.data" "$@" >"$work/out" 2>&1 &&
        python3 "$root/tests/oracle/generated_names.py" "$PDCONV" "$name.map.data" >>"$work/out" 2>&1)
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict "perf/map-$name" $status
    # Programs leave them behind.
    for pid in $(perf script -i "$work/$name.map.data" -F pid 2>/dev/null | sort -u); do
        rm -f "/tmp/perf-$pid.map"
    done
}

run_perf_maps() {
    [ "$(uname -m)" = x86_64 ] && run_perf_map c "$BUILD/tests/oracle/jit_map"
    has node && run_perf_map node node --perf-basic-prof --interpreted-frames-native-stack fib.js
    has java javac || return 0
    cat >"$work/Fib.java" <<EOF
public class Fib {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static long spin(int n) { long s = 0; for (int i = 0; i < n; i++) s += (s << 3) ^ i ^ fib(5); return s; }
    public static void main(String[] a) { for (long t = 0, end = System.currentTimeMillis() + 1000; System.currentTimeMillis() < end;) t += spin(20000); }
}
EOF
    javac -d "$work" "$work/Fib.java" && run_perf_map java java -XX:+PreserveFramePointer \
        -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Fib
}

# Captured stacks made call chains: perf report and perf script show the same as before.
run_perf_perfdata() {
    python3 tests/oracle/perfdata.py "$PDCONV" "$BUILD/tests/oracle/rewrite" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/perfdata $status
}

# The kernel that runs here, where it lets itself be recorded and shows its addresses.
run_perf_kernel() {
    perf record -q -a -g -e cpu-clock:k -F 499 -o "$work/kernel.data" ls -R /usr/include >/dev/null 2>&1 || return 0
    perf script -i "$work/kernel.data" -F ip,sym 2>/dev/null | grep -q do_syscall || return 0
    python3 tests/oracle/kernel_names.py "$PDCONV" "$work/kernel.data" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/kernel-names $status
}

# The format script, line by line as perf script has it.
run_perf_script() {
    python3 tests/oracle/script.py "$PDCONV" testdata "$work" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/script $status
}

# A program recorded here and now: chains as perf script has them, and a conversion without loss.
# Folded stacks against perf's text, folded.
run_perf_folded() {
    c++ -O2 -g -fno-omit-frame-pointer -o "$work/framed" tests/oracle/program.cpp &&
        perf record -q -e cpu-clock -F 1999 -g -o "$work/framed.fp" "$work/framed" >"$work/out" 2>&1 &&
        perf record -q -e cpu-clock:u -F 1999 --call-graph dwarf,32768 -o "$work/framed.dwarf" "$work/framed" >"$work/out" 2>&1 &&
        python3 tests/oracle/folded.py "$PDCONV" "$work/framed.fp" "$work/framed.dwarf" >"$work/out" 2>&1 &&
        python3 tests/oracle/folded.py "$PDCONV" "$work/framed.fp" -- --kernel >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/folded $status
}

# What pprof makes of what is written for it.
run_pprof() {
    has go python3 || return 0
    python3 tests/oracle/pprof.py "$PDCONV" testdata >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict pprof $status
}

run_perf() {
    has perf python3 c++ || return 0
    work=$scratch/perf
    mkdir -p "$work"
    python3 tests/oracle/event_names.py "$BUILD/tests/oracle/names" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/event-names $status
    perf record -q -e cpu-clock:u -o "$work/try" true >/dev/null 2>&1 || return 0
    for group in cpu-clock,page-faults,context-switches cpu-clock,page-faults; do
        perf record -q -e "{$group}:S" -o "$work/$group" ls -R /usr/include >"$work/out" 2>&1
    done
    perf record -q -a -e '{cpu-clock,page-faults}:S' -c 1000000 -o "$work/all" ls -R /usr/include >"$work/out" 2>&1
    python3 tests/oracle/group_periods.py "$PDCONV" "$work"/cpu-clock,* "$work/all" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/group-periods $status
    run_perf_events
    run_perf_tracepoints
    run_perf_generated
    run_perf_elsewhere
    run_perf_maps
    run_perf_kernel
    run_perf_folded
    run_perf_perfdata
    run_perf_script
    c++ -O2 -g -o "$work/program" tests/oracle/program.cpp &&
        perf record -q -e cpu-clock:u -F 1999 --call-graph dwarf,32768 -o "$work/perf.data" "$work/program" >"$work/out" 2>&1
    verdict perf/record $? || return
    python3 tests/oracle/against_perf.py --least 99.5 "$BUILD/tests/oracle/chains" "$work/perf.data" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/chains $status
    "$PDCONV" "$work/perf.data" --folded >"$work/folded" 2>"$work/out" && grep -q ';main;.*walk' "$work/folded"
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/names $status
}

# The same program through a pipe, and by several threads: as many samples as perf finds.
# Recordings made here and now in every mode that perf has: counts as perf script -D has them.
run_modes() {
    has perf python3 || return 0
    work=$scratch/modes
    mkdir -p "$work"
    perf record -q -e cpu-clock:u -o "$work/try" true >/dev/null 2>&1 || return 0
    mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
    python3 tests/oracle/modes.py "$PDCONV" "$work"
    verdict perf/modes $?
}

# Names with files of a real debuginfod server, and of servers that are no good.
run_debuginfod() {
    has debuginfod python3 objcopy strip || return 0
    python3 tests/oracle/debuginfod.py "$PDCONV" testdata >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict debuginfod $status
}

# Every instruction of programs named as llvm-symbolizer names it. With NAMES=all every form of debug
# information and every machine.
run_names() {
    has python3 llvm-symbolizer objdump readelf || return 0
    quick=--quick
    [ "${NAMES:-}" != all ] || quick=
    python3 tests/oracle/addr2line.py $quick "$BUILD/tests/oracle/addresses" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict names/addr2line $status
    python3 tests/oracle/plt.py "$BUILD/tests/oracle/addresses" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || grep -v ' 0 wrong$' "$scratch/out"
    verdict names/plt $status
    has perf ldd c++filt || return 0
    python3 tests/oracle/symbols.py "$BUILD/tests/oracle/addresses" "$PDCONV" \
        $(ldd "$PDCONV" | awk '$3 ~ /^\// { print $3 }') >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict names/symbols $status
}

# Programs stepped one instruction after the other: chains as they truly are.
run_unwind() {
    has python3 gcc || return 0
    python3 tests/unwind/run.py --build "$BUILD" --verdicts "$scratch/verdicts" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    [ -s "$scratch/verdicts" ] || verdict unwind 1
    while read -r name status; do
        verdict "$name" "$status"
    done <"$scratch/verdicts"
}

# Conversions of every recording, every format, with every access to memory watched.
run_valgrind() {
    has valgrind || return 0
    for recording in testdata/*/perf.data; do
        dir=${recording%/perf.data}
        name=${dir#testdata/}
        case $name in
        compressed | piped) dir=testdata/nested ;;
        parallel) dir=testdata/threads ;;
        esac
        for format in report pprof folded script perfdata; do
            valgrind -q --error-exitcode=9 --leak-check=full --log-file="$scratch/valgrind" \
                "$PDCONV" "$recording" -q -j 2 --symfs /nonexistent --debug-paths "$dir" -f $format -o "$scratch/out"
            status=$?
            [ $status -eq 0 ] || head -n 40 "$scratch/valgrind"
            verdict "valgrind/$name-$format" $status
        done
    done
}

# A while of damaged recordings, chosen by what they reach.
run_fuzz() {
    has clang || return 0
    make --no-print-directory -s BUILD=build FUZZ_SECONDS="${FUZZ_SECONDS:-30}" fuzz >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || tail -n 40 "$scratch/out"
    verdict fuzz $status
}

for kind in ${*:-layering unit cli library names recordings rewrites perf modes pprof debuginfod unwind}; do
    run_$kind
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
