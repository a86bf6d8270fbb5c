/** @file The view Quality says about stacks what the report says. */
import assert from 'node:assert';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { CHAINS, makePage, pdconv } from './recordings.mjs';

test('call chains that the kernel recorded are stacks', async () => {
    const { call_chains: n } = JSON.parse(pdconv(CHAINS, '-f', 'report', '--json')).quality.stacks;
    const [, rooted] = /^ *stacks +(.*)$/m.exec(pdconv(CHAINS, '-f', 'report'));

    assert.equal(rooted, `100.0 % of ${n} reach the root`);
    await visit(makePage('quality', CHAINS), { hash: 'view=quality' }, async (driver) => {
        const [row, ...others] = await driver.rows();

        assert.deepEqual(others, []);
        assert.match(row[0], /^Complete recorded call chain that reaches main or the start of a thread$/);
        assert.deepEqual([row[1], row[3]], ['100 %', `${n} samples`]);
        assert.ok((await driver.text('#stage .quality')).includes(`stacks: ${rooted}`));
    });
});
