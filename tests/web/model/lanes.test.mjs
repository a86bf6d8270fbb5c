/** @file Lanes of threads and the critical path, against the reports of the same recording. */
import assert from 'node:assert/strict';
import test from 'node:test';

import { BLOCKED, MIX, NO_THREAD, NOT_KNOWN, RUNNABLE } from '../../../web/model/lanes.js';
import { encodeProfile } from '../profiles.mjs';
import { openRecording, pdconv, TESTDATA } from './recordings.mjs';
import { openParts } from './session.mjs';

const STATES = ['running', 'runnable', 'blocked', 'unknown'];
const RECORDINGS = ['clock/perf.data', 'paths/perf.data', 'shop/before.data', 'wakers/perf.data'];
const OPTIONS = [[], ['--time', '20%-60%'], ['--time', '0%-10%,50%-60%']];

const lanesOf = (session) => session.recordings.sides[0].profile.lanes;
const total = (values) => values.reduce((sum, value) => sum + value, 0);

/** Add up `values` of rows with the same key. */
function sumsBy(rows, keyOf, valueOf) {
    const sums = {};

    for (const row of rows)
        sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + valueOf(row);
    return sums;
}

function report(recording, ...options) {
    return JSON.parse(pdconv(recording, '-f', 'report', '--limit', '100000', '--json', ...options));
}

/** All pieces of lanes of threads: [thread, piece]. */
function piecesOf(session) {
    const lanes = lanesOf(session);
    const pieces = [];

    lanes.ofThread.forEach((list, thread) => lanes.visit(list, -Infinity, Infinity, (piece) => pieces.push([thread, piece])));
    return pieces;
}

for (const name of RECORDINGS) {
    const recording = `${TESTDATA}/${name}`;

    for (const options of OPTIONS) {
        test(`times by state are those of the ledger: ${name} ${options.join(' ')}`, async () => {
            const session = await openRecording(recording, ...options);
            const { threads } = report(recording, '--ledger', ...options).ledger;
            const json = session.recordings.sides[0].profile.json;

            assert.ok(threads.rows.length > 3);
            STATES.forEach((state, i) => {
                const sums = sumsBy(json.threads.map(({ tid }, thread) => [tid, lanesOf(session).totals(thread)[i]]),
                    ([tid]) => tid, ([, ns]) => ns);
                for (const [tid, ns] of Object.entries(sumsBy(threads.rows, ({ tid: id }) => id, (row) => row[state])))
                    assert.equal(sums[tid], ns, `${tid} ${state}`);
            });
        });

        test(`columns of lanes have the times of the pieces: ${name} ${options.join(' ')}`, async () => {
            const session = await openRecording(recording, ...options);

            for (const columns of [1, 7, 400]) {
                const { key, parts, states, known } = session.lanes({ by: 'thread', columns });
                key.forEach((thread, lane) => {
                    const expected = lanesOf(session).totals(thread);
                    assert.equal(known[lane], 1);
                    expected.forEach((ns, state) => {
                        const first = (lane * 4 + state) * parts;
                        const sum = total(states.subarray(first, first + parts));
                        assert.ok(Math.abs(sum - ns) <= 1e-6 * ns, `${sum} is not ${ns}`);
                    });
                });
            }
        });
    }

    test(`blocked times by reason are those of the ledger: ${name}`, async () => {
        const session = await openRecording(recording);
        const lanes = lanesOf(session);
        const { reasons } = session.recordings.sides[0].profile.json.ledger;
        const blocked = piecesOf(session).filter(([, piece]) => lanes.state[piece] === BLOCKED);
        const sums = sumsBy(blocked, ([, piece]) => reasons[lanes.waits.reason[lanes.row[piece]] - 1] ?? '', ([, piece]) =>
            lanes.ns[piece]);
        const { blocked_for: of } = report(recording, '--ledger').ledger;
        const expected = of ? sumsBy(of.rows, (row) => row.for, (row) => row.blocked) : {};

        delete sums[''];
        delete expected.unknown;
        /* Waits that were sampled as a whole have been counted with the time for which threads were runnable. */
        if (name.startsWith('shop'))
            assert.deepEqual(Object.keys(sums).sort(), Object.keys(expected).sort());
        else
            assert.deepEqual(sums, expected);
    });

    test(`wakers are those of the ledger: ${name}`, async () => {
        const session = await openRecording(recording);
        const lanes = lanesOf(session);
        const { threads } = session.recordings.sides[0].profile.json;
        const tidOf = (thread) => threads[thread]?.tid ?? '';
        const { profile } = session.recordings.sides[0];
        const wakerOf = (piece) => tidOf(lanes.waker(piece)) || profile.text(lanes.interrupt(piece));
        const woken = piecesOf(session).filter(([, piece]) => lanes.state[piece] === BLOCKED && lanes.waker(piece) !== NOT_KNOWN);
        const { wakers } = report(recording, '--ledger').ledger;

        assert.deepEqual(
            sumsBy(woken, ([thread, piece]) => `${tidOf(thread)} ${wakerOf(piece)}`, ([, piece]) => lanes.ns[piece]),
            sumsBy(wakers?.rows ?? [], (row) => `${row.tid} ${row.waker_tid ?? row.waker}`, (row) => row.blocked));
        for (const [thread] of woken.slice(0, 5)) {
            const { n, waker } = session.wakeups({ thread, from: 0, to: 1e15, limit: 1e6 });
            const byThreads = woken.filter(([other, piece]) => other === thread && lanes.waker(piece) !== NO_THREAD);
            assert.equal(n, byThreads.length);
            assert.deepEqual([...waker], byThreads.map(([, piece]) => lanes.waker(piece)));
        }
    });
}

for (const name of ['clock', 'paths', 'wakers']) {
    for (const options of OPTIONS) {
        test(`the lane of the critical path is that of the report: ${name} ${options.join(' ')}`, async () => {
            const recording = `${TESTDATA}/${name}/perf.data`;
            const session = await openRecording(recording, ...options);
            const lanes = lanesOf(session);
            const { threads } = session.recordings.sides[0].profile.json;
            const { critical_path: expected } = report(recording, '--critical-path', ...options);
            const steps = [];

            lanes.visit(lanes.paths, -Infinity, Infinity, (piece, lane) =>
                lanes.state[piece] < MIX && steps.push([lanes.step(piece, lane), lanes.state[piece], lanes.ns[piece]]));
            assert.equal(lanes.paths.length, 1);
            assert.equal(steps.length, expected.steps);
            assert.deepEqual(sumsBy(steps, ([, state]) => STATES[state], ([, , ns]) => ns),
                Object.fromEntries(STATES.filter((state) => expected[state]).map((state) => [state, expected[state]])));
            assert.deepEqual(
                sumsBy(steps, ([{ thread }, state]) => `${threads[thread].name} ${STATES[state]}`, ([, , ns]) => ns),
                sumsBy(expected.path.rows, (row) => `${row.thread} ${row.state}`, (row) => row.time));
        });
    }
}

test('both stacks of waits are those of folded stacks', async () => {
    const recording = `${TESTDATA}/wakers/perf.data`;
    const session = await openRecording(recording);
    const lanes = lanesOf(session);
    const { threads } = session.recordings.sides[0].profile.json;
    const nameOf = (fn) => session.recordings.functions.describe(fn).name;
    const folded = {};

    for (const [thread, index] of piecesOf(session)) {
        if (lanes.state[index] !== BLOCKED)
            continue;
        const { piece } = session.piece({ thread, from: lanes.time[index] });
        const { waiter_stack: { function: waiter }, waker_stack: { function: waker } } = piece;
        const isDelayed = lanes.state[index + 1] === RUNNABLE && lanes.time[index + 1] === piece.woken;

        assert.equal(piece.begin, lanes.time[index]);
        /* Timers have no stack, nor do threads that end. */
        if (!waker.length)
            continue;
        const line = [threads[thread].name, ...[...waiter].reverse().map(nameOf), '--', ...[...waker].map(nameOf),
            threads[piece.waker].name].join(';');
        folded[line] = (folded[line] ?? 0) + piece.ns + (isDelayed ? lanes.ns[index + 1] : 0);
    }
    const lines = pdconv(recording, '--folded', '--wakers').trim().split('\n').map((line) => /^(.*) (\d+)$/.exec(line));
    assert.ok(lines.length >= 2);
    assert.equal(Object.keys(folded).length, lines.length + 1);
    /* Folded stacks lack waits whose ends are not in sched_switch: that of the main thread, and one that ends on an idle CPU. */
    for (const [, line, ns] of lines)
        assert.ok(folded[line] >= Number(ns) && folded[line] < 1.2 * Number(ns), `${line} ${folded[line]}`);
    assert.ok(lines.some(([, line, ns]) => folded[line] === Number(ns)));
});

test('a chain of waits leads to those that ended them', async () => {
    const session = await openRecording(`${TESTDATA}/wakers/perf.data`);
    const { threads } = session.recordings.sides[0].profile.json;
    const main = threads.findIndex(({ name }) => name === 'wakers');
    let { piece } = session.piece({ thread: main, from: 0, to: 1e15 });
    const chain = [threads[piece.thread].name];

    for (let i = 0; i < 3; i++) {
        const { waker, woken } = piece;
        piece = session.follow({ thread: waker, at: woken }).piece;
        assert.equal(piece.thread, waker);
        assert.ok(piece.begin + piece.ns <= woken);
        chain.push(threads[piece.thread].name);
    }
    assert.deepEqual(chain, ['wakers', 'shipper', 'packer', 'maker']);
    assert.equal(session.follow({ thread: main, at: 0 }).piece, null);
});

/** A thread of which short times are summed up, and a path. Times are in ns; a unit is 1000 ns. */
const MIXED = {
    threads: [{ process: 0, tid: 1, name: 'a' }, { process: 0, tid: 2, name: 'b' }],
    samples: [{ stack: ['f'], time: 0, thread: 0 }, { stack: ['f', 'g'], time: 9999, thread: 0 }],
    ledger: { begin_ns: '5000000', end_ns: '14999000', reasons: ['lock'], least_phase_ns: '1000', least_step_ns: '0' },
    lanes: [
        { thread: -1, begin: 0, pieces: [{ state: 0, ns: 4e6, step: [1] }, { state: 1, ns: 6e6, step: [2, 1] }] },
        { thread: 0, begin: 0, pieces: [{ state: 2, ns: 2e6, reason: 1, waker: 3, leaf: 1, waker_leaf: 2 }, { state: 1, ns: 500 },
            { state: 4, ns: 4e6 - 500, sums: [1e6, 2e6, 5e5, 499500] }, { state: 5, ns: 1e6 }, { state: 0, ns: 3e6 }] },
        { thread: 1, begin: 0, pieces: [{ state: 2, ns: 1e7, waker: 1 }] },
    ],
};

test('short times are summed up, and have no stacks', async () => {
    const session = await openParts(MIXED);
    const { states, parts, key, path, reasons } = session.lanes({ by: 'thread', columns: 10 });

    assert.deepEqual([...key], [0, 1]);
    const sums = [0, 1, 2, 3].map((state) => Math.round(total(states.subarray(state * parts, (state + 1) * parts))));
    assert.deepEqual(sums, [4e6, 2000500, 2500000, 499500]);
    assert.deepEqual([reasons[0], reasons[parts]], [1, 0]);
    assert.deepEqual([...path.thread], []);
    assert.deepEqual([...session.lanes({ by: 'thread', columns: 100 }).path.thread], [0, 1]);
    const mix = session.piece({ thread: 0, from: 3e6 }).piece;
    assert.deepEqual([mix.state, mix.sums, mix.waiter_stack.function.length], [MIX, [1e6, 2e6, 5e5, 499500], 0]);
    assert.equal(session.piece({ thread: 0, from: 6.5e6 }).piece, null);
    /* The time after a wakeup belongs to the wait. */
    const delay = session.piece({ thread: 0, from: 2e6 }).piece;
    assert.deepEqual([delay.state, delay.waker, delay.woken, delay.reason], [RUNNABLE, 1, 2e6, 1]);
    assert.deepEqual(delay.blocked, { begin: 0, ns: 2e6 });
    assert.deepEqual([delay.waiter_stack.function.length, delay.waker_stack.function.length], [1, 2]);
    assert.equal(session.piece({ thread: 1, from: 5 }).piece.waker, NO_THREAD);
    assert.deepEqual(session.piece({ thread: NO_THREAD, from: 5e6 }).piece.instead, NO_THREAD);
});

test('only threads that are selected have lanes, and those that are needed', async () => {
    const session = await openParts(MIXED);
    const keys = (options = {}) => [...session.lanes({ by: 'thread', columns: 10, ...options }).key];

    assert.deepEqual(keys({ limit: 1 }), [0]);
    assert.deepEqual(keys({ limit: 1, also: [1, 0, 7] }), [0, 1]);
    session.select({ selection: { threads: [1] } });
    assert.deepEqual(keys(), [1]);
    assert.deepEqual(keys({ all: true }), [0, 1]);
    /* A pattern is about samples, of which this thread has none. */
    session.select({ selection: { focus: [[{ text: 'g' }]] } });
    assert.deepEqual(keys(), [0]);
});

test('damage of lanes is an error', async () => {
    const damaged = async (change) => {
        const parts = structuredClone(MIXED);
        change(parts.lanes);
        await assert.rejects(openParts(parts), /damaged/);
    };

    await damaged((lanes) => Object.assign(lanes[1].pieces[0], { state: 6 }));
    await damaged((lanes) => Object.assign(lanes[1].pieces[2], { sums: [1] }));
    await damaged((lanes) => Object.assign(lanes[1].pieces[0], { reason: 2 }));
    await damaged((lanes) => Object.assign(lanes[1].pieces[0], { waker: 4 }));
    await damaged((lanes) => Object.assign(lanes[1].pieces[0], { leaf: 3 }));
    await damaged((lanes) => Object.assign(lanes[1], { thread: 2 }));
    await damaged((lanes) => Object.assign(lanes[0].pieces[0], { step: [3] }));
    assert.ok(encodeProfile(MIXED).length);
});

test('the time of a recording is that of its ledger', async () => {
    for (const name of RECORDINGS) {
        const recording = `${TESTDATA}/${name}`;
        const session = await openRecording(recording);
        const { span: [first, last], json } = session.recordings.sides[0].profile;
        const { length } = report(recording, '--ledger').ledger;

        assert.equal(Math.round(length / json.time_unit_ns / 10), Math.round((last - first) / 10), name);
    }
});

test('recordings without a ledger have no lanes', async () => {
    for (const name of ['fp', 'tracepoints', 'forkexec', 'intervals']) {
        const session = await openRecording(`${TESTDATA}/${name}/perf.data`);

        assert.equal(session.recordings.sides[0].profile.json.ledger, undefined, name);
        assert.equal(lanesOf(session).thread.length, 0, name);
        assert.ok(session.lanes({ by: 'thread', columns: 10 }).known.every((known) => !known));
    }
});
