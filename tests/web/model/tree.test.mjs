import assert from 'node:assert/strict';
import test from 'node:test';

import { mergeTree, NO_PARENT } from '../../../web/model/tree.js';
import { randomNumbers, randomParts } from '../profiles.mjs';
import { keyOf, naiveSamples, naiveTable, naiveTree, sorted, sum, treeOfLayout } from './naive.mjs';
import { openParts, WIDE } from './session.mjs';

const isCpu = (sample) => sample.event === 0;

/** Boxes neither overlap their siblings nor leave their parents, and are as wide as their weight. */
function assertPlaced(layout) {
    const ends = new Map();
    const boxes = Array.from({ length: layout.n }, (_, i) => i).sort((a, b) => layout.x0[a] - layout.x0[b]);

    for (const i of boxes) {
        const parent = layout.parent[i];

        assert.ok(layout.x0[i] >= (ends.get(parent) ?? (parent < 0 ? 0 : layout.x0[parent])) - 1e-9);
        assert.ok(layout.x1[i] <= (parent < 0 ? 1 : layout.x1[parent]) + 1e-9);
        assert.equal(layout.depth[i], parent < 0 ? 0 : layout.depth[parent] + 1);
        if (i > layout.zoom)
            assert.ok(Math.abs(layout.x1[i] - layout.x0[i] - layout.total[i] / layout.sum) < 1e-9);
        ends.set(parent, layout.x1[i]);
    }
}

test('a tree has parents before children and the nodes below without gaps', () => {
    const random = randomNumbers(5);
    const n = 500;
    /* Parents come in any order, and the last nodes are left out. */
    const parent = Uint32Array.from({ length: n }, (_, i) => i === 0 ? 0 : i > 480 ? NO_PARENT : i < 20 ? 0 : random(i));
    const order = Uint32Array.from({ length: n }, (_, i) => i === 0 ? 0 : n - i);
    const turned = Uint32Array.from(order, (i) => parent[i] === NO_PARENT ? NO_PARENT : order[parent[i]]);
    const fn = Uint32Array.from({ length: n }, () => random(7));
    const flags = Uint8Array.from({ length: n }, () => random(16));
    const { tree, place } = mergeTree(turned, fn, flags, 7);
    const seen = Array.from({ length: tree.n }, () => []);

    assert.equal(tree.end[0], tree.n);
    for (let i = 1; i < tree.n; i++) {
        assert.ok(tree.parent[i] < i);
        assert.ok(tree.end[i] > i && tree.end[i] <= tree.end[tree.parent[i]]);
        assert.equal(tree.child(tree.parent[i], tree.fn[i]), i);
    }
    for (let i = 1; i < n; i++) {
        assert.equal(place[i] === 0, turned[i] === NO_PARENT);
        if (!place[i])
            continue;
        assert.equal(tree.fn[place[i]], fn[i]);
        assert.equal(tree.parent[place[i]], place[turned[i]]);
        seen[place[i]].push(flags[i]);
    }
    /* Inlined only if all are, and the others if any is. */
    seen.forEach((list, i) => assert.equal(tree.flags[i], i === 0 ? flags[0]
        : list.reduce((a, b) => a | b) & ~1 | list.reduce((a, b) => a & b) & 1));
});

for (const seed of [1, 2, 3]) {
    const parts = randomParts(seed);
    const samples = naiveSamples(parts, isCpu);

    test(`call tree ${seed} is that of its stacks`, async () => {
        const session = await openParts(parts);

        for (const sort of ['weight', 'name']) {
            const layout = session.flame({ ...WIDE, sort });

            assert.deepEqual(sorted(treeOfLayout(layout, session.recordings.functions)), sorted(naiveTree(samples)));
            assert.equal(layout.sum, sum(samples));
            assertPlaced(layout);
        }
    });

    test(`inverted tree ${seed} is that of its stacks in reverse`, async () => {
        const session = await openParts(parts);
        const layout = session.flame({ ...WIDE, inverted: true });
        const reversed = samples.map((sample) => ({ ...sample, stack: [...sample.stack].reverse() }));

        assert.deepEqual(sorted(treeOfLayout(layout, session.recordings.functions)), sorted(naiveTree(reversed)));
        assert.equal(layout.sum, session.flame(WIDE).sum);
        assertPlaced(layout);
    });

    test(`sums by function ${seed} count recursion once`, async () => {
        const session = await openParts(parts);
        const { functions } = session.recordings;
        const table = session.table({ limit: 1e6 });
        const rows = new Map(Array.from(table.function, (fn, i) => {
            const { name, binary } = functions.describe(fn);

            return [keyOf(`${name}@${binary}`), { self: table.self[i], total: table.total[i], count: table.count[i] }];
        }));

        assert.deepEqual(sorted(rows), sorted(naiveTable(samples)));
        assert.equal(table.n, rows.size);
    });

    test(`sandwiches ${seed} have the callers and callees of outermost calls`, async () => {
        const session = await openParts(parts);
        const { functions } = session.recordings;

        for (const fn of session.table({}).function) {
            const { name, binary } = functions.describe(fn);
            const key = keyOf(`${name}@${binary}`);
            const calls = samples.filter(({ stack }) => stack.includes(key));
            const at = ({ stack }) => stack.indexOf(key);
            const upTo = calls.map((call) => ({ ...call, stack: call.stack.slice(0, at(call) + 1).reverse() }));
            const from = calls.map((call) => ({ ...call, stack: call.stack.slice(at(call)) }));
            const { callers, callees, total, self } = session.sandwich({ function: fn, ...WIDE });

            assert.deepEqual(sorted(treeOfLayout(callers, functions)), sorted(naiveTree(upTo)));
            assert.deepEqual(sorted(treeOfLayout(callees, functions)), sorted(naiveTree(from)));
            assert.equal(total, sum(calls));
            assert.equal(self, naiveTable(samples).get(key).self);
        }
    });

    test(`zooming into ${seed} keeps what is below`, async () => {
        const session = await openParts(parts);

        for (const inverted of [false, true]) {
            const all = session.flame({ ...WIDE, inverted });
            const nodes = treeOfLayout(all, session.recordings.functions);
            const path = [];

            for (let box = all.depth.indexOf(3); box >= 0; box = all.parent[box])
                path.unshift(all.function[box]);
            const zoomed = session.flame({ ...WIDE, inverted, root: path });
            const inside = treeOfLayout(zoomed, session.recordings.functions);

            assert.deepEqual(zoomed.zoomed, path);
            assert.equal(zoomed.zoom, 3);
            assert.equal(zoomed.sum, zoomed.total[3]);
            assert.deepEqual([...zoomed.flags.subarray(0, 4)].map((flags) => flags & 16), [16, 16, 16, 0]);
            for (const [key, node] of inside)
                assert.deepEqual(node, nodes.get(key));
            const prefix = [...inside.keys()][3];
            assert.equal(inside.size, 3 + [...nodes.keys()].filter((key) => `${key}\n`.startsWith(`${prefix}\n`)).length);
            assertPlaced(zoomed);
            const beyond = session.flame({ ...WIDE, inverted, root: [...path, 1e6] });
            assert.deepEqual(beyond.zoomed, path);
            assert.deepEqual(beyond.flags, zoomed.flags);
        }
    });
}

test('boxes that are too narrow are left out, and the box below says so', async () => {
    const session = await openParts({ samples: [
        { stack: ['main', 'a'], weight: 9990 }, { stack: ['main', 'b'], weight: 9 },
        { stack: ['main', 'c'], weight: 1 }] });

    for (const inverted of [false, true]) {
        const all = session.flame({ inverted, width: 10000 });
        const some = session.flame({ inverted, width: 1000 });

        assert.equal(all.n, inverted ? 6 : 4);
        assert.equal(some.n, inverted ? 4 : 3);
        assert.equal(some.sum, 10000);
    }
    const layout = session.flame({ width: 1000 });
    assert.deepEqual([...layout.flags], [32, 0, 0]);
    assert.equal(layout.total[0], 10000);
});

test('deep recursion takes neither much time nor many boxes', async () => {
    const random = randomNumbers(9);
    const frames = Array.from({ length: 9000 }, () => `f${random(7)}`);
    const session = await openParts({
        samples: Array.from({ length: 128 }, (_, i) => ({ stack: frames.slice(0, 70 * i + 1), weight: 1 })),
    });
    const { n, depths, depth, flags, self, total } = session.flame({ inverted: true });

    assert.equal(session.flame({}).depths, 8891);
    assert.ok(n >= 400000 && n < 401000);
    assert.deepEqual(flags.map((bits) => bits & 32),
        flags.map((_, i) => depth[i] === depths - 1 && self[i] < total[i] ? 32 : 0));
    assert.equal(session.folded({}).text.split('\n').length, 129);
});

test('siblings are in the order that was asked for', async () => {
    const session = await openParts({ samples: [
        { stack: ['m', 'a'], weight: 1 }, { stack: ['m', 'c'], weight: 3 }, { stack: ['m', 'b'], weight: 2 }] });
    const names = (sort) => {
        const layout = session.flame({ sort });

        return Array.from({ length: layout.n }, (_, i) => i).sort((a, b) => layout.x0[a] - layout.x0[b])
            .filter((i) => layout.depth[i] === 1)
            .map((i) => session.recordings.functions.name(layout.function[i])).join('');
    };

    assert.equal(names('weight'), 'cba');
    assert.equal(names('name'), 'abc');
});

test('functions of copies of a program are one, those of other programs are not', async () => {
    const session = await openParts({ samples: [
        { stack: ['f@/a/prog'], weight: 1 }, { stack: ['f@/b/prog'], weight: 2 },
        { stack: ['f@/b/other'], weight: 4 }] });
    const table = session.table({});

    assert.deepEqual([...table.total], [4, 3]);
});

test('weights up to 2^53 are exact, and larger sums are marked', async () => {
    const big = 2 ** 52 - 1;
    const session = await openParts({ samples: [{ stack: ['f'], weight: big }, { stack: ['f'], weight: big }] });
    const beyond = await openParts({ samples: Array.from({ length: 3 }, () => ({ stack: ['f'], weight: big })) });

    assert.equal(session.flame({}).total[0], 2 ** 53 - 2);
    assert.equal(session.select({ selection: {} }).sides[0].exact, true);
    assert.equal(beyond.select({ selection: {} }).sides[0].exact, false);
});
