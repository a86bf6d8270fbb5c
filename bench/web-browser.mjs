#!/usr/bin/env node
/**
 * @file Times pages of `pdconv -f html` in browsers, and speedscope with the same recording.
 *
 * usage: BUILD=build bench/web-browser.mjs [--runs N] PAGE... [--speedscope INDEX.html PROFILE.json]
 *
 * `make check-run KINDS=web` installs the client of browsers in BUILD. INDEX.html is that of npm's package "speedscope".
 * Prints a table of N runs (default 3), each in a separate browser, with medians:
 *
 *     size      of the file, MB
 *     paint     from opening to the first paint, ms
 *     graph     from opening to the first flame graph
 *     memory    of the largest process of the browser in the end (PSS), MB: that of a page with much data
 *
 * and, as "least / median" of 5 selections in each run, none of which was made before, the ms until the flame graph:
 *
 *     range     a range of time;  thread  one thread;  focus, hide  a regular expression
 *     recursion recursive functions once, and a function hidden
 *     invert    a range of time, inverted
 *
 * Other work on the machine makes the times longer. Run with the priority of real time (chrt -r 5, as root), the browsers
 * wait for nothing else: times are then those of an idle machine.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { BROWSERS } from '../tests/web/browser/browsers.mjs';

const PATIENCE = 300000;
const COLUMNS = ['size', 'paint', 'graph', 'range', 'thread', 'focus', 'hide', 'recursion', 'invert', 'memory'];
const REPEATS = 5;

/** Fragments of the selections that are timed: `i` is the number of the repeat, at(part) a time. */
const SELECTIONS = {
    range: (i, at) => `time=${at(0.02 * i)}-${at(0.3 + 0.1 * i)}`,
    thread: (i) => `threads=${i}`,
    focus: (i) => `focus=${encodeURIComponent(`/^[${'acdps'[i]}]/`)}`,
    hide: (i) => `hide=${encodeURIComponent(`/^[${'efilm'[i]}]/`)}`,
    recursion: (i) => `recursion=1&hide=${encodeURIComponent(`/^[${'nortu'[i]}]/`)}`,
    invert: (i, at) => `view=inverted&time=${at(0.03 * i)}-${at(0.35 + 0.1 * i)}`,
};

/** Runs before the page's program: note when the answers with a flame graph have been drawn. */
function observe() {
    const questions = new Map();
    const drawn = [];
    const Original = Worker;
    const post = Original.prototype.postMessage;

    Object.defineProperty(window, 'drawn', { value: drawn });
    Original.prototype.postMessage = function (message, ...rest) {
        questions.set(message.id, message.question);
        return post.call(this, message, ...rest);
    };
    window.Worker = function (...words) {
        const worker = new Original(...words);

        worker.addEventListener('message', ({ data }) => {
            if (questions.get(data.id) === 'flame' && data.answer)
                requestAnimationFrame(() => setTimeout(() => drawn.push(performance.now())));
        });
        return worker;
    };
}

/** Runs in the page: show a state and return the milliseconds until the next flame graph has been drawn. */
async function untilDrawn(fragment) {
    const n = window.drawn.length;
    const begun = performance.now();

    location.hash = fragment;
    while (window.drawn.length === n)
        await new Promise((done) => {
            setTimeout(done, 1);
        });
    return window.drawn[n] - begun;
}

/** Return the length of the recording in a page, in the units in which the page counts time. */
function lengthOf(path) {
    const [, base64] = /<script type="application\/octet-stream"[^>]*>([^<]*)/.exec(readFileSync(path, 'utf8'));
    const bytes = inflateSync(Buffer.from(base64, 'base64'));
    const json = JSON.parse(bytes.subarray(8, 8 + bytes.readUInt32LE(4)).toString());

    return Number((BigInt(json.recording.last_ns) - BigInt(json.base_ns)) / BigInt(json.time_unit_ns));
}

/** Return the memory of a process in MB, its part of shared pages included. */
function memoryOf(pid) {
    try {
        return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1000;
    } catch {
        return 0;
    }
}

/** Return all processes that descend from `pid`. */
function descendants(pid) {
    const parents = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => {
            try {
                const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
                return [Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
            } catch {
                return [Number(name), 0];
            }
        });
    const found = [pid];

    for (let i = 0; i < found.length; i++)
        found.push(...parents.filter(([, parent]) => parent === found[i]).map(([child]) => child));
    return found.slice(1);
}

/** Memory of the largest process of a browser, which is that of the page if the profile is large. */
const memoryOfPage = (browser) => Math.max(...descendants(browser.process().pid).map(memoryOf));

async function withPage(puppeteer, name, work) {
    const browser = await puppeteer.launch({
        ...BROWSERS[name],
        headless: true,
        timeout: PATIENCE,
        protocolTimeout: PATIENCE,
    });

    try {
        const page = await browser.newPage();
        page.setDefaultTimeout(PATIENCE);
        await page.setViewport({ width: 1600, height: 1000 });
        return await work(page, browser);
    } finally {
        await browser.close();
    }
}

const until = (page, condition) => page.waitForFunction(condition, { polling: 5, timeout: PATIENCE });

async function measurePage(page, browser, path) {
    const figures = { size: statSync(path).size / 1e6 };
    const idle = () =>
        new Promise((done) => {
            setTimeout(done, 700);
        });

    await page.evaluateOnNewDocument(observe);
    await page.goto(`file://${path}`, { waitUntil: 'domcontentloaded' });
    await until(page, () => window.drawn.length);
    figures.graph = await page.evaluate(() => window.drawn[0]);
    await idle();
    figures.paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    );
    const length = lengthOf(path);
    const at = (part) => Math.round(length * part);
    for (const [kind, fragmentOf] of Object.entries(SELECTIONS)) {
        figures[kind] = [];
        for (let i = 0; i < REPEATS; i++) {
            figures[kind].push(await page.evaluate(untilDrawn, fragmentOf(i, at)));
            await idle();
            await page.evaluate(untilDrawn, '');
            await idle();
        }
    }
    return { ...figures, memory: memoryOfPage(browser) };
}

/** speedscope reads a profile as a script, as its own command line does it. It is ready when it draws instead of its text. */
async function measureSpeedscope(page, browser, index, profile) {
    const script = join(tmpdir(), `speedscope-${process.pid}.js`);
    const base64 = readFileSync(profile).toString('base64');

    writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(profile))}, "${base64}")`);
    try {
        const figures = { size: statSync(profile).size / 1e6 };
        await page.goto(`file://${index}#localProfilePath=${script}`, { waitUntil: 'domcontentloaded' });
        await until(
            page,
            () =>
                document.querySelector('canvas') &&
                !document.body.innerText.includes('Loading') &&
                document.body.innerText.includes('Left Heavy'),
        );
        await until(
            page,
            () =>
                new Promise((done) => {
                    requestAnimationFrame(() => setTimeout(() => done(true)));
                }),
        );
        figures.graph = await page.evaluate(() => performance.now());
        figures.paint = await page.evaluate(
            () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        );
        await new Promise((done) => {
            setTimeout(done, 1500);
        });
        return { ...figures, memory: memoryOfPage(browser) };
    } finally {
        rmSync(script);
    }
}

function median(values) {
    const sorted = values.toSorted ? values.toSorted((a, b) => a - b) : [...values].sort((a, b) => a - b);

    return sorted[Math.floor(sorted.length / 2)];
}

const rounded = (value) => (value >= 100 ? value.toFixed() : value.toPrecision(3));

/** The cell of a column: the median, with the least value if there are several in a run. */
function cellOf(values) {
    if (!values.length) return '';
    return values.length < REPEATS ? rounded(median(values)) : `${rounded(Math.min(...values))} / ${rounded(median(values))}`;
}

async function main() {
    const words = process.argv.slice(2);
    const take = (flag, n) => (words.includes(flag) ? words.splice(words.indexOf(flag), n + 1).slice(1) : []);
    const [runs = 3] = take('--runs', 1).map(Number);
    const [index, profile] = take('--speedscope', 2).map((path) => resolve(path));
    const puppeteer = createRequire(`${resolve(process.env.BUILD ?? 'build')}/web/`)('puppeteer-core');
    const jobs = words.map((path) => [basename(path), (page, browser) => measurePage(page, browser, resolve(path))]);

    if (index)
        jobs.push([
            `speedscope ${basename(profile)}`,
            (page, browser) => measureSpeedscope(page, browser, index, profile),
        ]);
    console.log(`| ${['file', 'browser', ...COLUMNS].join(' | ')} |`);
    for (const [title, measure] of jobs) {
        for (const name of Object.keys(BROWSERS)) {
            const results = [];
            for (let i = 0; i < runs; i++) results.push(await withPage(puppeteer, name, measure));
            const cells = COLUMNS.map((column) => cellOf(results.flatMap((result) => result[column] ?? [])));
            console.log(`| ${[title, name, ...cells].join(' | ')} |`);
        }
    }
}

await main();
