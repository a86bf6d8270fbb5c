/** @file Weights of instructions and source lines, against pdconv annotate with the same filters. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';

import { openRecording, pdconv, seconds, TESTDATA } from './recordings.mjs';

/** Functions by name with their own weight. */
function functionsOf(session) {
    const { recordings } = session;
    const { function: fn, self } = session.table({ limit: 100000 });

    return Array.from(fn, (number, i) => ({ number, self: self[i], ...recordings.functions.describe(number) }));
}

/** Map of "file:line" to the weight of the line, and the sum of the lines of each function. */
function lineWeights(session) {
    const weights = new Map();

    for (const { number, self, name } of functionsOf(session)) {
        const { files, file, line, self: selfs } = session.lines({ function: number });
        const sum = selfs.reduce((a, b) => a + b, 0);

        assert.equal(sum, self, `lines of ${name}`);
        line.forEach((at, i) => {
            const { path } = files[file[i]];
            const key = `${path}:${at}`;
            if (path && at && selfs[i])
                weights.set(key, (weights.get(key) ?? 0) + selfs[i]);
        });
    }
    return [...weights].sort();
}

function annotatedLines(recording, options) {
    const { files } = JSON.parse(pdconv(recording, 'annotate', '--lines', '--limit', '100000', '--json', ...options));

    return files.flatMap(({ lines }) => lines.rows).map((row) => [`${row.file}:${row.line}`, row.period_0])
        .filter(([, period]) => period).sort();
}

/** [address, weight] of the instructions with samples in the code that contains the function `number`. */
function instructionWeights(session, number, code) {
    const { address, self, ...answer } = session.instructions({ function: number, code });

    assert.equal(answer.code, code);
    return address.map((text, i) => [`0x${text}`, self[i]]).filter(([, weight]) => weight);
}

function annotatedInstructions(recording, name, options) {
    const { instructions } = JSON.parse(pdconv(recording, 'annotate', '-s', name, '--whole', '--json', ...options));

    return instructions.rows.filter((row) => row.period_0).map((row) => [row.address, row.period_0]);
}

/** Selections and the options of pdconv that mean them. */
function filtersOf(session) {
    const { recordings: { threads, sides: [{ profile }] } } = session;
    const [first, last] = profile.span;
    const [from, to] = [0.2, 0.6].map((share) => Math.floor(first + share * (last - first)));
    const { tid } = threads.at(-1);

    return [
        [{}, []],
        [{ time: [from, to] }, ['--time', `${seconds(session, from)},${seconds(session, to, 1n)}`]],
        [{ threads: [threads.length - 1] }, ['--tid', String(tid)]],
        [{ focus: [{ regex: 'price|inner' }] }, ['--focus', 'price|inner']],
    ];
}

/** Compare all functions with code in the page. Returns the number of instructions with samples. */
function compareInstructions(session, recording, options) {
    const { functions, sides: [{ profile }] } = session.recordings;
    let n = 0;

    for (const { number, name } of functionsOf(session)) {
        const { codes } = session.instructions({ function: number });
        const own = codes.filter((each) => each.function === number && each.weight);

        /* Without a name of its own, pdconv cannot be asked for the function. */
        if (own.length !== 1 || !/^\w+$/.test(name))
            continue;
        const expected = annotatedInstructions(recording, name, options);
        assert.deepEqual(instructionWeights(session, number, own[0].code), expected, `${name} ${options.join(' ')}`);
        n += expected.length;
    }
    assert.ok(functions.n && profile.codes.function.length);
    return n;
}

for (const name of ['shop/before.data', 'nested/perf.data', 'cxx/perf.data']) {
    const recording = `${TESTDATA}/${name}`;

    test(`${name}: lines and instructions weigh what pdconv annotate says`, async () => {
        const session = await openRecording(recording, '--embed-source', '--source-dir', dirname(recording));
        const { recordings } = session;
        const event = recordings.events[recordings.defaultEvent].name;
        let n = 0;

        for (const [selection, filters] of filtersOf(session)) {
            const options = ['--event', event, ...filters];

            session.select({ selection });
            if (!session.selection.totals[0].samples)
                continue;
            assert.deepEqual(lineWeights(session), annotatedLines(recording, options), filters.join(' '));
            n += compareInstructions(session, recording, options);
        }
        assert.ok(n > 0, 'nothing was compared');
    });
}

test('a page has the text of the lines of a function, and says what it lacks', async () => {
    const recording = `${TESTDATA}/shop/before.data`;
    const source = readFileSync(`${TESTDATA}/shop/shop.c`, 'utf8').split('\n');
    const numberOf = (session, wanted) => functionsOf(session).find(({ name }) => name === wanted).number;
    const session = await openRecording(recording, '--embed-source', '--source-dir', `${TESTDATA}/shop`);
    const { line, text, files } = session.lines({ function: numberOf(session, 'tax') });

    assert.deepEqual(files.map(({ note }) => note), ['']);
    assert.ok(line.includes(113) && line.includes(125), 'the whole function is there');
    line.forEach((number, i) => assert.equal(text[i], source[number - 1].replaceAll('\t', '        ')));

    const inlined = session.instructions({ function: numberOf(session, 'discount') });
    const { functions } = session.recordings;
    assert.deepEqual(inlined.codes.map((each) => functions.name(each.function)), ['price_order']);
    const own = inlined.self.filter((_, i) => inlined.own_line[i]).reduce((a, b) => a + b, 0);
    assert.equal(own, functionsOf(session).find(({ name }) => name === 'discount').self);
    const loop = inlined.jump.findIndex((to) => to >= 0);
    assert.equal(inlined.text[loop].split(' ').find(Boolean)[0], 'j');
    assert.ok(inlined.text[loop].includes(` ${inlined.address[inlined.jump[loop]]} `), 'the jump leads elsewhere');

    const without = await openRecording(recording, '--embed-source');
    const lacking = without.lines({ function: numberOf(without, 'tax') });
    assert.match(lacking.files[0].note, /not found/);
    assert.ok(lacking.text.every((each) => each === null));

    const plain = await openRecording(recording);
    const tax = numberOf(plain, 'tax');
    assert.deepEqual(plain.instructions({ function: tax }), { embedded: null, codes: [], code: -1 });
    assert.deepEqual(plain.lines({ function: tax }).text, [null, null]);
});

test('a page has the code of the hottest functions, and of no others', async () => {
    const session = await openRecording(`${TESTDATA}/shop/before.data`, '--embed-source');
    const { events, sides: [{ profile }] } = session.recordings;
    const shares = new Float64Array(profile.codes.function.length);
    const functions = functionsOf(session).map(({ number }) => number);

    events.forEach(({ sides: [{ weight }] }, event) => {
        session.select({ selection: { event } });
        for (const number of functions) {
            for (const { code } of session.instructions({ function: number }).codes) {
                const { self } = session.instructions({ function: number, code });

                shares[code] = Math.max(shares[code], self.reduce((a, b) => a + b, 0) / weight);
            }
        }
    });
    assert.ok(shares.every((share) => share >= 0.005), shares.join(' '));
    const cold = functions.find((number) => !session.instructions({ function: number }).codes.length);
    assert.deepEqual(session.instructions({ function: cold }),
        { embedded: { percent: 0.5, left_out: 0 }, codes: [], code: -1 });
});

test('a source file whose name is shown with escapes is found', async (t) => {
    const work = mkdtempSync(join(tmpdir(), 'pdconv-code-'));
    const recording = join(work, 'before.data');
    const path = join(work, 'shop');
    const name = 's\u0007\u0007p.c';

    t.after(() => rmSync(work, { recursive: true }));
    execFileSync('objcopy', ['--decompress-debug-sections', `${TESTDATA}/shop/shop`, path]);
    const program = readFileSync(path);
    for (let at = program.indexOf('shop.c\0'); at >= 0; at = program.indexOf('shop.c\0', at))
        program.write(name, at);
    writeFileSync(path, program);
    copyFileSync(`${TESTDATA}/shop/before.data`, recording);
    copyFileSync(`${TESTDATA}/shop/shop.c`, join(work, name));
    const session = await openRecording(recording, '--embed-source', '--source-dir', work);
    const { number } = functionsOf(session).find((each) => each.name === 'tax');
    const { files, text } = session.lines({ function: number });

    assert.match(files[0].path, /s\\x07\\x07p\.c$/);
    assert.equal(files[0].note, '');
    assert.ok(text.some((each) => each?.includes('double')), 'there is no text');
});

test('the hottest function is the one with most self weight, with code if the page has any', async () => {
    const recording = `${TESTDATA}/shop/before.data`;
    const hottestOf = (session, isWanted) =>
        functionsOf(session).find(({ self, mark, number }) => self > 0 && !mark && isWanted(number))?.number;
    const all = () => true;
    const hasInstructions = (session, number) => session.instructions({ function: number }).codes.some(({ code }) =>
        session.instructions({ function: number, code }).text.some(Boolean));
    const coded = (session) => (number) =>
        hasInstructions(session, number) || session.lines({ function: number }).text.some((text) => text !== null);
    const { waits } = JSON.parse(pdconv(recording, '-f', 'report', '--json'));
    const waitingFunction = waits.functions.rows[0].function.name;
    const seen = new Set();
    const compare = (session) => {
        const hottest = hottestOf(session, all);
        const expected = hottestOf(session, coded(session)) ?? hottest;
        const { function: found, is_first } = session.hottest({ with_code: true });
        const { function: first, is_first: is_always } = session.hottest({});

        assert.deepEqual([...first], [hottest].filter((number) => number !== undefined));
        assert.ok(is_always);
        assert.deepEqual([...found], [expected].filter((number) => number !== undefined));
        assert.equal(is_first, expected === hottest);
        seen.add(found.length ? is_first : 'none');
    };

    for (const words of [[], ['--embed-source', '--source-dir', `${TESTDATA}/shop`]]) {
        const session = await openRecording(recording, ...words);
        const ignored = [];

        /* Threads wait in functions of the kernel. The table names the functions of the program that wait. */
        session.select({ selection: { event: 1 } });
        const { functions } = session.recordings;
        assert.equal(functions.name(session.hottest({}).function[0]), 'schedule');
        assert.equal(functionsOf(session)[0].name, waitingFunction);
        session.select({ selection: {} });
        compare(session);
        /* Ignore the hottest function again and again, until none is left. */
        while (session.hottest({ with_code: true }).function.length) {
            const [number] = session.hottest({ with_code: true }).function;

            ignored.push({ text: session.recordings.functions.name(number), exact: true });
            session.select({ selection: { ignore: ignored } });
            compare(session);
        }
        session.select({ selection: { hide: [{ text: 'tax', exact: true }] } });
        compare(session);
    }
    assert.deepEqual([...seen].sort(), [false, 'none', true].sort());
});
