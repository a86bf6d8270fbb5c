/**
 * @file Files that a person gave to a page, read in slices in a worker: never a whole file, unless it is small.
 */
import { FileError } from './errno.js';

/** Bytes that are read at once. Smaller slices take twice the time. */
const SLICE = 4 << 20;
/** Slices that are kept of each file: programs read here and there at the same time. */
const KEPT = 3;

class SlicedFile {
    constructor(file, ino, reader, onRead) {
        Object.assign(this, { file, ino, reader, onRead });
        this.slices = [];
    }

    /** The slice that begins at `start`. The most recently used one is the first of those that are kept. */
    sliceAt(start) {
        const at = this.slices.findIndex((slice) => slice.start === start);
        const slice = at >= 0 ? this.slices.splice(at, 1)[0] : this.load(start);

        this.slices.unshift(slice);
        this.slices.length = Math.min(this.slices.length, KEPT);
        return slice.bytes;
    }

    load(start) {
        try {
            const bytes = new Uint8Array(this.reader.readAsArrayBuffer(this.file.slice(start, start + SLICE)));
            this.onRead(this.file, start + bytes.length);
            return { start, bytes };
        } catch {
            // The file has changed or gone since it was chosen.
            throw new FileError('EIO');
        }
    }

    readAt(into, position) {
        const size = this.file.size;
        let done = 0;

        while (done < into.length && position + done < size) {
            const at = position + done;
            const start = at - (at % SLICE);
            const part = this.sliceAt(start).subarray(at - start, at - start + into.length - done);
            if (part.length === 0) break;
            into.set(part, done);
            done += part.length;
        }
        return done;
    }

    stat() {
        const time = BigInt(this.file.lastModified) * 1000000n;

        return { type: 'file', size: this.file.size, ino: this.ino, dev: 2, nlink: 1, atime: time, mtime: time, ctime: time };
    }
}

export class WebFiles {
    /**
     * @param {{ path: string, file: File }[]} given Relative paths with slashes.
     * @param {FileReaderSync} reader
     * @param {(file: File, end: number) => void} onRead Called after each slice, with the position of its end.
     */
    constructor(given, reader, onRead) {
        this.byPath = new Map();
        this.folders = new Map([['/', new Map()]]);
        for (const { path, file } of given) this.add(`/${path}`, file, reader, onRead);
    }

    add(path, file, reader, onRead) {
        const ino = this.byPath.size + this.folders.size + 10;

        this.byPath.set(path, new SlicedFile(file, ino, reader, onRead));
        for (let child = path, type = 'file'; child !== '/'; type = 'dir') {
            const parent = child.slice(0, child.lastIndexOf('/')) || '/';
            if (!this.folders.has(parent)) this.folders.set(parent, new Map());
            this.folders.get(parent).set(child.slice(child.lastIndexOf('/') + 1), type);
            child = parent;
        }
    }

    /** The path without empty parts and ".". ".." goes up, as there are no links. */
    plain(path) {
        const parts = [];

        for (const part of path.split('/')) {
            if (part === '..') parts.pop();
            else if (part !== '' && part !== '.') parts.push(part);
        }
        return `/${parts.join('/')}`;
    }

    stat(path) {
        const plain = this.plain(path);
        const file = this.byPath.get(plain);

        if (file && plain.length < path.length && path.endsWith('/')) throw new FileError('ENOTDIR');
        if (file) return file.stat();
        if (!this.folders.has(plain)) throw new FileError('ENOENT');
        const ino = 1 + [...this.folders.keys()].indexOf(plain);
        return { type: 'dir', size: 0, ino, dev: 2, nlink: 1, atime: 0n, mtime: 0n, ctime: 0n };
    }

    open(path, { write, create }) {
        const file = this.byPath.get(this.plain(path));

        if (write || (create && !file)) throw new FileError('EROFS');
        if (!file) throw new FileError('ENOENT');
        return {
            stat: () => file.stat(),
            readAt: (bytes, position) => file.readAt(bytes, position),
            writeAt: () => this.refuse(),
            truncate: () => this.refuse(),
            setTimes: () => this.refuse(),
            close() {},
        };
    }

    list(path) {
        const folder = this.folders.get(this.plain(path));

        if (!folder) throw new FileError('ENOTDIR');
        return [...folder].map(([name, type]) => ({ name, type, ino: 0 }));
    }

    readlink(path) {
        this.stat(path);
        throw new FileError('EINVAL');
    }

    refuse() {
        throw new FileError('EROFS');
    }

    rename() {
        this.refuse();
    }

    unlink() {
        this.refuse();
    }

    mkdir() {
        this.refuse();
    }

    rmdir() {
        this.refuse();
    }
}
