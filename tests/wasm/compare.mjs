/**
 * @file Compare pdconv in Node.js with the native program: each recording × each output. Output, messages and exit status
 * have to be equal, except for what doc/elsewhere.md lists.
 *
 * usage: node tests/wasm/compare.mjs PDCONV NPM-DIR RECORDING...
 * Prints a line for each difference, and at the end how many runs were compared. Fails if there was a difference or no run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { unpacked } from './unpacked.mjs';

const [native, dir, ...recordings] = process.argv.slice(2);
const { run } = await import(pathToFileURL(path.resolve(dir, 'pdconv.js')));

/** Questions to each recording, as arguments after its path. */
const QUESTIONS = [
    ...['report', 'pprof', 'otlp', 'otlp-json', 'folded', 'script', 'html', 'firefox', 'perfetto', 'speedscope', 'callgrind', 'perfdata']
        .map((format) => ['-f', format]),
    ['--json'],
    ['--markdown'],
    ['-f', 'folded', '--max-memory', '1M'],
    ['-f', 'no-such-format'],
];
const COMMANDS = ['info', 'dump'];
/** The directory of programs of recordings that have none of their own. */
const PROGRAMS = { compressed: 'nested', piped: 'nested', group: 'nested', parallel: 'threads', tracepoints: 'forkexec' };

/**
 * Runs that have to differ: names of system calls are numbers in Node.js (doc/elsewhere.md), and these recordings show them.
 */
const KNOWN = new Set(['intervals html', 'intervals firefox', 'intervals perfetto']);

const scratch = mkdtempSync(path.join(tmpdir(), 'pdconv-compare-'));
const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: '/nonexistent', PWD: process.cwd() };

function runNative(args) {
    const { stdout, stderr, status, signal } = spawnSync(native, args, { env, maxBuffer: 1 << 30 });

    return { stdout, stderr: stderr.toString(), status: status ?? signal };
}

function collector(chunks) {
    return {
        stat: () => ({ type: 'pipe', size: 0, ino: 0, dev: 0, nlink: 1, atime: 0n, mtime: 0n, ctime: 0n }),
        readAt: () => 0,
        writeAt(bytes) {
            chunks.push(Buffer.from(bytes));
            return bytes.length;
        },
        close() {},
    };
}

function runHere(args) {
    const [output, errors] = [[], []];
    let status;

    try {
        status = run(args, { env, streams: [collector([]), collector(output), collector(errors)] });
    } catch (error) {
        status = `trap: ${error.message}`;
    }
    return { stdout: Buffer.concat(output), stderr: Buffer.concat(errors).toString(), status };
}

/** Return what differs between two runs, or ''. */
function difference(a, b) {
    if (a.status !== b.status) return `status ${a.status}, in Node.js ${b.status}: ${b.stderr}`;
    if (a.stderr !== b.stderr) return `messages:\n  ${a.stderr}  in Node.js:\n  ${b.stderr}`;
    const [x, y] = [unpacked(a.stdout), unpacked(b.stdout)];
    if (x.equals(y)) return '';
    let at = 0;
    while (x[at] === y[at]) at++;
    const part = (bytes) => JSON.stringify(bytes.subarray(Math.max(0, at - 60), at + 60).toString());
    return `output of ${x.length} and ${y.length} bytes at ${at}:\n  ${part(x)}\n  in Node.js:\n  ${part(y)}`;
}

function questionsOf(recording) {
    const name = path.basename(path.dirname(recording));
    const programs = path.join(path.dirname(path.dirname(recording)), PROGRAMS[name] ?? name);
    const files = ['--symfs', scratch, ...(existsSync(programs) && statSync(recording).size ? ['--debug-paths', programs] : [])];

    return [
        ...QUESTIONS.map((words) => [recording, ...files, '--no-cache', '-j1', ...words]),
        ...COMMANDS.map((command) => [command, recording]),
    ];
}

let n = 0;
let differences = 0;
for (const recording of recordings) {
    for (const args of questionsOf(recording)) {
        const text = difference(runNative(args), runHere(args));
        const isKnown = KNOWN.has(`${path.basename(path.dirname(recording))} ${args.at(-1)}`);
        n++;
        if (Boolean(text) !== isKnown) {
            differences++;
            console.log(`${args.join(' ')}\n  ${text || 'no difference, although one is known'}`);
        }
    }
}
rmSync(scratch, { recursive: true });
console.log(`${n} runs, ${differences} differences`);
process.exitCode = n === 0 || differences > 0 ? 1 : 0;
