/** @file What the graphs show: sums that are the same in all of them, and colors of a comparison. */
import assert from 'node:assert';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { compare, describe, makePage, pdconv, SHOP, SHOP_AFTER } from './recordings.mjs';

/** Walk over the first level of a graph by keys. Return the samples of each of its boxes by name. */
async function firstLevel(driver, deeper) {
    const samples = new Map();
    const line = () => driver.page.$eval('#frame', (frame) => frame.textContent);

    // To the base, to its widest child, and to the first one.
    await driver.press('g', deeper, deeper);
    let before = '';
    for (let text = await line(); text !== before; text = await line()) {
        before = text;
        await driver.page.keyboard.press('ArrowLeft');
    }
    for (let text = before; ; before = text) {
        const [, name, count] = /^(.*?) · total .* samples ([\d,]+)/s.exec(text);

        samples.set(name, (samples.get(name) ?? 0) + Number(count.replaceAll(',', '')));
        await driver.page.keyboard.press('ArrowRight');
        text = await line();
        if (text === before) return samples;
    }
}

const sum = (samples) => [...samples.values()].reduce((a, b) => a + b, 0);

test('upright and inverted graphs add up to the same', async () => {
    await visit(makePage('graphs', SHOP), { width: 1900 }, async (driver) => {
        const { samples } = await driver.totals();
        const flame = await firstLevel(driver, 'ArrowUp');
        assert.equal(sum(flame), samples);
        await driver.view('icicle');
        assert.deepEqual(await firstLevel(driver, 'ArrowDown'), flame);
        await driver.view('inverted');
        const inverted = await firstLevel(driver, 'ArrowDown');
        assert.equal(sum(inverted), samples);
        assert.ok(inverted.size > flame.size && inverted.has('tax') && !flame.has('tax'), 'the graph is not inverted');
    });
});

test('callers and callees begin with the hottest function of the selection', async () => {
    await visit(makePage('sandwich', SHOP), { hash: 'view=sandwich' }, async (driver) => {
        const report = JSON.parse(pdconv(SHOP, '-f', 'report', '--json', '--event', 'cpu-clock'));
        const hottest = report.by_event[0].functions_by_self.rows[0].function.name;
        assert.match(await driver.text('#stage .middle'), new RegExp(`^Hottest function:\\s*${hottest}\\s`));
        assert.ok(!(await driver.state()).has('function'), 'nobody chose the function');
        await driver.filter('hide', `=${hottest}`);
        assert.doesNotMatch(await driver.text('#stage .middle'), new RegExp(hottest));
        await driver.press('s');
        assert.ok((await driver.state()).has('function'), 'keys do not know the function');
    });
});

test('a flame graph stays at its base, whatever room it has', async () => {
    await visit(compare('base', makePage('before', SHOP), makePage('after', SHOP_AFTER)), {}, async (driver) => {
        const fromBase = () =>
            driver.page.$eval('.scroller', (element) => {
                const { scrollTop, scrollHeight, clientHeight } = element;
                return [scrollHeight - clientHeight - scrollTop, scrollHeight - clientHeight];
            });
        const left = [];
        for (const height of [500, 660, 816, 700, 520]) {
            await driver.page.setViewport({ width: 1360, height });
            await driver.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
            const [distance, room] = await fromBase();
            assert.equal(distance, 0, `${height} pixels`);
            left.push(room);
        }
        assert.ok(left[0] > left[1] && left[1] > left[2] && left[2] > 0, `nothing to scroll: ${left}`);
    });
});

/** How much redder than blue each visible pixel is, at most and at least: { reddest, bluest, x, y: of the reddest in CSS pixels }. */
function redness({ data, width, ratio }) {
    const found = { reddest: -256, bluest: 256, x: 0, y: 0 };

    for (let i = 0; i < data.length; i += 4) {
        const red = data[i] - data[i + 2];
        if (data[i + 3] < 255) continue;
        found.bluest = Math.min(found.bluest, red);
        if (red > found.reddest)
            Object.assign(found, { reddest: red, x: ((i / 4) % width) / ratio, y: Math.floor(i / 4 / width) / ratio });
    }
    return found;
}

test('a comparison of equal recordings is neutral', async () => {
    const page = makePage('equal', SHOP);

    await visit(compare('equal-twice', page, page), {}, async (driver) => {
        const totals = await driver.totals();
        assert.equal(totals.weight1, totals.weight);
        const { reddest, bluest } = redness(await driver.pixels());
        assert.ok(reddest - bluest < 24, `colors differ by ${reddest - bluest}`);
        await driver.view('table');
        const changes = (await driver.rows()).map((cells) => cells[0]);
        assert.ok(changes.length > 20);
        assert.deepEqual(
            changes.filter((text) => !/^0\b.*±0 %$/s.test(text)),
            [],
        );
    });
});

test('the function that became slower is the reddest', async () => {
    const path = compare('slower', makePage('before', SHOP), makePage('after', SHOP_AFTER));

    await visit(path, {}, async (driver) => {
        await driver.view('icicle');
        const canvas = await (await driver.page.$('#stage canvas')).boundingBox();
        const { x, y, reddest, bluest } = redness(await driver.pixels());
        assert.ok(reddest - bluest > 60, `colors differ by ${reddest - bluest}`);
        await driver.page.mouse.click(canvas.x + x + 2, canvas.y + y + 2);
        await driver.settled();
        assert.match(await driver.text('#frame'), /^tax · before .* change \+/s);
        await driver.view('table');
        const [first] = await driver.rows();
        assert.equal(first[4].trim(), 'tax');
    });
});

test('a flame chart shows the busiest thread of the selected process, and can be scrolled', async () => {
    await visit(makePage('chart-process', SHOP), { hash: 'view=chart&processes=0', height: 480 }, async (driver) => {
        const [process] = describe(makePage('chart-process', SHOP)).processes;
        const shown = await driver.page.$eval('#tools select', (select) => select.selectedOptions[0].textContent);
        assert.match(shown, new RegExp(`of ${process.name} ${process.pid}$`));
        const { whole, seen, bottom } = await driver.page.$eval('#stage .scroller', (graph) => ({
            whole: graph.scrollHeight,
            seen: graph.clientHeight,
            bottom: graph.getBoundingClientRect().bottom,
        }));
        assert.ok(whole > seen && seen > 20 && bottom < 480, `${whole} pixels, ${seen} of them visible, up to ${bottom}`);
    });
});
