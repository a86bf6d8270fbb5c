/** @file Everything can be reached without a mouse. */
import assert from 'node:assert';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { makePage, SHOP } from './recordings.mjs';

const VIEWS = ['flame', 'icicle', 'inverted', 'chart', 'sandwich', 'table', 'source', 'quality', 'ledger'];

test('keys reach every view, move in it, and select', async () => {
    await visit(makePage('keyboard', SHOP), {}, async (driver) => {
        const selected = () => driver.page.$eval('#views [aria-selected="true"]', (tab) => tab.dataset.view);

        for (const [i, view] of VIEWS.entries()) {
            await driver.press(String(i + 1));
            assert.equal(await selected(), view);
        }
        await driver.press('2', 'g', 'ArrowDown', 'ArrowDown', 'ArrowDown');
        assert.match(await driver.text('#frame'), /samples/);
        await driver.press('Enter');
        assert.ok((await driver.state()).has('zoom'));
        await driver.press('Escape');
        assert.ok(!(await driver.state()).has('zoom'));

        // The functions of the table, and from one of them to its callers.
        await driver.press('6', 'g', 'ArrowDown', 'ArrowDown', 'Enter');
        assert.equal(await selected(), 'sandwich');
        assert.ok((await driver.state()).has('function'));

        // Search, and make a filter of it.
        await driver.press('/');
        await driver.page.keyboard.type('tax');
        await driver.settled();
        assert.match(await driver.text('#matches'), /function/);
        // Escape leaves the field, not the search.
        await driver.press('Escape');
        assert.equal(await driver.page.$eval('#query', (field) => field.value), 'tax');
        assert.equal((await driver.state()).get('find'), 'tax');
        await driver.press('/', 'Tab', 'Enter');
        assert.equal((await driver.state()).get('focus'), 'tax');
        const focused = await driver.totals();
        assert.ok(focused.samples > 0 && focused.samples < focused.ofSamples);
        await driver.press('g', '0');
        assert.equal((await driver.totals()).samples, focused.ofSamples);

        // A range of time.
        await driver.press('t', 'ArrowRight', 'ArrowRight');
        await driver.pressShifted('ArrowRight', 6);
        await driver.press('Enter');
        assert.match((await driver.state()).get('time') ?? '', /^\d+-\d+$/);
        const ranged = await driver.totals();
        assert.ok(ranged.samples > 0 && ranged.samples < ranged.ofSamples);
        await driver.press('g', '0');
    });
});

test('Tab reaches all controls, and Enter presses them', async () => {
    await visit(makePage('tab', SHOP), {}, async (driver) => {
        const places = new Set();
        let thread = '';
        const active = () =>
            driver.page.evaluate(() => {
                const { id, dataset } = document.activeElement;
                return id || dataset.pick || dataset.view || dataset.value || dataset.filter || '';
            });

        for (let i = 0; i < 60; i++) {
            await driver.page.keyboard.press('Tab');
            const place = await active();
            places.add(place);
            if (place.startsWith('threads-') && !thread) {
                thread = place;
                await driver.press('Enter');
                assert.equal(`threads-${(await driver.state()).get('threads')}`, thread);
            }
        }
        for (const place of ['event', 'theme', 'help', 'query', 'top-canvas', 'flame', 'side-filter', 'processes-0'])
            assert.ok(places.has(place), `${place} is not among ${[...places]}`);
        assert.ok(thread, 'no thread was reached');
    });
});

test('the keys are listed, and dialogs close', async () => {
    await visit(makePage('keys', SHOP), {}, async (driver) => {
        const isOpen = () => driver.page.$eval('#dialog', (dialog) => dialog.open);

        await driver.press('?');
        assert.ok(await isOpen());
        assert.match(await driver.text('#dialog'), /Search functions/);
        await driver.press('Escape');
        assert.ok(!(await isOpen()));
        await driver.press('2', 'g', 'ArrowDown', 'ArrowDown', 'm');
        assert.ok(await driver.page.$eval('#menu', (menu) => !menu.hidden));
        await driver.press('Escape');
        assert.ok(await driver.page.$eval('#menu', (menu) => menu.hidden));
    });
});
