import assert from 'node:assert/strict';
import test from 'node:test';

import { Recent } from '../../../web/model/recent.js';

test('the results that were asked for last are kept', () => {
    const recent = new Recent(2);
    const made = [];
    const ask = (key) => recent.get(key, () => {
        made.push(key);
        return `${key}!`;
    });

    assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(ask), ['a!', 'b!', 'a!', 'c!', 'a!', 'b!']);
    assert.deepEqual(made, ['a', 'b', 'c', 'b']);
});

test('a computation that fails leaves nothing', () => {
    const recent = new Recent(2);

    assert.throws(() => recent.get('a', () => {
        throw new Error('no');
    }), /no/);
    assert.equal(recent.get('a', () => 1), 1);
});
