/**
 * @file Times what the page of -f html computes, without a browser.
 *
 * usage: node bench/web.mjs [PAGE.html [AFTER.html]]
 *
 * Without arguments: a profile of 1.4 million samples that is made at random, and two of them as a difference. Each line
 * has the shortest and the longest of several runs, in ms of CPU time. The goals are 500 ms to decode, 100 ms from a
 * selection to a flame graph, and 500 ms to invert a call tree.
 */
import { readFileSync } from 'node:fs';

import { encodeContainer, encodeElement, stackColumns } from '../tests/web/encode.mjs';
import { NO_ROWS, randomNumbers } from '../tests/web/profiles.mjs';
import { decodeBase64, inflate } from '../web/model/container.js';
import { readProfile } from '../web/model/profile.js';
import { Recordings } from '../web/model/recordings.js';
import { Session } from '../web/model/worker.js';

const RUNS = 5;

/**
 * Rows of a profile at random. Functions call a few others, some of them most of the time, and some stacks are sampled
 * far more often than others.
 */
function randomProfile({ nSamples, nStacks, nFunctions, seed }) {
    const random = randomNumbers(seed);
    const nodes = new Map();
    const parents = [];
    const frames = [];
    const samples = { time: [], node: [], thread: [], cpu: [], event: [], weight: [], count: [], end: [] };
    const callee = fn => (fn * 7 + 1 + Math.min(random(9), random(9), random(9), random(9)) * 131) % nFunctions;
    const descend = (parent, fn) => {
        const key = parent * nFunctions + fn;

        if (!nodes.has(key)) {
            nodes.set(key, nodes.size + 1);
            parents.push(parent);
            frames.push(fn);
        }
        return nodes.get(key);
    };
    const stacks = Array.from({ length: nStacks }, () => {
        const depth = 6 + random(30);
        let node = 0;

        for (let k = 0, fn = random(4); k < depth; k++, fn = callee(fn))
            node = descend(node, fn);
        return node;
    });

    for (let i = 0, time = 0; i < nSamples; i++) {
        time += random(40);
        samples.time.push(time);
        samples.node.push(stacks[Math.min(random(nStacks), random(nStacks), random(nStacks))]);
        samples.thread.push(random(200));
        samples.cpu.push(1 + random(16));
        samples.event.push(0);
        samples.weight.push(1001001);
        samples.count.push(1);
        samples.end.push(1);
    }
    return { parents, frames, samples, nFunctions };
}

/** Encode the rows of a profile at random. */
function encodeRandom({ parents, frames, samples, nFunctions }) {
    const names = Array.from({ length: nFunctions }, (_, i) => Buffer.from(`namespace::function_${i}<int, std::string>`));
    const numbers = Uint32Array.from({ length: nFunctions }, (_, i) => i);
    const threads = Array.from({ length: 200 }, (_, i) => ({ process: i >> 3, tid: 100 + i, name: `worker-${i}` }));

    return encodeContainer({
        version: 3, generator: 'bench', input: 'random', recording: {}, time_unit_ns: 1000, base_ns: '0',
        events: [{ name: 'cpu-clock', unit: 'ns', samples: samples.time.length, period: '0', waits: false }],
        processes: Array.from({ length: 25 }, (_, i) => ({ pid: 100 + 8 * i, name: `process-${i}` })), threads,
        ends: [{ text: 'reached the root', kind: 'rooted' }],
    }, [
        ['string.length', 'varint', [0, 8, ...names.map(name => name.length)]],
        ['string.text', 'bytes', Buffer.concat([Buffer.from('/bin/app'), ...names])],
        ['binary.name', 'varint', [1]], ['binary.kind', 'varint', [0]],
        ['function.name', 'varint', numbers.map(i => i + 2)], ['function.file', 'varint', numbers.map(() => 0)],
        ['function.line', 'varint', numbers], ['function.binary', 'varint', numbers.map(() => 1)],
        ['frame.function', 'varint', numbers], ['frame.line', 'varint', numbers],
        ['frame.flags', 'varint', numbers.map(() => 0)], ['frame.instruction', 'varint', numbers.map(() => 0)],
        ...stackColumns(parents, frames, samples),
        ...['time', 'thread', 'kind', 'count'].map(name => [`mark.${name}`, 'varint', []]),
        ...NO_ROWS.map(name => [name, 'varint', []]),
    ]);
}

/** Texts of the profile elements of a page. */
function elementsOf(path) {
    const page = readFileSync(path, 'latin1');

    return [...page.matchAll(/<script type="application\/octet-stream"[^>]*>([^<]*)<\/script>/g)].map(([, text]) => text);
}

/** Time `work`, which gets the number of the run, and print its shortest and longest time. */
async function time(what, work) {
    const times = [];

    for (let i = 0; i < RUNS; i++) {
        const begun = process.cpuUsage();

        await work(i);
        const { user, system } = process.cpuUsage(begun);
        times.push((user + system) / 1000);
    }
    const [least, most] = [Math.min(...times), Math.max(...times)].map(ms => ms.toFixed(1).padStart(8));
    console.log(`${what.padEnd(34)} ${least} ${most}`);
}

/** Time the decoding of a page's elements. */
async function timeDecoding(texts) {
    const compressed = texts.map(decodeBase64);
    const containers = [];

    for (const bytes of compressed)
        containers.push(await inflate(bytes));
    await time('base64', () => texts.map(decodeBase64));
    await time('inflate', async () => {
        for (const bytes of compressed)
            await inflate(bytes);
    });
    await time('columns', () => containers.map(readProfile));
    const profiles = containers.map(readProfile);
    await time('tree of all stacks', () => new Recordings(profiles));
}

async function timeQuestions(session) {
    const { recordings } = session;
    const [first, last] = recordings.sides[0].profile.span;
    /* Each run selects something new, because answers are kept. */
    const slice = i => [first + (last - first) * i / 20, first + (last - first) * (i + 10) / 20];
    const names = Array.from(session.table({ limit: 20 }).function, fn => recordings.functions.name(fn));
    const busy = session.table({ sort: 'total' }).function;
    const select = selection => session.select({ selection });
    const selectAndShow = (what, selectionOf) => time(what, i => {
        select(selectionOf(i));
        session.flame({});
    });

    await selectAndShow('select time, flame', i => ({ time: slice(i) }));
    await selectAndShow('select threads, flame', i => ({ threads: [i, i + 1, i + 2] }));
    await selectAndShow('select CPU, flame', i => ({ cpus: [i] }));
    await selectAndShow('focus, flame', i => ({ focus: [{ text: names[i], exact: true }] }));
    await selectAndShow('focus by regex, flame', i => ({ focus: [{ regex: `[${i}7]<` }] }));
    await selectAndShow('hide, flame', i => ({ hide: [{ text: names[i], exact: true }] }));
    await selectAndShow('root, flame', i => ({ roots: [names[i]] }));
    await selectAndShow('recursion, flame', i => ({ recursion: true, hide: [{ text: names[i], exact: true }] }));
    const fresh = (what, ask) => time(what, i => {
        select({ cpus: null, threads: null, time: i ? [first, last + 1 - i] : null });
        ask(i);
    });
    await fresh('flame', () => session.flame({}));
    await fresh('inverted', () => session.flame({ inverted: true }));
    await fresh('table', () => session.table({}));
    await fresh('sandwich', i => session.sandwich({ function: busy[i * 3] }));
    await fresh('search', i => session.search({ pattern: { regex: `_${i}` } }));
    await fresh('heat', () => session.heat({ rows: 60, columns: 200 }));
    await fresh('lanes of threads', () => session.lanes({ by: 'thread', columns: 1000 }));
    await fresh('lanes of CPUs', () => session.lanes({ by: 'cpu', columns: 1000 }));
    await fresh('chart', i => session.chart({ thread: i }));
    await fresh('parts', () => session.parts());
    await fresh('quality', () => session.quality({}));
    await fresh('lines', i => session.lines({ function: busy[i] }));
    await time('select a tenth of the time, folded', i => {
        select({ time: [first + i, first + (last - first) / 10] });
        session.folded({});
    });
}

async function run(what, texts) {
    const session = new Session();
    const { counts } = await session.open({ profiles: texts.map(base64 => ({ name: what, base64 })) });

    console.log(`${what}: ${counts.samples} samples, ${counts.nodes} nodes, ${counts.functions} functions, ` +
        `${(texts.reduce((n, text) => n + text.length, 0) / 1e6).toFixed(1)} MB of base64`);
    await timeDecoding(texts);
    await timeQuestions(session);
}

const pages = process.argv.slice(2);
if (pages.length) {
    await run(pages.join(', '), pages.flatMap(elementsOf));
} else {
    const sizes = { nSamples: 1.4e6, nStacks: 50000, nFunctions: 12000 };
    const texts = [1, 2].map(seed => encodeElement(encodeRandom(randomProfile({ ...sizes, seed }))));

    await run('random', texts.slice(0, 1));
    await run('difference', texts);
}
