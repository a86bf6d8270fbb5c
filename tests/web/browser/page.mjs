/**
 * @file Does with a page what a person does, and reads what it shows.
 */

/** Runs in the page: wait until it has read the recording, no question to its worker is open, and the answers are drawn. */
async function settle() {
    const frame = () =>
        new Promise((resolve) => {
            requestAnimationFrame(() => setTimeout(resolve));
        });
    const quiet = () => !document.body.classList.contains('loading') && window.observed.questions === 0;
    const message = document.getElementById('loading');

    for (let n = 0; n < 3; n = quiet() ? n + 1 : 0) {
        await frame();
        if (message.textContent.startsWith('This page cannot')) throw new Error(message.textContent);
    }
}

export class PageDriver {
    /** `page` is puppeteer's. */
    constructor(page, faults) {
        this.page = page;
        this.faults = faults;
    }

    settled() {
        return this.page.evaluate(settle);
    }

    /** Return the totals of the selection: { samples, weight, ofSamples, ofWeight }, and with 1 those of the second recording. */
    async totals() {
        await this.settled();
        const data = await this.page.$eval('#totals', (element) => ({ ...element.dataset }));

        return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Number(text)]));
    }

    /** Return the state in the address: an URLSearchParams. */
    async state() {
        await this.settled();
        return new URLSearchParams(await this.page.evaluate(() => location.hash.slice(1)));
    }

    async press(...keys) {
        for (const key of keys) await this.page.keyboard.press(key);
        await this.settled();
    }

    /** Press an arrow key while Shift is held. */
    async pressShifted(key, times) {
        await this.page.keyboard.down('Shift');
        for (let i = 0; i < times; i++) await this.page.keyboard.press(key);
        await this.page.keyboard.up('Shift');
        await this.settled();
    }

    async click(selector) {
        await this.settled();
        await this.page.click(selector);
        await this.settled();
    }

    /** Type a pattern into the search field, and press the button that makes it a filter: focus, ignore or hide. */
    async filter(kind, pattern) {
        await this.page.focus('#query');
        await this.page.keyboard.type(pattern);
        await this.settled();
        await this.click(`#search [data-filter="${kind}"]`);
    }

    /** Drag over the lanes of the timeline, between two fractions of its width. */
    async brush(from, to) {
        await this.click('#top-switch [data-value="thread"]');
        const box = await (await this.page.$('#top-canvas')).boundingBox();
        const left = 200;
        const x = (part) => box.x + left + part * (box.width - left - 20);

        await this.page.mouse.move(x(from), box.y + 10);
        await this.page.mouse.down();
        await this.page.mouse.move(x((from + to) / 2), box.y + 12);
        await this.page.mouse.move(x(to), box.y + 10);
        await this.page.mouse.up();
        await this.settled();
    }

    /** Return the names of the views that the page offers. */
    views() {
        return this.page.$$eval('#views [data-view]', (tabs) => tabs.map((tab) => tab.dataset.view));
    }

    /** Show a view: flame, icicle, inverted, chart, sandwich, table, source, quality or ledger. */
    view(name) {
        return this.click(`#views [data-view="${name}"]`);
    }

    /** Return the text that a person sees in an element. */
    text(selector) {
        return this.page.$eval(selector, (element) => element.innerText);
    }

    /** Return the cells of the table of functions, a list for each row. */
    async rows() {
        await this.settled();
        return this.page.$$eval('#stage tbody tr', (rows) =>
            rows.map((row) => [...row.cells].map((cell) => cell.innerText)),
        );
    }

    /** Return the pixels of the graph: { width, height, ratio: pixels per CSS pixel, data: red, green, blue, alpha of each }. */
    async pixels(selector = '#stage canvas') {
        await this.settled();
        const { data, ...size } = await this.page.$eval(selector, (canvas) => {
            const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let text = '';

            for (let i = 0; i < image.data.length; i += 32768)
                text += String.fromCharCode(...image.data.subarray(i, i + 32768));
            return {
                width: canvas.width,
                height: canvas.height,
                ratio: canvas.width / canvas.clientWidth,
                data: btoa(text),
            };
        });

        return { ...size, data: Buffer.from(data, 'base64') };
    }
}
