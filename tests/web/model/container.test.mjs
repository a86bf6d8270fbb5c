import assert from 'node:assert/strict';
import test from 'node:test';

import { decodeBase64, decodeBase64Slowly, decodeContainer, inflate } from '../../../web/model/container.js';
import { encodeContainer, encodeElement } from '../encode.mjs';

const NUMBERS = [0, 1, 127, 128, 16383, 16384, 2 ** 28 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53];

test('numbers up to 2^53 are exact', () => {
    const { columns } = decodeContainer(encodeContainer({ version: 5 }, [['sample.weight', 'varint', NUMBERS]]));

    assert.deepEqual([...columns['sample.weight']], NUMBERS);
});

test('differences between -2^53 and 2^53 are exact', () => {
    const values = [5, 3, 2 ** 53, 0, 2 ** 53 - 1, 1, 64, 127, 63, 0, 2 ** 32 + 1];
    const { columns } = decodeContainer(encodeContainer({ version: 5 }, [['sample.time', 'delta', values]]));

    assert.deepEqual([...columns['sample.time']], values);
});

test('columns follow each other, and bytes are as they were', () => {
    const { json, columns } = decodeContainer(encodeContainer({ version: 5, input: 'ü' }, [
        ['a', 'varint', [300, 2]], ['string.text', 'bytes', [255, 0, 128]], ['b', 'delta', [7, 6]],
        ['c', 'varint', []]]));

    assert.equal(json.input, 'ü');
    assert.deepEqual([...columns.a], [300, 2]);
    assert.deepEqual([...columns['string.text']], [255, 0, 128]);
    assert.deepEqual([...columns.b], [7, 6]);
    assert.equal(columns.c.length, 0);
});

test('a page\'s element is decompressed', async () => {
    const container = encodeContainer({ version: 5 }, [['a', 'varint', NUMBERS.slice(0, 8)]]);
    const text = encodeElement(container).replace(/(.{76})/g, '$1\n');

    assert.deepEqual(await inflate(decodeBase64(`\n${text}\n`)), container);
});

test('columns whose numbers have one byte each are read into every type', () => {
    const values = [0, 127, 1, 64];
    const { columns } = decodeContainer(encodeContainer({ version: 5 }, [
        ['a', 'varint', values], ['sample.weight', 'varint', values]]));

    assert.deepEqual(columns.a, Uint32Array.from(values));
    assert.deepEqual(columns['sample.weight'], Float64Array.from(values));
});

test('base64 is the same with and without the help of the browser', () => {
    const had = Uint8Array.fromBase64;
    const text = encodeElement(encodeContainer({ version: 5 }, [['a', 'varint', NUMBERS.slice(0, 8)]]));
    const slow = decodeBase64Slowly(text);

    Uint8Array.fromBase64 = (word) => {
        if (/[^\w+/=\s]/.test(word))
            throw new SyntaxError('not base64');
        return new Uint8Array(Buffer.from(word, 'base64'));
    };
    try {
        assert.deepEqual(decodeBase64(text), slow);
        assert.throws(() => decodeBase64('AAAA*'), /character 4 has code 42/);
    } finally {
        Uint8Array.fromBase64 = had;
    }
});

test('damage is an error', async () => {
    const good = encodeContainer({ version: 5 }, [['a', 'varint', [1, 300]]]);
    const long = encodeContainer({ version: 5 }, [['a', 'bytes', [128]]]);
    const deflated = decodeBase64(encodeElement(good));

    assert.throws(() => decodeContainer(good.subarray(0, 4)), /not a profile/);
    assert.throws(() => decodeContainer(good.subarray(1)), /not a profile/);
    assert.throws(() => decodeContainer(good.subarray(0, good.length - 1)), /truncated/);
    assert.throws(() => decodeContainer(encodeContainer({ version: 3 }, [])), /version 3/);
    assert.throws(() => decodeContainer(encodeContainer({ version: 5 }, [['a', 'varint', [2 ** 32]]])), /out of range/);
    assert.throws(() => decodeContainer(encodeContainer({ version: 5 }, [['a', 'delta', [1, -1]]])), /out of range/);
    /* A number whose last byte says that it goes on, with and without bytes after it. */
    for (const tail of [[], [['b', 'varint', [1]]]]) {
        const container = encodeContainer({ version: 5 }, [['a', 'varint', [200]], ...tail]);
        const at = container.indexOf(200, container.length - 3);

        container[at + 1] |= 128;
        assert.throws(() => decodeContainer(container), /damaged/);
    }
    long[long.length - 1] = 1;
    assert.throws(() => decodeBase64('AAAA*AAA'), /not base64/);
    await assert.rejects(inflate(deflated.subarray(0, deflated.length - 6)), /cannot decompress/);
});
