/**
 * @file Paths of this system as the program sees them, and back. On Windows `C:\x` is `/c/x`, and `\\server\share\x` is
 * `/unc/server/share/x`. On other systems they are the same. No function here reads a file.
 */
import { posix, win32 } from 'node:path';

const DRIVE = /^([A-Za-z]):(?:[\\/]|$)/;
const SHARE = /^[\\/]{2}([^\\/?.][^\\/]*)[\\/]+([^\\/]+)(.*)$/s;

const POSIX = {
    toProgram: (path) => path,
    toSystem: (path) => path,
    isPath: () => false,
    resolve: (...parts) => posix.resolve(...parts),
};

/** Make the path of the program of an absolute or relative path of Windows. */
function fromWindows(path) {
    const plain = path.replace(/^\\\\\?\\(?:UNC\\)?/, (prefix) => (prefix.includes('UNC') ? '\\\\' : ''));
    const drive = DRIVE.exec(plain);
    const share = SHARE.exec(plain);

    if (drive) return `/${drive[1].toLowerCase()}/${plain.slice(3).replaceAll('\\', '/')}`;
    if (share) return `/unc/${share[1]}/${share[2]}${share[3].replaceAll('\\', '/')}`;
    return plain.replaceAll('\\', '/');
}

/** Make the path of Windows of an absolute path of the program, or return null: at the root are drives only. */
function toWindows(path) {
    const drive = /^\/+([A-Za-z])(?:\/(.*))?$/s.exec(path);
    const share = /^\/+unc\/([^/]+)\/([^/]+)(.*)$/s.exec(path);

    if (drive) return win32.normalize(`${drive[1].toUpperCase()}:\\${drive[2] ?? ''}`);
    if (share) return win32.normalize(`\\\\${share[1]}\\${share[2]}${share[3] || '\\'}`);
    return null;
}

const WINDOWS = {
    toProgram: fromWindows,
    toSystem: toWindows,
    /** Whether a word can be nothing but a path of Windows. Patterns have backslashes as well. */
    isPath: (word) => DRIVE.test(word) || SHARE.test(word) || /^\.{1,2}\\/.test(word),
    resolve: (...parts) => win32.resolve(...parts),
};

/** The paths of a system: `process.platform`. */
export function pathsOf(platform) {
    return platform === 'win32' ? WINDOWS : POSIX;
}

/**
 * Make the arguments of the program of those of the command line: words that are paths of Windows, also after "=", have
 * slashes then.
 * @param {(path: string) => boolean} exists Whether there is a file at a path of this system. It decides about words such as
 *     `dir\file`, which could be patterns.
 */
export function argumentsOf(args, paths, exists) {
    const translate = (word) => (paths.isPath(word) || (word.includes('\\') && exists(word)) ? paths.toProgram(word) : word);

    if (paths === POSIX) return args;
    return args.map((word) => {
        const [, option, value] = /^(--[a-z-]+=)(.*)$/s.exec(word) ?? ['', '', word];
        return option + translate(value);
    });
}
