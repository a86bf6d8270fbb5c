/**
 * @file The page that opens recordings, in the browser BROWSER: what it shows and saves is what the native program writes, and it
 * makes no request.
 *
 * Environment: BROWSER (chromium or firefox), BUILD (pdconv, pdconv.html and web/ with puppeteer-core), SHOTS (a folder for
 * pictures, if any).
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { BROWSERS } from '../web/browser/browsers.mjs';
import { unpacked } from './unpacked.mjs';

const { BUILD, BROWSER = 'chromium', SHOTS } = process.env;
const PATIENCE = 120000;
const PAGE = path.resolve(BUILD, 'pdconv.html');
const PDCONV = path.resolve(BUILD, 'pdconv');
const testdata = path.resolve('testdata');

let browser;
let scratch;

before(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'pdconv-page-'));
    browser = await createRequire(`${path.resolve(BUILD)}/web/`)('puppeteer-core').launch({
        ...BROWSERS[BROWSER], headless: true, timeout: PATIENCE, protocolTimeout: PATIENCE,
    });
});

after(async () => {
    await browser?.close();
    rmSync(scratch, { recursive: true });
});

/** Open the page, work with it, and fail if it made a request, broke its policy, or had an error. */
async function withPage({ url = `file://${PAGE}`, dark = false }, work) {
    const page = await browser.newPage();
    const faults = [];
    let requests = 0;

    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', (error) => faults.push(`error: ${error.message ?? error} ${error.stack}`));
    page.on('console', (message) => faults.push(`console: ${message.text()}`));
    page.on('request', (request) => {
        if (request.url() === url) requests++;
        else if (!/^(blob|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
    });
    try {
        await page.evaluateOnNewDocument(() => {
            window.violations = [];
            document.addEventListener('securitypolicyviolation', (event) =>
                window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
            // What is saved is looked at here instead of in a folder of the browser.
            const click = HTMLAnchorElement.prototype.click;
            HTMLAnchorElement.prototype.click = function () {
                if (!this.download) return click.call(this);
                window.lastSaved = fetchBlob(window.blobs.get(this.href));
                window.lastName = this.download;
                return undefined;
            };
            window.blobs = new Map();
            const create = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                const ret = create(blob);
                window.blobs.set(ret, blob);
                return ret;
            };
            const fetchBlob = async (blob) => {
                const hash = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
                return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
            };
            window.textOfViews = () => window.blobs.get(document.getElementById('views').src).text();
        });
        if (BROWSER === 'chromium') {
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
        }
        await page.setViewport({ width: 1200, height: 760 });
        await page.goto(url);
        await work(page);
        faults.push(...(await page.evaluate(() => window.violations)));
        for (const frame of page.frames().slice(1)) faults.push(...(await frame.evaluate(() => window.violations ?? [])));
        assert.deepEqual(faults, []);
        // Firefox does not report the page itself if it is a file.
        assert.ok(requests <= 1, `${requests} requests`);
    } finally {
        await page.close();
    }
}

/** Choose files, and wait until the page shows something else than progress. */
async function choose(page, files, input = '#files') {
    await (await page.$(input)).uploadFile(...files);
    await page.waitForFunction(() => ['done', 'failed'].includes(document.body.dataset.state));
}

/** Fail with the message that the page shows, unless it shows views. */
async function isDone(page) {
    const state = await page.evaluate(() => document.body.dataset.state);

    assert.equal(state, 'done', await page.$eval('#error', (e) => e.textContent));
}

async function shot(page, name) {
    if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `${BROWSER}-${name}.png`) });
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The output of the native program in the folder of the files, which the page sees at the root. */
function native(dir, args) {
    const env = { HOME: '/nonexistent', LC_ALL: 'C' };
    const { stdout, stderr, status } = spawnSync(PDCONV, args, { cwd: dir, maxBuffer: 1 << 30, env });

    assert.equal(status, 0, stderr.toString());
    return stdout;
}

/** A new folder with files of testdata. */
function folder(name, ...files) {
    const dir = path.join(scratch, name);

    mkdirSync(dir);
    for (const file of files) cpSync(path.join(testdata, file), path.join(dir, path.basename(file)), { recursive: true });
    return dir;
}

const LIKE_THE_PAGE = ['--no-own-paths', '--no-cache', '--symbol-dir', '.'];

/** Check that the page shows the views that @p bytes, a page of the native program, has. */
async function hasViews(page, bytes) {
    const shown = Buffer.from(await page.evaluate(() => window.textOfViews()));

    assert.equal(sha256(unpacked(shown)), sha256(unpacked(bytes)));
}

for (const name of ['cxx', 'nested', 'fp']) {
    test(`${name}: the page and folded stacks are those of the native program`, async () => {
        const dir = folder(`same-${name}`, `${name}/perf.data`, `${name}/${name}`);

        await withPage({}, async (page) => {
            await choose(page, [path.join(dir, 'perf.data'), path.join(dir, name)]);
            await isDone(page);
            await hasViews(page, native(dir, ['perf.data', '-f', 'html', ...LIKE_THE_PAGE]));
            await page.click('[data-format=folded]');
            await page.waitForFunction(() => document.body.dataset.saved === '1');
            const folded = native(dir, ['perf.data', '-f', 'folded', ...LIKE_THE_PAGE]);
            assert.equal(await page.evaluate(() => window.lastSaved), sha256(folded));
            assert.equal(await page.evaluate(() => window.lastName), 'perf.data.folded');
            const frame = await (await page.$('#views')).contentFrame();
            await frame.waitForFunction(() => !document.body.classList.contains('loading'));
            await shot(page, `views-${name}`);
        });
    });
}

test('missing binaries are listed first, with the command that collects them', async () => {
    await withPage({ dark: true }, async (page) => {
        await choose(page, [path.join(testdata, 'cxx/perf.data')]);
        const text = await page.$eval('#missing', (e) => e.textContent);
        assert.match(text, /Binaries that are missing here: \/tmp\/pdconv-testdata\/cxx/);
        assert.match(text, /pdconv archive perf\.data or perf archive/);
        assert.equal(await page.$eval('#missing', (e) => e.hidden), false);
        const frame = await (await page.$('#views')).contentFrame();
        await frame.waitForFunction(() => !document.body.classList.contains('loading'));
        await shot(page, 'missing-dark');
    });
});

test('a file that is not a recording is refused in the words of pdconv', async () => {
    const dir = folder('other');

    writeFileSync(path.join(dir, 'notes.txt'), 'nothing recorded here\n');
    const { stderr } = spawnSync(PDCONV, ['notes.txt', '-f', 'html'], { cwd: dir });
    await withPage({}, async (page) => {
        await shot(page, 'welcome');
        await choose(page, [path.join(dir, 'notes.txt')]);
        assert.equal(await page.evaluate(() => document.body.dataset.state), 'failed');
        assert.equal(await page.$eval('#error', (e) => e.textContent), stderr.toString().trim());
        await shot(page, 'refused');
    });
});

test('two recordings are compared', async () => {
    const dir = folder('two', 'nested/nested');

    copyFileSync(path.join(testdata, 'nested/perf.data'), path.join(dir, 'a.data'));
    copyFileSync(path.join(testdata, 'compressed/perf.data'), path.join(dir, 'b.data'));
    await withPage({}, async (page) => {
        await choose(page, ['a.data', 'b.data', 'nested'].map((name) => path.join(dir, name)));
        await page.evaluate(() => (document.body.dataset.state = 'waiting'));
        await page.select('#other', 'b.data');
        await page.waitForFunction(() => ['done', 'failed'].includes(document.body.dataset.state));
        await hasViews(page, native(dir, ['view', 'a.data', 'b.data', '-o', '-', ...LIKE_THE_PAGE]));
        const frame = await (await page.$('#views')).contentFrame();
        await frame.waitForFunction(() => !document.body.classList.contains('loading'));
        await shot(page, 'diff');
    });
});

const filesIn = (dir) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.path, entry.name));

test('a folder with 200 files, served by HTTP', async () => {
    const dir = folder('many', 'nested/perf.data', 'nested/nested');
    const server = createServer((request, response) => response.end(readFileSync(PAGE))).listen(0);

    mkdirSync(path.join(dir, 'bin'));
    execFileSync('mv', [path.join(dir, 'nested'), path.join(dir, 'bin')]);
    for (let i = 0; i < 198; i++) writeFileSync(path.join(dir, 'bin', `other-${i}`), `file ${i}`);
    try {
        await withPage({ url: `http://localhost:${server.address().port}/` }, async (page) => {
            // The driver of Firefox cannot choose a folder.
            if (BROWSER === 'chromium') await choose(page, [dir], '#folder');
            else await choose(page, filesIn(dir));
            await isDone(page);
            assert.equal(await page.$eval('#missing', (e) => e.hidden), true);
        });
    } finally {
        server.close();
    }
});
