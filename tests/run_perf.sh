# Kinds that record by perf or compare with it; read by tests/run.sh.

# Succeed if this user may record in this way here; otherwise count NAME as skipped.
can_record() { # NAME OPTIONS...
    recorded_by=$1
    shift
    mkdir -p "$scratch/try"
    perf record -q "$@" -o "$scratch/try/perf.data" true >"$scratch/try/out" 2>&1 && return 0
    skip "$recorded_by" "perf record $* is not permitted or not supported here"
    return 1
}

# Fields of tracepoints, against those that perf hands to Python scripts.
perf_trace_fields() {
    set -- testdata/tracepoints/perf.data
    if perf record -q -a -e 'sched:sched_*,task:*,signal:*,syscalls:sys_enter_openat' -o "$work/traces" ls; then
        set -- "$@" "$work/traces"
    fi
    python3 tests/oracle/trace_fields.py "$BUILD/tests/oracle/traces" "$@"
}

run_perf_trace_fields() {
    if perf version --build-options 2>/dev/null | grep -q 'libpython: .* on'; then
        run_test perf/trace-fields perf_trace_fields
    else
        skip perf/trace-fields "perf was built without Python"
    fi
}

# Texts of all tracepoints of this kernel, against those of perf script.
run_perf_trace_prints() {
    if [ -r /sys/kernel/tracing/events/header_page ] && ! grep -q '^0* . _text$' /proc/kallsyms; then
        run_test perf/trace-prints python3 tests/oracle/trace_prints.py "$PDCONV" "$work"
    else
        skip perf/trace-prints "the formats of tracepoints and the addresses of the kernel need root"
    fi
}

# Loops until the code is compiled, however busy the machine is.
write_fib() {
    cat >"$work/fib.js" <<PROGRAM
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sorted(n) { return Array.from({length: n}, (_, i) => i * 7919 % 1009).sort(function order(a, b) { for (let i = 0; i < 99; i++) a ^= i * b; return a; }); }
for (let end = Date.now() + 1500, n = 0; n < 3000 || Date.now() < end; n++) { fib(16); sorted(200); }
PROGRAM
}

# Succeed if PERCENT of the unwound stacks reach the root, with those that may lack a caller.
reach_root() { # PERCENT RECORDING
    "$PDCONV" info --json --quiet "$2" >"$work/info.json" && python3 - "$1" "$work/info.json" <<PROGRAM
import json, sys
walks = json.load(open(sys.argv[2]))["walks"]
total = walks["walked"]["samples"]
reached = sum(walks["ends"].get(end, {"samples": 0})["samples"] for end in ("ROOT", "ROOT_DOUBTFUL"))
print(f"{reached} of {total} stacks reach the root: {walks['ends']}")
sys.exit(reached * 100 < total * float(sys.argv[1]) or not total)
PROGRAM
}

# Stacks that enter generated code and leave it again, by the jitdump of node. 5 to 8 % begin in a builtin of V8 that keeps
# no frame pointer, so that their caller may be missing: 91.7 to 95.4 % of ten recordings count as rooted, all reach the root.
perf_generated() {
    (cd "$work" && perf record -q -k mono -e cpu-clock:u -F 999 --call-graph dwarf,32768 -o node.data \
        node --perf-prof --perf-prof-unwinding-info fib.js) &&
        reach_root 95 "$work/node.data" &&
        "$PDCONV" "$work/node.data" --folded --fail-under-rooted 88 >"$work/folded" &&
        grep -q ';_start;.*;JS:.*fib ' "$work/folded" && grep -q ';JS:.*sorted .*;JS:.*order ' "$work/folded"
}

# Free Pascal's .debug_frame is not usable, which is shown; stacks are complete by the instructions. That of a C program is.
perf_pascal() {
    cat >"$work/fib.pas" <<PROGRAM
program main;
function fib(n: longint): longint;
begin
  if n < 2 then fib := n else fib := fib(n - 1) + fib(n - 2);
end;
begin
  halt(ord(fib(36) = 0));
end.
PROGRAM
    cat >"$work/fib.c" <<PROGRAM
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return !fib(38); }
PROGRAM
    fpc -v0 -g -o"$work/pascal" -FU"$work" "$work/fib.pas" &&
        cc -g -O1 -static -fno-asynchronous-unwind-tables -o "$work/c" "$work/fib.c" || return
    for program in pascal c; do
        perf record -q -e cpu-clock:u -F 999 --call-graph dwarf -o "$work/$program.data" "$work/$program" &&
            "$PDCONV" info --binaries "$work/$program.data" >"$work/$program.text" &&
            "$PDCONV" info --binaries --json "$work/$program.data" >"$work/$program.json" || return
    done
    grep "^    \.debug_frame is not usable" "$work/pascal.text" &&
        grep '"unusable_debug_frame": true' "$work/pascal.json" &&
        "$PDCONV" "$work/pascal.data" --folded --fail-under-rooted 99 -o "$work/folded" &&
        ! grep "debug_frame" "$work/c.text" "$work/c.json"
}

# Names in a root directory without the recorded programs, from copies of them.
run_perf_elsewhere() {
    [ -z "${SAN:-}" ] || { skip perf/elsewhere "not built for sanitizers"; return 0; }
    [ "$(id -u)" -eq 0 ] || { skip perf/elsewhere "only root can change the root directory"; return 0; }
    needs perf/elsewhere xz chroot pivot_root llvm-dwp || return 0
    run_test perf/elsewhere python3 tests/oracle/elsewhere.py "$PDCONV"
}

run_perf_replaced() {
    [ "$(id -u)" -eq 0 ] || { skip perf/replaced "only root can change the root directory"; return 0; }
    needs perf/replaced gcc chroot unshare || return 0
    run_test perf/replaced python3 tests/oracle/replaced.py "$PDCONV"
}

run_perf_probes() {
    [ -w /sys/kernel/tracing/uprobe_events ] || { skip perf/probes "probes cannot be set"; return 0; }
    needs perf/probes gcc nm || return 0
    run_test perf/probes python3 tests/oracle/probes.py "$PDCONV"
}

# Remove the maps that the processes of a recording left in /tmp.
remove_maps() { # RECORDING
    for pid in $(perf script -i "$1" -F pid 2>/dev/null | sort -u); do
        rm -f "/tmp/perf-$pid.map"
    done
}

# Names of generated code from /tmp/perf-PID.map, against perf script.
perf_map() { # NAME COMMAND...
    name=$1
    shift
    (cd "$work" && perf record -q -e cpu-clock:u -F 999 -g -o "$name.map.data" "$@" &&
        python3 "$root/tests/oracle/generated_names.py" "$PDCONV" "$name.map.data")
    status=$?
    remove_maps "$work/$name.map.data"
    return $status
}

write_java() {
    cat >"$work/Fib.java" <<PROGRAM
public class Fib {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static long spin(int n) { long s = 0; for (int i = 0; i < n; i++) s += (s << 3) ^ i ^ fib(5); return s; }
    public static void main(String[] a) { for (long t = 0, end = System.currentTimeMillis() + 1000; System.currentTimeMillis() < end;) t += spin(20000); }
}
PROGRAM
}

perf_map_java() {
    write_java
    javac -d "$work" "$work/Fib.java" && perf_map java java -XX:+PreserveFramePointer \
        -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Fib
}

run_perf_maps() {
    if [ "$(uname -m)" = x86_64 ]; then
        run_test perf/map-c perf_map c "$BUILD/tests/oracle/jit_map"
    else
        skip perf/map-c "its program is for x86-64"
    fi
    if needs perf/generated node; then
        write_fib
        run_test perf/generated perf_generated
        run_test perf/map-node perf_map node node --perf-basic-prof --interpreted-frames-native-stack fib.js
    fi
    needs perf/pascal fpc && run_test perf/pascal perf_pascal
    needs perf/map-java java javac && run_test perf/map-java perf_map_java
}

# Functions of the running kernel, where it can be recorded and shows its addresses.
run_perf_kernel() {
    wanted perf/kernel-names || return 0
    perf record -q -a -g -e cpu-clock:k -F 499 -o "$work/kernel.data" ls -R /usr/include >/dev/null 2>&1 &&
        perf script -i "$work/kernel.data" -F ip,sym 2>/dev/null | grep -q do_syscall || {
        skip perf/kernel-names "the kernel cannot be recorded, or hides its addresses"
        return 0
    }
    run_test perf/kernel-names python3 tests/oracle/kernel_names.py "$PDCONV" "$work/kernel.data"
}

# Folded stacks, against the text of perf script, folded.
perf_folded() {
    c++ -O2 -g -fno-omit-frame-pointer -o "$work/framed" tests/oracle/program.cpp &&
        perf record -q -e cpu-clock -F 1999 -g -o "$work/framed.fp" "$work/framed" &&
        perf record -q -e cpu-clock:u -F 1999 --call-graph dwarf,32768 -o "$work/framed.dwarf" "$work/framed" &&
        python3 tests/oracle/folded.py "$PDCONV" "$work/framed.fp" "$work/framed.dwarf" &&
        python3 tests/oracle/folded.py "$PDCONV" "$work/framed.fp" -- --kernel
}

# Periods of the members of groups, against perf script.
perf_group_periods() {
    for group in cpu-clock,page-faults,context-switches cpu-clock,page-faults; do
        perf record -q -e "{$group}:S" -o "$work/$group" ls -R /usr/include || return
    done
    perf record -q -a -e '{cpu-clock,page-faults}:S' -c 1000000 -o "$work/all" ls -R /usr/include >/dev/null || return
    python3 tests/oracle/group_periods.py "$PDCONV" "$work"/cpu-clock,* "$work/all"
}

# Record a program with captured stacks into perf.data, unless that was done.
perf_record() {
    [ ! -s "$work/perf.data" ] || return 0
    c++ -O2 -g -o "$work/program" tests/oracle/program.cpp &&
        perf record -q -e cpu-clock:u -F 1999 --call-graph dwarf,32768 -o "$work/perf.data" "$work/program"
}

# Call chains, frame by frame, against perf script.
perf_chains() {
    perf_record && python3 tests/oracle/against_perf.py --least 99.5 "$BUILD/tests/oracle/chains" "$work/perf.data"
}

perf_names() {
    perf_record && "$PDCONV" "$work/perf.data" --folded >"$work/folded" && grep -q ';main;.*walk' "$work/folded"
}

# hints OPTIONS... -- COMMAND...: record a command, and print the hints of its report.
hints() {
    (cd "$work" && perf record -q -e cpu-clock -o hints.data "$@") >/dev/null 2>&1 &&
        "$PDCONV" "$work/hints.data" --stats -o /dev/null 2>&1 | sed -n '/^Hints/,$p'
}

# A hint where a runtime lacks something, and none where it does not.
perf_hints() {
    cat >"$work/fib.py" <<PROGRAM
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for n in range(20): fib(18)
PROGRAM
    cat >"$work/fib.pl" <<PROGRAM
sub fib { my \$n = shift; return \$n < 2 ? \$n : fib(\$n - 1) + fib(\$n - 2); }
fib(22);
PROGRAM
    perf_record || return
    # With room for samples: losses have a hint of their own.
    set -- -F 999 -m 2048 --call-graph dwarf,32768
    hints "$@" python3 "$work/fib.py" | grep 'samples in the interpreter of CPython' || return
    hints "$@" perl "$work/fib.pl" | grep 'samples in the interpreter of Perl' || return
    hints "$@" "$work/program" >"$work/program.hints" || return
    cat "$work/program.hints"
    [ ! -s "$work/program.hints" ]
}

perf_hints_node() {
    hints -F 999 -g node "$work/fib.js" >"$work/node.hints" || return
    grep 'code without names, generated by V8: run node' "$work/node.hints" || return
    hints -F 999 -g node --perf-basic-prof --interpreted-frames-native-stack "$work/fib.js" >"$work/node.hints"
    status=$?
    remove_maps "$work/hints.data"
    [ $status -eq 0 ] && ! grep -E 'V8|generated code' "$work/node.hints"
}

# Processes that live shorter than a period are missing in the recording of a program, not in that of all CPUs.
perf_hints_short() {
    set -- -F 99 sh -c 'for i in $(seq 300); do /bin/true; done'
    hints "$@" | grep 'processes and threads lived shorter than the sampling period' || return
    can_record perf/hints-all-cpus -a -e cpu-clock && ! hints -a "$@" | grep 'lived shorter'
}

# Waits by the switches of the scheduler, against what the program measured and perf sched.
perf_ledger() {
    cc -O1 -g -pthread -o "$work/clock" testdata/clock/clock.c &&
        python3 tests/oracle/ledger.py "$PDCONV" "$work/clock" "$work"
}

# The critical path, against a program that knows it.
perf_critical_path() {
    cc -O1 -g -pthread -o "$work/paths" testdata/paths/paths.c &&
        python3 tests/oracle/critical_path.py "$PDCONV" "$work/paths" "$work"
}

perf_waits() {
    cc -O1 -g -pthread -o "$work/waiter" tests/oracle/programs/waits.c &&
        python3 tests/oracle/waits.py "$PDCONV" "$work/waiter" "$work"
}

run_perf() {
    needs perf perf python3 c++ || return 0
    work=$scratch/perf
    mkdir -p "$work"
    oracle=$BUILD/tests/oracle
    run_test perf/event-names python3 tests/oracle/event_names.py "$oracle/names"
    can_record perf -e cpu-clock:u || return 0
    run_perf_trace_fields
    run_perf_trace_prints
    run_perf_probes
    run_perf_kernel
    run_test perf/synth python3 tests/oracle/synth.py "$oracle/synth_all" "$PDCONV" "$work"
    run_test perf/events python3 tests/oracle/events.py "$oracle/event_attrs" "$oracle/probe_count" "$work"
    run_test perf/perfdata python3 tests/oracle/perfdata.py "$PDCONV" "$oracle/rewrite"
    run_test perf/script python3 tests/oracle/script.py "$PDCONV" testdata "$work"
    run_test perf/report python3 tests/oracle/report.py "$PDCONV" testdata "$work" "$PERFDATA"
    can_record perf/ledger -a -e sched:sched_switch && run_test perf/ledger perf_ledger
    can_record perf/waits -a -e sched:sched_switch && run_test perf/waits perf_waits
    can_record perf/wakers -a -e sched:sched_switch && run_test perf/wakers python3 tests/oracle/wakers.py "$PDCONV" "$work/wakers"
    run_test perf/chains perf_chains
    run_test perf/names perf_names
    run_test perf/hints perf_hints
    # A quick run ends here.
    [ -z "$QUICK" ] || return 0
    can_record perf/intervals -a -e raw_syscalls:sys_enter && run_test perf/intervals python3 tests/oracle/intervals.py "$PDCONV" "$work/intervals"
    can_record perf/critical-path -a -e sched:sched_switch && run_test perf/critical-path perf_critical_path
    run_test perf/group-periods perf_group_periods
    run_test perf/diff python3 tests/oracle/diff.py "$PDCONV" testdata --perf
    run_perf_elsewhere
    run_perf_replaced
    needs perf/nameless gcc strip go && run_test perf/nameless python3 tests/oracle/nameless.py "$PDCONV"
    run_perf_maps
    run_test perf/folded perf_folded
    run_test perf/hints-short perf_hints_short
    needs perf/hints-node node && write_fib && run_test perf/hints-node perf_hints_node
}

# Run a script of cases, each of which is a test, and count them.
run_cases() { # KIND SCRIPT ARGUMENTS...
    kind=$1
    shift
    rm -f "$scratch/verdicts"
    VERDICTS="$scratch/verdicts" ONLY="${only#"$kind"/}" python3 "$@" >"$scratch/out" 2>&1
    end=$?
    # Without verdicts the kind is skipped, or has failed.
    [ -s "$scratch/verdicts" ] || { verdict "$kind" $end "$scratch/out"; return; }
    count_verdicts "$kind" "$scratch/verdicts" $end
}

# Programs recorded by pdconv, against perf's recordings of the same programs.
run_record() {
    # The verifier does not depend on the machine where the program reads no registers.
    if [ -e "$BUILD/tests/bpf/sample.aarch64.bpf.o" ]; then
        run_test record/bpf-aarch64 "$BUILD/tests/oracle/bpf_load" "$BUILD/tests/bpf/sample.aarch64.bpf.o"
    else
        skip record/bpf-aarch64 "clang, libbpf or the headers of AArch64 are not installed"
    fi
    needs record perf python3 cc && can_record record -e cpu-clock -a || return 0
    mkdir -p "$scratch/record"
    run_cases record tests/oracle/record.py "$PDCONV" tests/oracle/folded.py "$BUILD/tests/oracle/record_all" \
        "$scratch/record"
}

run_faults() {
    needs faults perf python3 cc prlimit taskset && can_record faults -e cpu-clock -a || return 0
    mkdir -p "$scratch/faults"
    # Some cases run as a user without rights.
    chmod a+x "$top" "$scratch"
    run_cases faults tests/oracle/faults.py "$PDCONV" "$BUILD/tests/oracle/offline" "$scratch/faults"
}

run_modes() {
    needs modes perf python3 && can_record modes -e cpu-clock:u || return 0
    mkdir -p "$scratch/modes"
    run_test modes/counts python3 tests/oracle/modes.py "$PDCONV" "$scratch/modes"
}
