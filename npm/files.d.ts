/**
 * The files that the program sees, by absolute POSIX paths. All functions are synchronous. They throw errors whose `code` is
 * a name in errno.js.
 */
export interface Stat {
    type: 'file' | 'dir' | 'link' | 'char' | 'block' | 'pipe' | 'other';
    /** In bytes. */
    size: number;
    ino: number | bigint;
    dev: number | bigint;
    nlink: number | bigint;
    /** Nanoseconds since 1970. */
    atime: bigint;
    mtime: bigint;
    ctime: bigint;
}

export interface OpenHow {
    read: boolean;
    write: boolean;
    create: boolean;
    exclusive: boolean;
    truncate: boolean;
}

/** An open file. A stream ignores positions. */
export interface Handle {
    isTerminal?: boolean;
    stat(): Stat;
    /** Return how many bytes were read; 0 is the end of the file. */
    readAt(bytes: Uint8Array, position: number): number;
    writeAt(bytes: Uint8Array, position: number): number;
    truncate(size: number): void;
    setTimes(atime: bigint, mtime: bigint): void;
    close(): void;
}

export interface Files {
    stat(path: string, follow: boolean): Stat;
    open(path: string, how: OpenHow): Handle;
    list(path: string): { name: string; type: Stat['type']; ino: number | bigint }[];
    readlink(path: string): string;
    rename(from: string, to: string): void;
    unlink(path: string): void;
    mkdir(path: string): void;
    rmdir(path: string): void;
}
