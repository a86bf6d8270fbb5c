/** @file The orders of nodes and samples in a container, and those in the page. */
import assert from 'node:assert/strict';
import test from 'node:test';

import { encodeContainer, stackColumns } from '../encode.mjs';
import { encodeProfile, randomNumbers, randomParts } from '../profiles.mjs';
import { decodeContainer } from '../../../web/model/container.js';
import { readProfile } from '../../../web/model/profile.js';
import { parentsOf, samplesInTime } from '../../../web/model/samples.js';

const NAMES = ['time', 'node', 'thread', 'cpu', 'event', 'weight', 'count', 'end'];

/** Rows of samples at random, in order of time; several samples have the same time. */
function randomRows(seed, { nNodes, longest }) {
    const random = randomNumbers(seed);
    const times = Array.from({ length: 500 }, () => random(200) * longest).sort((a, b) => a - b);

    return times.map((time, i) =>
        ({ time, node: random(nNodes + 1), thread: random(4), cpu: random(3), event: 0, weight: i, count: 1, end: random(2) }));
}

for (const longest of [1, 1e5, 1e9]) {
    test(`samples are in order of time, which goes up to ${longest * 199}`, () => {
        const parents = [0, 1, 2, 1, 0, 5];
        const rows = randomRows(3, { nNodes: parents.length, longest });
        const samples = Object.fromEntries(NAMES.map((name) => [name, rows.map((row) => row[name])]));
        const frames = parents.map((_, i) => i);
        const { columns } = decodeContainer(encodeContainer({ version: 5 }, stackColumns(parents, frames, samples)));
        const read = samplesInTime(columns, 4);
        const parentsRead = parentsOf(columns['node.up']);
        /* A frame is in one node only here, and tells which one it is. */
        const nodeOf = new Map([[0, 0], ...Array.from(columns['node.frame'], (frame, i) => [i + 1, frame + 1])]);
        const found = Array.from(read.time, (_, i) =>
            ({ ...Object.fromEntries(NAMES.map((name) => [name, read[name][i]])), node: nodeOf.get(read.node[i]) }));
        const inOrder = (a, b) => a.time - b.time || a.cpu - b.cpu || a.weight - b.weight;

        assert.deepEqual(found, [...rows].sort(inOrder));
        parentsRead.forEach((parent, i) => assert.equal(nodeOf.get(parent), parents[columns['node.frame'][i]]));
    });
}

test('damage is an error', () => {
    const good = encodeProfile(randomParts(1));
    const { json, columns } = decodeContainer(good);
    const damage = (name, value) => {
        const kinds = new Map(json.columns.map((column) => [column.name, column.kind]));
        const changed = Object.entries(columns).map(([key, values]) =>
            [key, kinds.get(key), key === name ? value([...values]) : values]);

        return encodeContainer({ ...json, columns: undefined }, changed);
    };
    const last = (by) => (values) => [...values.slice(0, -1), by];

    readProfile(damage('', null));
    assert.throws(() => readProfile(damage('node.up', last(1000))), /no parent/);
    assert.throws(() => readProfile(damage('leaf.node', last(columns['node.up'].length))), /leaf.node refers/);
    assert.throws(() => readProfile(damage('sample.leaf', last(columns['leaf.node'].length + 1))), /sample.leaf refers/);
    assert.throws(() => readProfile(damage('sample.end', (values) => values.slice(1))), /differ in length/);
});
