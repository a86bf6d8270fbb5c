/**
 * @file A host of WASI preview 1: what pdconv.wasm imports, on top of the interface `Files` (files.d.ts), synchronously.
 *
 * Pointers and sizes are numbers. 64-bit values of the interface are BigInt; sizes and positions of files are numbers here,
 * which are exact up to 8 PiB.
 */
import { ERRNO, FileError, errnoOf } from './errno.js';

const FILE_TYPE = { other: 0, block: 1, char: 2, dir: 3, file: 4, pipe: 6, link: 7 };
const OPEN = { CREATE: 1, DIRECTORY: 2, EXCLUSIVE: 4, TRUNCATE: 8 };
const FOLLOW_LINKS = 1;
const APPEND = 1;
const RIGHT = { READ: 2n, SEEK: 4n, TELL: 32n, WRITE: 64n };
const ALL_RIGHTS = (1n << 30n) - 1n;
const TIME_NOW = 0b1010;
const ROOT_FD = 3;

/** Thrown by proc_exit(). */
class Exit {
    constructor(status) {
        this.status = status;
    }
}

/** Join the absolute path of a folder and a path below it. */
function join(dir, path) {
    return path.startsWith('/') ? path : `${dir === '/' ? '' : dir}/${path}`;
}

export class WasiHost {
    /**
     * @param {string[]} args Arguments, with the name of the program.
     * @param {Record<string, string>} env
     * @param {import('./files').Files} files
     * @param {import('./files').Handle[]} streams Standard input, output and error.
     */
    constructor({ args, env, files, streams }) {
        this.encoder = new TextEncoder();
        this.decoder = new TextDecoder();
        this.args = args.map((text) => this.encoder.encode(`${text}\0`));
        this.env = Object.entries(env).map(([name, value]) => this.encoder.encode(`${name}=${value}\0`));
        this.files = files;
        this.open = streams.map((handle) => handle && { handle, position: handle.position ?? 0, flags: 0 });
        this.open[ROOT_FD] = { dir: '/', flags: 0 };
    }

    /** Run the program. Return its exit status. Traps are thrown as WebAssembly.RuntimeError. */
    run(module) {
        const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.imports() });

        this.memory = instance.exports.memory;
        try {
            instance.exports._start();
            return 0;
        } catch (thrown) {
            if (thrown instanceof Exit) return thrown.status;
            throw thrown;
        } finally {
            this.closeAll();
        }
    }

    closeAll() {
        for (const entry of this.open.slice(ROOT_FD)) entry?.handle?.close();
        this.open.length = 0;
    }

    /** The functions by name; each returns an error number. */
    imports() {
        const wrap = (work) => (...values) => {
            try {
                return work.apply(this, values) ?? ERRNO.SUCCESS;
            } catch (error) {
                if (error instanceof Exit || error instanceof WebAssembly.RuntimeError) throw error;
                return errnoOf(error);
            }
        };

        return Object.fromEntries(Object.entries(CALLS).map(([name, work]) => [name, wrap(work)]));
    }

    get view() {
        // Memory that grows has a new buffer.
        if (this.lastView?.buffer !== this.memory.buffer) this.lastView = new DataView(this.memory.buffer);
        return this.lastView;
    }

    bytes(at, length) {
        return new Uint8Array(this.memory.buffer, at >>> 0, length >>> 0);
    }

    text(at, length) {
        return this.decoder.decode(this.bytes(at, length));
    }

    put32(at, value) {
        this.view.setUint32(at >>> 0, value, true);
    }

    put64(at, value) {
        this.view.setBigUint64(at >>> 0, BigInt.asUintN(64, BigInt(value)), true);
    }

    entry(fd) {
        const entry = this.open[fd];

        if (!entry) throw new FileError('EBADF');
        return entry;
    }

    handle(fd) {
        const { handle } = this.entry(fd);

        if (!handle) throw new FileError('EISDIR');
        return handle;
    }

    /** The absolute path that the program means by a path below an open folder. */
    path(fd, at, length) {
        const { dir } = this.entry(fd);
        const path = this.text(at, length);

        if (dir === undefined) throw new FileError('ENOTDIR');
        if (path === '') throw new FileError('ENOENT');
        return join(dir, path);
    }

    /** Put `texts` one after the other at `at`, and their addresses at `pointers`. */
    putTexts(texts, pointers, at) {
        for (const [i, text] of texts.entries()) {
            this.put32(pointers + 4 * i, at);
            this.bytes(at, text.length).set(text);
            at += text.length;
        }
    }

    putSizes(texts, count, size) {
        this.put32(count, texts.length);
        this.put32(size, texts.reduce((sum, text) => sum + text.length, 0));
    }

    putStat(at, stat) {
        this.put64(at, stat.dev);
        this.put64(at + 8, stat.ino);
        this.put64(at + 16, FILE_TYPE[stat.type]);
        this.put64(at + 24, stat.nlink);
        this.put64(at + 32, stat.size);
        this.put64(at + 40, stat.atime);
        this.put64(at + 48, stat.mtime);
        this.put64(at + 56, stat.ctime);
    }

    statOf({ handle, dir }) {
        return handle ? handle.stat() : this.files.stat(dir, true);
    }

    /** Call `move(bytes)` for each buffer until one is not filled or written as a whole. Return the sum of bytes moved. */
    vectors(vectors, n, move) {
        let sum = 0;

        for (let i = 0; i < n; i++) {
            const at = this.view.getUint32(vectors + 8 * i, true);
            const length = this.view.getUint32(vectors + 8 * i + 4, true);
            if (length === 0) continue;
            const moved = move(this.bytes(at, length), sum);
            sum += moved;
            if (moved < length) break;
        }
        return sum;
    }

    add(entry) {
        let fd = ROOT_FD;

        while (this.open[fd]) fd++;
        this.open[fd] = entry;
        return fd;
    }
}

/** Open `path` as the flags of path_open() ask. */
function openPath(host, path, { follow, how, rights, flags }) {
    const create = (how & OPEN.CREATE) !== 0;
    const write = (rights & RIGHT.WRITE) !== 0n;
    let stat = null;

    try {
        stat = host.files.stat(path, follow);
    } catch (error) {
        if (error.code !== 'ENOENT' || !create) throw error;
    }
    if (stat && create && how & OPEN.EXCLUSIVE) throw new FileError('EEXIST');
    if (stat?.type === 'link') throw new FileError('ELOOP');
    if (stat?.type === 'dir') {
        if (write || create) throw new FileError('EISDIR');
        return { dir: path, flags };
    }
    if (how & OPEN.DIRECTORY) throw new FileError('ENOTDIR');
    const handle = host.files.open(path, {
        read: (rights & RIGHT.READ) !== 0n || !write,
        write,
        create,
        exclusive: (how & OPEN.EXCLUSIVE) !== 0,
        truncate: (how & OPEN.TRUNCATE) !== 0,
    });
    return { handle, position: 0, flags };
}

/** Bytes of an entry of a folder as fd_readdir() writes them. */
function directoryEntry(host, { name, type, ino }, next) {
    const text = host.encoder.encode(name);
    const entry = new Uint8Array(24 + text.length);
    const view = new DataView(entry.buffer);

    view.setBigUint64(0, BigInt(next), true);
    view.setBigUint64(8, BigInt.asUintN(64, BigInt(ino)), true);
    view.setUint32(16, text.length, true);
    view.setUint8(20, FILE_TYPE[type]);
    entry.set(text, 24);
    return entry;
}

/** Wait. Threads that may not wait, such as the one of a page, go on at once. */
function sleep(nanoseconds) {
    try {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(nanoseconds) / 1e6);
    } catch {
        // Programs that poll have to work without delays.
    }
}

/** The functions that pdconv.wasm imports. `this` is the host. */
const CALLS = {
    args_get(pointers, at) {
        this.putTexts(this.args, pointers, at);
    },

    args_sizes_get(count, size) {
        this.putSizes(this.args, count, size);
    },

    environ_get(pointers, at) {
        this.putTexts(this.env, pointers, at);
    },

    environ_sizes_get(count, size) {
        this.putSizes(this.env, count, size);
    },

    clock_time_get(clock, precision, at) {
        const milliseconds = clock === 0 ? Date.now() : performance.now();

        this.put64(at, BigInt(Math.round(milliseconds * 1e6)));
    },

    fd_close(fd) {
        const { handle } = this.entry(fd);

        this.open[fd] = undefined;
        handle?.close();
    },

    fd_fdstat_get(fd, at) {
        const entry = this.entry(fd);
        const { type } = this.statOf(entry);
        // The C library takes a device that cannot seek for a terminal.
        const rights = type === 'char' && entry.handle.isTerminal ? ALL_RIGHTS & ~(RIGHT.SEEK | RIGHT.TELL) : ALL_RIGHTS;

        this.put64(at, FILE_TYPE[type]);
        this.view.setUint16(at + 2, entry.flags, true);
        this.put64(at + 8, rights);
        this.put64(at + 16, ALL_RIGHTS);
    },

    fd_fdstat_set_flags(fd, flags) {
        this.entry(fd).flags = flags;
    },

    fd_filestat_get(fd, at) {
        this.putStat(at, this.statOf(this.entry(fd)));
    },

    fd_filestat_set_size(fd, size) {
        this.handle(fd).truncate(Number(size));
    },

    fd_filestat_set_times(fd, atime, mtime, flags) {
        const now = BigInt(Date.now()) * 1000000n;

        this.handle(fd).setTimes(flags & TIME_NOW ? now : atime, flags & TIME_NOW ? now : mtime);
    },

    fd_pread(fd, vectors, n, offset, result) {
        const handle = this.handle(fd);

        this.put32(result, this.vectors(vectors, n, (bytes, done) => handle.readAt(bytes, Number(offset) + done)));
    },

    fd_prestat_get(fd, at) {
        if (fd !== ROOT_FD) return ERRNO.EBADF;
        this.put32(at, 0);
        this.put32(at + 4, 1);
        return ERRNO.SUCCESS;
    },

    fd_prestat_dir_name(fd, at) {
        this.bytes(at, 1)[0] = '/'.charCodeAt(0);
    },

    fd_read(fd, vectors, n, result) {
        const entry = this.entry(fd);
        const handle = this.handle(fd);
        const sum = this.vectors(vectors, n, (bytes, done) => handle.readAt(bytes, entry.position + done));

        entry.position += sum;
        this.put32(result, sum);
    },

    fd_readdir(fd, at, length, cookie, result) {
        const entry = this.entry(fd);
        let used = 0;

        if (entry.dir === undefined) return ERRNO.ENOTDIR;
        if (cookie === 0n || !entry.list) {
            const self = ['.', '..'].map((name) => ({ name, type: 'dir', ino: 0 }));
            entry.list = [...self, ...this.files.list(entry.dir)];
        }
        for (let i = Number(cookie); i < entry.list.length && used < length; i++) {
            const bytes = directoryEntry(this, entry.list[i], i + 1).subarray(0, length - used);
            this.bytes(at + used, bytes.length).set(bytes);
            used += bytes.length;
        }
        this.put32(result, used);
        return ERRNO.SUCCESS;
    },

    fd_seek(fd, offset, whence, result) {
        const entry = this.entry(fd);
        const { type, size } = this.statOf(entry);
        const origin = [0, entry.position, size][whence];

        if (type !== 'file') return ERRNO.ESPIPE;
        if (origin === undefined || origin + Number(offset) < 0) return ERRNO.EINVAL;
        entry.position = origin + Number(offset);
        this.put64(result, entry.position);
        return ERRNO.SUCCESS;
    },

    fd_tell(fd, result) {
        const entry = this.entry(fd);

        if (this.statOf(entry).type !== 'file') return ERRNO.ESPIPE;
        this.put64(result, entry.position);
        return ERRNO.SUCCESS;
    },

    fd_write(fd, vectors, n, result) {
        const entry = this.entry(fd);
        const handle = this.handle(fd);

        if (entry.flags & APPEND) entry.position = handle.stat().size;
        const sum = this.vectors(vectors, n, (bytes, done) => handle.writeAt(bytes, entry.position + done));
        entry.position += sum;
        this.put32(result, sum);
    },

    path_create_directory(fd, at, length) {
        this.files.mkdir(this.path(fd, at, length));
    },

    path_filestat_get(fd, lookup, at, length, result) {
        this.putStat(result, this.files.stat(this.path(fd, at, length), (lookup & FOLLOW_LINKS) !== 0));
    },

    path_open(fd, lookup, at, length, how, rights, inheriting, flags, result) {
        const follow = (lookup & FOLLOW_LINKS) !== 0;

        this.put32(result, this.add(openPath(this, this.path(fd, at, length), { follow, how, rights, flags })));
    },

    path_readlink(fd, at, length, to, size, result) {
        const target = this.encoder.encode(this.files.readlink(this.path(fd, at, length))).subarray(0, size);

        this.bytes(to, target.length).set(target);
        this.put32(result, target.length);
    },

    path_remove_directory(fd, at, length) {
        this.files.rmdir(this.path(fd, at, length));
    },

    path_rename(fd, at, length, toFd, toAt, toLength) {
        this.files.rename(this.path(fd, at, length), this.path(toFd, toAt, toLength));
    },

    path_unlink_file(fd, at, length) {
        this.files.unlink(this.path(fd, at, length));
    },

    /** Files are always ready. Of clocks, the first one is waited for if there is nothing else. */
    poll_oneoff(subscriptions, events, n, result) {
        const tagAt = (i) => subscriptions + 48 * i;
        const tags = Array.from({ length: n }, (_, i) => this.view.getUint8(tagAt(i) + 8));
        const ready = tags.some((tag) => tag !== 0) ? (tag) => tag !== 0 : () => true;
        let count = 0;

        if (n > 0 && tags.every((tag) => tag === 0)) {
            const isAbsolute = this.view.getUint16(tagAt(0) + 40, true) & 1;
            sleep(isAbsolute ? 0n : this.view.getBigUint64(tagAt(0) + 24, true));
        }
        for (const [i, tag] of tags.entries()) {
            if (!ready(tag)) continue;
            const event = events + 32 * count++;
            this.bytes(event, 32).fill(0);
            this.bytes(event, 8).set(this.bytes(tagAt(i), 8));
            this.view.setUint8(event + 10, tag);
        }
        this.put32(result, count);
    },

    proc_exit(status) {
        throw new Exit(status);
    },

    random_get(at, length) {
        // One call gives at most 64 KiB.
        for (let done = 0; done < length; done += 65536)
            crypto.getRandomValues(this.bytes(at + done, Math.min(65536, length - done)));
    },
};
