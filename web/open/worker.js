/**
 * @file The worker of the page that opens recordings. It runs the program once for each message
 * `{ wasm, files: [{ path, file }], args, watched }`, and answers with messages `{ read, of }` (bytes of the file at the path
 * `watched`) and at the end `{ status, output: Blob, errors: string }`, or `{ fault: string }` if the program was ended by a trap.
 */
import { MemoryFiles } from '../../npm/memory_files.js';
import { Mounts } from '../../npm/mounts.js';
import { WasiHost } from '../../npm/wasi.js';
import { WebFiles } from '../../npm/web_files.js';

/** Milliseconds between messages about progress. */
const PACE = 100;

let compiled = null;

/** A stream that collects what is written. Small pieces are joined, for there can be millions of them. */
class Collector {
    constructor() {
        this.parts = [];
        this.buffer = new Uint8Array(1 << 20);
        this.used = 0;
    }

    stat() {
        return { type: 'pipe', size: 0, ino: 0, dev: 0, nlink: 1, atime: 0n, mtime: 0n, ctime: 0n };
    }

    readAt() {
        return 0;
    }

    writeAt(bytes) {
        if (this.used + bytes.length > this.buffer.length) this.flush();
        if (bytes.length > this.buffer.length) {
            this.parts.push(new Blob([bytes]));
        } else {
            this.buffer.set(bytes, this.used);
            this.used += bytes.length;
        }
        return bytes.length;
    }

    flush() {
        // A blob may be kept on disk.
        this.parts.push(new Blob([this.buffer.subarray(0, this.used)]));
        this.used = 0;
    }

    blob() {
        this.flush();
        return new Blob(this.parts);
    }

    close() {}
}

function progressOf(watched) {
    let last = 0;
    let furthest = 0;

    return (file, end) => {
        const now = performance.now();
        if (file !== watched || end <= furthest) return;
        furthest = end;
        if (now - last < PACE && end < file.size) return;
        last = now;
        self.postMessage({ read: end, of: file.size });
    };
}

async function answer({ wasm, files, args, watched }) {
    const output = new Collector();
    const errors = new Collector();
    const file = files.find(({ path }) => path === watched)?.file;
    const given = new WebFiles(files, new self.FileReaderSync(), progressOf(file));

    compiled ??= new WebAssembly.Module(wasm);
    const host = new WasiHost({
        args: ['pdconv', ...args],
        // The folder of files that were given is the current one, so messages name files as people know them.
        env: { PWD: '/', TMPDIR: '/.temporary', HOME: '/.temporary' },
        files: new Mounts(given, { '/.temporary': new MemoryFiles() }),
        streams: [new Collector(), output, errors],
    });
    const status = host.run(compiled);
    self.postMessage({ status, output: output.blob(), errors: await errors.blob().text() });
}

self.addEventListener('message', async ({ data }) => {
    try {
        await answer(data);
    } catch (error) {
        self.postMessage({ fault: String(error.message ?? error) });
    }
});
