/** @file Paths of Windows as the program sees them, and arguments of its command line. */
import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { test } from 'node:test';
import { argumentsOf, pathsOf } from '../../npm/paths.js';

const windows = pathsOf('win32');

test('paths of Windows and back', () => {
    for (const [system, program] of [
        ['C:\\data\\perf.data', '/c/data/perf.data'],
        ['C:\\', '/c/'],
        ['D:\\Program Files\\a', '/d/Program Files/a'],
        ['\\\\server\\share\\x', '/unc/server/share/x'],
    ]) {
        assert.equal(windows.toProgram(system), program);
        assert.equal(windows.toSystem(program), win32.normalize(system));
        assert.ok(win32.isAbsolute(windows.toSystem(program)));
        assert.ok(posix.isAbsolute(program));
    }
    assert.equal(windows.toProgram('c:/a/b'), '/c/a/b');
    assert.equal(windows.toProgram('\\\\?\\C:\\long'), '/c/long');
    assert.equal(windows.toProgram('a\\b'), 'a/b');
    for (const path of ['/', '/etc/passwd', '/proc/self']) assert.equal(windows.toSystem(path), null);
});

test('paths of other systems stay', () => {
    for (const platform of ['linux', 'darwin']) {
        assert.equal(pathsOf(platform).toProgram('/Users/a\\b'), '/Users/a\\b');
        assert.equal(pathsOf(platform).toSystem('/Users/a\\b'), '/Users/a\\b');
        assert.deepEqual(argumentsOf(['C:\\x'], pathsOf(platform), () => true), ['C:\\x']);
    }
});

test('arguments of Windows: paths have slashes, patterns stay', () => {
    const args = ['C:\\a\\perf.data', '--symbol-dir=..\\build', '--focus', 'std\\.sort', 'sub\\perf.data', '-f', 'folded'];

    assert.deepEqual(
        argumentsOf(args, windows, (path) => path === 'sub\\perf.data'),
        ['/c/a/perf.data', '--symbol-dir=../build', '--focus', 'std\\.sort', 'sub/perf.data', '-f', 'folded'],
    );
});
