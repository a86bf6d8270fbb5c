/** @file What the recorder lost is marked in the timeline. */
import assert from 'node:assert';
import { test } from 'node:test';
import { encodeProfile } from '../profiles.mjs';
import { visit } from './browser.mjs';
import { makePage, makePageOf, SHOP } from './recordings.mjs';

const N_SAMPLES = 200;
/** Colors of ticks in the style sheet. */
const KINDS = ['lost', 'throttled'];

function pageWith(name, marks) {
    const samples = Array.from({ length: N_SAMPLES }, (_, i) => ({ stack: ['main'], time: i * 1000, weight: 1000000 }));

    return makePageOf(name, makePage('losses-template', SHOP), encodeProfile({ samples, marks }));
}

/** Return which of the colors of ticks the timeline shows. Browsers complain if pixels are read twice. */
async function ticks(driver) {
    const colors = await driver.page.evaluate((names) => {
        const probe = document.createElement('i');
        document.body.append(probe);
        const found = names.map((name) => {
            probe.style.color = `var(--${name})`;
            return getComputedStyle(probe).color.match(/\d+/g).map(Number);
        });
        probe.remove();
        return found;
    }, KINDS);
    const { data } = await driver.pixels('#top-canvas');
    const pixels = Array.from({ length: data.length / 4 }, (_, i) => [...data.subarray(4 * i, 4 * i + 3)].join());

    return KINDS.filter((_, i) => pixels.includes(colors[i].join()));
}

/** Point at the middle of the picture, and return the notes there that say what was lost. */
async function notes(driver, y) {
    const found = new Set();
    const box = await (await driver.page.$('#top-canvas')).boundingBox();

    for (let x = box.x + box.width / 2; x < box.x + box.width * 0.6; x += 2) {
        await driver.page.mouse.move(x, box.y + y);
        const text = await driver.text('#top-note');
        if (/lost|throttled/.test(text)) found.add(/[\d,]+ records? lost.*|throttled.*/.exec(text)[0]);
    }
    return [...found];
}

for (const top of ['heat', 'thread']) {
    test(`ticks mark lost records and throttling: ${top}`, async () => {
        const marks = [
            { time: 100000, kind: 0, count: 1234 },
            { time: 150000, kind: 1, count: 1 },
        ];

        await visit(pageWith(`losses-${top}`, marks), { hash: `top=${top}` }, async (driver) => {
            assert.match(await driver.text('#top-note'), /Tick marks: 1,234 records lost, throttled once\.$/);
            assert.deepEqual(await ticks(driver), KINDS);
            assert.deepEqual(await notes(driver, 8), ['1,234 records lost']);
            if (top === 'heat') return;
            // Lanes begin below the ticks: a click on the name of one selects it.
            const box = await (await driver.page.$('#top-canvas')).boundingBox();
            await driver.page.mouse.click(box.x + 40, box.y + 12 + 8);
            assert.equal((await driver.state()).get('threads'), '0');
        });
    });
}

test('a recording without losses has no ticks', async () => {
    await visit(pageWith('lossless', []), {}, async (driver) => {
        assert.deepEqual(await ticks(driver), []);
        assert.match(await driver.text('#top-note'), /Drag to select a range of time\.$/);
    });
});
