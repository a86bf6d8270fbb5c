# The kinds of tests that record by perf, or compare with it; read by tests/run.sh.

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
# As often as it takes to be compiled, however busy the machine is.
run_perf_generated() {
    has node || return 0
    cat >"$work/fib.js" <<EOF
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sorted(n) { return Array.from({length: n}, (_, i) => i * 7919 % 1009).sort(function order(a, b) { for (let i = 0; i < 99; i++) a ^= i * b; return a; }); }
for (let end = Date.now() + 1500, n = 0; n < 3000 || Date.now() < end; n++) { fib(16); sorted(200); }
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

# What was there before recording began, and the features of the header, field by field.
run_perf_synth() {
    python3 tests/oracle/synth.py "$BUILD/tests/oracle/synth_all" "$PDCONV" "$work" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/synth $status
}

# Words of -e as perf takes them, and probes on a program.
run_perf_events() {
    python3 tests/oracle/events.py "$BUILD/tests/oracle/event_attrs" "$BUILD/tests/oracle/probe_count" "$work" >"$work/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$work/out"
    verdict perf/events $status
}

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

# Programs recorded here and now, beside perf's recordings of them.
run_record() {
    has perf python3 cc || return 0
    mkdir -p "$scratch/record"
    perf record -q -e cpu-clock -a -o "$scratch/record/try" true >/dev/null 2>&1 || return 0
    python3 tests/oracle/record.py "$PDCONV" tests/oracle/folded.py "$BUILD/tests/oracle/record_all" "$scratch/record" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict record $status
}

# Recordings in which something goes wrong.
run_faults() {
    has perf python3 cc prlimit taskset || return 0
    mkdir -p "$scratch/faults"
    # Users without rights must get there.
    chmod a+x "$scratch"
    mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
    perf record -q -e cpu-clock -a -o "$scratch/faults/try" true >/dev/null 2>&1 || return 0
    python3 tests/oracle/faults.py "$PDCONV" "$scratch/faults" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict faults $status
}

# What pprof makes of what is written for it.
run_pprof() {
    has go python3 || return 0
    python3 tests/oracle/pprof.py "$PDCONV" testdata >"$scratch/out" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$scratch/out"
    verdict pprof $status
}

# A program recorded here and now: chains as perf script has them, and a conversion without loss.
run_perf() {
    has perf python3 c++ || return 0
    work=$scratch/perf
    mkdir -p "$work"
    run_perf_kinds
}

run_perf_kinds() {
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
    run_perf_tracepoints
    run_perf_generated
    run_perf_elsewhere
    run_perf_maps
    run_perf_kernel
    run_perf_synth
    run_perf_events
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

# Recordings made here and now in every mode that perf has: counts as perf script -D has them.
run_modes() {
    has perf python3 || return 0
    work=$scratch/modes
    mkdir -p "$work"
    perf record -q -e cpu-clock:u -o "$work/try" true >/dev/null 2>&1 || return 0
    python3 tests/oracle/modes.py "$PDCONV" "$work"
    verdict perf/modes $?
}
