/**
 * @file Lanes of CPUs and threads: how they are drawn, and what is at a point of them. Threads have the states that the
 * ledger knows, and above them is the critical path.
 */
import { BLOCKED, MIX, NO_THREAD, RUNNABLE, RUNNING, UNKNOWN } from '../model/lanes.js';
import { palette } from './colors.js';
import { h, isPaper } from './dom.js';
import { amount, moment, named, shareOf, shown } from './text.js';

export const LANE_GUTTER = 190;
export const LANE = 17;
const LANES_ON_PAPER = 12;
/** Room below the critical path. */
const PATH_GAP = 5;

/** Colors of blocked time by what it is for: others have that of `waiting`. */
const REASON_COLORS = {
    lock: 'wait-lock',
    futex: 'wait-lock',
    condition: 'wait-sync',
    join: 'wait-sync',
    sleep: 'wait-idle',
    signal: 'wait-idle',
    poll: 'wait-idle',
    socket: 'wait-socket',
    io: 'wait-io',
};

/** Return the name of the color of blocked time. `reason`: number in `reasons` plus 1, or 0. */
function colorOfReason(reasons, reason) {
    return REASON_COLORS[reasons[reason - 1]] || 'waiting';
}

/** Height of the lane of the critical path, with the room below it. */
const pathHeight = (a) => (a.path ? LANE + PATH_GAP : 0);

/** Number of lanes that are drawn: all of them on the screen, where people scroll. */
const nLanes = (a) => Math.min(a.key.length, isPaper() ? LANES_ON_PAPER : Infinity);

/** Height of all lanes, without the axis below them. `top`: room above them. */
export const lanesHeight = (a, top) => top + pathHeight(a) + nLanes(a) * LANE;

/** Vertical position of a lane: -1 is the critical path. */
export const laneY = (a, lane, top) => (lane < 0 ? top : top + pathHeight(a) + lane * LANE);

/** Return the lane at a vertical position: -1 is the critical path, null is none. */
export function laneAt(a, y, top) {
    if (a.path && y >= top && y < top + LANE) return -1;
    const lane = Math.floor((y - top - pathHeight(a)) / LANE);
    return lane >= 0 && lane < nLanes(a) ? lane : null;
}

/** Return the horizontal position of a time in lanes that are `width` wide, in pixels of the canvas. */
export function xOf(a, time, width) {
    return LANE_GUTTER + Math.max(0, Math.min(1, (time - a.from) / (a.columns * a.column_units))) * width;
}

/** Return what a lane is called. */
function laneName(app, by, key) {
    if (by === 'cpu') return key < 0 ? 'no CPU' : `CPU ${key}`;
    return named(app.info.threads[key]);
}

/** Return when the thread or CPU of a lane existed: what is not recorded is from the beginning to the end. */
function lifeOf(app, by, key) {
    const { start = -Infinity, end = Infinity } = by === 'thread' ? app.info.threads[key] : {};
    return [start, end];
}

/** A picture of lanes: { app, a: the answer, by: "cpu" or "thread", width, top, picked: [key] }. */
export class LanePicture {
    constructor(c, options) {
        Object.assign(this, options);
        this.c = c;
        this.reasons = this.app.info.recordings[this.app.pane].ledger?.reasons || [];
    }

    paint() {
        const { c, a, by, top, width } = this;
        for (let lane = 0; lane < nLanes(a); lane++) {
            const y = laneY(a, lane, top);
            c.globalAlpha = 1;
            c.fillStyle = palette.sunk;
            const [left, right] = lifeOf(this.app, by, a.key[lane]).map((time) => xOf(a, time, width));
            c.fillRect(left, y, right - left, LANE - 2);
            if (a.known?.[lane]) this.paintStates(a.states, lane, y, true);
            else this.paintSamples(lane, y);
            this.paintName(lane, y);
        }
        if (a.path) this.paintPath();
    }

    paintName(lane, y) {
        const { c, a, app, by } = this;
        c.fillStyle = this.picked.includes(a.key[lane]) ? palette.accent : palette.text;
        c.textAlign = 'left';
        let name = laneName(app, by, a.key[lane]);
        while (name.length > 4 && c.measureText(name).width > LANE_GUTTER - 84) name = `${name.slice(0, -2)}…`;
        c.fillText(name, 16, y + LANE / 2 - 1);
        c.fillStyle = palette.muted;
        c.textAlign = 'right';
        c.fillText(amount(a.weight[lane], app.unit), LANE_GUTTER - 8, y + LANE / 2 - 1);
    }

    /** What the height of a lane stands for. */
    get full() {
        return this.app.unit === 'ns' ? Math.max(this.a.column_ns, 1) : this.a.max;
    }

    /** Paint what samples say, where nothing else is known. */
    paintSamples(lane, y) {
        const { c, a, by } = this;
        const running = [a.running, this.full];
        c.fillStyle = palette.running;
        this.paintColumns(running, lane, y, []);
        if (by !== 'thread') return;
        c.fillStyle = palette.waiting;
        this.paintColumns([a.waiting, a.column_ns], lane, y, [running]);
    }

    /**
     * Fill the columns of a lane, in the height of what they are of a full one, on top of those in `under`: all are
     * [values, full].
     */
    paintColumns([values, full], lane, y, under) {
        const { c, a, width } = this;
        const height = LANE - 2;
        const size = width / a.columns;
        for (let i = 0, at = lane * a.columns; i < a.columns; i++, at++) {
            const value = values[at];
            if (!(value > 0)) continue;
            const below = Math.min(1, under.reduce((sum, [others, whole]) => sum + (others[at] && others[at] / whole), 0));
            const part = Math.max(0, Math.min(1 - below, value / full)) * height;
            const x = Math.round(i * size);
            c.fillRect(LANE_GUTTER + x, y + height * (1 - below) - part, Math.round((i + 1) * size) - x, part);
        }
    }

    /** Whether samples say how long threads ran. */
    get isTime() {
        return this.app.unit === 'ns';
    }

    /**
     * Paint the shares of states of each part of a column on top of each other. `isThread`: in the part that the thread may have
     * run there is the weight of its samples.
     */
    paintStates(states, lane, y, isThread) {
        const { c, a, width } = this;
        const height = LANE - 2;
        const size = width / a.parts;
        const full = a.column_ns * (a.columns / a.parts);
        const first = lane * 4 * a.parts;
        for (let i = 0; i < a.parts; i++) {
            const x = LANE_GUTTER + Math.round(i * size);
            const w = LANE_GUTTER + Math.round((i + 1) * size) - x;
            let bottom = y + height;
            let ran = 0;
            for (const state of [RUNNING, RUNNABLE, BLOCKED, UNKNOWN]) {
                const part = Math.min(1, states[first + state * a.parts + i] / full) * height;
                if (!(part > 0)) continue;
                c.fillStyle = this.colorOf(state, isThread ? a.reasons[lane * a.parts + i] : 0, isThread && this.isTime);
                c.fillRect(x, bottom - part, w, part);
                if (isThread && this.isTime && (state === RUNNING || state === UNKNOWN)) {
                    const column = Math.floor((i * a.columns) / a.parts);
                    const weight = (a.running[lane * a.columns + column] / this.full) * height;
                    const heat = Math.min(part, weight - (state === UNKNOWN ? ran : 0));
                    c.fillStyle = palette.running;
                    if (heat > 0) c.fillRect(x, bottom - heat, w, heat);
                }
                if (state === RUNNING) ran = part;
                bottom -= part;
            }
        }
    }

    /** Return the color of a state. `isBelow`: the weight of samples is drawn on it. */
    colorOf(state, reason, isBelow) {
        if (state === RUNNING) return palette[isBelow ? 'running-soft' : 'running'];
        if (state === RUNNABLE) return palette.bad;
        return state === BLOCKED ? palette[colorOfReason(this.reasons, reason)] : this.hatch();
    }

    /** Return a pattern of lines for time of which nothing is known. */
    hatch() {
        if (!this.pattern) {
            const tile = document.createElement('canvas');
            tile.width = tile.height = 4;
            const c = tile.getContext('2d');
            c.fillStyle = palette.mark;
            c.fillRect(0, 0, 4, 4);
            c.fillStyle = palette.muted;
            for (let i = 0; i < 4; i++) c.fillRect(i, 3 - i, 1, 1);
            this.pattern = this.c.createPattern(tile, 'repeat');
        }
        return this.pattern;
    }

    paintPath() {
        const { c, a, app, width, top } = this;
        const { path } = a;
        const y = laneY(a, -1, top);
        c.globalAlpha = 1;
        c.fillStyle = palette.sunk;
        c.fillRect(LANE_GUTTER, y, width, LANE - 2);
        this.paintStates(path.states, 0, y, false);
        c.fillStyle = palette.text;
        c.textAlign = 'left';
        c.fillText('Critical path', 16, y + LANE / 2 - 1);
        path.thread.forEach((thread, i) => {
            const left = xOf(a, path.label_from[i], width);
            const room = xOf(a, path.label_to[i], width) - left - 8;
            let name = named(app.info.threads[thread]);
            while (name.length > 3 && c.measureText(name).width > room) name = `${name.slice(0, -2)}…`;
            const size = c.measureText(name).width;
            if (size > room) return;
            c.globalAlpha = 0.82;
            c.fillStyle = palette.panel;
            c.fillRect(left + 2, y + 2, size + 6, LANE - 6);
            c.globalAlpha = 1;
            c.fillStyle = palette.text;
            c.fillText(name, left + 5, y + LANE / 2 - 1);
        });
        c.fillStyle = palette.line;
        c.fillRect(LANE_GUTTER, y + LANE + 1, width, 1);
    }

    /** Draw an arrow from the lane of a waker to that of the thread that it woke, both threads, at a time in units. */
    paintArrow(waker, thread, time, isChosen) {
        const { c, a, top, width } = this;
        const [from, to] = [waker, thread].map((key) => a.key.indexOf(key));
        const last = a.from + a.columns * a.column_units;
        if (to < 0 || to >= nLanes(a) || time < a.from || time > last) return;
        const x = Math.round(xOf(a, time, width)) + 0.5;
        const end = laneY(a, to, top) + (LANE - 2) / 2;
        // A waker without a lane is somewhere below.
        const start = from >= 0 && from < nLanes(a) ? laneY(a, from, top) + (LANE - 2) / 2 : lanesHeight(a, top);
        const direction = Math.sign(end - start) || 1;
        c.globalAlpha = isChosen ? 1 : 0.75;
        c.strokeStyle = c.fillStyle = isChosen ? palette.accent : palette.text;
        c.lineWidth = isChosen ? 2 : 1;
        c.beginPath();
        c.moveTo(x, start);
        c.lineTo(x, end);
        c.stroke();
        c.beginPath();
        c.arc(x, start, isChosen ? 3 : 2, 0, 2 * Math.PI);
        c.fill();
        c.beginPath();
        c.moveTo(x, end);
        c.lineTo(x - 4, end - 6 * direction);
        c.lineTo(x + 4, end - 6 * direction);
        c.closePath();
        c.fill();
        c.lineWidth = 1;
        c.globalAlpha = 1;
    }

    /** Draw a frame around a time of a lane, in units. */
    paintFrame(lane, from, to, color) {
        const { c, a, top, width } = this;
        if (lane === null || lane >= nLanes(a)) return;
        const left = xOf(a, from, width);
        c.strokeStyle = color;
        c.lineWidth = 2;
        c.strokeRect(left - 1, laneY(a, lane, top) - 1, Math.max(3, xOf(a, to, width) - left + 2), LANE);
        c.lineWidth = 1;
    }
}

/** Return the legend of the states in an answer: elements of a list. */
export function laneLegend(a, reasons, isTime) {
    if (!a.states) return [];
    const has = [RUNNING, RUNNABLE, BLOCKED, UNKNOWN].map((state) => {
        for (let lane = 0; lane < a.key.length; lane++)
            for (let i = 0, at = (lane * 4 + state) * a.parts; i < a.parts; i++, at++) if (a.states[at] > 0) return true;
        return false;
    });
    const colors = new Map();
    if (has[BLOCKED])
        new Set(a.reasons).forEach((reason) => {
            const color = colorOfReason(reasons, reason);
            colors.set(color, [...(colors.get(color) || []), reason ? reasons[reason - 1] : '']);
        });
    const other = colors.size > 1 ? 'other' : 'blocked';
    const item = (kind, text) => h('li', {}, h('i', { class: `c-${kind}` }), text);
    const listed = (names) => names.filter(Boolean).sort().join(', ');
    return [
        (has[RUNNING] || isTime) && item('running', 'running'),
        has[RUNNING] && isTime && item('running-soft', 'without samples'),
        has[RUNNABLE] && item('bad', 'runnable'),
        colors.size > (colors.has('waiting') ? 1 : 0) && h('li', {}, 'blocked:'),
        ...[...colors].sort().map(([color, names]) => item(color, color === 'waiting' ? other : listed(names))),
        has[UNKNOWN] && item('hatched', 'unknown'),
    ].filter(Boolean);
}

/** Return what a thread of an answer is called; an interrupt, and what is not known, have no number. */
export function threadName(app, thread, otherwise = 'not recorded') {
    if (thread === NO_THREAD) return 'an interrupt';
    return thread >= 0 ? named(app.info.threads[thread]) : otherwise;
}

/** Return what ended the wait of a piece: a thread, or an interrupt by its name. */
export function pieceWaker(app, { waker, interrupt }) {
    return waker === NO_THREAD && interrupt ? shown(interrupt) : threadName(app, waker);
}

/** Return the state of a piece in words. */
export function stateText(piece, states) {
    return piece.state === MIX ? 'several states' : states[piece.state];
}

/** Return what is known of a piece: [name, value]. `ledger` is that of the JSON. */
export function rowsOf(app, piece, ledger) {
    const rows = [
        ['from', moment(piece.begin, Math.min(piece.ns / 100, 1e4))],
        ['length', amount(piece.ns, 'ns')],
    ];
    if (piece.state === MIX)
        piece.sums.forEach((ns, i) => ns > 0 && rows.push([ledger.states[i], `${amount(ns, 'ns')} (${shareOf(ns, piece.ns)})`]));
    if (piece.reason && piece.state !== RUNNABLE) rows.push(['for', shown(ledger.reasons[piece.reason - 1])]);
    if (piece.state === RUNNABLE && !piece.blocked && piece.reason) rows.push(['after', shown(ledger.reasons[piece.reason - 1])]);
    if (piece.blocked) rows.push(['woken by', pieceWaker(app, piece)]);
    if (piece.instead >= NO_THREAD) rows.push(['CPU had', piece.instead < 0 ? 'nothing to do' : threadName(app, piece.instead)]);
    return rows;
}
