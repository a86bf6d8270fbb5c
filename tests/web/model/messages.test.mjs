import assert from 'node:assert/strict';
import test from 'node:test';

import { serveQuestions } from '../../../web/model/worker.js';
import { encodeElement } from '../encode.mjs';
import { encodeProfile, randomParts } from '../profiles.mjs';

/**
 * A worker and the page's side of it: ask() returns a promise of the message with the answer, and ask.watched are the
 * patterns that the worker was about to match.
 */
function startWorker() {
    const waiting = new Map();
    const watched = [];
    const scope = {
        postMessage(message, transferred = []) {
            /* Transferring fails for buffers that are listed twice or belong to someone else. */
            const received = structuredClone(message, { transfer: transferred });

            if (received.id === undefined)
                watched.push(received.matching);
            else
                waiting.get(message.id)(received);
        },
    };
    let last = 0;

    serveQuestions(scope);
    const ask = (question, options, slot) => new Promise((resolve) => {
        waiting.set(++last, resolve);
        scope.onmessage({ data: { id: last, question, slot, arguments: options } });
    });
    return Object.assign(ask, { watched });
}

async function openWorker(parts = randomParts(1)) {
    const ask = startWorker();
    const opened = await ask('open', { profiles: [{ name: 'perf.data', base64: encodeElement(encodeProfile(parts)) }] });

    return { ask, opened };
}

test('each question has an answer', async () => {
    const { ask, opened } = await openWorker();

    assert.equal(opened.answer.counts.samples, 300);
    assert.equal(opened.answer.recordings[0].json.input, 'perf.data');
    assert.equal(opened.answer.recordings[0].json.columns, undefined);
    assert.deepEqual(opened.answer.totals.sides[0].weight, opened.answer.totals.sides[0].of_weight);
    for (const [question, options] of [['select', { selection: { threads: [1] } }], ['flame', {}],
        ['flame', { inverted: true }], ['sandwich', { function: 1 }], ['table', {}], ['heat', {}],
        ['lanes', { by: 'cpu' }], ['lanes', { by: 'thread' }],
        ['chart', { thread: 1 }], ['search', { pattern: { text: 'a' } }], ['quality', {}], ['parts', {}],
        ['lines', { function: 1 }], ['names', { functions: [0, 1] }], ['folded', {}]]) {
        /* Twice: what is kept for the next answer must not be transferred. */
        for (let i = 0; i < 2; i++) {
            const { answer, error } = await ask(question, options);

            assert.ok(answer, `${question}: ${error}`);
        }
    }
});

test('each regular expression is announced before it is matched, and once', async () => {
    const { ask } = await openWorker();

    await ask('search', { pattern: { text: 'a' } });
    await ask('search', { pattern: { regex: 'a|b' } });
    await ask('select', { selection: { focus: [{ regex: 'a|b' }], hide: [{ regex: 'c' }] } });
    const { error } = await ask('search', { pattern: { regex: '(' } });
    assert.match(error, /invalid pattern/);
    assert.deepEqual(ask.watched, [null, null, 'a|b', null, 'c', null, '(', null]);
});

test('functions are described once, and again if asked for', async () => {
    const { ask } = await openWorker();
    const first = await ask('flame', {});
    const numbers = new Set(first.answer.function);

    assert.deepEqual(new Set(first.functions.map(({ id }) => id)), numbers);
    assert.equal((await ask('flame', { inverted: true })).functions, undefined);
    const [fn] = (await ask('names', { functions: [3] })).functions;
    assert.equal(fn.id, 3);
    const truncated = first.functions.find(({ name }) => name === '[truncated]');
    assert.deepEqual([truncated.binary, truncated.kind, truncated.file, truncated.mark], ['', 4, '', true]);
    const memcpy = first.functions.find(({ name }) => name === 'memcpy');
    assert.deepEqual([memcpy.binary, memcpy.kind, memcpy.file, memcpy.mark],
        ['/lib/libc.so.6', 1, '/src/memcpy.c', false]);
});

test('errors are texts', async () => {
    const ask = startWorker();

    assert.match((await ask('flame', {})).error, /nothing has been opened/);
    assert.match((await ask('open', { profiles: [{ name: 'x', base64: 'AAAA' }] })).error, /cannot decompress/);
    assert.match((await ask('open', { profiles: [{ name: 'x', bytes: new Uint8Array(9) }] })).error, /not a profile/);
    const opened = await openWorker();
    assert.match((await opened.ask('constructor', {})).error, /no question 'constructor'/);
    assert.match((await opened.ask('select', { selection: { focus: [{ regex: '[' }] } })).error, /invalid pattern '\['/);
    assert.match((await opened.ask('search', { pattern: { regex: '(' } })).error, /invalid pattern/);
});

test('damaged profiles are errors', async () => {
    const good = encodeProfile(randomParts(1, 20));
    const ask = startWorker();
    let failed = 0;

    for (let i = 0; i < good.length; i += 7) {
        const bytes = good.slice();

        bytes[i] ^= 255;
        const { answer, error } = await ask('open', { profiles: [{ name: 'x', bytes }] });
        assert.ok(answer || error);
        failed += error ? 1 : 0;
    }
    assert.ok(failed > 10);
});

test('of several questions that wait, the newest is answered', async () => {
    const { ask } = await openWorker();
    const answers = await Promise.all([ask('flame', {}), ask('flame', { inverted: true }), ask('flame', {}, 'other'),
        ...[0, 1].map((thread) => ask('select', { selection: { threads: [thread] } })), ask('flame', {})]);
    const weights = [0, 1].map((i) => answers[3 + i].answer.sides[0].weight);

    assert.deepEqual(answers.map(({ superseded }) => !!superseded), [true, true, false, false, false, false]);
    assert.notEqual(weights[0], weights[1]);
    assert.equal(answers[5].answer.sum, weights[1]);
});
