/**
 * @file Files in memory: one flat folder, for temporary files, and for input that is bytes. A file that was removed lives on
 * as long as it is open, as in POSIX.
 */
import { FileError } from './errno.js';

/** Contents that grow by doubling. */
class Contents {
    constructor(bytes) {
        this.bytes = bytes;
        this.size = bytes.length;
        this.time = BigInt(Date.now()) * 1000000n;
    }

    reserve(size) {
        if (size <= this.bytes.length) return;
        const grown = new Uint8Array(Math.max(size, 2 * this.bytes.length, 4096));
        grown.set(this.bytes.subarray(0, this.size));
        this.bytes = grown;
    }

    readAt(into, position) {
        const part = this.bytes.subarray(position, Math.min(this.size, position + into.length));

        into.set(part);
        return part.length;
    }

    writeAt(from, position) {
        this.reserve(position + from.length);
        this.bytes.set(from, position);
        this.size = Math.max(this.size, position + from.length);
        return from.length;
    }

    truncate(size) {
        this.reserve(size);
        this.bytes.fill(0, Math.min(size, this.size), Math.max(size, this.size));
        this.size = size;
    }
}

function statOf(type, ino, size, time) {
    return { type, size, ino, dev: 1, nlink: 1, atime: time, mtime: time, ctime: time };
}

export class MemoryFiles {
    constructor() {
        this.byPath = new Map();
        this.lastIno = 1;
    }

    /** Add a file. Its bytes are not copied. */
    add(path, bytes) {
        const file = { contents: new Contents(bytes), ino: ++this.lastIno };

        this.byPath.set(path, file);
        return file;
    }

    find(path) {
        const file = this.byPath.get(path);

        if (!file) throw new FileError('ENOENT');
        return file;
    }

    stat(path) {
        if (path === '/' || path === '/.') return statOf('dir', 1, 0, 0n);
        const { contents, ino } = this.find(path);
        return statOf('file', ino, contents.size, contents.time);
    }

    open(path, { create, truncate }) {
        const file = this.byPath.get(path) ?? (create ? this.add(path, new Uint8Array(0)) : this.find(path));
        const { contents, ino } = file;

        if (truncate) contents.truncate(0);
        return {
            stat: () => statOf('file', ino, contents.size, contents.time),
            readAt: (bytes, position) => contents.readAt(bytes, position),
            writeAt: (bytes, position) => contents.writeAt(bytes, position),
            truncate: (size) => contents.truncate(size),
            setTimes() {},
            close() {},
        };
    }

    list() {
        return [...this.byPath].map(([path, { ino }]) => ({ name: path.slice(1), type: 'file', ino }));
    }

    rename(from, to) {
        const file = this.find(from);

        this.byPath.delete(from);
        this.byPath.set(to, file);
    }

    unlink(path) {
        this.find(path);
        this.byPath.delete(path);
    }

    readlink(path) {
        this.find(path);
        throw new FileError('EINVAL');
    }

    mkdir() {
        throw new FileError('EPERM');
    }

    rmdir() {
        throw new FileError('ENOENT');
    }
}
