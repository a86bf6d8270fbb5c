#!/bin/sh
# Build the programs of testdata and record them again with perf, in /tmp/pdconv-testdata.
#
# Recordings differ each time: run `make golden` afterwards, and read the differences.
# usage: testdata/record.sh [NAME ...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/pdconv-testdata
names=${*:-nested cxx threads forkexec signal fp compressed piped parallel group tracepoints touch deep jit trampoline bpf shop clock paths intervals interrupts wakers stages branches}
mkdir -p $work

build() { # SOURCE FLAGS...
    source=$1
    shift
    base=$(basename "$source")
    compiler=cc
    case $source in *.cpp) compiler=c++ ;; esac
    cp "$here/$source" $work/
    (cd $work && $compiler -O2 -g -gz -static -fno-optimize-sibling-calls -Wl,--build-id=sha1 "$@" "$base" -o "${base%.*}")
}

run_perf() { # PROGRAM OPTIONS...
    program=$1
    shift
    # Replace the host name in the recordings.
    (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
        perf record -q "$@" "./$program")
}

record_events() { # NAME PROGRAM OPTIONS...
    name=$1
    program=$2
    shift 2
    run_perf "$program" "$@" -o "$name.data"
    rm -rf "$here/$name/perf.data"
    cp -r $work/$name.data "$here/$name/perf.data"
}

record() { # NAME PROGRAM OPTIONS...
    name=$1
    program=$2
    shift 2
    record_events "$name" "$program" -e cpu-clock:u "$@"
}

keep() { # NAME PROGRAM
    strip --strip-debug -o "$here/$1/$2" $work/"$2"
}

# Record the program shop, which waits as much as it works, with pdconv. Each process is in a control group.
record_shop() { # FILE FLAGS...
    file=$1
    shift
    build shop/shop.c -pthread "$@"
    mkdir -p /sys/fs/cgroup/unified/blue /sys/fs/cgroup/unified/green
    (cd $work && unshare --uts sh -c 'hostname recorder; PATH=$1:$PATH; shift; exec "$@"' - "$here/.." \
        pdconv record -q --off-cpu --all-cgroups -F 999 -z --call-graph dwarf,4096 -o "$file" -- ./shop blue green)
    cp "$work/$file" "$here/shop/$file"
}

# Print the lines of kallsyms for the functions in the recordings, and the line after each.
keep_kallsyms() { # RECORDING...
    for recording; do
        perf script -i "$recording" -F ip,sym 2>/dev/null | awk '{ print $2 }'
        # Functions of timers need not be in a stack.
        perf script -i "$recording" -F trace 2>/dev/null | sed -n 's/.*function=\([^ ]*\).*/\1/p'
    done | sed 's/+0x.*//' | sort -u >$work/hit
    LC_ALL=C sort /proc/kallsyms | awk '
        NR == FNR { hit[$1]; next }
        after && $1 != last { print; after = 0 }
        $3 == "_text" || $3 == "_stext" || ($3 in hit) { print; after = 1 }
        { last = $1 }' $work/hit - | uniq
}

for name in $names; do
    case $name in
    nested)
        build nested/nested.c
        record nested nested -F 999 --call-graph dwarf,1024
        cp $work/nested "$here/nested/"
        ;;
    cxx)
        build cxx/cxx.cpp
        record cxx cxx -F 1499 --call-graph dwarf,4096
        cp $work/cxx "$here/cxx/"
        ;;
    threads)
        build threads/threads.c -pthread
        record threads threads -F 999 --call-graph dwarf,1024
        keep threads threads
        ;;
    forkexec)
        build forkexec/forkexec.c
        cp $work/forkexec $work/renamed
        record forkexec forkexec -F 999 --call-graph dwarf,1024
        keep forkexec forkexec
        ;;
    signal)
        build signal/signal.c
        record signal signal -F 999 --call-graph dwarf,2048
        keep signal signal
        ;;
    clock)
        build clock/clock.c -pthread
        # On one CPU, so that threads wait for it.
        (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
            perf record -q -z -B -m 4M -e sched:sched_switch -e sched:sched_waking -e cpu-clock:u --switch-events \
            -o clock.data taskset -c 0 ./clock >"$here/clock/times.txt")
        cp $work/clock.data "$here/clock/perf.data"
        ;;
    intervals)
        build intervals/intervals.c -pthread
        for probe in step step%return; do
            perf probe -q -f -x $work/intervals "$probe"
        done
        (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
            perf record -q -z -B -m 4M -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e 'probe_intervals:*' \
            -e irq:softirq_entry -e irq:softirq_exit -o intervals.data ./intervals >"$here/intervals/times.txt")
        perf probe -q -d 'probe_intervals:*'
        cp $work/intervals.data "$here/intervals/perf.data"
        ;;
    interrupts)
        build interrupts/interrupts.c -pthread
        enclosing=irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit
        enclosing=$enclosing,timer:hrtimer_expire_entry,timer:hrtimer_expire_exit
        enclosing=$enclosing,timer:timer_expire_entry,timer:timer_expire_exit
        enclosing=$enclosing,irq_vectors:local_timer_entry,irq_vectors:local_timer_exit
        for options in "events -e sched:sched_switch,sched:sched_waking,$enclosing" \
            "stacks -g -e sched:sched_switch,sched:sched_waking" "flags -e sched:sched_switch,sched:sched_waking"; do
            (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
                perf record -q -z -B -m 4M -o "${options%% *}.data" ${options#* } taskset -c 0 ./interrupts)
            cp "$work/${options%% *}.data" "$here/interrupts/"
        done
        perf script -i $work/events.data -F tid,cpu,event,trace | grep -v "sched_switch\|local_timer" |
            sed "s/  */ /g" >"$here/interrupts/events.txt"
        keep_kallsyms $work/events.data $work/stacks.data >"$here/interrupts/kallsyms"
        ;;
    paths)
        build paths/paths.c -pthread
        (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
            perf record -q -B -m 4M -e sched:sched_waking --switch-events \
            -o paths.data ./paths >"$here/paths/times.txt")
        cp $work/paths.data "$here/paths/perf.data"
        ;;
    wakers)
        build wakers/wakers.c -pthread
        (cd $work && unshare --uts sh -c 'hostname recorder; exec "$@"' - \
            perf record -q -z -B -m 4M -e sched:sched_switch -e sched:sched_waking -e cpu-clock \
            --switch-events --call-graph dwarf,1024 -o wakers.data ./wakers)
        cp $work/wakers.data "$here/wakers/perf.data"
        keep wakers wakers
        ;;
    deep)
        build deep/deep.c -O1 -nostdlib
        record deep deep -F 999 --call-graph dwarf,1024
        cp $work/deep "$here/deep/"
        ;;
    jit)
        build jit/jit.c -O1 -fomit-frame-pointer -fno-stack-protector -nostdlib
        rm -f $work/jit-*.dump "$here"/jit/jit-*.dump
        record jit jit -k mono -F 499 --call-graph dwarf,1024
        cp $work/jit $work/jit-*.dump "$here/jit/"
        ;;
    trampoline)
        build trampoline/trampoline.c -O1 -fomit-frame-pointer -fno-stack-protector -nostdlib
        rm -f $work/perf-*.map "$here"/trampoline/perf-*.map
        record trampoline trampoline -F 399 --call-graph dwarf,2048
        cp $work/trampoline $work/perf-*.map "$here/trampoline/"
        ;;
    fp)
        build fp/fp.c -O0 -fno-omit-frame-pointer
        record fp fp -F 999 -g
        keep fp fp
        ;;
    compressed)
        build nested/nested.c
        record compressed nested -F 999 -z --call-graph dwarf,1024
        ;;
    piped)
        build nested/nested.c
        run_perf nested -e cpu-clock:u -F 999 --call-graph dwarf,1024 -o - | cat >$work/piped.data
        cp $work/piped.data "$here/piped/perf.data"
        ;;
    parallel)
        build threads/threads.c -pthread
        record parallel threads -F 999 --threads --call-graph dwarf,1024
        ;;
    group)
        build nested/nested.c
        record_events group nested -F 999 -e '{cpu-clock:u,page-faults:u,context-switches}:S'
        ;;
    tracepoints)
        mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || true
        build forkexec/forkexec.c
        cp $work/forkexec $work/renamed
        record_events tracepoints forkexec \
            -e sched:sched_process_fork,sched:sched_process_exec,syscalls:sys_enter_execve
        ;;
    touch)
        build touch/touch.c -O1 -nostdlib
        record_events touch touch -e page-faults:u -c 1 -d
        cp $work/touch "$here/touch/"
        ;;
    shop)
        record_shop before.data
        cp $work/shop "$here/shop/shop"
        record_shop after.data -DEXTRA_TAX
        cp $work/shop "$here/shop/after/shop"
        # The build id of the kernel says that the file is the right one, on whatever machine it is read.
        id=$(perf buildid-list -i $work/before.data | awk '/kernel.kallsyms/ { print $1; exit }')
        kept=$here/shop/.build-id/${id%"${id#??}"}/${id#??}
        rm -rf "$here/shop/.build-id"
        mkdir -p "$kept"
        keep_kallsyms $work/before.data $work/after.data >"$kept/kallsyms"
        ;;
    stages)
        build stages/stages.c
        record_events stages stages -z -e cpu-clock -F 999 --call-graph dwarf,1024
        keep stages stages
        keep_kallsyms $work/stages.data >"$here/stages/kallsyms"
        ;;
    branches)
        cp "$here/branches/branches.c" $work/
        (cd $work && clang -O2 -g -fdebug-info-for-profiling -fno-stack-protector -fomit-frame-pointer -nostdlib -static \
            -Wl,--build-id=sha1 -Wl,--emit-relocs branches.c -o branches &&
            "$here/../build/tests/pgo/branch_stepper" branches.data "$here/branches/branches.txt" 16 16 $work/branches)
        "$here/../pdconv" -q $work/branches.data --symbol-dir $work -f perfdata -z -o "$here/branches/perf.data"
        cp $work/branches "$here/branches/"
        ;;
    bpf)
        cp "$here/bpf/bpf.bpf.c" "$here/bpf/bpf.c" $work/
        (cd $work && clang -O2 -g -target bpf -I"/usr/include/$(gcc -print-multiarch)" -c bpf.bpf.c -o bpf.o &&
            cc -O2 bpf.c -o bpf -lbpf)
        record_events bpf bpf -e cpu-clock:k -F 499 -g
        keep_kallsyms $work/bpf.data >"$here/bpf/kallsyms"
        ;;
    esac
done
