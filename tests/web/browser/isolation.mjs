/** @file The page asks for nothing, and its policy is kept. */
import assert from 'node:assert';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { makePage, SHOP, work } from './recordings.mjs';

const VIEWS = ['flame', 'icicle', 'inverted', 'chart', 'sandwich', 'table', 'source', 'quality', 'ledger'];

test('opens from a file, and shows every view without requests, errors and violations', async () => {
    await visit(makePage('shop', SHOP), {}, async (driver) => {
        assert.equal((await driver.totals()).samples, 1192);
        for (const view of VIEWS) {
            await driver.view(view);
            assert.equal(
                await driver.page.$eval(`[data-view="${view}"]`, (tab) => tab.getAttribute('aria-selected')),
                'true',
            );
            assert.ok(await driver.page.$eval('#stage', (stage) => stage.childElementCount), `${view} is empty`);
        }
    });
});

test('the policy allows no text but that of the loader and the program', async () => {
    await visit(makePage('policy', SHOP), { tolerates: true }, async (driver) => {
        await driver.settled();
        const run = (text) =>
            driver.page.evaluate((program) => {
                const script = document.createElement('script');
                window.hasRun = false;
                script.textContent = program;
                document.body.append(script);
                return window.hasRun;
            }, text);
        assert.equal(await run('window.hasRun = true;'), false);
        assert.equal(await run(`${await driver.page.$eval('#program', (p) => p.textContent)}window.hasRun = true;`), false);
        // Firefox reports violations later.
        await driver.page.waitForFunction(() => window.observed.violations.length >= 2);
        const violations = await driver.page.evaluate(() => window.observed.violations);
        assert.ok(violations.every((text) => text.startsWith('script-src')), violations.join('\n'));
    });
});

test('the observer sees requests, errors and violations', async () => {
    const asked = [];
    const server = createServer((request, response) => {
        asked.push(request.url);
        response.end();
    });

    await new Promise((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
    });
    const path = join(work, 'faulty.html');
    const address = `http://127.0.0.1:${server.address().port}`;
    const policy = '<meta http-equiv="Content-Security-Policy" content="style-src \'none\'">';
    writeFileSync(
        path,
        `<!doctype html>${policy}<img src="${address}/image"><p style="color: red">
        <script>console.log('spoken'); setTimeout(() => { throw new Error('thrown'); });</script>`,
    );
    await visit(path, { tolerates: true }, async (driver) => {
        for (let i = 0; i < 100 && !(asked.length && driver.faults.length >= 3); i++)
            await new Promise((resolve) => {
                setTimeout(resolve, 50);
            });
        const faults = [...driver.faults, ...(await driver.page.evaluate(() => window.observed.violations))].join('\n');
        assert.deepEqual(asked.slice(0, 1), ['/image']);
        assert.match(faults, /request: .*\/image/);
        assert.match(faults, /console: log: spoken/);
        assert.match(faults, /error: .*thrown/);
        assert.match(faults, /style-src/);
    });
    server.close();
});
