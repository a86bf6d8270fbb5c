#!/bin/sh
# Run tests by kind. Each kind prints a line when it starts and a line with its counts when it ends; a test that fails
# prints its name, the command that runs it alone, and its output. The last line is "N passed, N failed", with
# ", N skipped" if there were any; the line before has the versions of compilers and tools if several kinds were run.
#
# usage: BUILD=build tests/run.sh [--list | KIND|KIND/TEST...]
# Without arguments: every kind except those that tests/kinds.txt has as `named`. --list prints the kinds and what they test.
# A line shows at least every ten seconds what is running.
#   QUICK=1     run the quick part of the kinds that have one. Without arguments, kinds that record programs run at the same
#               time as the others, which have a lower priority.
#   GOLDEN=1    the command line tests rewrite their expected output
#   V=1         print each test and its time
#   FAILURES=all  the kind failures lets each allocation and call fail, not a sample
#   FAILURES=stacks  it lets the first and the last allocation with the same callers fail
#   MUTATE_RUNS=N  how often the kind mutate runs pdconv (default: 2000, or 500 if QUICK is set)
#   LANGUAGES=all  the kind languages runs every language, after installing its packages
#   NAMES=all   the kind names runs every form of debug information and every machine
#   PERFDATA    directory with recordings by other tools (default: ../shared/perfdata)
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
BUILD=${BUILD:-build}
MAKE_BUILD=$BUILD
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
PDCONV=$BUILD/pdconv
PERFDATA=${PERFDATA:-../shared/perfdata}
QUICK=${QUICK:-}
SAN=${SAN:-}
PLAIN=${PLAIN:-}
export root BUILD PDCONV QUICK
scratch=$(mktemp -d)
top=$scratch
# Keep caches out of the user's home. Besides, perf 6.1 crashes if two of its processes write to one build id cache.
export RUSTUP_HOME="${RUSTUP_HOME:-${HOME:-}/.rustup}"
export XDG_CACHE_HOME="$scratch/cache" HOME="$scratch/home"
# perf sets it for what it records, which may be this program.
unset PERF_BUILDID_DIR
mkdir "$HOME"
# Go compiles its library, and tools such as pprof, when they are used first. Keep them for the next run. The folder is hidden
# from the makefile, which looks for *.d in $BUILD.
export GOCACHE="${GOCACHE:-$BUILD/.go-cache}"
trap leave EXIT
# Processes in the background ignore Ctrl-C.
lanes=
trap 'kill $lanes 2>/dev/null; exit 130' INT TERM
leave() {
    [ ! -s "$top/reporter" ] || kill "$(cat "$top/reporter")" 2>/dev/null
    rm -rf "$top"
}
# Names of what is running: one file for each of the runs at the same time.
running=$scratch/running
mkdir "$running"
# LLVM brings thread-local storage that is allocated when it is used first. Sanitizers of 2022 guess from such a block's
# address that glibc 2.19 made it, and the search for leaks then crashes on what they take for its bounds.
export ASAN_OPTIONS="intercept_tls_get_addr=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# Timeout of one test in seconds. It is only for tests that hang: at the lowest priority, with sanitizers and next to a build, a
# test can take a hundred times as long as it does alone.
LIMIT=1200
# Exit status of a test that cannot run here. Its last line of output is the reason.
export SKIPPED=77

passed=0
failed=0
skipped=0

skip() { # NAME REASON
    skipped=$((skipped + 1))
    printf '%-12s skipped: %s\n' "$1" "$2"
}

# Succeed if the test NAME records live programs: its kind does, or it does itself. If such a test fails, it runs again, alone,
# and has failed if it fails twice: a fault comes back, a machine that was busy for a moment does not.
records_now() { # NAME
    case $1 in
    # They build on each other, so none can run alone.
    library/*) return 1 ;;
    annotate/perf | index/files | unit/capture/* | unit/api/*) return 0 ;;
    esac
    case " $live_kinds " in *" ${1%%/*} "*) return 0 ;; esac
    return 1
}

# Tests that failed and are to run again. If repeated is set, they are running again now.
disagreed=
repeated=

# Run the failed tests of the kind that has ended again, in a new directory: what the first run left there could make the
# second fail. One that is skipped then has failed.
repeat_disagreed() {
    repeated=1
    first_scratch=$scratch
    scratch=$(mktemp -d "$top/again.XXXXXX")
    again=$disagreed
    disagreed=
    n_skipped=$skipped
    for only in $again; do
        n_counted=$((passed + failed))
        "run_${only%%/*}"
        skipped=$n_skipped
        [ $((passed + failed)) -gt $n_counted ] || verdict "$only" 1
    done
    scratch=$first_scratch
    repeated=
}

verdict() { # NAME STATUS [OUTPUT-FILE]
    if [ "$2" -ne 0 ] && [ "$2" -ne $SKIPPED ] && [ -z "$repeated" ] && records_now "$1"; then
        disagreed="$disagreed $1"
        printf 'AGAIN  %s, which failed:\n' "$1"
        [ ! -s "${3:-}" ] || sed 's/^/  /' "$3"
    elif [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    elif [ "$2" -eq $SKIPPED ]; then
        skip "$1" "$(tail -n 1 "${3:-/dev/null}")"
    else
        failed=$((failed + 1))
        # Tests of the installed library build on each other.
        case $1 in library/*) alone=library ;; *) alone=$1 ;; esac
        printf 'FAILED %s\n  alone: make check-run KINDS=%s%s\n' "$1" "$alone" "$MAKE_WORDS"
        [ ! -s "${3:-}" ] || sed 's/^/  /' "$3"
    fi
    show_running "${1%%/*}"
    [ -z "${V:-}" ] || show_times "$1" "$2"
    return "$2"
}

# Print when a test of the kind that runs has ended, and the CPU time of the tests so far.
show_times() { # NAME STATUS
    times >"$scratch/times"
    printf '%-40s status %d, at %d s, %d s of CPU\n' "$1" "$2" $(($(date +%s) - begun)) \
        "$(awk -F '[ ms]+' 'NR == 2 { printf "%d", 60 * $1 + $2 + 60 * $3 + $4 }' "$scratch/times")"
}

# How the tests were built, as arguments of make.
MAKE_WORDS=
[ "$MAKE_BUILD" = build ] || MAKE_WORDS=" BUILD=$MAKE_BUILD${SAN:+ SAN=$SAN}"

# The file in $running that this shell writes.
lane=tests
show_running() { # NAME
    echo "$1" >"$running/$lane"
}

# Print every nine seconds what is running.
report_running() {
    while sleep 9 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        printf 'running      %s, after %d s\n' "$(cat "$running"/* | paste -s -d , - | sed 's/,/, /g')" $(($(date +%s) - started_at))
    done
}

# Succeed if the test NAME is among those asked for. It is if its whole kind is, or if it is named itself.
only=
wanted() { # NAME
    case $only in '' | "$1") return 0 ;; esac
    return 1
}

# Run COMMAND as the test NAME; its output is shown only if it fails.
run_test() { # NAME COMMAND...
    test_name=$1
    shift
    wanted "$test_name" || return 0
    show_running "$test_name"
    "$@" >"$scratch/out" 2>&1
    verdict "$test_name" $? "$scratch/out"
}

# Count the tests of a program that wrote a line "NAME STATUS" for each to FILE, and its output to $scratch/out. If it ended with
# another STATUS than 0, but no test failed, it did not run all of them: KIND fails.
count_verdicts() { # KIND FILE STATUS
    [ -e "$2" ] || : >"$2"
    while read -r name status reason; do
        echo "$reason" >"$scratch/reason"
        verdict "$name" "$status" "$scratch/reason"
    done <"$2"
    [ "$3" -eq 0 ] || awk -v skipped=$SKIPPED '$2 != 0 && $2 != skipped { n++ } END { exit !n }' "$2" ||
        verdict "$1" "$3" "$scratch/out"
}

has() { # TOOL...
    for tool; do
        case $tool in
        # A module, which Debian has in a package of its own.
        python3-venv) python3 -c 'import ensurepip' ;;
        *) command -v "$tool" ;;
        esac >/dev/null 2>&1 || return 1
    done
}

# Succeed if every TOOL is installed; otherwise count NAME as skipped.
needs() { # NAME TOOL...
    needed_by=$1
    shift
    absent=
    for tool; do
        has "$tool" || absent="$absent $tool"
    done
    [ -n "$absent" ] || return 0
    wanted "$needed_by" || [ "${only%%/*}" = "$needed_by" ] || return 1
    case $absent in
    ' '*' '*) skip "$needed_by" "${absent# } are not installed" ;;
    *) skip "$needed_by" "${absent# } is not installed" ;;
    esac
    return 1
}

. tests/kinds.sh
. tests/run_source.sh
. tests/run_unit.sh
. tests/run_cli.sh
. tests/run_library.sh
. tests/run_oracle.sh
. tests/run_perf.sh
. tests/run_web.sh
. tests/run_wasm.sh

run_kind() { # KIND
    case " $every_kind " in
    *" $1 "*) ;;
    *) echo "there is no kind of tests '$1'; there are: $every_kind" >&2; exit 2 ;;
    esac
    what=$(kinds tests name "$1")
    printf '%-12s %s ...\n' "$1" "$what"
    show_running "$1"
    before_passed=$passed
    before_failed=$failed
    before_skipped=$skipped
    begun=$(date +%s)
    "run_$1"
    [ -z "$disagreed" ] || repeat_disagreed
    now_skipped=$((skipped - before_skipped))
    if [ $((passed - before_passed + failed - before_failed)) -eq 0 ]; then
        [ $now_skipped -gt 0 ] || { echo "there is no test '${only:-$1}'" >&2; exit 2; }
        return 0
    fi
    printf '%-12s %4d passed, %d failed%s %6d s\n' "$1" $((passed - before_passed)) $((failed - before_failed)) \
        "$([ $now_skipped -eq 0 ] || echo ", $now_skipped skipped")" $(($(date +%s) - begun))
}

# Print the versions of what programs are built, recorded and compared with, as far as it is installed.
versions() {
    getconf GNU_LIBC_VERSION
    while read -r tool name command; do
        has "$tool" || continue
        version=$($command 2>&1 | grep -o '[0-9][0-9]*\(\.[0-9][0-9]*\)*' | head -n 1)
        [ -z "$version" ] || echo "$name $version"
    done <<TABLE
gcc gcc gcc -dumpfullversion
clang clang clang --version
ld binutils ld -v
perf perf perf --version
python3 Python python3 --version
go Go go version
rustc Rust rustc --version
java Java java -version
node Node node --version
llvm-symbolizer LLVM llvm-symbolizer --version
TABLE
}

# perf mounts tracefs by itself. Where that is not allowed there are no tracepoints.
[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null

every_kind=$(echo $(kinds name runs "check live named"))
live_kinds=$(echo $(kinds name runs live))
if [ "${1:-}" = --list ]; then
    for kind in $every_kind; do
        printf '%-12s %s\n' "$kind" "$(kinds tests name "$kind")"
    done
    exit 0
fi
live=
if [ $# -eq 0 ]; then
    set -- $(kinds name runs "check live")
    [ -z "$QUICK" ] || live=$live_kinds
fi
if [ $# -gt 1 ]; then
    echo "Testing $MAKE_BUILD: $# kinds${QUICK:+, the quick part (make check-all runs everything)}." \
        "One kind alone: make check-run KINDS=$1"
    started_at=$(date +%s)
    # Not a child of this shell, which waits for its children.
    (report_running & echo $! >"$scratch/reporter")
fi

# Run those kinds that no other lane has taken.
taken=
run_kinds() { # KIND|KIND/TEST...
    for word; do
        [ -z "$taken" ] || mkdir "$taken/$word" 2>/dev/null || continue
        case $word in */*) only=$word ;; *) only= ;; esac
        run_kind "${word%%/*}"
    done
}

# Run kinds with caches of their own, at a lower priority by NICE. Write the counts to $scratch/counts/NAME.
run_lane() { # NAME NICE KIND...
    lane=$1
    [ "$2" -eq 0 ] || renice -n "$2" -p "$(exec sh -c 'echo $PPID')" >/dev/null 2>&1
    counts=$scratch/counts/$lane
    scratch=$scratch/$lane
    shift 2
    export XDG_CACHE_HOME="$scratch/cache" HOME="$scratch/home"
    mkdir -p "$HOME"
    run_kinds "$@"
    rm -f "$running/$lane"
    echo "$passed $failed $skipped" >"$counts"
}

if [ -n "$live" ]; then
    others=
    for kind; do
        case " $live " in *" $kind "*) ;; *) others="$others $kind" ;; esac
    done
    taken=$scratch/taken
    mkdir "$scratch/counts" "$taken"
    run_lane live 0 $live &
    lanes=$!
    # Two for the others, because tests wait now and then.
    for lane in first second; do
        run_lane $lane 10 $others &
        lanes="$lanes $!"
    done
    wait
    for lane in live first second; do
        # Without counts, the lane has ended early.
        read -r n_passed n_failed n_skipped <"$scratch/counts/$lane" || n_passed=0 n_failed=1 n_skipped=0
        passed=$((passed + n_passed))
        failed=$((failed + n_failed))
        skipped=$((skipped + n_skipped))
    done
else
    run_kinds "$@"
fi
[ $# -eq 1 ] || echo "with $(versions 2>/dev/null | paste -sd , - | sed 's/,/, /g')"
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ] && [ $passed -gt 0 ]
