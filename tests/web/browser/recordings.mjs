/**
 * @file Pages for the tests, made by pdconv, and what pdconv itself says about the same recordings.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { inflateSync } from 'node:zlib';
import { encodeElement } from '../encode.mjs';

export const PDCONV = `${process.env.BUILD}/pdconv`;
const TESTDATA = new URL('../../../testdata/', import.meta.url).pathname;

/** A directory for files, which is removed after the tests. */
export const work = mkdtempSync(join(tmpdir(), 'pdconv-web-'));
after(() => rmSync(work, { recursive: true }));
export const SHOP = { recording: `${TESTDATA}shop/before.data`, options: ['--symbol-dir', `${TESTDATA}shop`] };
export const JIT = { recording: `${TESTDATA}jit/perf.data`, program: `${TESTDATA}jit/jit` };
/** Switches and wakeups of threads that know their times. */
export const CLOCK = { recording: `${TESTDATA}clock/perf.data`, options: [] };
/** Switches and wakeups with stacks of three threads that wait for each other. */
export const WAKERS = { recording: `${TESTDATA}wakers/perf.data`, options: ['--symbol-dir', `${TESTDATA}wakers`] };
/** System calls, interrupts and functions with their beginnings and ends. */
export const INTERVALS = { recording: `${TESTDATA}intervals/perf.data`, options: [] };
/** Call chains that the kernel recorded. */
export const CHAINS = { recording: `${TESTDATA}fp/perf.data`, options: ['--symbol-dir', `${TESTDATA}fp`] };
/** The program of SHOP after a change that makes tax() slower. */
export const SHOP_AFTER = {
    recording: `${TESTDATA}shop/after.data`,
    options: ['--symbol-dir', `${TESTDATA}shop/after`],
};

/** Run pdconv with a recording, { recording, options }, and return what it prints. */
export function pdconv({ recording, options }, ...words) {
    // An empty symfs keeps binaries of this machine out.
    return execFileSync(PDCONV, [recording, '-q', '--no-cache', '--symfs', work, ...options, ...words], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'inherit'],
    });
}

/** Write the page of a recording, and return its path. */
export function makePage(name, recording, ...words) {
    const path = join(work, `${name}.html`);

    pdconv(recording, '-f', 'html', '-o', path, ...words);
    return path;
}

const ELEMENT = /<script type="application\/octet-stream" class="profile"[^>]*>[^<]*<\/script>/;

/** Write a page that compares the recordings of two pages, and return its path. */
export function compare(name, before, after_) {
    const path = join(work, `${name}.html`);
    const text = readFileSync(before, 'utf8');
    const [second] = ELEMENT.exec(readFileSync(after_, 'utf8'));

    writeFileSync(
        path,
        text.replace(ELEMENT, (first) => `${first}\n${second}`),
    );
    return path;
}

/** Write a page with another profile, a container as web/model/container.js describes it, and return its path. */
export function makePageOf(name, template, bytes) {
    const path = join(work, `${name}.html`);
    const element = `<script type="application/octet-stream" class="profile" data-name="${name}">`;

    writeFileSync(path, readFileSync(template, 'utf8').replace(ELEMENT, `${element}${encodeElement(bytes)}</script>`));
    return path;
}

/** Return the JSON of the profile in a page. */
export function describe(path) {
    const base64 = />([^<]*)</.exec(ELEMENT.exec(readFileSync(path, 'utf8'))[0])[1];
    const bytes = inflateSync(Buffer.from(base64, 'base64'));

    return JSON.parse(bytes.subarray(8, 8 + bytes.readUInt32LE(4)).toString());
}

/** Return the sum of folded stacks and the number of samples that pdconv counts with the same options. */
export function sums(recording, ...words) {
    const weight = pdconv(recording, '--folded', ...words)
        .trim()
        .split('\n')
        .filter(Boolean)
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    const { events } = JSON.parse(pdconv(recording, '-f', 'report', '--json', ...words));

    return { weight, samples: events.reduce((sum, event) => sum + event.samples, 0) };
}

/** Return the option for a range of time, in units of the page's JSON. Both ends of --time belong to the span. */
export function timeOption({ base_ns: base, time_unit_ns: unit }, from, to) {
    const seconds = (ns) => `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, '0')}`;
    const at = (time) => BigInt(base) + BigInt(time) * BigInt(unit);

    return ['--time', `${seconds(at(from))},${seconds(at(to) - 1n)}`];
}
