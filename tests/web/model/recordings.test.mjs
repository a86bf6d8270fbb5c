/**
 * @file Compares selections with the filters of pdconv, on the recordings of testdata. PDCONV is the program; with QUICK
 * not empty, only some recordings are read.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import test from 'node:test';

import { openRecording, pdconv, seconds, TESTDATA } from './recordings.mjs';

const QUICK = ['shop', 'jit', 'deep', 'bpf', 'threads', 'fp'];

/**
 * Map of stacks to weights. Threads are known by number alone, because a page has the last name of each, and stacks of
 * pdconv have the name at the time.
 */
function stacksOf(text) {
    const stacks = new Map();

    for (const line of text.split('\n').filter(Boolean)) {
        const [, stack, weight] = /^[^;]*?(-?-\d+\/-?\d+(?:;.*)?) (\d+)$/.exec(line);

        stacks.set(stack, (stacks.get(stack) ?? 0n) + BigInt(weight));
    }
    return [...stacks].sort(([a], [b]) => a < b ? -1 : 1);
}

/** Selections and the options of pdconv that mean them: [name, selection, options]. */
function filtersOf(session, event) {
    const { recordings } = session;
    const { threads, functions, cpus, sides: [{ profile }] } = recordings;
    const [first, last] = profile.span;
    const filters = [['everything', {}, []]];
    const withTid = (tid) => threads.flatMap((thread, i) => thread.tid === tid ? i : []);
    const add = (name, selection, ...options) => filters.push([name, selection, options]);

    session.select({ selection: { event } });
    const names = Array.from(session.table({ sort: 'total', limit: 60 }).function, (fn) => functions.describe(fn))
        .filter(({ name, mark }) => /^[\w:<>.+ [\]]+$/.test(name) && !mark).map(({ name }) => name);
    const regexOf = (name) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    const picks = [names[1], names[Math.floor(names.length / 3)], names.at(-1)].filter(Boolean);

    if (profile.json.time_unit_ns && last > first) {
        const [from, to] = [0.3, 0.7].map((share) => Math.floor(first + share * (last - first)));

        add('time', { time: [from, to] }, '--time', `${seconds(session, from)},${seconds(session, to, 1n)}`);
        add('time and thread', { time: [from, last + 1], threads: withTid(threads[0].tid) },
            '--time', `${seconds(session, from)},${seconds(session, last + 1, 1n)}`, '--tid', String(threads[0].tid));
    }
    const { tid } = threads.at(-1);
    add('thread', { threads: withTid(tid) }, '--tid', String(tid));
    if (cpus.at(-1) >= 0)
        add('CPU', { cpus: [cpus.at(-1)] }, '--cpu', String(cpus.at(-1)));
    for (const name of picks) {
        const regex = regexOf(name);

        add(`focus ${name}`, { focus: [{ regex }] }, '--focus', regex);
        add(`ignore ${name}`, { ignore: [{ regex }] }, '--ignore', regex);
        add(`hide ${name}`, { hide: [{ regex }] }, '--hide', regex);
        if (!name.startsWith('['))
            add(`root ${name}`, { roots: [name] }, '--root', name);
    }
    add('binaries', { focus: [{ regex: 'libc|kernel' }], hide: [{ regex: '\\.so' }] },
        '--focus', 'libc|kernel', '--hide', '\\.so');
    add('parts of names', { ignore: [{ regex: '^[_a-k]' }], hide: [{ regex: 'l+' }] },
        '--ignore', '^[_a-k]', '--hide', 'l+');
    return filters;
}

const recordings = readdirSync(TESTDATA)
    .filter((name) => existsSync(`${TESTDATA}/${name}`) && (!process.env.QUICK || QUICK.includes(name)))
    .flatMap((name) => ['perf.data', 'before.data'].map((file) => `${TESTDATA}/${name}/${file}`)).filter(existsSync);

for (const recording of recordings) {
    test(`${recording.slice(TESTDATA.length + 1)} has the stacks of pdconv --folded`, async () => {
        const session = await openRecording(recording);
        let nStacks = 0;

        for (const [number, event] of session.recordings.events.entries()) {
            if (!session.recordings.samplesOf(event))
                continue;
            for (const [name, selection, options] of filtersOf(session, number)) {
                session.select({ selection: { ...selection, event: number } });
                const folded = pdconv(recording, '--folded', '--folded-tid', '--event', event.name, ...options);
                const expected = stacksOf(folded);

                assert.deepEqual(stacksOf(session.folded({ threads: true }).text), expected, `${event.name}, ${name}`);
                nStacks += expected.length;
            }
        }
        assert.ok(nStacks > 0);
    });
}

/** Sum up the answers to `quality` for each event: a Map of texts to samples. */
function endsOf(session) {
    const sums = new Map();

    for (const event of session.recordings.events.keys()) {
        session.select({ selection: { event } });
        for (const { kind, text, samples } of session.quality({}).ends) {
            for (const key of [kind, text])
                sums.set(key, (sums.get(key) ?? 0) + samples);
        }
    }
    return sums;
}

for (const recording of recordings) {
    test(`${recording.slice(TESTDATA.length + 1)} has the ends of stacks of the report`, async () => {
        const { stacks } = JSON.parse(pdconv(recording, '-f', 'report', '--json')).quality;
        const ends = endsOf(await openRecording(recording));
        const cut = 'recorded call chain that does not reach main or the start of a thread';

        assert.equal(ends.get('rooted') ?? 0, stacks.rooted);
        assert.equal(ends.get(cut) ?? 0, stacks.cut_call_chains);
        for (const { text, samples } of stacks.ends.rows)
            assert.equal(ends.get(text) ?? 0, samples, text);
    });
}
