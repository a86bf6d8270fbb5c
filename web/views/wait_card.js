/**
 * @file The selected wait: what a thread waited for, where it was, who woke it, and where that thread was. The state has
 * the chain of waits that led to it: each wait is the one before the wakeup that ended the next one.
 */
import { NO_THREAD } from '../model/lanes.js';
import { functionOf } from './client.js';
import { kindClass } from './colors.js';
import { $, h } from './dom.js';
import { rowsOf, stateText, threadName, pieceWaker } from './lane_picture.js';
import { counted, named, shown } from './text.js';

/** Arrows that are drawn at most. */
const MOST_ARROWS = 200;

/** The wait that is shown, for which chain, and the wakeups of its thread that are drawn. */
const wait = { piece: null, key: '', wakeups: null };
/** Kept when the wait that was selected last is shown, and when the last key has been obeyed: keys may be faster. */
let ready = Promise.resolve();
let obeyed = Promise.resolve();

/** Return the last wait of the chain: { thread, begin: in ns }, or null. */
function chosen({ state: { waits }, info }) {
    const [thread, begin] = waits.slice(-2);
    return waits.length >= 2 && info.threads[thread] ? { thread, begin } : null;
}

export const selectedPiece = () => wait.piece;
export const selectedWakeups = () => wait.wakeups;

/** Threads that need a lane. */
export function threadsOfChain(app) {
    const { waits } = app.state;
    const threads = waits.filter((_, i) => i % 2 === 0);
    if (wait.piece && wait.piece.waker >= 0) threads.push(wait.piece.waker);
    return [...new Set(threads)].filter((thread) => app.info.threads[thread]);
}

/** The time that lanes show, in ns from the beginning. */
function rangeOfLanes(app) {
    const [from, to] = app.state.window || [app.spans[app.pane][0], app.spans[app.pane][1] + 1];
    return [from * app.units, to * app.units];
}

/** Show the selected wait. */
export function refreshWait(app) {
    ready = loadWait(app);
    return ready;
}

/** Ask for the selected wait, unless it is known. */
async function loadWait(app) {
    const at = chosen(app);
    const key = at ? JSON.stringify([at, rangeOfLanes(app)]) : '';
    if (key === wait.key) return;
    wait.key = key;
    if (!at) {
        Object.assign(wait, { piece: null, wakeups: null });
        show(app);
        return;
    }
    const [from, to] = rangeOfLanes(app);
    const [answer, wakeups] = await Promise.all([
        app.ask('piece', { thread: at.thread, from: at.begin }, 'wait'),
        app.ask('wakeups', { thread: at.thread, from, to, limit: MOST_ARROWS }),
    ]);
    if (key !== wait.key) return;
    wait.piece = answer?.piece ?? null;
    wait.wakeups = wakeups;
    show(app);
}

/** Select a piece, and show its lane and its time. `chain`: waits before it. */
export function selectPiece(app, piece, chain = []) {
    const patch = { top: 'thread', waits: [...chain, piece.thread, piece.begin] };
    const { window } = app.state;
    const begin = piece.begin / app.units;
    if (window && (begin < window[0] || begin > window[1])) {
        const length = window[1] - window[0];
        const from = Math.max(app.spans[app.pane][0], Math.floor(begin - length / 2));
        patch.window = [from, from + length];
    }
    app.change(patch);
}

/** Obey a key after those before it. */
function inOrder(work) {
    return (app) => {
        obeyed = obeyed
            .then(() => ready)
            .then(() => work(app))
            .then(() => ready);
        return obeyed;
    };
}

/** Go from the selected wait to what its waker waited for before. */
export const followWaker = inOrder(async (app) => {
    const { piece } = wait;
    const { waits } = app.state;
    if (!piece) return;
    if (piece.waker < 0) {
        $('frame').textContent = `Nothing to follow: woken by ${pieceWaker(app, piece)}.`;
        return;
    }
    const answer = await app.ask('follow', { thread: piece.waker, at: piece.woken });
    if (app.state.waits !== waits) return;
    if (answer?.piece) selectPiece(app, answer.piece, waits);
    else if (answer) $('frame').textContent = `${threadName(app, piece.waker)} had not waited before.`;
});

/** Go back to the wait from which this one was reached, or to none. */
export const leaveWait = inOrder((app) => {
    if (app.state.waits.length) app.change({ waits: app.state.waits.slice(0, -2) });
});

/** Show the time of the selected wait, with as much before and after it. */
export function zoomToWait(app) {
    const { piece } = wait;
    if (!piece) return;
    const begin = piece.blocked?.begin ?? piece.begin;
    const end = piece.begin + piece.ns;
    app.change({ window: windowAround(app, begin / app.units, end / app.units) });
}

/** Return a range of whole units around a time, within the recording. Null: all of it. */
export function windowAround(app, from, to) {
    const [first, last] = app.spans[app.pane];
    const margin = Math.max(10, to - from);
    const range = [Math.max(first, Math.floor(from - margin)), Math.min(last + 1, Math.ceil(to + margin))];
    return range[0] <= first && range[1] > last ? null : range;
}

/** Number of the kernel's frames that are seen above those of the program. */
const KERNEL_FRAMES = 2;

/** Begin the lists of frames a little before the first function that is not in the kernel. */
function scrollStacks() {
    for (const list of $('wait').querySelectorAll('ol')) {
        const frames = [...list.children];
        const first = frames.findIndex((frame) => !frame.querySelector('.c-kernel'));
        if (first > KERNEL_FRAMES) list.scrollTop = frames[first - KERNEL_FRAMES].offsetTop - list.offsetTop;
    }
}

/** Return a stack as a list, innermost first. */
function stackList(title, { function: stack }, none) {
    const frames = [...stack].map((id) => {
        const f = functionOf(id);
        return h('li', { title: shown(f.binary) }, h('i', { class: `dot ${kindClass(id)}` }), shown(f.name));
    });
    return h('div', { class: 'stack' }, h('h3', {}, title), frames.length ? h('ol', {}, ...frames) : h('p', { class: 'note' }, none));
}

/** Return what ended a wait: the stack of a thread, or why there is none. */
function wakerOf(app, piece) {
    if (piece.waker >= 0)
        return stackList(`Stack of the waker, ${threadName(app, piece.waker)}`, piece.waker_stack, 'No stack was recorded.');
    const text =
        piece.waker === NO_THREAD
            ? `An interrupt ended it: ${piece.interrupt ? shown(piece.interrupt) : 'which one was not recorded'}.`
            : 'What ended it was not recorded.';
    return stackList('Waker', piece.waker_stack, text);
}

function show(app) {
    const { piece, wakeups } = wait;
    $('wait').hidden = !piece;
    if (!piece) {
        $('wait').replaceChildren();
        return;
    }
    const { ledger } = app.info.recordings[app.info.threads[piece.thread].side];
    const depth = app.state.waits.length / 2;
    const button = (text, title, work, disabled = false) => h('button', { type: 'button', title, onclick: work, disabled }, text);
    const isWoken = piece.blocked && piece.waker >= 0;
    const many = wakeups && wakeups.n > MOST_ARROWS ? `${counted(wakeups.n)} wakeups of this thread: zoom in to see arrows.` : '';
    $('wait').replaceChildren(
        h(
            'div',
            { class: 'head' },
            h('b', {}, `${named(app.info.threads[piece.thread])}: ${stateText(piece, ledger.states)}`),
            h('dl', {}, ...rowsOf(app, piece, ledger).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
            h('span', { class: 'grow note' }, many),
            button('Follow the waker', 'What the waker waited for before  >', () => followWaker(app), !isWoken),
            button('Back', 'Go back  <', () => leaveWait(app), depth < 2),
            button('Zoom', 'Show the time of this wait  z', () => zoomToWait(app)),
            button('×', 'Close  Esc', () => app.change({ waits: [] })),
        ),
        h(
            'div',
            { class: 'stacks' },
            stackList(`Stack of ${named(app.info.threads[piece.thread])}`, piece.waiter_stack, 'No stack was recorded.'),
            piece.blocked && wakerOf(app, piece),
        ),
    );
    scrollStacks();
}
