import assert from 'node:assert/strict';
import test from 'node:test';

import { randomParts } from '../profiles.mjs';
import { naiveSamples, naiveTable, naiveTree, sorted, sum, treeOfLayout } from './naive.mjs';
import { openParts, WIDE } from './session.mjs';

const isCpu = ({ event }) => event === 0;

/** Every box and row of equal recordings has the same weight on both sides. */
function assertNeutral({ total, total1, self, self1, factor }) {
    assert.equal(factor, 1);
    assert.ok(total.length > 10);
    assert.deepEqual(total1, total);
    assert.deepEqual(self1, self);
}

test('equal recordings are neutral everywhere', async () => {
    const session = await openParts(randomParts(5), randomParts(5));

    for (const scale of ['normalized', 'absolute']) {
        for (const selection of [{}, { focus: [{ text: 'malloc' }] }, { hide: [{ text: 'main' }] }]) {
            session.select({ selection });
            for (const inverted of [false, true])
                assertNeutral(session.flame({ ...WIDE, inverted, scale }));
            assertNeutral({ ...session.table({ limit: 1e6, scale }), total: [...session.table({ limit: 1e6 }).total],
                total1: [...session.table({ limit: 1e6 }).total1] });
        }
    }
});

test('sides have the stacks of their recordings', async () => {
    const [before, after] = [randomParts(6), randomParts(7, 500)];
    const session = await openParts(before, after);
    const { functions } = session.recordings;

    for (const inverted of [false, true]) {
        const layout = session.flame({ ...WIDE, inverted });

        [before, after].forEach((parts, side) => {
            const samples = naiveSamples(parts, isCpu);
            const stacks = inverted ? samples.map((each) => ({ ...each, stack: [...each.stack].reverse() })) : samples;
            const nodes = [...treeOfLayout(layout, functions, side || '')].filter(([, { total }]) => total);

            assert.deepEqual(sorted(new Map(nodes)), sorted(naiveTree(stacks)));
        });
    }
    const sums = [before, after].map((parts) => sum(naiveSamples(parts, isCpu)));
    const normalized = session.flame({});
    assert.equal(normalized.factor, sums[0] / sums[1]);
    assert.ok(Math.abs(normalized.sum - 2 * sums[0]) < 1);
    assert.equal(session.flame({ scale: 'absolute' }).factor, 1);
    assert.equal(session.flame({ scale: 'absolute' }).sum, sums[0] + sums[1]);
});

test('a box is as wide as its weight on both sides', async () => {
    const session = await openParts(randomParts(6), randomParts(7, 500));

    for (const inverted of [false, true]) {
        const { n, x0, x1, total, total1, factor, sum: whole } = session.flame({ ...WIDE, inverted });

        for (let i = 0; i < n; i++)
            assert.ok(Math.abs(x1[i] - x0[i] - (total[i] + factor * total1[i]) / whole) < 1e-9);
    }
});

test('a slowdown is the largest change', async () => {
    const stack = (...frames) => ['main@/old/app', ...frames];
    const before = [[stack('a@/old/app'), 300], [stack('b@/old/app'), 300], [stack('gone@/old/app'), 10]];
    const after = [[stack('a@/new/app'), 300], [stack('b@/new/app'), 700], [stack('added@/new/app'), 20]];
    const parts = (rows) => ({ samples: rows.map(([frames, weight]) => ({ stack: frames, weight })) });
    const session = await openParts(parts(before), parts(after));
    const name = (fn) => session.recordings.functions.name(fn);
    const table = session.table({ sort: 'change', scale: 'absolute' });

    assert.deepEqual([...table.function].map(name), ['b', 'added', 'gone', 'main', 'a']);
    assert.deepEqual([...table.self], [300, 0, 10, 0, 300]);
    assert.deepEqual([...table.self1], [700, 20, 0, 0, 300]);
    const layout = session.flame({ scale: 'absolute' });
    const changes = Array.from(layout.function, (fn, i) => [name(fn), layout.total1[i] - layout.total[i]]);
    assert.deepEqual(Object.fromEntries(changes), { main: 410, a: 0, b: 400, gone: -10, added: 20 });
});

test('threads, processes and events of both sides are numbered together', async () => {
    const [before, after] = [randomParts(8), randomParts(9)];

    after.events = [{ name: 'page-faults' }, { name: 'cpu-clock', unit: 'ns' }];
    after.samples.forEach((sample) => {
        sample.event = 1 - sample.event;
    });
    const session = await openParts(before, after);
    const { threads, events } = session.recordings;
    assert.deepEqual(threads.map(({ side, tid, process }) => [side, tid, process]),
        [[0, 10, 0], [0, 11, 0], [0, 20, 1], [1, 10, 2], [1, 11, 2], [1, 20, 3]]);
    assert.deepEqual(events.map(({ name }) => name), ['cpu-clock', 'offcpu-time', 'page-faults']);
    session.select({ selection: { threads: [1, 5] } });
    const sides = [naiveSamples(before, (each) => isCpu(each) && each.thread === 1),
        naiveSamples(after, ({ event, thread }) => event === 1 && thread === 2)];
    assert.deepEqual(session.selection.totals.map(({ weight }) => weight), sides.map((samples) => sum(samples)));
    session.select({ selection: { event: 2 } });
    assert.deepEqual(session.selection.totals.map(({ weight }) => weight),
        [0, sum(naiveSamples(after, ({ event }) => event === 0))]);
    assert.equal(session.flame({}).factor, 1);
});

test('sandwiches and searches have both sides', async () => {
    const [before, after] = [randomParts(6), randomParts(7)];
    const session = await openParts(before, after);
    const { function: [fn] } = session.table({ search: { text: 'memcpy', exact: true } });
    const { total, total1, self, self1 } = session.sandwich({ function: fn });
    const rows = [before, after].map((parts) => naiveTable(naiveSamples(parts, isCpu)).get('memcpy\0libc.so.6'));
    const found = session.search({ pattern: { text: 'memcpy', exact: true } });

    assert.deepEqual([total, total1, self, self1], [rows[0].total, rows[1].total, rows[0].self, rows[1].self]);
    assert.deepEqual([found.weight, found.weight1], [total, total1]);
});
