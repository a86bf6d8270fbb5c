import assert from 'node:assert/strict';
import test from 'node:test';

import { randomParts } from '../profiles.mjs';
import { naiveSamples, sum } from './naive.mjs';
import { openParts } from './session.mjs';

const isCpu = ({ event }) => event === 0;
const WAIT = [{ name: 'cpu', unit: 'ns' }, { name: 'off', unit: 'ns', waits: true }];

/** Equal except for rounding. */
function assertClose(a, b) {
    assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);
}

const total = (values) => values.reduce((all, value) => all + value, 0);

test('a heat map has the weight of each moment, whatever time is selected', async () => {
    const parts = randomParts(3);
    const session = await openParts(parts);
    const cpu = naiveSamples(parts, isCpu);

    session.select({ selection: { threads: [0, 1], time: [10, 20] } });
    for (const [rows, columns] of [[60, 100], [7, 13], [1, 1], [1000, 1000]]) {
        const heat = session.heat({ rows, columns });
        const expected = new Float64Array(heat.rows * heat.columns);

        assert.ok(heat.rows <= Math.max(rows, 2) && heat.columns <= columns);
        for (const { time, weight, thread } of cpu) {
            if (thread < 2)
                expected[Math.floor((time - heat.from) / heat.column_units)] += weight;
        }
        assert.deepEqual(heat.value, expected);
        assert.equal(heat.sum, total(expected));
        assert.equal(heat.max, Math.max(...heat.shade));
        /* Rows are round: 1 ms is 1000 units. */
        assert.match(String(heat.row_units / 1000), /^[1235]0*$|^0\.[125]$/);
    }
});

test('CPU time is drawn before its samples: a CPU that is always busy looks so', async () => {
    /* A sample of 300 µs each 300 µs, from 10 µs on. */
    const samples = Array.from({ length: 100 }, (_, i) => ({ stack: ['f'], time: 10 + 300 * i, weight: 3e5 }));
    const session = await openParts({ samples });

    session.select({ selection: {} });
    const { value, shade, max, sum, columns } = session.heat({ rows: 60, columns: 1 });
    assert.equal(columns, 1);
    assert.deepEqual([...value.slice(0, 4)], [12e5, 9e5, 9e5, 12e5]);
    /* The first sample is for 290 µs before the first cell, the last one ends 290 µs before the end of its cell. */
    assertClose(total(shade), sum - 29e4);
    shade.subarray(0, -1).forEach((weight) => assertClose(weight, 1e6));
    assertClose(max, 1e6);
    const { running } = session.lanes({ by: 'cpu', columns: 29, from: 1000, to: 30000 });
    running.subarray(0, -1).forEach((weight) => assertClose(weight, 1e6));
});

test('losses are at their times, whatever is selected', async () => {
    const marks = [{ time: 0, kind: 0, count: 3 }, { time: 5000, kind: 1, count: 1 }, { time: 5001, kind: 0, count: 40 },
        { time: 20000, kind: 0, count: 2 }];
    const session = await openParts({ marks, samples: [{ stack: ['f'], time: 0 }, { stack: ['f'], time: 9999 }] });
    const cells = (values) => Object.fromEntries([...values.entries()].filter(([, n]) => n));

    session.select({ selection: { time: [1, 2], threads: [] } });
    /* 10 ms in rows of 1 ms; the last mark is after the last sample. */
    const heat = session.heat({ rows: 20, columns: 1 });
    assert.deepEqual(cells(heat.lost), { 0: 3, 5: 40, 9: 2 });
    assert.deepEqual(cells(heat.throttled), { 5: 1 });
    const lanes = session.lanes({ by: 'thread', columns: 100 });
    assert.deepEqual(cells(lanes.lost), { 0: 3, 50: 40, 99: 2 });
    assert.deepEqual(cells(session.lanes({ by: 'cpu', columns: 4, from: 4000, to: 8000 }).lost), { 1: 40 });
});

test('waits are spread over the time that they span', async () => {
    const session = await openParts({ events: WAIT, samples: [
        { stack: ['f'], time: 0 }, { stack: ['w'], time: 9000, weight: 4.5e6, event: 1 },
        { stack: ['f'], time: 9999 }] });

    session.select({ selection: { event: 1 } });
    /* 10 ms in rows of 1 ms: a wait from 4.5 ms to 9 ms. */
    const { value, columns, row_units: units } = session.heat({ rows: 20, columns: 1 });
    assert.deepEqual([columns, units], [1, 1000]);
    [0, 0, 0, 0, 5e5, 1e6, 1e6, 1e6, 1e6, 0].forEach((weight, row) => assertClose(value[row], weight));
    const lanes = session.lanes({ by: 'thread', columns: 10, from: 0, to: 10000 });
    assert.deepEqual([...lanes.running], [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    [0, 0, 0, 0, 5e5, 1e6, 1e6, 1e6, 1e6, 0].forEach((ns, column) => assertClose(lanes.waiting[column], ns));
    assert.equal(lanes.column_ns, 1e6);
    /* What is outside of a part is not in it. */
    const part = session.lanes({ by: 'thread', columns: 2, from: 5000, to: 6000 });
    assertClose(total(part.waiting), 1e6);
});

test('lanes have the weights of threads and CPUs', async () => {
    const parts = randomParts(4);
    const session = await openParts(parts);
    const cpu = naiveSamples(parts, isCpu);
    const off = naiveSamples(parts, ({ event }) => event === 1);
    const byThread = session.lanes({ by: 'thread', columns: 50 });
    const byCpu = session.lanes({ by: 'cpu', columns: 50 });

    assert.deepEqual([...byCpu.key], [-1, 0, 1, 2]);
    byThread.key.forEach((thread, lane) => {
        const ofThread = sum(cpu.filter((sample) => sample.thread === thread));

        assert.equal(byThread.weight[lane], ofThread);
        assert.ok(!lane || byThread.weight[lane - 1] >= ofThread);
        assertClose(total(byThread.running.subarray(lane * 50, lane * 50 + 50)), ofThread);
        assert.equal(byThread.waited[lane], sum(off.filter((sample) => sample.thread === thread)));
    });
    byCpu.key.forEach((number, lane) =>
        assert.equal(byCpu.weight[lane], sum(cpu.filter((sample) => sample.cpu === number))));
    const second = session.lanes({ by: 'thread', columns: 50, limit: 1, offset: 1 });
    assert.deepEqual([second.n, ...second.key], [3, byThread.key[1]]);
    assert.deepEqual(second.running, byThread.running.slice(50, 100));
    session.select({ selection: { threads: [2] } });
    assert.deepEqual([...session.lanes({ by: 'thread', columns: 5 }).key], [2]);
    assert.equal(session.lanes({ by: 'thread', columns: 5, all: true }).n, 3);
});

test('parts have the weights of threads, processes and CPUs that are not selected, too', async () => {
    const parts = randomParts(4);
    const session = await openParts(parts);
    const time = [20000, 70000];
    const at = naiveSamples(parts, (sample) => sample.time >= time[0] && sample.time < time[1]);
    const of = (wanted) => sum(at.filter(wanted));

    session.select({ selection: { time, threads: [0], cpus: [1] } });
    const { threads, processes, cpus, waits } = session.parts({});
    assert.deepEqual([...threads], [0, 1, 2].map((thread) => of((each) => isCpu(each) && each.thread === thread)));
    assert.deepEqual([...processes], [threads[0] + threads[1], threads[2]]);
    assert.deepEqual([...cpus], [-1, 0, 1, 2].map((cpu) => of((each) => isCpu(each) && each.cpu === cpu)));
    assert.deepEqual([...waits.threads], [0, 1, 2].map((thread) => of((each) => !isCpu(each) && each.thread === thread)));
});

/** Boxes of a chart as texts. */
function boxesOf(session, chart) {
    const { depth, start, end, weight, flags } = chart;
    const name = (fn) => session.recordings.functions.name(fn);

    return Array.from(chart.function, (fn, i) => [depth[i], name(fn), start[i], end[i], weight[i], flags[i]])
        .sort((a, b) => a[2] - b[2] || a[0] - b[0]).map((box) => box.join(' '));
}

test('a flame chart joins what consecutive stacks have in common', async () => {
    const session = await openParts({
        events: WAIT, threads: [{ process: 0, tid: 1, name: 'a' }, { process: 0, tid: 2, name: 'b' }],
        samples: [
            { stack: ['main', 'f'], time: 1000, weight: 1e6 }, { stack: ['main', 'f'], time: 2000, weight: 1e6 },
            { stack: ['other'], time: 2500, weight: 1e6, thread: 1 },
            { stack: ['main', 'g'], time: 3000, weight: 1e6 },
            { stack: ['main', 'g', 'wait'], time: 6000, weight: 3e6, event: 1 },
            { stack: ['main'], time: 7000, weight: 1e6 },
            /* A gap of 2 ms. */
            { stack: ['main'], time: 10000, weight: 1e6 }] });

    assert.deepEqual(boxesOf(session, session.chart({ thread: 0 })), [
        '0 main 0 3000 3000000 0', '1 f 0 2000 2000000 0', '1 g 2000 3000 1000000 0',
        '0 main 3000 6000 3000000 64', '1 g 3000 6000 3000000 64', '2 wait 3000 6000 3000000 64',
        '0 main 6000 7000 1000000 0', '0 main 9000 10000 1000000 0']);
    assert.deepEqual(boxesOf(session, session.chart({ thread: 0, waits: false, from: 2500, to: 5000 })), [
        '0 main 2000 3000 1000000 0', '1 g 2000 3000 1000000 0']);
    const { x0, x1 } = session.chart({ thread: 0, from: 2500, to: 5000, waits: false });
    assert.deepEqual([x0[0], x1[0]], [0, 0.2]);
    assert.throws(() => session.chart({ thread: 9 }), /no thread 9/);
    session.select({ selection: { hide: [{ text: 'main' }], time: [0, 3001] } });
    assert.deepEqual(boxesOf(session, session.chart({ thread: 0 })).slice(0, 2),
        ['0 f 0 2000 2000000 0', '0 g 2000 3000 1000000 0']);
});

test('a flame chart draws something in each column that has samples', async () => {
    const sample = (i) => ({ stack: ['main', `f${i % 3}`], time: i * 10, weight: 10000 });
    const session = await openParts({ samples: Array.from({ length: 5000 }, (_, i) => sample(i)) });
    const { n, x0, x1, depth } = session.chart({ thread: 0, columns: 100 });
    const leaves = Array.from({ length: n }, (_, i) => i).filter((i) => depth[i] === 1);
    const columns = new Set(leaves.flatMap((i) => [Math.floor(x0[i] * 100), Math.ceil(x1[i] * 100) - 1]));

    assert.ok(leaves.length <= 101);
    assert.equal([...columns].filter((column) => column >= 0 && column < 100).length, 100);
});
