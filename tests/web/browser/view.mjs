/** @file pdconv view: the file that it gives to the browser is a page of the recording. */
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { visit } from './browser.mjs';
import { PDCONV, SHOP, SHOP_AFTER, work } from './recordings.mjs';

/** Run pdconv view with a browser that notes what it was asked to open. Return { printed, opened }. */
async function view(...words) {
    const noted = join(work, `opened-${words.length}`);
    const browser = join(work, 'browser');

    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" >${noted}.new && mv ${noted}.new ${noted}\n`);
    chmodSync(browser, 0o755);
    const printed = execFileSync(PDCONV, ['view', '-q', '--no-cache', '--symfs', work, ...words], {
        encoding: 'utf8',
        env: { ...process.env, BROWSER: browser, TMPDIR: work },
    });
    // The browser outlives pdconv.
    for (let i = 0; i < 600 && !existsSync(noted); i++) await sleep(100);
    return { printed: printed.trim(), opened: readFileSync(noted, 'utf8').trim() };
}

test('the browser is given a page of the recording, which only the user can read', async () => {
    const { printed, opened } = await view(SHOP.recording, ...SHOP.options);

    assert.equal(opened, printed);
    assert.equal(statSync(opened).mode & 0o777, 0o600);
    await visit(opened, {}, async (driver) => {
        assert.equal((await driver.totals()).samples, 1192);
        assert.match(await driver.text('#title'), /shop blue green/);
    });
});

test('two recordings are compared, with code of both', async () => {
    const sources = SHOP.recording.replace(/[^/]*$/, '');
    const { opened } = await view(
        SHOP.recording,
        SHOP_AFTER.recording,
        ...SHOP.options,
        ...SHOP_AFTER.options,
        ...['--embed-source', '--source-dir', sources],
    );

    await visit(opened, { hash: 'view=table' }, async (driver) => {
        const { samples, samples1 } = await driver.totals();
        assert.deepEqual([samples, samples1], [1192, 1296]);
        await driver.page.focus('#stage .scroller');
        await driver.press('ArrowDown', 's');
        assert.match(await driver.text('#tools'), /^tax/);
        // The compared value of the loop was changed: 100 before, 200 after.
        for (const [side, bound] of [[0, '$0x65'], [1, '$0xc9']]) {
            await driver.click(`#tools [data-value="${side}"]`);
            assert.ok((await driver.text('#stage .code')).includes(bound), `side ${side} has no ${bound}`);
            assert.match(await driver.text('#stage .lines'), /sum \+= price/);
        }
    });
});
