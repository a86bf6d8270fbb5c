/**
 * @file Writes containers for tests: see web/model/container.js.
 */
import { deflateSync } from 'node:zlib';

/** Append `value` (a BigInt, not negative) to the array `bytes` as a varint. */
function pushVarint(bytes, value) {
    while (value > 127n) {
        bytes.push(Number(value & 127n) | 128);
        value >>= 7n;
    }
    bytes.push(Number(value));
}

/** Append small numbers without BigInt, because large columns have many of them. */
function pushNumber(bytes, value) {
    if (value >= 2 ** 31) {
        pushVarint(bytes, BigInt(value));
        return;
    }
    while (value > 127) {
        bytes.push(value & 127 | 128);
        value >>>= 7;
    }
    bytes.push(value);
}

function encodeDelta(values) {
    const bytes = [];
    let before = 0;

    for (const value of values) {
        const difference = value - before;
        if (Math.abs(difference) < 2 ** 29) {
            pushNumber(bytes, difference < 0 ? -2 * difference - 1 : 2 * difference);
        } else {
            const big = BigInt(difference);
            pushVarint(bytes, big < 0n ? -2n * big - 1n : 2n * big);
        }
        before = value;
    }
    return bytes;
}

function encodeVarint(values) {
    const bytes = [];

    for (const value of values)
        pushNumber(bytes, value);
    return bytes;
}

/**
 * Encode a container.
 * @param {object} json Without `columns`.
 * @param {Array<[string, 'varint'|'delta'|'bytes', ArrayLike<number>]>} columns
 * @returns {Uint8Array}
 */
export function encodeContainer(json, columns) {
    const encoded = columns.map(([name, kind, values]) => {
        const bytes = kind === 'bytes' ? values : kind === 'delta' ? encodeDelta(values) : encodeVarint(values);

        return { name, kind, n: values.length, size: bytes.length, bytes };
    });
    const head = Buffer.from(JSON.stringify({ ...json, columns: encoded.map(({ bytes, ...column }) => column) }));
    const start = Buffer.alloc(8);

    start.write('PDW1', 'latin1');
    start.writeUInt32LE(head.length, 4);
    return new Uint8Array(Buffer.concat([start, head, ...encoded.map(({ bytes }) => Buffer.from(bytes))]));
}

/** Numbers from 0 to n - 1 in the order of `keyOf` of each; those with the same key remain in their order. */
const orderBy = (n, keyOf) => Array.from({ length: n }, (_, i) => i).sort((a, b) => keyOf(a) - keyOf(b) || a - b);

/** Columns of nodes in the order of the container, and the place of each node there. */
function nodeColumns(parents, frames) {
    const callees = Array.from({ length: parents.length + 1 }, () => []);
    const places = new Map();
    const up = [];
    let path = [];

    parents.forEach((parent, node) => callees[parent].push(node));
    for (const waiting = [...callees[0]].reverse(); waiting.length;) {
        const node = waiting.pop();
        const depth = parents[node] ? path.lastIndexOf(parents[node] - 1) + 1 : 0;

        places.set(node, places.size);
        up.push(path.length - depth);
        path = [...path.slice(0, depth), node];
        waiting.push(...[...callees[node + 1]].reverse());
    }
    return { places, columns: [['node.up', 'varint', up], ['node.frame', 'varint', [...places.keys()].map((node) => frames[node])]] };
}

/**
 * Columns of nodes, leaves and samples in the orders of a container.
 * @param {number[]} parents Parent of each node + 1; 0 at a root. Parents precede their children.
 * @param {number[]} frames Frame of each node.
 * @param {Object<string, number[]>} samples Columns in order of time: time, node, thread, cpu, event, weight, count, end.
 * @returns {Array<[string, string, number[]]>} For encodeContainer().
 */
export function stackColumns(parents, frames, samples) {
    const { places, columns } = nodeColumns(parents, frames);
    const leaves = [...new Set(samples.node)].filter(Boolean);
    const numbers = new Map([[0, 0], ...leaves.map((node, i) => [node, i + 1])]);
    const byCpu = orderBy(samples.time.length, (i) => samples.cpu[i]);
    const byThread = orderBy(byCpu.length, (i) => samples.thread[byCpu[i]]).map((i) => byCpu[i]);
    const column = (name, order) => order.map((i) => samples[name][i]);

    return [
        ...columns,
        ['leaf.node', 'delta', leaves.map((node) => places.get(node - 1))],
        ['sample.time', 'delta', column('time', byCpu)],
        ['sample.leaf', 'varint', column('node', byThread).map((node) => numbers.get(node))],
        ...['thread', 'cpu', 'event', 'weight', 'count'].map((name) => [`sample.${name}`, 'varint', column(name, byCpu)]),
        ['sample.end', 'varint', column('end', byThread)],
    ];
}

/** The text of a page's profile element. */
export function encodeElement(container) {
    return deflateSync(container).toString('base64');
}
