/** @file What the page shows, written to its address and read from it. */
import assert from 'node:assert';
import { test } from 'node:test';
import { patternError, patternOf, readState, selectionOf, writeState } from '../../../web/views/state.js';

test('the default state has an empty address', () => {
    assert.equal(writeState(readState('')), '');
    assert.equal(readState('').view, 'flame');
});

test('an address brings back its state', () => {
    const state = {
        ...readState(''),
        view: 'table',
        time: [100, 2000],
        threads: [3, 4],
        cpus: [-1, 2],
        recursion: true,
        zoom: [7, 0, 9],
        find: 'a&b=c #d',
        sort: 'total',
        side: false,
        filters: [
            { kind: 'focus', text: '/a|b/' },
            { kind: 'ignore', text: '=operator&' },
            { kind: 'focus', text: '</script>' },
        ],
    };

    assert.deepEqual(readState(`#${writeState(state)}`), state);
});

test('what is invalid in an address is left out', () => {
    assert.deepEqual(
        readState('#view=nothing&time=5-5&threads=a&cpus=1..2&zoom=-&unknown=1&sort=x&focus='),
        readState(''),
    );
});

test('patterns are texts, whole names and regular expressions', () => {
    assert.deepEqual(patternOf('read'), { text: 'read' });
    assert.deepEqual(patternOf('=read'), { text: 'read', exact: true });
    assert.deepEqual(patternOf('/^read/'), { regex: '^read' });
    assert.deepEqual(patternOf('/'), { text: '/' });
    assert.equal(patternError('(('), '');
    assert.match(patternError('/((/'), /Unterminated group/);
});

test('a selection asks for each focus, and without invalid patterns', () => {
    const state = readState('#threads=1&focus=a&focus=/b/&ignore=/((/&hide==c&root=main&binary=libc.so.6&time=1-2');

    assert.deepEqual(selectionOf(state), {
        time: [1, 2],
        threads: [1],
        processes: null,
        cpus: null,
        focus: [[{ text: 'a' }], [{ regex: 'b' }]],
        ignore: [],
        hide: [{ text: 'c', exact: true }],
        roots: ['main'],
        binaries: ['libc.so.6'],
        recursion: false,
    });
});
