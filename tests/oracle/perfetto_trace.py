#!/usr/bin/env python3
"""Compare the traces of -f perfetto with the ledger, the folded stacks and the intervals of the same recording.

usage: perfetto_trace.py PDCONV TESTDATA PROTO [RECORDING...]
       perfetto_trace.py --processor PROGRAM PDCONV TESTDATA [RECORDING...]

RECORDINGs are files, or names in TESTDATA. The packets are decoded by the classes of the Python package perfetto, and by protoc
with our PROTO, and states of threads follow from them by the rules of Perfetto's trace processor. With --processor, that
program (trace_processor_shell) itself reads the traces, and is asked in SQL.
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile

from viewers import PROGRAMS, Failure, Recording, clean, expect, run

RECORDINGS = ["clock", "paths", "intervals", "cxx", "threads", "tracepoints", "group", "nested", "signal", "trampoline"]
# Names of states: those of the ledger, by those of the trace processor.
STATES = {"Running": "running", "R": "runnable", "S": "blocked", "D": "blocked"}
# Bits of prev_state, and states of GenericKernelTaskStateEvent.
SWITCH_STATES = {0: "R", 1: "S", 2: "D", 16: "X"}
TASK_STATES = {2: "R", 4: "S", 5: "D"}


class Trace:
    """What a reader of the trace knows. Times are in ns."""

    def __init__(self):
        # Sums by thread and state, and number and length of waits by thread and waker, 0 being an interrupt.
        self.states = collections.Counter()
        self.wakers = collections.defaultdict(lambda: [0, 0])
        # Weights by event, thread (pid/tid) and stack, root first.
        self.stacks = collections.Counter()
        # Number and length of slices by kind.
        self.slices = collections.defaultdict(lambda: [0, 0])
        # Time for which each CPU had a thread.
        self.busy = collections.Counter()
        # Threads as process, number and name; None: not known.
        self.names = None
        # Number of switches from another thread than the CPU had.
        self.mismatches = 0


class Scheduler:
    """States of threads, from events in the order of time."""

    def __init__(self, trace):
        self.trace = trace
        self.open = {}
        self.cpus = {}

    def set(self, time, tid, state):
        before, since = self.open.get(tid, (None, time))
        if before:
            self.trace.states[tid, before] += time - since
        self.open[tid] = (state, time)
        return before, time - since

    def switch(self, time, cpu, event):
        tid, since = self.cpus.get(cpu, (0, time))
        self.trace.mismatches += cpu in self.cpus and tid != event.prev_pid
        self.trace.busy[cpu] += time - since if tid else 0
        self.cpus[cpu] = (event.next_pid, time)
        if event.prev_pid:
            before, _ = self.set(time, event.prev_pid, SWITCH_STATES.get(event.prev_state, "unknown"))
            expect(before in ("Running", None), event.prev_pid, "was", before)
        if event.next_pid:
            self.set(time, event.next_pid, "Running")

    def wake(self, time, tid, waker):
        before, ns = self.set(time, tid, "R")
        expect(before not in ("R", "Running"), tid, "was", before)
        # Without a state, the wait was before the first event.
        if before in ("S", "D", None):
            self.trace.wakers[tid, waker][0] += 1
            self.trace.wakers[tid, waker][1] += ns

    def finish(self, time):
        for tid, (state, since) in self.open.items():
            self.trace.states[tid, state] += time - since
        for cpu, (tid, since) in self.cpus.items():
            self.trace.busy[cpu] += time - since if tid else 0


class Interned:
    """Interned data of a sequence."""

    def __init__(self):
        self.names, self.frames, self.stacks, self.counters = {}, {}, {}, {}

    def add(self, data):
        self.names.update((entry.iid, entry.str.decode()) for entry in data.function_names)
        self.frames.update((entry.iid, self.names[entry.function_name_id]) for entry in data.frames)
        self.stacks.update((entry.iid, tuple(clean(self.frames[frame]) for frame in entry.frame_ids))
                           for entry in data.callstacks)
        self.counters.update((entry.iid, entry.name) for entry in data.stack_sample_counter_descriptors)


def read_packets(data):
    """Return the trace as the packets say it."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace as Packets

    trace, interned, events, last = Trace(), Interned(), [], 0
    tracks, parents, owners, names = {}, {}, {}, {}
    packets = Packets.FromString(data).packet
    for packet in packets:
        interned.add(packet.interned_data)
        time = packet.timestamp
        if packet.HasField("stack_sample"):
            sample = packet.stack_sample
            task = sample.task_context
            stack = interned.stacks[sample.callstack_iid] if sample.HasField("callstack_iid") else ()
            key = (interned.counters[sample.primary_descriptor_iid], f"{signed(task.pid)}/{signed(task.tid)}", stack)
            trace.stacks[key] += sample.primary_weight
        elif packet.HasField("ftrace_events"):
            events.extend((event.timestamp, packet.ftrace_events.cpu, event) for event in packet.ftrace_events.event)
        elif packet.HasField("generic_kernel_task_state_event"):
            events.append((time, None, packet.generic_kernel_task_state_event))
        elif packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
            parents[packet.track_descriptor.uuid] = packet.track_descriptor.parent_uuid
            owners[packet.track_descriptor.uuid] = packet.track_descriptor.thread.tid
        elif packet.HasField("track_event"):
            event = packet.track_event
            expect(not parents[event.track_uuid] or parents[event.track_uuid] in tracks, "a track without a thread")
            sign = {event.TYPE_SLICE_BEGIN: -1, event.TYPE_SLICE_END: 1}.get(event.type, 0)
            if tracks[event.track_uuid] == "state":
                parent = parents[event.track_uuid]
                # The slices of a state that is not over have no end.
                if sign > 0:
                    trace.states[owners[parent], names.pop(parent)] += time
                else:
                    names[parent] = event.name
                    trace.states[owners[parent], event.name] -= time
            elif event.type == event.TYPE_SLICE_BEGIN:
                trace.slices[tracks[event.track_uuid]][0] += 1
                trace.slices[tracks[event.track_uuid]][1] -= time
            elif event.type == event.TYPE_SLICE_END:
                trace.slices[tracks[event.track_uuid]][1] += time
        last = max(last, time)
    for parent, name in names.items():
        trace.states[owners[parent], name] += last
    replay(trace, sorted(events, key=lambda event: event[0]), last)
    return trace


def replay(trace, events, last):
    scheduler = Scheduler(trace)
    for time, cpu, event in events:
        if cpu is None:
            scheduler.set(time, event.tid, TASK_STATES[event.state])
        elif event.HasField("sched_switch"):
            scheduler.switch(time, cpu, event.sched_switch)
        elif event.HasField("sched_waking"):
            scheduler.wake(time, event.sched_waking.pid, event.pid)
        else:
            scheduler.set(time, event.task_newtask.pid, "R")
    scheduler.finish(last)


def signed(number):
    return number - (1 << 32) if number >> 31 else number


class Processor:
    """Perfetto's trace processor with a trace."""

    def __init__(self, program, path):
        self.program = program
        self.path = path

    def ask(self, sql):
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(sql)
            file.flush()
            text = subprocess.run([self.program, "-q", file.name, self.path], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=True).stdout.decode()
        rows = list(csv.reader(io.StringIO(text.strip())))
        return rows[1:]

    def stacks(self):
        """Return the functions of each call site, root first."""
        sites = {}
        for site, parent, name in self.ask("select c.id, c.parent_id, f.name from stack_profile_callsite c "
                                           "join stack_profile_frame f on f.id = c.frame_id order by c.id;"):
            sites[site] = sites.get(parent, ()) + (clean(name),)
        return sites

    def read(self):
        trace = Trace()
        problems = dict(self.ask("select name, value from stats where severity != 'info' and value > 0;"))
        trace.mismatches = int(problems.pop("mismatched_sched_switch_tids", 0))
        # A thread whose state is not known.
        problems.pop("task_state_invalid", None)
        expect(not problems, problems)
        for tid, state, ns in self.ask(
                "select tid, state, sum(iif(dur = -1, trace_end() - ts, dur)) from thread_state join thread using (utid) "
                "group by 1, 2;"):
            trace.states[int(tid), state.replace("[NULL]", "unknown")] += int(ns)
        for tid, waker, n, ns in self.ask(
                "with s as (select *, lag(state) over w as before, lag(dur) over w as length from thread_state "
                "window w as (partition by utid order by ts)) select t.tid, w.tid, count(*), sum(coalesce(length, 0)) from s "
                "join thread t on t.utid = s.utid join thread w on w.utid = s.waker_utid "
                "where s.state = 'R' and coalesce(s.irq_context, 1) = 1 group by 1, 2;"):
            trace.wakers[int(tid), int(waker)] = [int(n), int(ns)]
        for tid, state, ns in self.ask("select tid, s.name, sum(iif(s.dur = -1, trace_end() - s.ts, s.dur)) from slice s "
                                       "join thread_track t on t.id = s.track_id "
                                       "join thread using (utid) where t.name = 'state' group by 1, 2;"):
            trace.states[int(tid), state] += int(ns)
        for cpu, ns in self.ask("select cpu, sum(iif(dur = -1, trace_end() - ts, dur)) from sched join thread using (utid) "
                                "where tid != 0 group by 1;"):
            trace.busy[int(cpu)] = int(ns)
        trace.names = {(int(pid), int(tid), name) for pid, tid, name in self.ask(
            "select pid, tid, t.name from thread t join process using (upid);")}
        sites = self.stacks()
        for event, pid, tid, site, weight in self.ask(
                "select tr.name, p.pid, t.tid, s.callsite_id, sum(c.value) from __intrinsic_profiler_sample s "
                "join __intrinsic_profiler_task_context x on x.id = s.task_context_id "
                "join thread t on t.utid = x.utid join process p on p.upid = x.upid "
                "join __intrinsic_profiler_counter_set cs using (counter_set_id) "
                "join counter c on c.id = cs.counter_id join track tr on tr.id = c.track_id group by 1, 2, 3, 4;"):
            trace.stacks[event, f"{signed(int(pid))}/{signed(int(tid))}", sites.get(site, ())] += int(float(weight))
        for name, n, ns in self.ask("select t.name, count(*), sum(s.dur) from slice s join track t on t.id = s.track_id "
                                    "where t.name not in ('recording', 'state') group by 1;"):
            trace.slices[name] = [int(n), int(ns)]
        return trace


def sum_ledger(ledger):
    """Return sums by thread and state, and the waits by thread and waker."""
    states, wakers = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for row in ledger["threads"]["rows"]:
        for state in ("running", "runnable", "blocked"):
            states[row["tid"], state] += row[state] or 0
    for row in ledger["wakers"]["rows"]:
        entry = wakers[row["tid"], row.get("waker_tid") or 0]
        entry[0] += row["waits"]
        entry[1] += row["blocked"]
    return states, wakers


def check_ledger(trace, recording):
    """Return the numbers of sums of states and of waits with a waker that were compared."""
    text = run([*recording.command[:1], "report", *recording.command[1:], "--ledger", "--json", "--limit", "1000000"])
    ledger = json.loads(text)["ledger"]
    if not ledger or not ledger["switches"]:
        return 0, 0
    states, wakers = sum_ledger(ledger)
    ours = collections.Counter()
    for (tid, state), ns in trace.states.items():
        state = STATES.get(state, state)
        if state in STATES.values():
            ours[tid, state] += ns
    expect(+ours == +states, "states", differences(ours, states))
    expect(trace.mismatches <= ledger["missing"], trace.mismatches, "switches do not fit together")
    check_wakers(trace.wakers, wakers, ledger["missing"] + recording.info["lost"])
    # Where switches are missing, CPUs were busy at other times than threads ran. The trace has the threads.
    if ledger["cpu_total"]["busy"] == ledger["thread_total"]["running"]:
        busy = collections.Counter({row["cpu"]: row["busy"] or 0 for row in ledger["cpus"]["rows"]})
        ours = collections.Counter({f"CPU {cpu}": ns for cpu, ns in trace.busy.items()})
        expect(+ours == +busy, "CPUs", differences(ours, busy))
    if trace.names is not None:
        names = {(row["pid"], row["tid"], row["thread"]) for row in ledger["threads"]["rows"]
                 if row["pid"] and row["thread"]}
        expect(names <= trace.names, "names", sorted(names - trace.names)[:8])
    return len(+states), sum(n for n, _ in wakers.values())


def check_wakers(ours, theirs, missing):
    """The trace lacks waits that ended with the first event, or with an interrupt before missing events."""
    n = sum(count for count, _ in theirs.values()) - sum(count for count, _ in ours.values())
    expect(0 <= n <= missing + 1, n, "waits are missing", differences(ours, theirs))
    expect(all(ours[key][1] <= entry[1] for key, entry in theirs.items()), "wakers", differences(ours, theirs))
    expect(missing or sum(ns for _, ns in ours.values()) == sum(ns for _, ns in theirs.values()), "waits",
           differences(ours, theirs))


def differences(ours, theirs):
    keys = sorted(set(ours) | set(theirs))
    return [(key, ours[key], theirs[key]) for key in keys if ours[key] != theirs[key]][:8]


def without_labels(stack):
    """Functions of one name have labels if the output has several of them, and --folded has one event only."""
    return tuple(re.sub(r"(?<=.) \([^()]+\)$", "", name) for name in stack)


def check_samples(trace, recording):
    """Return the number of stacks that were compared."""
    n = 0
    for event in recording.events:
        theirs, ours = collections.Counter(), collections.Counter()
        for (thread, stack), weight in recording.folded(event).items():
            # Only folded stacks have a mark at the root of generated code.
            theirs[thread, without_labels(stack[stack[:1] == ("[callers lost]",):])] += weight
        for (name, thread, stack), weight in trace.stacks.items():
            if name == event:
                ours[thread, without_labels(stack) or ("[unknown]",)] += weight
        expect(+ours == +theirs, event, differences(ours, theirs))
        n += len(theirs)
    return n


def check_intervals(trace, recording):
    """Return the number of intervals that were compared."""
    text = run([*recording.command[:1], "report", *recording.command[1:], "--intervals", "--json", "--limit", "1000000"])
    kinds = json.loads(text).get("intervals") or []
    theirs = {kind["kind"]: [kind["times"], sum(row["total"] or 0 for row in kind["names"]["rows"])]
              for kind in kinds if kind["times"]}
    expect(trace.slices == theirs, "intervals", trace.slices, theirs)
    return sum(n for n, _ in theirs.values())


def check_decoded(data, proto):
    """Our .proto describes each byte of the trace."""
    text = subprocess.run(["protoc", f"-I{os.path.dirname(proto)}", "--decode=perfetto.Trace", proto], input=data,
                          stdout=subprocess.PIPE, check=True).stdout
    unknown = [line for line in text.splitlines() if line.lstrip()[:1].isdigit()]
    expect(not unknown, unknown[:3])
    expect(b"packet {" in text, "no packets")


def check(pdconv, testdata, name, read, work):
    is_file = os.path.isfile(name)
    recording = Recording(pdconv, name if is_file else f"{testdata}/{name}/perf.data",
                          testdata if is_file else f"{testdata}/{PROGRAMS.get(name, name)}")
    output = recording.convert("perfetto", f"{work}/{os.path.basename(name)}.perfetto-trace.gz")
    trace = read(output)
    counts = *check_ledger(trace, recording), check_samples(trace, recording), check_intervals(trace, recording)
    print(f"{name}: {counts[0]} sums of states, {counts[1]} waits, {counts[2]} stacks, {counts[3]} intervals")
    return counts


def main():
    arguments = sys.argv[1:]
    program = proto = None
    if arguments[0] == "--processor":
        _, program, pdconv, testdata, *names = arguments
    else:
        pdconv, testdata, proto, *names = arguments

    def read(path):
        if program:
            return Processor(program, path).read()
        with gzip.open(path) as file:
            data = file.read()
        check_decoded(data, proto)
        return read_packets(data)

    failed = 0
    sums = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as work:
        for name in names or RECORDINGS:
            try:
                sums = [a + b for a, b in zip(sums, check(pdconv, testdata, name, read, work))]
            except Failure as failure:
                print(f"{name}: {failure}")
                failed += 1
    expect(names or all(sums), "nothing was compared", sums)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
