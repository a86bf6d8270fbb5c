import assert from 'node:assert/strict';
import test from 'node:test';

import { randomNumbers, randomParts } from '../profiles.mjs';
import { naiveSamples, naiveTree, sorted, sum, treeOfLayout, withoutRecursion } from './naive.mjs';
import { openParts, WIDE } from './session.mjs';

/** Number of samples, which have counts. */
const counted = (samples) => sum(samples, ({ count }) => count);

/** Check that `session` shows these samples, and nothing else. */
function assertShown(session, samples) {
    const [totals] = session.selection.totals;

    assert.equal(totals.weight, sum(samples));
    assert.equal(totals.samples, counted(samples));
    assert.deepEqual(sorted(treeOfLayout(session.flame(WIDE), session.recordings.functions)), sorted(naiveTree(samples)));
    assert.equal(session.flame({ inverted: true }).sum, totals.weight);
    assert.equal(session.quality({}).weight, totals.weight);
}

const nameOf = (key) => key.split('\0')[0];
const pathOf = (key) => ({
    app: '/bin/app', 'libc.so.6': '/lib/libc.so.6', kernel: 'kernel', jit: 'jit', '': '',
})[key.split('\0')[1]];
const fileOf = (key) => /^\[/.test(nameOf(key)) ? '' : `/src/${nameOf(key)}.c`;
const isLost = (key) => nameOf(key) === '[callers lost]';
const matching = (regex) => (key) =>
    !isLost(key) && [nameOf(key), fileOf(key), pathOf(key)].some((text) => text && regex.test(text));

/** Stacks without the mark of lost callers. */
const unmarked = (stack) => stack.filter((key) => !isLost(key));

for (const seed of [11, 12]) {
    const parts = randomParts(seed);
    const cpu = naiveSamples(parts, ({ event }) => event === 0);
    const change = (samples, edit) => samples.map((sample) => ({ ...sample, stack: edit(sample.stack) }));

    test(`samples ${seed} by time, thread, process, CPU and event`, async () => {
        const session = await openParts(parts);
        const show = (selection) => session.select({ selection });
        const random = randomNumbers(seed);

        show({ event: 1 });
        assertShown(session, naiveSamples(parts, ({ event }) => event === 1));
        show({ threads: [1] });
        assertShown(session, cpu.filter(({ thread }) => thread === 1));
        show({ threads: [0], processes: [1] });
        assertShown(session, cpu.filter(({ thread }) => thread !== 1));
        show({ processes: [0] });
        assertShown(session, cpu.filter(({ thread }) => thread < 2));
        show({ threads: [] });
        assertShown(session, []);
        show({ cpus: [0, -1] });
        assertShown(session, cpu.filter((sample) => sample.cpu <= 0));
        for (let i = 0; i < 20; i++) {
            const from = random(100000);
            const time = [from, from + random(30000)];

            show({ time, threads: [1, 2], cpus: [0, 1] });
            assertShown(session, cpu.filter((sample) => sample.time >= time[0] && sample.time < time[1] &&
                sample.thread > 0 && sample.cpu >= 0 && sample.cpu < 2));
        }
        /* Both ends of a time at which there is a sample. */
        const { time } = cpu[7];
        show({ time: [time, time + 1] });
        assertShown(session, cpu.filter((sample) => sample.time === time));
        show({ time: [time + 1, time + 1] });
        assertShown(session, []);
        assert.equal(session.selection.totals[0].of_weight, sum(cpu));
        assert.equal(session.selection.totals[0].of_samples, counted(cpu));
    });

    test(`stacks ${seed} by what they contain`, async () => {
        const session = await openParts(parts);
        const has = (regex, sample) => sample.stack.some(matching(regex));
        const show = (selection) => session.select({ selection });

        for (const regex of ['^a$', 'mem|malloc', '/lib/', 'b\\.c$', '^kernel$', 'sort<int, x;y>', 'lost', '^.', 'no']) {
            show({ focus: [{ regex }] });
            assertShown(session, cpu.filter((sample) => has(new RegExp(regex), sample)));
            show({ ignore: [{ regex }] });
            assertShown(session, cpu.filter((sample) => !has(new RegExp(regex), sample)));
        }
        show({ focus: [{ text: 'MEMC' }, { text: 'c', exact: true }], ignore: [{ regex: 'malloc' }] });
        assertShown(session, cpu.filter(({ stack }) => stack.some((key) => /^c$|memcpy/.test(nameOf(key))) &&
            !stack.some(matching(/malloc/))));
        show({ focus: [[{ regex: '^a$' }], [{ regex: '^b$' }, { regex: '^c$' }]] });
        assertShown(session, cpu.filter((sample) => has(/^a$/, sample) && has(/^[bc]$/, sample)));
    });

    test(`stacks ${seed} without hidden frames`, async () => {
        const session = await openParts(parts);

        for (const regex of ['^a$', '/bin/app', '^jit$', '.', 'callers lost']) {
            session.select({ selection: { hide: [{ regex }] } });
            assertShown(session, change(cpu, (stack) => unmarked(stack.filter((key) => !matching(new RegExp(regex))(key)))));
        }
        /* What is hidden selects nevertheless. */
        session.select({ selection: { focus: [{ regex: '^a$' }], hide: [{ regex: '^a$' }] } });
        assertShown(session, change(cpu.filter(({ stack }) => stack.some(matching(/^a$/))),
            (stack) => unmarked(stack.filter((key) => nameOf(key) !== 'a'))));
    });

    test(`stacks ${seed} from roots on`, async () => {
        const session = await openParts(parts);

        for (const roots of [['a'], ['Java', 'read'], ['nothing'], ['A']]) {
            const start = (stack) => stack.findIndex((key) => roots.includes(nameOf(key)));

            session.select({ selection: { roots } });
            assertShown(session, change(cpu.filter(({ stack }) => start(stack) >= 0),
                (stack) => unmarked(stack.slice(start(stack)))));
            session.select({ selection: { roots, hide: [{ text: 'a', exact: true }] } });
            assertShown(session, change(cpu.filter(({ stack }) => start(stack) >= 0),
                (stack) => unmarked(stack.slice(start(stack)).filter((key) => nameOf(key) !== 'a'))));
        }
    });

    test(`stacks ${seed} with recursion shown once`, async () => {
        const session = await openParts(parts);

        session.select({ selection: { recursion: true } });
        assertShown(session, change(cpu, withoutRecursion));
    });

    test(`stacks ${seed} with the frames of a library shown as one`, async () => {
        const session = await openParts(parts);
        const key = '[libc.so.6]\0libc.so.6';

        session.select({ selection: { binaries: ['/lib/libc.so.6'] } });
        assertShown(session, change(cpu, (stack) => stack.map((frame) => pathOf(frame) === '/lib/libc.so.6' ? key : frame)
            .filter((frame, i, all) => frame !== key || all[i - 1] !== key)));
        /* The whole name counts, not a part. */
        session.select({ selection: { binaries: ['libc.so.6'] } });
        assertShown(session, cpu);
    });

    test(`selections of ${seed} one after the other are what each of them is alone`, async () => {
        const random = randomNumbers(seed + 1);
        const choose = (list) => list[random(list.length)];
        const parse = { regex: 'parse' };
        const session = await openParts(parts);

        /* There are few different ones, so that most of them follow themselves with others between. */
        for (let i = 0; i < 60; i++) {
            const selection = {
                event: choose([0, 1]), time: choose([null, null, [1000, 40000]]), threads: choose([null, [1], [0, 2]]),
                cpus: choose([null, [0]]), hide: choose([[], [parse]]), focus: choose([[], [parse]]), recursion: choose([false, true]),
            };
            const alone = await openParts(parts);
            const answers = (each) => [each.select({ selection }), each.flame(WIDE), each.parts(), each.quality({}),
                each.heat({ rows: 4, columns: 10 })];

            assert.deepEqual(answers(session), answers(alone));
        }
    });

    test(`search in ${seed} counts each stack once`, async () => {
        const session = await openParts(parts);
        const { weight, share, functions } = session.search({ pattern: { regex: '^[ab]$' } });
        const found = cpu.filter(({ stack }) => stack.some((key) => /^[ab]$/.test(nameOf(key))));

        assert.equal(weight, sum(found));
        assert.equal(share, sum(found) / sum(cpu));
        assert.equal(functions.length,
            new Set(found.flatMap(({ stack }) => stack.filter((key) => /^[ab]\0/.test(key)))).size);
    });
}

test('invalid patterns are errors, and the selection remains', async () => {
    const session = await openParts(randomParts(1));

    session.select({ selection: { threads: [1] } });
    const before = session.flame({}).sum;
    assert.throws(() => session.select({ selection: { focus: [{ regex: 'a(' }] } }), /invalid pattern 'a\('/);
    assert.throws(() => session.select({ selection: { ignore: [{}] } }), /neither a text nor/);
    assert.throws(() => session.select({ selection: { event: 7 } }), /no event 7/);
    const many = Array.from({ length: 30 }, (_, i) => [{ text: `${i}` }]);
    assert.throws(() => session.select({ selection: { focus: many } }), /too many patterns/);
    assert.equal(session.flame({}).sum, before);
});

test('the default event runs and has samples', async () => {
    const events = [{ name: 'empty' }, { name: 'off', unit: 'ns', waits: true }, { name: 'cycles' }];
    const session = await openParts({ events, samples: [{ stack: ['f'], event: 1 }, { stack: ['f'], event: 2 }] });
    const waits = await openParts({ events, samples: [{ stack: ['f'], event: 1 }] });
    const empty = await openParts({ samples: [] });

    assert.equal(session.selection.event, 2);
    assert.equal(waits.selection.event, 1);
    assert.equal(empty.selection.event, 0);
    assert.equal(empty.flame({}).n + empty.flame({ inverted: true }).n + empty.table({}).n, 0);
    assert.equal(empty.heat({}).sum + empty.lanes({ by: 'cpu' }).n + empty.chart({ thread: 0 }).n, 0);
});

test('lines of a function count recursion once', async () => {
    const session = await openParts({ samples: [
        { stack: ['main@p', 'f@p:3', 'f@p:3'], weight: 5 }, { stack: ['main@p', 'f@p:3', 'f@p:4', 'g@p'], weight: 2 }] });
    const { function: ids } = session.table({ search: { text: 'f', exact: true } });

    assert.equal(ids.length, 1);
    const { line, self, total, count } = session.lines({ function: ids[0] });
    assert.deepEqual([[...line], [...self], [...total], [...count]], [[3, 4], [5, 0], [7, 2], [2, 1]]);
});

test('quality counts ends, guesses and samples without a stack', async () => {
    const session = await openParts({ samples: [
        { stack: ['a', 'b g', 'c'], weight: 1, end: ['found', 'guessed'] }, { stack: ['a', 'c'], weight: 2 },
        { stack: ['a'], weight: 4, count: 3 }, { stack: [], weight: 8, end: null }] });
    const { ends, ...sums } = session.quality({});

    assert.deepEqual(ends, [{ text: '', kind: 'none', samples: 1, weight: 8 },
        { text: 'found', kind: 'guessed', samples: 1, weight: 1 },
        { text: 'reached the root', kind: 'rooted', samples: 4, weight: 6 }]);
    assert.deepEqual(sums,
        { samples: 6, weight: 15, guessed: { samples: 1, weight: 1 }, no_stack: { samples: 1, weight: 8 } });
});

test('idle CPUs are not CPU time, and tasks that exit have no number', async () => {
    const session = await openParts({
        processes: [{ pid: 0, name: 'swapper' }, { pid: 7, name: 'app' }, { pid: -1, name: ':-1' }],
        threads: [{ process: 0, tid: 0, name: 'swapper' }, { process: 1, tid: 7, name: 'app' },
            { process: 2, tid: -1, name: ':-1' }],
        samples: [{ stack: ['idle@kernel'], thread: 0, weight: 30 }, { stack: ['main@/bin/app'], thread: 1, weight: 50 },
            { stack: ['exit@kernel'], thread: 2, weight: 4 }],
    });
    const idle = () => session.selection.totals.map(({ weight, idle: part }) => [weight, part]);

    assert.deepEqual(idle(), [[84, 30]]);
    session.select({ selection: { threads: [1] } });
    assert.deepEqual(idle(), [[50, 0]]);
    assert.deepEqual(session.recordings.threads.map(({ name }) => name), ['swapper', 'app', 'exiting tasks']);
});
