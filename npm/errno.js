/** @file Error numbers of WASI preview 1, by the names that Node.js and POSIX give them. */

export const ERRNO = {
    SUCCESS: 0, E2BIG: 1, EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EDOM: 18, EDQUOT: 19, EEXIST: 20, EFAULT: 21,
    EFBIG: 22, EINTR: 27, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, EMLINK: 34, ENAMETOOLONG: 37, ENFILE: 41,
    ENODEV: 43, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENOTSUP: 58, ENOTTY: 59,
    ENXIO: 60, EOVERFLOW: 61, EPERM: 63, EPIPE: 64, ERANGE: 68, EROFS: 69, ESPIPE: 70, ETXTBSY: 74, EXDEV: 75,
};

/** An error of a file operation. Errors of node:fs have such a `code`, too. */
export class FileError extends Error {
    /** @param {keyof ERRNO} code */
    constructor(code) {
        super(code);
        this.code = code;
    }
}

/** Return the error number for whatever a file operation threw. What is not an error of a file is thrown again. */
export function errnoOf(error) {
    // Node.js has this name for an operation that is not allowed on a folder of Windows.
    if (error?.code === 'ERR_FS_EISDIR') return ERRNO.EISDIR;
    if (error instanceof RangeError && error.code === undefined) return ERRNO.ENOMEM;
    if (typeof error?.code !== 'string' || !error.code.startsWith('E') || error.code.startsWith('ERR_')) throw error;
    return ERRNO[error.code] ?? ERRNO.EIO;
}
