/** @file pdconv in Node.js: the program with its arguments, and conversions of one recording to bytes. See index.d.ts. */
import fs from 'node:fs';
import { constants } from 'node:os';
import { MemoryFiles } from './memory_files.js';
import { Mounts } from './mounts.js';
import { NodeFiles } from './node_files.js';
import { pathsOf } from './paths.js';
import { WasiHost } from './wasi.js';

/** Folder of files in memory. No system has it. */
const MEMORY = '/.pdconv-memory';
const INPUT = 'perf.data';

let module = null;

/** Compile the program once. */
function program() {
    module ??= new WebAssembly.Module(fs.readFileSync(new URL('pdconv.wasm', import.meta.url)));
    return module;
}

/** A stream that ends at once, or that hands what is written to `take(bytes)`. */
function streamTo(take) {
    return {
        stat: () => ({ type: 'pipe', size: 0, ino: 0, dev: 0, nlink: 1, atime: 0n, mtime: 0n, ctime: 0n }),
        readAt: () => 0,
        writeAt(bytes) {
            take(bytes.slice());
            return bytes.length;
        },
        close() {},
    };
}

export function run(args, { env = process.env, cwd = process.cwd(), streams, memory = new MemoryFiles() } = {}) {
    const paths = pathsOf(process.platform);
    const [input = streamTo(() => {}), output = streamTo(() => {}), errors = streamTo(() => {})] = streams ?? [];
    const host = new WasiHost({
        args: ['pdconv', ...args],
        env: {
            ...env,
            PWD: paths.toProgram(cwd),
            TMPDIR: MEMORY,
            ...(env.HOME || !env.USERPROFILE ? {} : { HOME: paths.toProgram(env.USERPROFILE) }),
        },
        files: new Mounts(new NodeFiles(paths), { [MEMORY]: memory }),
        streams: [input, output, errors],
    });

    return host.run(program());
}

export class PdconvError extends Error {
    constructor(status, messages) {
        super(messages.trim() || `pdconv ended with status ${status}`);
        this.name = 'PdconvError';
        this.status = status;
    }
}

/** Join chunks of bytes. */
function joined(chunks) {
    const ret = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;

    for (const chunk of chunks) {
        ret.set(chunk, at);
        at += chunk.length;
    }
    return ret;
}

/** Return the path of a recording, which is in memory if it is not a file of this machine. */
async function pathOfInput(input, memory) {
    // A bare name could be the name of a command.
    if (typeof input === 'string') return pathsOf(process.platform).toProgram(input).replace(/^(?![/.])/, './');
    if (input instanceof URL) return pathsOf(process.platform).toProgram((await import('node:url')).fileURLToPath(input));
    const bytes = input instanceof Uint8Array ? input : new Uint8Array(await input.arrayBuffer());
    memory.add(`/${INPUT}`, bytes);
    return `${MEMORY}/${INPUT}`;
}

export async function convert(input, { format = 'report', args = [], env, cwd, onMessage } = {}) {
    const memory = new MemoryFiles();
    const output = [];
    const errors = [];
    const path = await pathOfInput(input, memory);
    const streams = [streamTo(() => {}), streamTo((bytes) => output.push(bytes)), streamTo((bytes) => errors.push(bytes))];
    const status = run([path, '-f', format, ...args], { env, cwd, memory, streams });
    const messages = new TextDecoder().decode(joined(errors));

    if (status !== 0) throw new PdconvError(status, messages);
    if (messages && onMessage) onMessage(messages);
    return joined(output);
}

export { page } from './page.js';

/** The exit status of a program that was ended by a signal. */
export const statusOfSignal = (name) => 128 + (constants.signals[name] ?? 13);
