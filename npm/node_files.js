/** @file The files of this machine, by node:fs. */
import fs from 'node:fs';
import { FileError } from './errno.js';

function typeOf(entry) {
    if (entry.isFile()) return 'file';
    if (entry.isDirectory()) return 'dir';
    if (entry.isSymbolicLink()) return 'link';
    if (entry.isCharacterDevice()) return 'char';
    if (entry.isBlockDevice()) return 'block';
    return entry.isFIFO() || entry.isSocket() ? 'pipe' : 'other';
}

function convert(stat) {
    return {
        type: typeOf(stat),
        size: Number(stat.size),
        ino: stat.ino,
        dev: stat.dev,
        nlink: stat.nlink,
        atime: stat.atimeNs,
        mtime: stat.mtimeNs,
        ctime: stat.ctimeNs,
    };
}

/** Call `work()` again for as long as the file cannot take or give anything now. */
function insist(work) {
    for (;;) {
        try {
            return work();
        } catch (error) {
            if (error.code !== 'EAGAIN') throw error;
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        }
    }
}

class NodeHandle {
    constructor(fd) {
        this.fd = fd;
        // This never changes, and questions about positions are frequent.
        this.type = convert(fs.fstatSync(fd, { bigint: true })).type;
    }

    stat() {
        return convert(fs.fstatSync(this.fd, { bigint: true }));
    }

    readAt(bytes, position) {
        return insist(() => fs.readSync(this.fd, bytes, 0, bytes.length, this.type === 'file' ? position : null));
    }

    writeAt(bytes, position) {
        return insist(() => fs.writeSync(this.fd, bytes, 0, bytes.length, this.type === 'file' ? position : null));
    }

    truncate(size) {
        fs.ftruncateSync(this.fd, size);
    }

    setTimes(atime, mtime) {
        fs.futimesSync(this.fd, Number(atime) / 1e9, Number(mtime) / 1e9);
    }

    close() {
        fs.closeSync(this.fd);
    }
}

/** The position of a standard stream that is a file, in bytes. Only Linux shows it; elsewhere it is 0. */
function positionOf(fd) {
    try {
        return Number(/^pos:\s*(\d+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? 0);
    } catch {
        return 0;
    }
}

/** One of the standard streams. It stays open. Only the system knows where the next byte is written. */
export class NodeStream extends NodeHandle {
    constructor(fd, isTerminal) {
        super(fd);
        this.isTerminal = isTerminal;
        this.position = this.type === 'file' ? positionOf(fd) : 0;
    }

    readAt(bytes, position) {
        try {
            return super.readAt(bytes, position);
        } catch (error) {
            // The end of a pipe, on Windows.
            if (error.code === 'EOF') return 0;
            throw error;
        }
    }

    writeAt(bytes) {
        return insist(() => fs.writeSync(this.fd, bytes, 0, bytes.length, null));
    }

    close() {}
}

export class NodeFiles {
    /** @param {ReturnType<import('./paths.js').pathsOf>} paths */
    constructor(paths) {
        this.paths = paths;
    }

    system(path) {
        const ret = this.paths.toSystem(path);

        if (ret === null) throw new FileError('ENOENT');
        return ret;
    }

    stat(path, follow) {
        const at = this.paths.toSystem(path);

        // On Windows the root has drives, and no place.
        if (at === null && /^\/+\.?$/.test(path))
            return { type: 'dir', size: 0, ino: 1, dev: 1, nlink: 1, atime: 0n, mtime: 0n, ctime: 0n };
        return convert((follow ? fs.statSync : fs.lstatSync)(this.system(path), { bigint: true }));
    }

    open(path, { read, write, create, exclusive, truncate }) {
        const c = fs.constants;
        const access = write ? (read ? c.O_RDWR : c.O_WRONLY) : c.O_RDONLY;
        const flags = access | (create ? c.O_CREAT : 0) | (exclusive ? c.O_EXCL : 0) | (truncate ? c.O_TRUNC : 0);

        return new NodeHandle(fs.openSync(this.system(path), flags, 0o666));
    }

    list(path) {
        return fs.readdirSync(this.system(path), { withFileTypes: true })
            .map((entry) => ({ name: entry.name, type: typeOf(entry), ino: 0 }));
    }

    readlink(path) {
        return this.paths.toProgram(fs.readlinkSync(this.system(path)));
    }

    rename(from, to) {
        fs.renameSync(this.system(from), this.system(to));
    }

    unlink(path) {
        fs.unlinkSync(this.system(path));
    }

    mkdir(path) {
        fs.mkdirSync(this.system(path));
    }

    rmdir(path) {
        fs.rmdirSync(this.system(path));
    }
}
