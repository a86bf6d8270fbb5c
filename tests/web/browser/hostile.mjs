/** @file Names are text, whatever they consist of. */
import assert from 'node:assert';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeProfile } from '../profiles.mjs';
import { visit } from './browser.mjs';
import { JIT, makePage, makePageOf, SHOP, work } from './recordings.mjs';

const MARKUP = '</script><script>document.title="taken over"</script><img src=x onerror=document.title="taken">';
const TURNED = 'abc\u202Egnp.exe\u2066\u200B';
const CONTROLS = 'bell\x07escape\x1B[31mline\none\x01end';
const LONG = `long_${'x'.repeat(65536)}`;
const NAMES = [MARKUP, TURNED, CONTROLS, LONG, '__proto__', 'constructor', '<!--', '&lt;', '${name}', ''];
/** Characters that reorder, hide or break a text. */
const UNSAFE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069]/;

/** A ledger of the names, with more threads than have a row, and times that no number of JavaScript can be. */
const LEDGER = {
    notes: [{ name: MARKUP, text: TURNED }],
    states: ['running', 'runnable', 'blocked', 'unknown'],
    uses: ['busy', 'idle', 'unknown'],
    begin_ns: '18446744073709551615',
    end_ns: '0',
    least_phase_ns: '0',
    least_step_ns: '0',
    reasons: [MARKUP, TURNED, CONTROLS],
    threads: NAMES.map((name, tid) => ({
        tid, name, span: CONTROLS, ns: ['18446744073709551615', '0', '1', '0'], whole: '18446744073709551615', runs: '1', waits: '0',
    })),
    more_threads: { n: 1e9, ns: ['0', '0', '0', '0'], whole: '0', runs: '0', waits: '0' },
    all_threads: { n: 1e9, ns: ['1', '2', '3', '4'], whole: '10', runs: '5', waits: '6' },
    cpus: [{ cpu: 4294967295, ns: ['0', '0', '0'], whole: '0', switches: '18446744073709551615' }],
    all_cpus: { n: 1, ns: ['0', '0', '0'], whole: '0', switches: '0' },
    wakers: NAMES.map((name, tid) => ({ tid, name, waker: { tid, name }, ns: [], whole: '0', waits: '18446744073709551615' })),
    all_wakers: { n: NAMES.length, ns: [], whole: '0', waits: '0' },
};

/** Check that no view shows markup or an unsafe character of a name, or gets wider than the window. */
async function expectInert(driver) {
    for (const view of await driver.views()) {
        await driver.view(view);
        const { text, title, images, scripts, wide } = await driver.page.evaluate(() => ({
            text:
                document.body.innerText +
                [...document.querySelectorAll('[title]')].map((element) => element.title).join('\n'),
            title: document.title,
            images: document.images.length,
            scripts: [...document.scripts].map((script) => script.className || script.id),
            wide: document.documentElement.scrollWidth - innerWidth,
        }));
        assert.doesNotMatch(title, /^taken/);
        assert.equal(images, 0);
        assert.deepEqual(scripts, ['profile', 'packed', 'loader', 'program']);
        assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
        assert.ok(!UNSAFE.test(text), `${view} shows the character ${encodeURI(UNSAFE.exec(text))}`);
    }
}

test('names in a profile are inert', async () => {
    const samples = NAMES.map((name, i) => ({ stack: ['main', name], weight: 100 - i, time: i }));
    const bytes = encodeProfile({
        samples,
        input: MARKUP,
        events: [
            { name: TURNED, unit: 'ns' },
            { name: MARKUP, unit: 'ns' },
        ],
        processes: [{ pid: 1, name: MARKUP }],
        threads: [{ process: 0, tid: 1, name: CONTROLS }],
        ledger: LEDGER,
        recording: { host: MARKUP, kernel: TURNED, arch: CONTROLS, cpus: 1, recorder: LONG, command: MARKUP },
    });

    await visit(makePageOf('hostile', makePage('template', SHOP), bytes), {}, async (driver) => {
        assert.equal((await driver.totals()).samples, NAMES.length);
        await expectInert(driver);
        await driver.view('table');
        const shown = (await driver.rows()).map((cells) => cells[2].trim());
        assert.ok(shown.includes(MARKUP), shown.join('\n').slice(0, 2000));
        assert.ok(shown.includes('abc\\u202egnp.exe\\u2066\\u200b'));
        assert.ok(shown.includes('bell\\x07escape\\x1b[31mline\\x0aone\\x01end'));
        assert.ok(shown.some((name) => name.startsWith('long_xxx') && name.length < 1000));

        // The whole name on demand, and as a filter.
        await driver.press('g');
        await driver.page.focus('#query');
        await driver.page.keyboard.type('long_');
        await driver.settled();
        await driver.press('Enter', 'ArrowDown', 'v');
        assert.equal((await driver.text('#dialog .full')).length, LONG.length);
        await driver.press('Escape', 'f');
        assert.equal((await driver.totals()).samples, 1);
    });
});

test('names in a recording reach the page as text', async () => {
    const directory = join(work, 'hostile');
    mkdirSync(directory);
    const recording = join(directory, '"><script>document.title="taken".data');
    copyFileSync(JIT.recording, recording);
    copyFileSync(JIT.program, join(directory, 'jit'));
    // The generated code of the recording is at 7f6512f46000.
    writeFileSync(join(directory, 'perf-21272.map'), `7f6512f46000 1000 ${MARKUP}${TURNED}\x1B[31m${LONG}\n`);
    const options = ['--symbol-dir', directory, '--perf-map-path', directory];

    await visit(makePage('hostile-recording', { recording, options }), {}, async (driver) => {
        await expectInert(driver);
        await driver.view('table');
        const shown = (await driver.rows()).map((cells) => cells[2].trim());
        // Folded stacks have no quotes, and escapes for what is not printable.
        const start = `${MARKUP.replaceAll('"', '')}abc\\u202egnp.exe\\u2066\\u200b\\x1b[31mlong_xxx`;
        assert.ok(
            shown.some((name) => name.startsWith(start)),
            shown.join('\n').slice(0, 2000),
        );
    });
});
