/** @file What threads did over time: lanes with states, the critical path, single waits and the chain of those that ended them. */
import assert from 'node:assert';
import { test } from 'node:test';
import { openRecording } from '../model/recordings.mjs';
import { visit } from './browser.mjs';
import { CLOCK, makePage, pdconv, SHOP, WAKERS } from './recordings.mjs';

/** Where lanes are in the canvas, in CSS pixels: left and right of them, their height, and the first one below the path. */
const [LEFT, RIGHT, HEIGHT, FIRST] = [190, 16, 17, 22];

/** The lanes of a recording as the page has them: names by lane, and where the middle of a piece is. */
async function lanesOf(recording, event = 0) {
    const session = await openRecording(recording.recording);
    const { profile: { lanes, json, span } } = session.recordings.sides[0];

    session.select({ selection: { event } });
    const { key } = session.lanes({ by: 'thread', columns: 100, limit: 200 });
    return {
        session, names: [...key].map((thread) => json.threads[thread].name),
        /** Points of the longest pieces of a thread in a state. */
        pointsOf: (name, state, width) => {
            const lane = [...key].findIndex((thread) => json.threads[thread].name === name);
            const found = [];

            lanes.visit(lanes.ofThread[key[lane]], -Infinity, Infinity, (piece) => {
                const middle = (lanes.time[piece] + lanes.ns[piece] / 2) / json.time_unit_ns;
                const x = LEFT + ((middle - span[0]) / (span[1] + 1 - span[0])) * (width - LEFT - RIGHT);

                if (lanes.state[piece] === state)
                    found.push({ ns: lanes.ns[piece], x, y: FIRST + lane * HEIGHT + HEIGHT / 2 });
            });
            return found.sort((a, b) => b.ns - a.ns);
        },
    };
}

const boxOf = async (driver) => (await driver.page.$('#top-canvas')).boundingBox();

async function clickAt(driver, { x, y }) {
    const box = await boxOf(driver);

    await driver.page.mouse.click(box.x + x, box.y + y);
    await driver.settled();
}

/** Return what the selected wait says: its title, and the functions of both stacks, innermost first. */
async function waitOf(driver) {
    await driver.settled();
    return driver.page.$eval('#wait', (element) => ({
        isHidden: element.hidden, title: element.querySelector('b')?.textContent,
        text: element.querySelector('.head')?.textContent,
        stacks: [...element.querySelectorAll('.stack')].map((stack) => [...stack.querySelectorAll('li')].map((li) => li.textContent)),
    }));
}

/** Return a color of the style sheet: red, green, blue. */
function colorOf(driver, name) {
    return driver.page.evaluate((variable) => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = `var(--${variable})`;
        return getComputedStyle(probe).color.match(/\d+/g).map(Number);
    }, name);
}

/** Return how many pixels of the timeline have each of these colors. Browsers warn of a second reading. */
async function countPixels(driver, ...names) {
    const colors = await Promise.all(names.map((name) => colorOf(driver, name)));
    const { data } = await driver.pixels('#top-canvas');
    const counts = names.map(() => 0);

    for (let i = 0; i < data.length; i += 4)
        colors.forEach((color, k) => {
            if (color[0] === data[i] && color[1] === data[i + 1] && color[2] === data[i + 2]) counts[k]++;
        });
    return counts;
}

/** Pairs of stacks that folded stacks have: both innermost first. */
function foldedPairs(recording) {
    return pdconv(recording, '--folded', '--wakers').trim().split('\n').map((line) => {
        const frames = line.replace(/ \d+$/, '').split(';');
        const mark = frames.indexOf('--');
        return [frames.slice(1, mark).reverse(), frames.slice(mark + 1, -1)];
    });
}

test('a wait has both stacks, and keys follow who ended it', async () => {
    const { pointsOf } = await lanesOf(WAKERS);

    await visit(makePage('waits', WAKERS), { hash: 'top=thread&event=0' }, async (driver) => {
        const { width } = await boxOf(driver);
        const [point] = pointsOf('shipper', 2, width);

        assert.equal((await waitOf(driver)).isHidden, true);
        await clickAt(driver, point);
        const wait = await waitOf(driver);
        assert.match(wait.title, /^shipper \d+: blocked$/);
        assert.match(wait.text, /for\s*lock/);
        assert.match(wait.text, /woken by\s*packer \d+/);
        assert.ok(foldedPairs(WAKERS).some((pair) => JSON.stringify(pair) === JSON.stringify(wait.stacks)), `${wait.stacks}`);
        // The arrow from one lane to the other, and the frame of the wait.
        const [accent] = await countPixels(driver, 'accent');
        assert.ok(accent > 100, `${accent} pixels`);

        // The chain of those that ended the waits, and back.
        const titles = [];
        for (const key of ['>', '>', '<', '<']) {
            await driver.press(key);
            titles.push((await waitOf(driver)).title.replace(/ \d+:.*/, ''));
        }
        assert.deepEqual(titles.slice(0, 3), ['packer', 'maker', 'packer']);
        assert.equal(titles[3], 'shipper');
        await driver.press('>', '>');
        // A timer ended the sleep of the maker, or what did is not recorded: nothing to follow.
        const last = (await driver.state()).get('waits');
        await driver.press('>');
        assert.equal((await driver.state()).get('waits'), last);
        assert.match(await driver.text('#frame'), /^Nothing to follow/);
        assert.equal(last.split('.').length, 6);
        await driver.press('Escape');
        assert.equal((await waitOf(driver)).isHidden, true);
        assert.equal((await driver.state()).get('waits'), null);
    });
});

test('waits can be selected with keys, and are in the address', async () => {
    await visit(makePage('waits-keys', WAKERS), { hash: 'top=thread&event=0' }, async (driver) => {
        await driver.press('t', ...new Array(60).fill('ArrowRight'), 'ArrowDown', 'ArrowDown', 'Enter');
        const wait = await waitOf(driver);
        assert.match(wait.title, /: (blocked|runnable)$/);
        const state = await driver.state();
        assert.match(state.get('waits'), /^\d+\.\d+$/);
        await visit(makePage('waits-keys', WAKERS), { hash: state.toString() }, async (again) => {
            assert.deepEqual(await waitOf(again), wait);
        });
        // Zoom to the wait, in and out, and to everything.
        await driver.press('z');
        const [from, to] = (await driver.state()).get('window').split('-').map(Number);
        await driver.press('+');
        const [low, high] = (await driver.state()).get('window').split('-').map(Number);
        assert.ok(low >= from && high <= to && Math.abs((high - low) * 2 - (to - from)) <= 2);
        await driver.press('Escape', 'Escape');
        assert.equal((await driver.state()).get('window'), null);
        assert.equal((await driver.state()).get('waits'), null);
    });
});

test('the critical path leads to the lane of its thread', async () => {
    const { session } = await lanesOf(WAKERS);
    const { lanes, json } = session.recordings.sides[0].profile;

    await visit(makePage('waits-path', WAKERS), { hash: 'top=thread&event=0' }, async (driver) => {
        const { width } = await boxOf(driver);
        for (const part of [0.3, 0.5, 0.8]) {
            await clickAt(driver, { x: LEFT + part * (width - LEFT - RIGHT), y: HEIGHT / 2 });
            const [thread, begin] = (await driver.state()).get('waits').split('.').map(Number);
            const { thread: expected } = lanes.step(lanes.find(-1, begin + 1, begin + 1), lanes.paths[0]);
            assert.equal(thread, expected);
            assert.ok((await waitOf(driver)).title.startsWith(`${json.threads[thread].name} ${json.threads[thread].tid}`));
        }
    });
});

test('lanes of threads show their states', async () => {
    const event = JSON.parse(pdconv(CLOCK, '-f', 'report', '--json')).events.findIndex(({ name }) => name === 'cpu-clock:u');

    for (const [name, recording, hash] of [['clock', CLOCK, `event=${event}`], ['shop', SHOP, '']]) {
        await visit(makePage(`waits-states-${name}`, recording), { hash: `top=thread&${hash}` }, async (driver) => {
            const legend = await driver.page.$$eval('#top-legend li', (items) => items.map((item) => item.textContent));

            assert.equal(legend.includes('runnable'), name === 'clock');
            const [bad, running, waiting] = await countPixels(driver, 'bad', 'running', 'wait-sync');
            assert.equal(bad > 100, name === 'clock');
            assert.ok(running > 100);
            assert.equal(waiting > 1000, name === 'shop');
            assert.ok(legend.some((text) => text.startsWith('blocked')));
            assert.equal(legend.includes('condition, join'), name === 'shop');
            // What is pointed at.
            const box = await boxOf(driver);
            await driver.page.mouse.move(box.x + box.width / 2, box.y + FIRST + HEIGHT / 2);
            await driver.settled();
            assert.match(await driver.text('#card'), /: (running|runnable|blocked|unknown|several states)\n+from\n?/);
        });
    }
});
