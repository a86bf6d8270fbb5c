/** @file The page fits into its window and can be read, in both themes and at both resolutions. */
import assert from 'node:assert';
import { test } from 'node:test';
import { isFirefox, visit } from './browser.mjs';
import { compare, makePage, SHOP, SHOP_AFTER } from './recordings.mjs';

const VIEWS = ['flame', 'icicle', 'inverted', 'chart', 'sandwich', 'table', 'source', 'quality', 'ledger'];

/** Runs in the page: return what is outside of the window, or cut off without an ellipsis. */
function findOverflow() {
    const found = [];
    const visible = (element) => element.checkVisibility?.() ?? element.offsetParent;
    const inside = (element) => element.closest('.scroller, #threads, #top-scroll, #dialog, #stage');

    if (document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight)
        found.push(`the page is ${document.documentElement.scrollWidth} x ${document.documentElement.scrollHeight}`);
    for (const element of document.body.querySelectorAll('*')) {
        const { left, right, top, bottom, width } = element.getBoundingClientRect();
        if (!visible(element) || !width || inside(element)) continue;
        if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1)
            found.push(`${element.tagName}#${element.id}.${element.className} is outside of the window`);
        // The form has a member of the name "matches".
        if (
            Element.prototype.matches.call(element, 'button, b, h1, h2, label') &&
            element.scrollWidth > element.clientWidth + 1 &&
            element.clientWidth &&
            getComputedStyle(element).textOverflow !== 'ellipsis' &&
            getComputedStyle(element).overflowX === 'hidden'
        )
            found.push(`${element.tagName}#${element.id} cuts "${element.textContent}"`);
    }
    return found;
}

/** Runs in the page: return how many colors each canvas shows, and how many of its pixels there are for each of CSS. */
function measureCanvases(canvases) {
    return canvases.map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);

        return { colors: new Set(new Uint32Array(data.buffer)).size, ratio: canvas.width / canvas.clientWidth };
    });
}

/** Runs in the page: return the luminance of background and text, from 0 to 1. */
function luminances() {
    const style = getComputedStyle(document.body);
    const of = (color) => {
        const [r, g, b] = color
            .match(/[\d.]+/g)
            .slice(0, 3)
            .map((v) => ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };

    return { back: of(style.backgroundColor), text: of(style.color) };
}

async function expectReadable(driver, dark, scale) {
    const { back, text } = await driver.page.evaluate(luminances);
    const contrast = (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);

    assert.equal(back < text, dark, 'the theme is the other one');
    assert.ok(contrast >= 7, `the contrast of the text is ${contrast.toFixed(1)}`);
    for (const view of VIEWS) {
        await driver.view(view);
        assert.deepEqual(await driver.page.evaluate(findOverflow), [], view);
        for (const { colors, ratio } of await driver.page.$$eval('#stage canvas', measureCanvases)) {
            assert.ok(Math.abs(ratio - scale) < 0.01, `${view} has ${ratio} pixels for each of CSS`);
            assert.ok(colors > 4 || view === 'sandwich', `${view} is blank`);
        }
    }
}

for (const dark of [false, true]) {
    for (const [scale, width] of [
        [1, 1000],
        [2, 1600],
    ]) {
        test(`${dark ? 'dark' : 'light'}, ${width} pixels wide, ${scale}x`, async () => {
            const system = isFirefox ? undefined : dark;
            await visit(makePage('appearance', SHOP), { width, scale, dark: system }, async (driver) => {
                // Without a preference of the system: light is the next theme, dark the one after it.
                if (isFirefox) await driver.press(...(dark ? ['l', 'l'] : ['l']));
                await expectReadable(driver, dark, scale);
            });
        });
    }
}

test('the tabs end before the side panel', async () => {
    await visit(makePage('tabs', SHOP), { width: 900 }, async (driver) => {
        const gap = await driver.page.$eval('#views', (views) =>
            views.getBoundingClientRect().right - views.lastElementChild.getBoundingClientRect().right);
        assert.ok(gap >= 4, `the gap is ${gap} pixels`);
    });
});

test('a comparison fits as well', async () => {
    await visit(
        compare('fits', makePage('fits-before', SHOP), makePage('fits-after', SHOP_AFTER)),
        { width: 1000 },
        async (driver) => {
            for (const view of VIEWS) {
                await driver.view(view);
                assert.deepEqual(await driver.page.evaluate(findOverflow), [], view);
            }
        },
    );
});
