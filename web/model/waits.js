/**
 * @file Single pieces of lanes: what a thread waited for, who ended the wait, and where both were.
 */
import { BLOCKED, NO_THREAD, NOT_KNOWN, RUNNABLE } from './lanes.js';

/** Functions of a stack, innermost first, as the page numbers them. `leaf`: row + 1; 0: no stack. */
function stackOf({ profile, functions }, leaf) {
    const stack = [];

    for (let node = leaf && profile.leafNodes[leaf - 1] + 1; node; node = profile.nodes.parent[node - 1])
        stack.push(functions[profile.frames.function[profile.nodes.frame[node - 1]]]);
    return Uint32Array.from(stack);
}

/** The side of a thread of the page, with its row there. */
function placeOf(recordings, thread) {
    const index = recordings.threads[thread]?.side;

    if (index === undefined)
        throw new Error(`there is no thread ${thread}`);
    const side = recordings.sides[index];
    return { ...side, functions: recordings.functions.ofRows[index], row: thread - side.firstThread };
}

/** A thread in an answer: its number in the page, NO_THREAD or NOT_KNOWN. */
const numbered = ({ firstThread }, thread) => thread < 0 ? thread : thread + firstThread;

/** Whether a thread is off the CPU in a piece. */
const isOff = ({ state }, piece) => state[piece] === RUNNABLE || state[piece] === BLOCKED;

/** Describe a piece of a thread, and the wait that it belongs to. */
function describe(place, piece) {
    const { profile: { lanes } } = place;
    const state = lanes.state[piece];
    const wait = lanes.waitOf(piece);
    const own = wait < 0 ? piece : wait;
    const row = isOff(lanes, own) ? lanes.row[own] : -1;
    const waker = wait < 0 ? NOT_KNOWN : lanes.waker(wait);

    return {
        thread: place.firstThread + place.row, state, begin: lanes.time[piece], ns: lanes.ns[piece],
        sums: lanes.sums(piece), reason: row < 0 ? 0 : lanes.waits.reason[row],
        waker: numbered(place, waker), interrupt: wait < 0 ? '' : place.profile.text(lanes.interrupt(wait)),
        woken: wait < 0 ? null : lanes.time[wait] + lanes.ns[wait],
        blocked: wait < 0 ? null : { begin: lanes.time[wait], ns: lanes.ns[wait] },
        waiter_stack: { function: stackOf(place, row < 0 ? 0 : lanes.waits.leaf[row]) },
        waker_stack: { function: stackOf(place, wait < 0 ? 0 : lanes.waits.wakerLeaf[lanes.row[wait]]) },
    };
}

/** Answer the question `piece`: see worker.js. */
export function answerPiece({ recordings }, { thread, from, to = from, side = 0 }) {
    if (thread < 0)
        return answerStep(recordings.sides[side], from, to);
    const place = placeOf(recordings, thread);
    const piece = place.profile.lanes.find(place.row, from, to);

    return piece < 0 ? { piece: null } : { piece: describe(place, piece) };
}

function answerStep(side, from, to) {
    const { lanes } = side.profile;
    const piece = lanes.find(-1, from, to);
    const lane = lanes.paths.find((path) => piece >= lanes.first[path] && piece < lanes.first[path + 1]);

    if (lane === undefined)
        return { piece: null };
    const { thread, instead } = lanes.step(piece, lane);
    return {
        piece: {
            thread: numbered(side, thread), instead: numbered(side, instead), state: lanes.state[piece],
            begin: lanes.time[piece], ns: lanes.ns[piece], sums: lanes.sums(piece),
        },
    };
}

/** Answer the question `follow`: see worker.js. */
export function answerFollow({ recordings }, { thread, at }) {
    const place = placeOf(recordings, thread);
    const piece = place.profile.lanes.lastWait(place.row, at);

    return piece < 0 ? { piece: null } : { piece: describe(place, piece) };
}

/** Answer the question `wakeups`: see worker.js. */
export function answerWakeups({ recordings }, { thread, from, to, limit }) {
    const place = placeOf(recordings, thread);
    const { lanes } = place.profile;
    const [time, waker] = [[], []];
    let n = 0;

    lanes.visit(lanes.ofThread[place.row], from, to, (piece) => {
        const end = lanes.time[piece] + lanes.ns[piece];

        if (lanes.state[piece] !== BLOCKED || end > to || lanes.waker(piece) <= NO_THREAD)
            return;
        if (n++ < limit) {
            time.push(end);
            waker.push(numbered(place, lanes.waker(piece)));
        }
    });
    return n > limit ? { n, time: new Float64Array(0), waker: new Int32Array(0) }
        : { n, time: Float64Array.from(time), waker: Int32Array.from(waker) };
}
