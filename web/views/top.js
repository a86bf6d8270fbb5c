/**
 * @file The timeline above the views: heat map, or lanes of CPUs or threads. Brushing selects a range of time.
 */
import { palette } from './colors.js';
import { $, eachFrame, fillSwitch, hint, isPaper, sized } from './dom.js';
import { amount, counted, moment, named } from './text.js';

const PICTURES = [
    ['heat', 'Heat map', 'When it happened: rows from top to bottom, each from left to right'],
    ['cpu', 'CPUs', 'What each CPU did'],
    ['thread', 'Threads', 'What each thread did: running, runnable and waiting'],
    ['none', 'Hide', 'Show no timeline'],
];
/** Samples in a cell of the heat map, on average, if the recording has few: fewer would show how samples alternate. */
const SAMPLES_PER_CELL = 4;
const HEAT_GUTTER = 78;
const LANE_GUTTER = 190;
const LANE = 17;
const LANES_ON_PAPER = 12;
/** Height of the ticks for losses: above lanes, and within the cells of a heat map. */
const TICK = 8;

/**
 * State of the picture that is not part of the address: the answer that is drawn, the brush, and the cell under the
 * keys.
 */
const picture = { answer: null, by: '', brush: null, cursor: -1, anchor: -1, hover: -1 };
let app = null;

export function startTop(application) {
    app = application;
    const canvas = $('top-canvas');
    picture.draw = eachFrame(paintTop);
    canvas.addEventListener('pointerdown', brushStart);
    canvas.addEventListener('pointermove', brushMove);
    canvas.addEventListener('pointerup', brushEnd);
    canvas.addEventListener('pointerleave', () => {
        picture.hover = -1;
        note();
        picture.draw();
    });
    canvas.addEventListener('blur', () => {
        picture.cursor = -1;
        picture.draw();
    });
    canvas.addEventListener('dblclick', () => app.change({ time: null }));
    let width = 0;
    new ResizeObserver(() => {
        if (width !== $('top-scroll').clientWidth) refreshTop(true);
        width = $('top-scroll').clientWidth;
    }).observe($('top-scroll'));
}

const room = () => $('top-scroll').clientWidth;
const isHeat = () => picture.by === 'heat';
const gutter = (by = picture.by) => (by === 'heat' ? HEAT_GUTTER : LANE_GUTTER);
const inner = (by = picture.by) => room() - gutter(by) - 16;

/** Ask for the picture, if the selection (without its time) or the size changed; else only draw it. */
export async function refreshTop(force) {
    const { state } = app;
    const by = !app.hasTime ? 'none' : state.top === 'cpu' && !app.hasCpus ? 'heat' : state.top;
    const pictures = PICTURES.filter(([name]) => name !== 'cpu' || app.hasCpus);
    fillSwitch($('top-switch'), pictures, by, (top) => app.change({ top }));
    $('top-side').hidden = !app.isDifference;
    fillSwitch(
        $('top-side'),
        [
            [0, 'Before'],
            [1, 'After'],
        ],
        app.pane,
        (pane) => app.change({ pane }),
    );
    $('top').hidden = !app.hasTime;
    $('top-scroll').hidden = by === 'none';
    const key = JSON.stringify([by, app.pane, { ...app.selection, time: null }]);
    if (by !== 'none' && (force || key !== picture.key) && room() > 0) {
        picture.key = key;
        const answer = await ask(by);
        if (!answer || picture.key !== key) return;
        picture.answer = answer;
        picture.by = by;
        picture.cursor = -1;
    }
    note();
    picture.draw();
}

function ask(by) {
    const side = app.pane;
    const width = inner(by);
    if (by !== 'heat') return app.ask('lanes', { by, side, columns: Math.max(50, Math.floor(width / 3)), limit: 200 });
    const cells = app.totals.sides[side].of_samples / SAMPLES_PER_CELL;
    const rows = Math.max(1, Math.min(12, Math.round(cells / 40)));
    return app.ask('heat', {
        side,
        rows,
        columns: Math.max(24, Math.min(Math.floor(width / 7), Math.round(cells / rows))),
    });
}

function rowHeight() {
    const { rows } = picture.answer;
    return Math.max(9, Math.min(16, Math.floor(132 / rows)));
}

/** Cells in the order of time: rows after each other in a heat map, columns in lanes. */
const cells = () => (isHeat() ? picture.answer.rows * picture.answer.columns : picture.answer.columns);

const sumValues = (values) => values.reduce((a, b) => a + b, 0);

/** Say what was lost: in cell `cell`, or in the whole recording if it is -1. "" if nothing was. */
function lossText(cell) {
    const [lost, throttled] = ['lost', 'throttled'].map((name) => {
        const values = picture.answer[name];
        return cell < 0 ? sumValues(values) : values[cell];
    });
    const words = [
        lost > 0 && `${counted(lost)} ${lost === 1 ? 'record' : 'records'} lost`,
        throttled > 0 && `throttled ${throttled === 1 ? 'once' : `${counted(throttled)} times`}`,
    ];
    return words.filter(Boolean).join(', ');
}

/** Room for ticks above the lanes. */
const lanesTop = () => (lossText(-1) ? TICK + 4 : 0);

/** Draw ticks that point down to y for what was lost in a cell, whose middle is at x. */
function paintTicks(c, cell, x, y) {
    const { lost, throttled } = picture.answer;
    const tick = (color, left) => {
        c.beginPath();
        c.moveTo(left - TICK / 2, y - TICK);
        c.lineTo(left + TICK / 2, y - TICK);
        c.lineTo(left, y);
        c.closePath();
        c.fillStyle = color;
        c.strokeStyle = palette.panel;
        c.stroke();
        c.fill();
    };
    if (throttled[cell] > 0) tick(palette.throttled, lost[cell] > 0 ? x + TICK / 2 : x);
    if (lost[cell] > 0) tick(palette.lost, throttled[cell] > 0 ? x - TICK / 2 : x);
}

/** Return the time when a cell begins, in units. */
function timeOf(cell) {
    const a = picture.answer;
    if (!isHeat()) return a.from + cell * a.column_units;
    return a.from + Math.floor(cell / a.columns) * a.row_units + (cell % a.columns) * a.column_units;
}

/** Return the range of time of the cells from `a` to `b`, both included, in whole units. */
function rangeOf(a, b) {
    const from = Math.max(0, Math.floor(timeOf(Math.min(a, b))));
    return [from, Math.max(from + 1, Math.ceil(timeOf(Math.max(a, b) + 1)))];
}

function cellAt(event) {
    const a = picture.answer;
    if (!a) return -1;
    const bounds = $('top-canvas').getBoundingClientRect();
    const x = Math.floor(((event.clientX - bounds.left - gutter()) / inner()) * a.columns);
    const column = Math.max(0, Math.min(a.columns - 1, x));
    if (!isHeat()) return column;
    const row = Math.max(0, Math.min(a.rows - 1, Math.floor((event.clientY - bounds.top) / rowHeight())));
    return row * a.columns + column;
}

function brushStart(event) {
    if (event.button !== 0 || !picture.answer) return;
    const bounds = $('top-canvas').getBoundingClientRect();
    if (!isHeat() && event.clientX - bounds.left < LANE_GUTTER - 6) {
        pickLane(Math.floor((event.clientY - bounds.top - lanesTop()) / LANE));
        return;
    }
    $('top-canvas').setPointerCapture(event.pointerId);
    const cell = cellAt(event);
    picture.brush = [cell, cell];
    picture.draw();
}

function brushMove(event) {
    const cell = cellAt(event);
    if (picture.brush) picture.brush[1] = cell;
    picture.hover = cell;
    note();
    picture.draw();
}

function brushEnd() {
    if (!picture.brush) return;
    const [a, b] = picture.brush;
    picture.brush = null;
    app.change({ time: rangeOf(a, b) });
}

/** Select the thread or the CPU of a lane, or no longer. */
function pickLane(lane) {
    const a = picture.answer;
    if (lane < 0 || lane >= a.key.length) return;
    app.toggle(picture.by === 'cpu' ? 'cpus' : 'threads', a.key[lane]);
}

/**
 * Move the cell under the keys; `extend`: select from where it was. Return false if the key is not for this picture.
 */
export function moveTop(direction, extend) {
    const a = picture.answer;
    if (!a) return;
    const steps = { left: -1, right: 1, up: isHeat() ? -a.columns : 0, down: isHeat() ? a.columns : 0 };
    const from = picture.cursor < 0 ? cellOfTime(app.state.time ? app.state.time[0] : a.from) : picture.cursor;
    const to = picture.cursor < 0 ? from : Math.max(0, Math.min(cells() - 1, from + steps[direction]));
    if (!extend || picture.anchor < 0) picture.anchor = extend ? from : -1;
    picture.cursor = to;
    picture.hover = to;
    if (extend) app.change({ time: rangeOf(picture.anchor, to) }, true);
    note();
    picture.draw();
}

/** Select the cell under the keys. */
export function selectTop() {
    if (picture.cursor >= 0) app.change({ time: rangeOf(picture.cursor, picture.cursor) });
}

function cellOfTime(time) {
    const a = picture.answer;
    const at = Math.max(0, time - a.from);
    const cell = isHeat()
        ? Math.floor(at / a.row_units) * a.columns + Math.floor((at % a.row_units) / a.column_units)
        : Math.floor(at / a.column_units);
    return Math.max(0, Math.min(cells() - 1, cell));
}

/** Say what the picture shows, or what is under the pointer. */
function note() {
    const a = picture.answer;
    const element = $('top-note');
    if (!a || $('top-scroll').hidden) {
        element.textContent = '';
        return;
    }
    const units = app.units;
    const step = a.column_units * units;
    const at = picture.brush
        ? rangeOf(...picture.brush)
        : picture.hover >= 0
          ? rangeOf(picture.hover, picture.hover)
          : null;
    if (at) {
        const [from, to] = at.map((time) => moment(time * units, step));
        const range = `${from} to ${to} (${amount((at[1] - at[0]) * units, 'ns')})`;
        const hovered = isHeat() && !picture.brush ? a.value[picture.hover] : null;
        const weight = hovered === null ? '' : `: ${amount(hovered, app.unit)} ${app.what}`;
        element.textContent = [`${range}${weight}`, picture.brush ? '' : lossText(picture.hover)].filter(Boolean).join(' · ');
    } else if (isHeat()) {
        explain(`${amount(a.row_units * units, 'ns')} per row, ${amount(step, 'ns')} per cell`);
    } else {
        const waits = picture.by === 'thread' && a.waited.some((w) => w > 0);
        const isDelayed = picture.by === 'thread' && a.runnable.some((ns) => ns > 0);
        const what = isDelayed ? `, running, runnable (red)${waits ? ' and waiting' : ''}` : waits ? ', running and waiting' : '';
        explain(`${amount(step, 'ns')} per column${what}`);
    }
}

/** Explain the picture and, if it has ticks, those. */
function explain(scale) {
    const losses = lossText(-1);
    $('top-note').replaceChildren(`${scale}. `, hint('Drag to select a range of time.'), losses && ` Tick marks: ${losses}.`);
}

/** Number of lanes that are drawn: all of them on the screen, where people scroll. */
const nLanes = () => Math.min(picture.answer.key.length, isPaper() ? LANES_ON_PAPER : Infinity);

function paintTop() {
    const a = picture.answer;
    if (!a || $('top-scroll').hidden) return;
    const height = isHeat() ? a.rows * rowHeight() + 1 : lanesTop() + nLanes() * LANE + 18;
    const c = sized($('top-canvas'), room(), height);
    c.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    c.textBaseline = 'middle';
    if (isHeat()) paintHeat(c, a);
    else paintLanes(c, a);
}

/** Return the selected range of time: the brush, or that of the state. */
const rangeShown = () => (picture.brush ? rangeOf(...picture.brush) : app.state.time);

function paintHeat(c, a) {
    const rowSize = rowHeight();
    const size = inner() / a.columns;
    const range = rangeShown();
    const gap = size > 4 ? 1 : 0;
    const end = app.spans[app.pane][1];
    for (let row = 0; row < a.rows; row++) {
        const y = row * rowSize;
        c.globalAlpha = 1;
        c.fillStyle = palette.muted;
        c.textAlign = 'right';
        if (rowSize >= 11 || row % 2 === 0)
            c.fillText(
                moment((a.from + row * a.row_units) * app.units, a.row_units * app.units),
                HEAT_GUTTER - 10,
                y + rowSize / 2,
            );
        for (let column = 0; column < a.columns; column++) {
            const cell = row * a.columns + column;
            const time = timeOf(cell);
            if (time > end) break;
            const shade = a.max > 0 ? a.shade[cell] / a.max : 0;
            const inside = !range || (time + a.column_units > range[0] && time < range[1]);
            c.globalAlpha = inside ? 1 : 0.28;
            c.fillStyle = palette.heat[shade > 0 || a.value[cell] > 0 ? 8 + Math.round(55 * shade ** 1.4) : 0];
            c.fillRect(HEAT_GUTTER + column * size, y, size - gap, rowSize - 1);
            if (cell === picture.hover || cell === picture.cursor) {
                c.strokeStyle = palette.text;
                c.globalAlpha = 1;
                c.strokeRect(HEAT_GUTTER + column * size + 0.5, y + 0.5, size - gap - 1, rowSize - 2);
            }
            c.globalAlpha = 1;
            paintTicks(c, cell, HEAT_GUTTER + (column + 0.5) * size, y + TICK);
        }
    }
    c.globalAlpha = 1;
}

/** Return what a lane is called. */
function laneName(key) {
    if (picture.by === 'cpu') return key < 0 ? 'no CPU' : `CPU ${key}`;
    const thread = app.info.threads[key];
    return named(thread);
}

/** Return the horizontal position of a time in lanes that are `width` wide, in pixels of the canvas. */
function xOf(a, time, width) {
    return LANE_GUTTER + Math.max(0, Math.min(1, (time - a.from) / (a.columns * a.column_units))) * width;
}

/** Return when the thread or CPU of a lane existed: what is not recorded is from the beginning to the end. */
function lifeOf(a, key) {
    const { start = -Infinity, end = Infinity } = picture.by === 'thread' ? app.info.threads[key] : {};
    return [start, end];
}

function paintLanes(c, a) {
    const width = inner();
    const size = width / a.columns;
    const picked = picture.by === 'cpu' ? app.state.cpus : app.state.threads;
    const full = app.unit === 'ns' ? Math.max(a.column_ns, 1) : a.max;
    const top = lanesTop();
    for (let column = 0; column < a.columns; column++)
        paintTicks(c, column, LANE_GUTTER + (column + 0.5) * size, top - 2);
    for (let lane = 0; lane < nLanes(); lane++) {
        const y = top + lane * LANE;
        const key = a.key[lane];
        c.globalAlpha = 1;
        c.fillStyle = palette.sunk;
        const [left, right] = lifeOf(a, key).map((time) => xOf(a, time, width));
        c.fillRect(left, y, right - left, LANE - 2);
        c.fillStyle = palette.running;
        const running = [a.running, full];
        paintLane(c, running, lane * a.columns, a.columns, size, y, []);
        if (picture.by === 'thread') {
            const runnable = [a.runnable, a.column_ns];
            c.fillStyle = palette.bad;
            paintLane(c, runnable, lane * a.columns, a.columns, size, y, [running]);
            c.fillStyle = palette.waiting;
            paintLane(c, [a.waiting, a.column_ns], lane * a.columns, a.columns, size, y, [running, runnable]);
        }
        c.fillStyle = picked.includes(key) ? palette.accent : palette.text;
        c.textAlign = 'left';
        let name = laneName(key);
        while (name.length > 4 && c.measureText(name).width > LANE_GUTTER - 84) name = `${name.slice(0, -2)}…`;
        c.fillText(name, 16, y + LANE / 2 - 1);
        c.fillStyle = palette.muted;
        c.textAlign = 'right';
        c.fillText(amount(a.weight[lane], app.unit), LANE_GUTTER - 8, y + LANE / 2 - 1);
    }
    paintRange(c, a, width);
    paintAxis(c, LANE_GUTTER, width, top + nLanes() * LANE, a.from, a.columns * a.column_units);
}

/**
 * Fill the columns of a lane, in the height of what they are of a full one, on top of those in `under`: all are
 * [values, full].
 */
function paintLane(c, [values, full], at, columns, size, y, under) {
    const height = LANE - 2;
    for (let i = 0; i < columns; i++) {
        const value = values[at + i];
        if (!(value > 0)) continue;
        const below = Math.min(1, under.reduce((sum, [others, whole]) => sum + (others[at + i] && others[at + i] / whole), 0));
        const part = Math.max(0, Math.min(1 - below, value / full)) * height;
        const x = Math.round(i * size);
        c.fillRect(LANE_GUTTER + x, y + height * (1 - below) - part, Math.round((i + 1) * size) - x, part);
    }
}

function paintRange(c, a, width) {
    const range = rangeShown();
    const x = (time) => xOf(a, time, width);
    const height = lanesTop() + nLanes() * LANE;
    if (range) {
        c.globalAlpha = 0.68;
        c.fillStyle = palette.panel;
        c.fillRect(LANE_GUTTER, 0, x(range[0]) - LANE_GUTTER, height);
        c.fillRect(x(range[1]), 0, LANE_GUTTER + width - x(range[1]), height);
        c.globalAlpha = 1;
        c.fillStyle = palette.accent;
        c.fillRect(x(range[0]) - 1, 0, 1.5, height);
        c.fillRect(x(range[1]), 0, 1.5, height);
    }
    const at = picture.hover >= 0 ? picture.hover : picture.cursor;
    if (at >= 0) {
        c.fillStyle = palette.text;
        c.globalAlpha = 0.6;
        c.fillRect(x(timeOf(at)), 0, 1, height);
    }
    c.globalAlpha = 1;
}

/** Draw times under lanes and charts: round steps that are about 110 pixels apart. */
export function paintAxis(c, left, width, y, from, units) {
    const ns = units * app.units;
    const rough = ns / Math.max(1, width / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
    const start = from * app.units;
    c.fillStyle = palette.muted;
    c.textAlign = 'left';
    for (let t = Math.ceil(start / step) * step; t < start + ns; t += step) {
        const x = left + ((t - start) / ns) * width;
        c.fillRect(Math.round(x), y, 1, 4);
        const text = moment(t, step);
        if (x + c.measureText(text).width + 4 < left + width) c.fillText(text, x + 4, y + 8);
    }
}
