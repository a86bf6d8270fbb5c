/** @file Where time went, against the report of the same recording. */
import assert from 'node:assert/strict';
import test from 'node:test';

import { longestRow, readLedger } from '../../../web/model/ledger.js';
import { openRecording, pdconv, TESTDATA } from './recordings.mjs';

const ledgerOf = (session) => session.recordings.sides[0].profile.json.ledger;

for (const name of ['clock/perf.data', 'shop/before.data', 'shop/after.data']) {
    test(`rows add up to the totals of the report: ${name}`, async () => {
        const recording = `${TESTDATA}/${name}`;
        const { threads, cpus, wakers, states } = readLedger(ledgerOf(await openRecording(recording)));
        const { ledger } = JSON.parse(pdconv(recording, '-f', 'report', '--ledger', '--limit', '1000', '--json'));

        for (const { rows, all } of [threads, wakers].filter((list) => list.all)) {
            for (const { ns, whole } of rows.filter((row) => row.ns.length))
                assert.equal(ns.reduce((a, b) => a + b), whole);
            assert.equal(rows.reduce((sum, { whole }) => sum + whole, 0), all.whole);
            assert.equal(rows.reduce((sum, { waits }) => sum + waits, 0), all.waits);
            assert.equal(rows.length, all.n);
        }
        assert.deepEqual(threads.all.ns, states.map((state) => ledger.thread_total[state]));
        assert.equal(threads.all.whole, ledger.thread_total.life);
        assert.deepEqual(threads.rows.map(({ tid, name: called, span }) => [tid, called, span]),
            ledger.threads.rows.map(({ tid, thread, span }) => [tid, thread, span]));
        assert.equal(longestRow(threads), Math.max(...ledger.threads.rows.map(({ life }) => life)));
        assert.deepEqual(cpus.rows, []);
        assert.equal(wakers.rows.length, ledger.wakers.rows.length);
    });
}

test('filters of threads and times hold for the ledger', async () => {
    const recording = `${TESTDATA}/clock/perf.data`;

    for (const options of [['--tid', '14133'], ['--time', '20%-60%'], ['--time', '0%-10%,50%-60%']]) {
        const { threads } = readLedger(ledgerOf(await openRecording(recording, ...options)));
        const { ledger } = JSON.parse(pdconv(recording, '-f', 'report', '--ledger', '--json', ...options));

        assert.equal(threads.all.whole, ledger.thread_total.life);
        assert.deepEqual(threads.rows.map(({ tid, whole }) => [tid, whole]),
            ledger.threads.rows.map(({ tid, life }) => [tid, life]));
    }
});

test('recordings without switches and waits have no ledger', async () => {
    for (const name of ['fp/perf.data', 'jit/perf.data', 'piped/perf.data'])
        assert.equal(ledgerOf(await openRecording(`${TESTDATA}/${name}`)), undefined, name);
});
