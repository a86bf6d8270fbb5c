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

/** The text of a page's profile element. */
export function encodeElement(container) {
    return deflateSync(container).toString('base64');
}
