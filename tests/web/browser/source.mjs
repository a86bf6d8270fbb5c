/** @file The view of source lines and instructions: what it marks, what follows the selection, and what it says is missing. */
import assert from 'node:assert';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { visit } from './browser.mjs';
import { makePage, pdconv, SHOP, work } from './recordings.mjs';

const SOURCES = SHOP.recording.replace(/[^/]*$/, '');
const WITH_SOURCE = ['--embed-source', '--source-dir', SOURCES];

/** Show a function in the view, found by its whole name. */
async function showFunction(driver, name) {
    await driver.view('table');
    await driver.page.focus('#query');
    await driver.page.keyboard.type(`/^${name}$/`);
    await driver.settled();
    await driver.page.keyboard.press('Escape');
    await driver.press('ArrowDown', 's');
    await driver.page.$eval('#query', (field) => {
        field.value = '';
        field.dispatchEvent(new Event('input'));
    });
    await driver.settled();
}

/** Return the texts of the cells of a list: .lines or .code. */
const cellsOf = (driver, list) =>
    driver.page.$$eval(`#stage ${list} tbody tr[class]`, (rows) =>
        rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
    );

const markedOf = (driver, list) =>
    driver.page.$$eval(`#stage ${list} tr.marked`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

/** Weights as pdconv annotate prints them: { lines: Map of numbers to shares of everything, code: [address, text] }. */
function annotated(name) {
    const command = { recording: 'annotate', options: [SHOP.recording, ...SHOP.options] };
    const answer = JSON.parse(pdconv(command, '-s', name, '--event', 'cpu-clock', '--whole', '--json'));
    const whole = answer.events[0].total_period;

    return {
        lines: new Map(answer.lines.rows.map((row) => [row.line, row.period_0 / whole])),
        code: answer.instructions.rows.map((row) => [row.address.slice(2), row.period_0 / whole]),
    };
}

const percent = (text) => (text ? Number(text.replace(' %', '')) / 100 : 0);

test('lines and instructions have the shares of pdconv annotate, and a line marks its instructions', async () => {
    await visit(makePage('source', SHOP, ...WITH_SOURCE), {}, async (driver) => {
        await showFunction(driver, 'tax');
        const expected = annotated('tax');
        const lines = await cellsOf(driver, '.lines');
        const source = readFileSync(join(SOURCES, 'shop.c'), 'utf8').split('\n');
        for (const [self, , number, text] of lines) {
            assert.equal(text, source[number - 1].replaceAll('\t', '        '));
            assert.ok(Math.abs(percent(self) - (expected.lines.get(Number(number)) ?? 0)) < 0.0006, `${number}: ${self}`);
        }
        const code = await cellsOf(driver, '.code');
        assert.deepEqual(code.map(([, address]) => address), expected.code.map(([address]) => address));
        code.forEach(([self], i) => assert.ok(Math.abs(percent(self) - expected.code[i][1]) < 0.0006, self));
        assert.ok(await driver.page.$$eval('.jumps path', (paths) => paths.length) > 2, 'the loop has no arrow');

        await driver.page.evaluate(() => {
            [...document.querySelectorAll('.lines tbody tr')].find((row) => row.cells[2].textContent === '123').click();
        });
        const marked = await markedOf(driver, '.code');
        assert.ok(marked.some(([, , , text]) => text.startsWith('divsd')) && marked.length < code.length);
        assert.match(await driver.text('#frame'), /^shop\.c:123 · self/);

        // The other way round: an instruction marks its line.
        await driver.page.evaluate(() => {
            [...document.querySelectorAll('.code tbody tr')].find((row) => row.cells[3]?.textContent.startsWith('cmpl')).click();
        });
        assert.deepEqual((await markedOf(driver, '.lines')).map(([, , number]) => number), ['122']);
        await driver.press('ArrowDown');
        assert.match(await driver.text('#frame'), /jne/);
    });
});

test('the view begins with the hottest function of the selection, and says so', async () => {
    await visit(makePage('source-hottest', SHOP, ...WITH_SOURCE), { hash: 'view=source' }, async (driver) => {
        const hottest = async () => /^Hottest function: (\S+)/.exec(await driver.text('#tools'))?.[1];
        const report = JSON.parse(pdconv(SHOP, '-f', 'report', '--json', '--event', 'cpu-clock'));
        const before = await hottest();
        assert.equal(before, report.by_event[0].functions_by_self.rows[0].function.name);
        assert.match(await driver.text('.lines'), /%/);
        await driver.filter('ignore', `=${before}`);
        const after = await hottest();
        assert.ok(after && after !== before, after);
        await driver.press('c');
        assert.ok((await driver.state()).get('function') >= 0, 'keys do not know the function');
        assert.match(await driver.text('#stage .middle'), new RegExp(after));
    });
});

test('a function without source text and instructions is not taken for one with code', async () => {
    await visit(makePage('source-kernel', SHOP, ...WITH_SOURCE), { hash: 'view=source&event=1' }, async (driver) => {
        // Threads wait in the kernel, whose instructions are not in the page.
        const [, name] = /^Hottest function: (\S+)/.exec(await driver.text('#tools'));
        assert.match(pdconv(SHOP, '--folded', '--event', 'offcpu-time'), new RegExp(`;${name} \\d+$`, 'm'));
        assert.match(await driver.text('#stage .lack'), new RegExp(`neither source text nor instructions of ${name}\\.`));
        assert.equal(await driver.page.$('#stage .lack button'), null);

        await driver.page.select('#event', '0');
        await driver.view('table');
        await showFunction(driver, name);
        await driver.click('#stage .lack button');
        assert.match(await driver.text('#tools'), /^Hottest function: update_stock/);
        assert.equal(await driver.page.$('#stage .lack'), null);
        assert.ok((await cellsOf(driver, '.code')).some(([, , , text]) => text), 'there are no instructions');
    });
});

test('source lines of instructions are visible at once', async () => {
    await visit(makePage('source-narrow', SHOP, ...WITH_SOURCE), { hash: 'view=source', width: 1360 }, async (driver) => {
        const hidden = await driver.page.$eval('.code', (pane) =>
            [...pane.querySelectorAll('td.line')]
                .map((cell) => [cell.textContent, cell.getBoundingClientRect().right])
                .filter(([text, right]) => text && right > pane.getBoundingClientRect().right));
        assert.ok((await cellsOf(driver, '.code')).some(([, , , , line]) => line), 'there are no lines');
        assert.deepEqual(hidden, []);
    });
});

test('lines without text leave their room to the instructions', async () => {
    const sharesOf = async (name, words) => {
        let share;
        await visit(makePage(name, SHOP, '--embed-source', ...words), { hash: 'view=source', width: 1360 }, async (driver) => {
            const [lines, code] = await Promise.all(
                ['.lines', '.code'].map((pane) => driver.page.$eval(`#stage ${pane}`, (element) => element.clientWidth)));
            share = lines / (lines + code);
        });
        return share;
    };

    assert.ok((await sharesOf('source-text', WITH_SOURCE.slice(1))) > 0.45);
    assert.ok((await sharesOf('source-textless', [])) < 0.35);
});

test('weights are those of the selection', async () => {
    await visit(makePage('source-selected', SHOP, ...WITH_SOURCE), {}, async (driver) => {
        await showFunction(driver, 'tax');
        const shares = async () => (await cellsOf(driver, '.code')).map(([self]) => percent(self));
        const before = await shares();
        await driver.brush(0.2, 0.5);
        const after = await shares();
        assert.equal(after.length, before.length);
        assert.notDeepEqual(after, before);
    });
});

test('an inlined function is shown in the code of its caller', async () => {
    await visit(makePage('source-inlined', SHOP, ...WITH_SOURCE), {}, async (driver) => {
        await showFunction(driver, 'discount');
        assert.match(await driver.text('.code'), /discount, inlined/);
        assert.match(await driver.text('.lines'), /static double discount/);
    });
});

test('what is missing is said', async () => {
    const said = async (name, words, pattern) =>
        visit(makePage(name, SHOP, ...words), {}, async (driver) => {
            await showFunction(driver, 'tax');
            assert.match(await driver.text('#stage'), pattern);
        });

    await said('source-none', [], /made without source text and instructions/);
    await said('source-missing', ['--embed-source'], /No text of \S*shop\.c: the file was not found/);
    await visit(makePage('source-cold', SHOP, ...WITH_SOURCE), {}, async (driver) => {
        await showFunction(driver, 'main');
        assert.match(await driver.text('#stage'), /No instructions of this function .* 0\.5 %/s);
    });
});

test('source text is text', async () => {
    const sources = join(work, 'hostile-source');
    const path = join(sources, 'shop.c');
    const markup = '</script><img src=x onerror=document.title="taken">\u202e\x07';

    mkdirSync(sources, { recursive: true });
    copyFileSync(join(SOURCES, 'shop.c'), path);
    const lines = readFileSync(path, 'utf8').split('\n');
    lines[122] = markup;
    writeFileSync(path, lines.join('\n'));
    await visit(makePage('source-hostile', SHOP, '--embed-source', '--source-dir', sources), {}, async (driver) => {
        await showFunction(driver, 'tax');
        const text = await driver.text('.lines');
        assert.ok(text.includes('<img src=x') && text.includes('\\u202e\\x07'), text);
        assert.equal(await driver.page.evaluate(() => document.images.length), 0);
        assert.doesNotMatch(await driver.page.title(), /^taken/);
    });
});

test('source lines do not cover instructions in narrow windows', async () => {
    await visit(makePage('source-covered', SHOP, ...WITH_SOURCE), { hash: 'view=source', width: 1000 }, async (driver) => {
        const rooms = await driver.page.$eval('.code', (pane) => {
            const right = pane.getBoundingClientRect().right;
            return [...pane.querySelectorAll('tr')]
                .filter((row) => row.querySelector('td.line'))
                .map((row) => [row.querySelector('td.text'), row.querySelector('td.line')].map((cell) => cell.getBoundingClientRect()))
                .map(([text, line]) => Math.min(line.left, right) - text.left);
        });
        assert.ok(rooms.length > 0 && rooms.every((room) => room >= 100), String(rooms.slice(0, 5)));
    });
});
