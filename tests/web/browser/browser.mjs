/**
 * @file Starts the browser that is tested, opens pages in it, and notes everything that a page must not do.
 *
 * Environment: BROWSER (chromium or firefox), BUILD (the directory with pdconv and, in web/, puppeteer-core).
 */
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { BROWSERS } from './browsers.mjs';
import { PageDriver } from './page.mjs';

/** Milliseconds that a busy machine may need for anything. */
const PATIENCE = 60000;

export const browserName = process.env.BROWSER ?? 'chromium';
export const isFirefox = browserName === 'firefox';

let starting = null;

/** Return the browser, which all tests share and which is closed after them. */
function theBrowser() {
    starting ??= createRequire(`${process.env.BUILD}/web/`)('puppeteer-core').launch({
        ...BROWSERS[browserName],
        headless: true,
        timeout: PATIENCE,
        protocolTimeout: PATIENCE,
    });
    return starting;
}

after(async () => (await starting)?.close());

/** Runs in each document before its own program: notes violations of its policy, and counts questions to its workers. */
function observe() {
    const seen = { violations: [], questions: 0 };

    Object.defineProperty(window, 'observed', { value: seen });
    document.addEventListener('securitypolicyviolation', (event) =>
        seen.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
    const Original = Worker;
    const { postMessage: post, terminate: end } = Original.prototype;
    const open = new WeakMap();
    const count = (worker, n) => {
        seen.questions += n;
        open.set(worker, (open.get(worker) ?? 0) + n);
    };
    Original.prototype.postMessage = function (message, ...rest) {
        count(this, message?.id === undefined ? 0 : 1);
        return post.call(this, message, ...rest);
    };
    Original.prototype.terminate = function () {
        count(this, -open.get(this));
        return end.call(this);
    };
    window.Worker = function (...words) {
        const worker = new Original(...words);

        worker.addEventListener('message', ({ data }) => count(worker, data?.id === undefined ? 0 : -1));
        return worker;
    };
}

/** Note in `faults` what the page must not do: errors, messages on the console, and requests except for itself and its worker. */
function watch(page, faults) {
    page.on('pageerror', (error) => faults.push(`error: ${error.message ?? error}`));
    page.on('console', (message) => faults.push(`console: ${message.type()}: ${message.text()}`));
    page.on('request', (request) => {
        if (!/^(file|blob|data:,):?/.test(request.url())) faults.push(`request: ${request.url()}`);
    });
}

/**
 * Open a page, run `work(driver)` with it and close it. Fail if the page did anything that it must not do.
 * @param {string} path A file.
 * @param {object} [options] hash: text after #; width, height, scale: of the window; dark: the theme that the system
 *     prefers (Chromium only); tolerates: faults are not an error, but left in driver.faults.
 */
export async function visit(path, options, work) {
    const { hash = '', width = 1280, height = 800, scale = 1, dark, tolerates = false } = options;
    const page = await (await theBrowser()).newPage();
    const faults = [];

    try {
        page.setDefaultTimeout(PATIENCE);
        watch(page, faults);
        await page.evaluateOnNewDocument(observe);
        await page.setViewport({ width, height, deviceScaleFactor: scale });
        if (dark !== undefined)
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
        const driver = new PageDriver(page, faults);
        await page.goto(`file://${path}${hash && '#'}${hash}`);
        if (!tolerates) await driver.settled();
        await work(driver);
        faults.push(...(await page.evaluate(() => window.observed.violations)));
        if (faults.length && !tolerates) throw new Error(`the page did what it must not do:\n${faults.join('\n')}`);
    } finally {
        await page.close();
    }
}
