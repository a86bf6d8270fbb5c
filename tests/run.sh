#!/bin/sh
# Run the tests and print a line for each that fails, then "N passed, N failed".
#
# usage: BUILD=build tests/run.sh [layering|unit|cli|library|names|recordings|rewrites|perf|record|faults|modes|pprof|debuginfod|unwind|valgrind|fuzz]...
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
# What is kept from one run to the next is kept here, and not where the user's own is; perf 6.1 even
# crashes if two of it write to one cache of build ids.
export RUSTUP_HOME="${RUSTUP_HOME:-${HOME:-}/.rustup}"
export XDG_CACHE_HOME="$scratch/cache" HOME="$scratch/home"
mkdir "$HOME"
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
        $(awk -F '[/:]' '/^[a-z]/ { print $1 }' tests/layering.txt | sort -u | xargs -I '{}' find '{}' -name '*.[ch]')
    verdict layering $?
    # The check itself must find what it looks for.
    finds_breach parse/bad.c '#include "output/formats.h"'
    finds_breach include/pdconv/bad.h '#include "base/map.h"'
    finds_breach include/pdconv/bad.h '#include <zstd.h>'
}

run_unit() {
    for source in tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c; do
        name=${source#tests/unit/}
        name=${name%.c}
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

. tests/run_library.sh

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

. tests/run_perf.sh

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

# As perf does by itself; where that is not allowed there are no tracepoints.
[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
for kind in ${*:-layering unit cli library names recordings rewrites perf record faults modes pprof debuginfod unwind}; do
    run_$kind
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
