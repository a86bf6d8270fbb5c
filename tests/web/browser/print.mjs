/** @file The page on paper: light, without controls, and with the whole picture of the view. */
import assert from 'node:assert';
import { test } from 'node:test';
import { isFirefox, visit } from './browser.mjs';
import { makePage, SHOP } from './recordings.mjs';

const PAGE = makePage('print', SHOP, '--embed-source');
const HASH = 'time=100000-400000&processes=0&find=tax';

/** Runs in the page: measure what is printed, after the page has been laid out for it. Also without the media "print". */
function measure() {
    const luminance = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, v) => sum + v / 765, 0);
    const canvases = [...document.querySelectorAll('#top-canvas, #stage canvas')].map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let [dark, drawn] = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
            if (!data[i + 3]) continue;
            drawn++;
            dark += data[i] + data[i + 1] + data[i + 2] < 300;
        }
        return { width: canvas.width, height: canvas.height, drawn: drawn / (data.length / 4), dark: dark / drawn };
    });
    const isShown = (element) => element.getClientRects().length > 0;
    return {
        canvases,
        text: luminance(getComputedStyle(document.body).color),
        background: getComputedStyle(document.body).backgroundColor,
        controls: [...document.querySelectorAll('button:not(th *), select, input')].filter(isShown).map((e) => e.id || e.textContent),
        hints: [...document.querySelectorAll('.hint')].filter(isShown).map((e) => e.textContent),
        shown: document.body.innerText,
        overflow: document.documentElement.scrollWidth - innerWidth,
    };
}

/** Print the page, and return the bytes of the PDF and what was measured when the browser asked for it. */
async function print(driver) {
    await driver.page.evaluate(`window.measure = ${measure}`);
    await driver.page.evaluate(() => {
        addEventListener('beforeprint', () => {
            window.printed = window.measure();
        }, { once: true });
    });
    const pdf = Buffer.from(await driver.page.pdf({ format: 'A4' })).toString('latin1');
    return { pdf, printed: await driver.page.evaluate(() => window.printed) };
}

test('a printed page is light, and has the whole graph', async () => {
    for (const view of ['flame', 'icicle', 'inverted', 'chart', 'sandwich']) {
        await visit(PAGE, { hash: `${HASH}&view=${view}`, dark: isFirefox ? undefined : true, height: 560 }, async (driver) => {
            if (isFirefox) await driver.press('l', 'l');
            const [before, whole] = await driver.page.$eval('#stage .scroller', (graph) =>
                [graph.querySelector('canvas').height, graph.scrollHeight]);
            const color = await driver.page.evaluate(() => getComputedStyle(document.body).color);
            const { printed, pdf } = await print(driver);
            assert.ok(printed, 'the browser did not ask the page');
            assert.ok(printed.text < 0.2, `the text is light: ${printed.text}`);
            for (const { width, drawn, dark } of printed.canvases.slice(0, 2)) {
                assert.ok(width === 3120 && drawn > 0.02, `${view}: a picture of ${width} pixels, ${drawn} of it drawn`);
                assert.ok(dark < 0.3, `${view}: ${dark} of the picture is dark`);
            }
            if (view === 'flame') assert.ok(whole > before, 'the graph fits into the window');
            if (whole > before)
                assert.ok(printed.canvases.some(({ height }) => height === 3 * whole), `${view}: the graph is cut`);
            if (!isFirefox) assert.equal(pdf.match(/\/Type \/Page\b/g).length, 1, `${view} does not fit onto a page`);
            // The page is as it was.
            await driver.page.waitForSelector(':root:not(.paper)');
            await driver.settled();
            const after = await driver.page.$eval('#stage .scroller canvas', (canvas) => canvas.height);
            assert.equal(after, before, view);
            assert.equal(await driver.page.evaluate(() => getComputedStyle(document.body).color), color);
        });
    }
});

test('paper has the selection and no controls', { skip: isFirefox && 'it has no other media for the screen' }, async () => {
    for (const view of ['flame', 'table', 'source', 'quality', 'chart']) {
        await visit(PAGE, { hash: `${HASH}&view=${view}`, dark: true, width: 718 }, async (driver) => {
            await driver.page.emulateMediaType('print');
            await driver.page.evaluate(() => dispatchEvent(new Event('beforeprint')));
            const { shown, controls, hints, overflow, background, text } = await driver.page.evaluate(measure);
            // What is left of the controls says what is shown: the search, the view, and the thread of the chart.
            const title = await driver.page.$eval(`#views [data-view="${view}"]`, (tab) => tab.textContent);
            assert.deepEqual(controls.filter((each) => each !== title && each !== 'query' && !/^shop|^journal/.test(each)), []);
            assert.deepEqual(hints, []);
            assert.ok(overflow <= 0, `${view} is ${overflow} pixels wider than paper`);
            assert.equal(background, 'rgba(0, 0, 0, 0)');
            assert.ok(text < 0.2, 'the text is light');
            const event = await driver.page.$eval('#event-label', (label) => getComputedStyle(label, '::after').content);
            assert.equal(event, '"cpu-clock"');
            for (const part of [title, '0.10 s – 0.40 s', 'process', '1 function', 'samples', 'x86_64'])
                assert.ok(shown.includes(part), `${view} lacks "${part}": ${shown.slice(0, 400)}`);
        });
    }
});
