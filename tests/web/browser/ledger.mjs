/** @file The view Time has the numbers of pdconv report --ledger. */
import assert from 'node:assert';
import { test } from 'node:test';
import { encodeProfile } from '../profiles.mjs';
import { isFirefox, visit } from './browser.mjs';
import { CHAINS, CLOCK, compare, INTERVALS, makePage, makePageOf, pdconv, SHOP, SHOP_AFTER } from './recordings.mjs';

const STATES = ['running', 'runnable', 'blocked', 'unknown'];

function report(recording, ...words) {
    return pdconv(recording, '-f', 'report', '--ledger', '--limit', '1000', ...words);
}

/** Return the whole numbers that the titles of the cells begin with. */
const exact = (titles) => titles.map((title) => Number(/^[\d,]+/.exec(title)[0].replaceAll(',', '')));

/** Read a table of the view: the texts and titles of its cells, and the parts of its bars, a list for each row. */
function tables(driver, name) {
    return driver.page.$$eval(`#stage table.${name}`, (found) =>
        found.map((table) =>
            [...table.tBodies[0].rows].map((row) => ({
                name: row.cells[0].innerText,
                second: row.cells[1].innerText,
                titles: [...row.querySelectorAll('td.number')].map((cell) => cell.title),
                parts: [...row.querySelectorAll('.bar i')].map(({ className, title }) => `${className} ${title}`),
                widths: [...row.querySelectorAll('.bar i')].map((part) => part.getBoundingClientRect().width),
            })),
        ),
    );
}

/** Compare the threads and wakers that the view shows of one recording with those of the report. */
function expectSame(recording, threads, wakers) {
    const { ledger } = JSON.parse(report(recording, '--json'));
    const rows = ledger.threads.rows;
    const named = (row) => `${row.thread} ${row.tid}`;
    const sums = ['runs', 'waits'].map((count) => rows.reduce((sum, row) => sum + row[count], 0));

    assert.deepEqual(
        threads.map(({ name }) => name),
        [...rows.map(named), `all ${rows.length} threads`],
    );
    assert.deepEqual(
        threads.map(({ titles }) => exact(titles)),
        [
            ...rows.map((row) => [...STATES.map((state) => row[state] ?? 0), row.life, row.runs, row.waits]),
            [...STATES.map((state) => ledger.thread_total[state]), ledger.thread_total.life, ...sums],
        ],
    );
    rows.forEach((row, i) => {
        const parts = STATES.filter((state) => row[state] > 0);
        assert.deepEqual(threads[i].parts.map((part) => part.split(' ')[1]), parts);
    });
    assert.deepEqual(
        wakers.map(({ name, second, titles }) => [name, second, ...exact(titles.slice(0, 2))]),
        ledger.wakers.rows.map((row) => [
            named(row),
            `${row.waker} ${row.waker_tid ?? ''}`.trim(),
            row.waits,
            row.blocked,
        ]),
    );
}

/** Return the lines above the table of threads in the report, a list of words each. */
function notesOf(recording) {
    const [, facts] = /\n( *length [^]*?)\n\n/.exec(report(recording));
    return facts.split('\n').map((line) => line.trim().replace(/ +/, ' '));
}

for (const [name, recording] of Object.entries({ clock: CLOCK, shop: SHOP })) {
    test(`times and notes are those of the report: ${name}`, async () => {
        await visit(makePage(`ledger-${name}`, recording), { hash: 'view=ledger' }, async (driver) => {
            const [threads] = await tables(driver, 'threads');
            const [wakers = []] = await tables(driver, 'wakers');

            expectSame(recording, threads, wakers.filter((row) => !row.name.startsWith('all ')));
            const notes = await driver.page.$$eval('#stage .notes li', (items) => items.map((item) => item.textContent));
            assert.deepEqual(notes, notesOf(recording));
            assert.ok(notes.some((note) => note.startsWith('balances yes: ')));
            assert.equal((await tables(driver, 'cpus')).length, 0);
            // A part of a bar has the width of its share, and no text but a title.
            const { titles, parts, widths } = threads[2];
            const [running, runnable, blocked] = exact(titles);
            if (name === 'shop') return;
            assert.ok(Math.abs(widths[1] / widths[2] - runnable / blocked) < 0.1, `${widths} for ${titles}`);
            assert.ok(Math.abs(widths[0] / widths[2] - running / blocked) < 0.1, `${widths} for ${titles}`);
            assert.match(parts[1], /^c-bad runnable 23\.2 ms \(39\.7 %\)$/);
        });
    });
}

test('a comparison has both recordings, one after the other', async () => {
    const page = compare('ledger-both', makePage('ledger-before', SHOP), makePage('ledger-after', SHOP_AFTER));

    await visit(page, { hash: 'view=ledger' }, async (driver) => {
        const [before, after] = await tables(driver, 'threads');

        expectSame(SHOP, before, []);
        expectSame(SHOP_AFTER, after, []);
        const titles = await driver.page.$$eval('#stage h2', (all) => all.map((title) => title.textContent));
        assert.match(titles[0], /^Where time went: before, .*before\.data$/);
        assert.match(titles[1], /^Where time went: after, .*after\.data$/);
    });
    const mixed = compare('ledger-one', makePage('ledger-first', CHAINS), makePage('ledger-second', SHOP));
    await visit(mixed, { hash: 'view=ledger' }, async (driver) => {
        expectSame(SHOP, (await tables(driver, 'threads'))[0], []);
        assert.match(await driver.text('#stage'), /This recording has neither switches nor waits\./);
    });
});

test('a recording without a ledger has no such view', async () => {
    // Not even if the address names it, which may be that of another recording.
    await visit(makePage('ledger-none', CHAINS), { hash: 'view=ledger' }, async (driver) => {
        const isSelected = () => driver.page.$eval('[aria-selected="true"]', (tab) => tab.dataset.view);

        assert.ok(!(await driver.views()).includes('ledger'));
        assert.equal(await isSelected(), 'flame');
        await driver.press('8', '9');
        assert.equal(await isSelected(), 'quality');
        await driver.press('?');
        assert.doesNotMatch(await driver.text('#dialog'), /^Time$/m);
        await driver.press('Escape');
        // After the last tab comes the first one.
        await driver.page.focus('[data-view="quality"]');
        await driver.press('ArrowRight');
        assert.equal(await isSelected(), 'flame');
    });
});

/** A ledger of `n` CPUs, and of one thread that ran for as long. */
function ledgerOf(n) {
    const thread = { ns: ['3000', '0', '0', '0'], whole: '3000', runs: '1', waits: '0' };
    const cpu = { ns: ['1000', '2500', '500'], whole: '4000', switches: '7' };

    return {
        notes: [],
        states: STATES,
        uses: ['busy', 'idle', 'unknown'],
        begin_ns: '5000000',
        end_ns: '5000000',
        least_phase_ns: '0',
        least_step_ns: '0',
        reasons: [],
        threads: [{ ...thread, tid: 1, name: 'test', span: 'throughout' }],
        all_threads: { ...thread, n: 1 },
        cpus: Array.from({ length: n }, (_, i) => ({ ...cpu, cpu: i })),
        more_cpus: { ...cpu, n: 2 },
        all_cpus: { ns: ['3000', '7500', '1500'], whole: '12000', switches: '21', n: n + 2 },
        wakers: [],
    };
}

test('CPUs have bars, and the rows that are left out are summed up', async () => {
    const bytes = encodeProfile({ samples: [{ stack: ['main'] }], ledger: ledgerOf(2) });

    await visit(makePageOf('ledger-cpus', makePage('ledger-template', SHOP), bytes), {}, async (driver) => {
        await driver.press('9');
        const [rows] = await tables(driver, 'cpus');

        assert.deepEqual(rows.map(({ name }) => name), ['CPU 0', 'CPU 1', '2 more CPUs', 'all 4 CPUs']);
        assert.deepEqual(rows.map(({ titles }) => exact(titles)), [
            [1000, 2500, 500, 4000, 7],
            [1000, 2500, 500, 4000, 7],
            [1000, 2500, 500, 4000, 7],
            [3000, 7500, 1500, 12000, 21],
        ]);
        assert.deepEqual(rows[0].parts, ['c-running busy 1 µs (25.0 %)', 'c-waiting idle 2.50 µs (62.5 %)',
            'c-unknown unknown 500 ns (12.5 %)']);
        // One thread has no sum.
        assert.equal((await tables(driver, 'threads'))[0].length, 1);
    });
});

test('intervals are those of the report', async () => {
    const { intervals } = JSON.parse(pdconv(INTERVALS, '-f', 'report', '--intervals', '--limit', '1000', '--json'));
    const COLUMNS = ['times', 'errors', 'total', 'p50', 'p99', 'max'];
    const sums = (row) => COLUMNS.map((column) => row[column] ?? 0);

    await visit(makePage('intervals', INTERVALS), { hash: 'view=ledger' }, async (driver) => {
        const names = await tables(driver, 'intervals.names');
        const threads = await tables(driver, 'intervals.threads');
        const shownOf = (rows) => rows.map(({ name, titles }) => [name, ...exact(titles)]);

        assert.ok(intervals.length >= 2 && intervals.some((kind) => kind.threads));
        assert.deepEqual(names.map(shownOf), intervals.map((kind) => kind.names.rows.map((row) => [row.name, ...sums(row)])));
        assert.deepEqual(
            threads.map(shownOf),
            intervals.filter((kind) => kind.threads).map((kind) =>
                kind.threads.rows.map((row) => [`${row.thread} ${row.tid}`, ...sums(row)])),
        );
        const titles = await driver.page.$$eval('#stage h2', (all) => all.map((title) => title.textContent));
        for (const { kind } of intervals) assert.ok(titles.includes(`Intervals: ${kind}`), `${titles}`);
    });
});

test('keys scroll the view', async () => {
    await visit(makePage('ledger-keys', CLOCK), { height: 400 }, async (driver) => {
        const top = () => driver.page.$eval('#stage .ledger', (element) => element.scrollTop);

        await driver.press('9', 'g', 'ArrowDown', 'ArrowDown');
        assert.ok((await top()) > 0);
        await driver.press('ArrowUp', 'ArrowUp');
        assert.equal(await top(), 0);
    });
});

test('paper has all rows', { skip: isFirefox && 'it has no other media for the screen' }, async () => {
    await visit(makePage('ledger-paper', CLOCK), { hash: 'view=ledger', width: 718, height: 500 }, async (driver) => {
        await driver.page.emulateMediaType('print');
        await driver.page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        const { overflow, scrolls } = await driver.page.evaluate(() => {
            const element = document.querySelector('#stage .ledger');
            return {
                overflow: document.documentElement.scrollWidth - innerWidth,
                scrolls: element.scrollHeight - element.clientHeight,
            };
        });
        const text = await driver.text('#stage');
        const cut = await driver.page.$$eval('#stage .ledger :is(td, th).number', (cells) =>
            cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText));

        assert.deepEqual({ overflow, scrolls, cut }, { overflow: 0, scrolls: 0, cut: [] });
        for (const part of ['all 7 threads', 'Woken by', 'clock 14133', '[hard interrupt]', 'balances'])
            assert.ok(text.includes(part), `paper lacks "${part}"`);
    });
});
