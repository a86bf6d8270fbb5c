/** @file What is selected in the page is what pdconv selects with the same filters. */
import assert from 'node:assert';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { describe, makePage, SHOP, sums, timeOption } from './recordings.mjs';

const FOCUS = 'parse_item|malloc';

async function expectSums(driver, json, event, ...words) {
    const { weight, samples } = await driver.totals();
    const expected = sums(SHOP, '--event', json.events[event].name, ...words);

    assert.ok(expected.weight > 0, 'nothing is selected');
    assert.deepEqual({ weight, samples }, expected, words.join(' '));
    return weight;
}

/** Return the option --time for the range in the address. */
async function selectedTime(driver, json) {
    const [from, to] = (await driver.state()).get('time').split('-').map(Number);

    return timeOption(json, from, to);
}

test('a range, a thread, a pattern and all three have the totals of pdconv', async () => {
    const path = makePage('selection', SHOP);
    const json = describe(path);
    const pricer = json.threads.findIndex((thread) => thread.name === 'parser');
    const tid = ['--tid', String(json.threads[pricer].tid)];
    const focus = ['--focus', FOCUS];

    await visit(path, {}, async (driver) => {
        const all = await expectSums(driver, json, 0);
        await driver.brush(0.25, 0.75);
        const time = await selectedTime(driver, json);
        const inTime = await expectSums(driver, json, 0, ...time);
        assert.ok(inTime < all);

        await driver.click(`[data-pick="threads-${pricer}"]`);
        const inBoth = await expectSums(driver, json, 0, ...time, ...tid);
        assert.ok(inBoth < inTime);

        await driver.filter('focus', `/${FOCUS}/`);
        const inAll = await expectSums(driver, json, 0, ...time, ...tid, ...focus);
        assert.ok(inAll < inBoth);
        assert.equal(await driver.page.$$eval('#chips li', (chips) => chips.length), 3);

        // Each chip removes its filter: first the time, then the thread.
        await driver.click('#chips li:nth-child(1) button');
        await expectSums(driver, json, 0, ...tid, ...focus);
        await driver.click('#chips li:nth-child(1) button');
        await expectSums(driver, json, 0, ...focus);
    });
});

test('waits are selected like samples', async () => {
    const path = makePage('waits', SHOP);
    const json = describe(path);
    const waits = json.events.findIndex((event) => event.waits);

    await visit(path, {}, async (driver) => {
        await driver.page.select('#event', String(waits));
        await expectSums(driver, json, waits);
        await driver.brush(0.5, 0.9);
        await expectSums(driver, json, waits, ...(await selectedTime(driver, json)));
    });
});

test('patterns that are ignored', async () => {
    const path = makePage('ignore', SHOP);

    await visit(path, {}, async (driver) => {
        await driver.filter('ignore', '/^tax$/');
        await expectSums(driver, describe(path), 0, '--ignore', '^tax$');
    });
});

test('an address with the second recording of a comparison shows the only one', async () => {
    const path = makePage('pane', SHOP);

    for (const view of ['flame', 'source'])
        await visit(path, { hash: `pane=1&function=1&view=${view}` }, async (driver) => {
            await expectSums(driver, describe(path), 0);
            assert.equal(await driver.text('#frame'), '');
            assert.match(await driver.text('#top-note'), /per cell/);
        });
});

test('a reload shows the same', async () => {
    const path = makePage('reload', SHOP);
    const snapshot = async (driver) => ({
        totals: await driver.totals(),
        address: await driver.page.evaluate(() => location.hash),
        chips: await driver.text('#chips'),
        views: await driver.page.$$eval('#views [aria-selected="true"]', (tabs) => tabs.map((tab) => tab.dataset.view)),
        tools: await driver.text('#tools'),
        query: await driver.page.$eval('#query', (field) => field.value),
        matches: await driver.text('#matches'),
    });

    await visit(path, {}, async (driver) => {
        await driver.brush(0.2, 0.8);
        await driver.click('[data-pick="processes-1"]');
        await driver.filter('focus', '/run_/');
        await driver.view('icicle');
        await driver.press('g', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
        await driver.page.focus('#query');
        await driver.page.keyboard.type('tax');
        const before = await snapshot(driver);
        assert.match(before.address, /zoom=/);
        assert.match(before.address, /time=/);
        await driver.page.reload();
        assert.deepEqual(await snapshot(driver), before);
    });
});
