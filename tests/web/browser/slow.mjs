/** @file A regular expression that does not end: it is stopped, and the page shows what it showed before. */
import assert from 'node:assert';
import { test } from 'node:test';
import { encodeProfile } from '../profiles.mjs';
import { visit } from './browser.mjs';
import { makePage, makePageOf, SHOP } from './recordings.mjs';

/** Takes 2^40 steps for the name. */
const SLOW = '/^(a+)+$/';
const NAME = `${'a'.repeat(40)}!`;

function slowPage(name) {
    const samples = [['main', NAME], ['main', 'b'], ['main', 'c']].map((stack, i) => ({ stack, weight: 1000 + i }));

    return makePageOf(name, makePage('slow-template', SHOP), encodeProfile({ samples }));
}

async function snapshot(driver) {
    return { totals: await driver.totals(), chips: await driver.text('#chips'), rows: await driver.rows() };
}

test('a pattern that hangs is stopped, and the selection before it is back', async () => {
    await visit(slowPage('slow'), {}, async (driver) => {
        await driver.view('table');
        await driver.filter('ignore', '=c');
        const before = await snapshot(driver);
        assert.equal(before.rows.length, 3);

        // The search is stopped.
        await driver.page.focus('#query');
        await driver.page.keyboard.type(SLOW);
        await driver.settled();
        assert.match(await driver.text('#frame'), /the pattern .* was stopped after 3 s/);
        assert.equal(await driver.text('#matches'), 'takes too long');
        assert.deepEqual(await snapshot(driver), before);

        // It is not used again, and others are.
        await driver.page.keyboard.press('Escape');
        await driver.press('Escape');
        await driver.filter('focus', '/^b$/');
        assert.equal((await driver.totals()).samples, 1);
        assert.match(await driver.text('#chips'), /b/);
    });
});

test('a pattern that hangs in the address is left out', async () => {
    const hash = `view=table&hide=${encodeURIComponent(SLOW)}&ignore=%3Dc`;

    await visit(slowPage('slow-address'), { hash }, async (driver) => {
        const { totals, chips, rows } = await snapshot(driver);
        assert.equal(totals.samples, 2);
        assert.equal(rows.length, 3);
        assert.doesNotMatch(chips, /a\+/);
        assert.match(await driver.text('#frame'), /was stopped after 3 s/);
        const state = await driver.state();
        assert.deepEqual([state.get('hide'), state.get('ignore')], [null, '=c']);
    });
});
