/**
 * @file The timeline above the views: heat map, or lanes of CPUs or threads. Brushing selects a range of time.
 */
import { NO_THREAD } from '../model/lanes.js';
import { showCard } from './card.js';
import { palette } from './colors.js';
import { $, eachFrame, fillSwitch, hint, sized } from './dom.js';
import {
    LANE,
    LANE_GUTTER,
    LanePicture,
    laneAt,
    laneLegend,
    laneY,
    lanesHeight,
    rowsOf,
    stateText,
    threadName,
    xOf,
} from './lane_picture.js';
import { amount, counted, moment } from './text.js';
import { selectedPiece, selectedWakeups, selectPiece, threadsOfChain } from './wait_card.js';

const PICTURES = [
    ['heat', 'Heat map', 'When it happened: rows from top to bottom, each from left to right'],
    ['cpu', 'CPUs', 'What each CPU did'],
    ['thread', 'Threads', 'What each thread did: running, runnable and waiting'],
    ['none', 'Hide', 'Show no timeline'],
];
/** Samples in a cell of the heat map, on average, if the recording has few: fewer would show how samples alternate. */
const SAMPLES_PER_CELL = 4;
const HEAT_GUTTER = 78;
/** Height of the ticks for losses: above lanes, and within the cells of a heat map. */
const TICK = 8;
/** Shortest time that lanes show, in units. */
const SHORTEST_WINDOW = 20;

/**
 * State of the picture that is not part of the address: the answer that is drawn, the brush, and the cell and the lane under
 * the keys. Lane -1 is the critical path, null is none.
 */
const picture = { answer: null, by: '', brush: null, cursor: -1, anchor: -1, hover: -1, lane: null };
let app = null;

export function startTop(application) {
    app = application;
    const canvas = $('top-canvas');
    picture.draw = eachFrame(paintTop);
    canvas.addEventListener('pointerdown', brushStart);
    canvas.addEventListener('pointermove', brushMove);
    canvas.addEventListener('pointerup', brushEnd);
    canvas.addEventListener('wheel', wheel, { passive: false });
    canvas.addEventListener('pointerleave', () => {
        picture.hover = -1;
        showHovered(null);
        note();
        picture.draw();
    });
    canvas.addEventListener('blur', () => {
        picture.cursor = -1;
        picture.lane = null;
        picture.draw();
    });
    canvas.addEventListener('dblclick', () => app.change({ time: null, window: null }));
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
    const { window } = state;
    const lanes = by === 'thread' ? threadsOfChain(app) : [];
    const key = JSON.stringify([by, app.pane, { ...app.selection, time: null }, by === 'heat' ? null : window, lanes]);
    if (by !== 'none' && (force || key !== picture.key) && room() > 0) {
        picture.key = key;
        const answer = await ask(by, lanes);
        if (!answer || picture.key !== key) return;
        picture.answer = answer;
        picture.by = by;
        picture.cursor = -1;
    }
    note();
    // A page without room, as in a frame that is not shown, has asked for nothing.
    const hasLegend = !isHeat() && by !== 'none' && picture.answer !== null;
    const legend = hasLegend ? laneLegend(picture.answer, ledger()?.reasons ?? [], app.unit === 'ns') : [];
    $('top-legend').replaceChildren(...legend);
    picture.draw();
    scrollToWait();
}

const ledger = () => app.info.recordings[app.pane].ledger;

function ask(by, also) {
    const side = app.pane;
    const width = inner(by);
    const [from, to] = app.state.window || [];
    if (by !== 'heat')
        return app.ask('lanes', { by, side, columns: Math.max(50, Math.floor(width / 3)), limit: 200, from, to, also });
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

/** Return the lane under the pointer: see laneAt(). */
function laneUnder(event) {
    const bounds = $('top-canvas').getBoundingClientRect();
    return isHeat() || !picture.answer ? null : laneAt(picture.answer, event.clientY - bounds.top, lanesTop());
}

function brushStart(event) {
    if (event.button !== 0 || !picture.answer) return;
    const bounds = $('top-canvas').getBoundingClientRect();
    picture.pressed = laneUnder(event);
    if (!isHeat() && event.clientX - bounds.left < LANE_GUTTER - 6) {
        if (picture.pressed !== null) pickLane(picture.pressed);
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
    hover(event);
}

async function brushEnd() {
    if (!picture.brush) return;
    const [a, b] = picture.brush;
    picture.brush = null;
    if (a === b && (await selectAt(picture.pressed, a))) return;
    app.change({ time: rangeOf(a, b) });
}

/** Whether lanes show what threads did, so that single waits can be selected. */
const hasPieces = () => picture.by === 'thread' && !!ledger() && picture.answer.states !== undefined;

/** Ask what a lane has in a cell. */
async function pieceAt(lane, cell) {
    const { key } = picture.answer;
    const [from, to] = [timeOf(cell), timeOf(cell + 1)].map((time) => time * app.units);
    const answer = await app.ask('piece', { thread: lane < 0 ? NO_THREAD : key[lane], from, to, side: app.pane }, 'hovered');
    return answer?.piece ?? null;
}

/**
 * Select what a thread waited for in a cell, or what the thread that is on the critical path did. Return false if there is no
 * such thing.
 */
async function selectAt(lane, cell) {
    if (lane === null || !hasPieces()) return false;
    const piece = await pieceAt(lane, cell);
    if (!piece || piece.thread < 0) return false;
    if (lane >= 0) {
        if (!piece.blocked && ledger().states[piece.state] !== 'runnable' && ledger().states[piece.state] !== 'blocked') return false;
        selectPiece(app, piece);
        return true;
    }
    const own = await app.ask('piece', { thread: piece.thread, from: piece.begin }, 'own');
    if (own?.piece) selectPiece(app, own.piece);
    return !!own?.piece;
}

/** Show a card of what is under the pointer; null: none. */
function showHovered(card, event) {
    picture.hovered = card?.key ?? '';
    showCard(card, event?.clientX, event?.clientY);
}

/** Say what a thread does under the pointer. */
async function hover(event) {
    const lane = laneUnder(event);
    const cell = cellAt(event);
    const key = `${lane} ${cell}`;
    if (lane === null || picture.brush || !hasPieces() || event.offsetX < LANE_GUTTER) {
        if (picture.hovered) showHovered(null);
        return;
    }
    if (key === picture.hovered) return;
    picture.hovered = key;
    const piece = await pieceAt(lane, cell);
    if (key !== picture.hovered || !piece) return;
    const path = lane < 0 ? 'Critical path: ' : '';
    showHovered(
        {
            key,
            where: '',
            note: '',
            title: `${path}${threadName(app, piece.thread, 'several threads')}: ${stateText(piece, ledger().states)}`,
            rows: rowsOf(app, piece, ledger()),
        },
        event,
    );
}

/** Zoom into the lanes with Ctrl and the wheel, and move them with a wheel that turns to the side. */
function wheel(event) {
    const a = picture.answer;
    if (!a || isHeat() || (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY))) return;
    event.preventDefault();
    const length = a.columns * a.column_units;
    const bounds = $('top-canvas').getBoundingClientRect();
    const at = Math.max(0, Math.min(1, (event.clientX - bounds.left - LANE_GUTTER) / inner()));
    const factor = event.ctrlKey ? Math.exp(event.deltaY * 0.004) : 1;
    const shift = event.ctrlKey ? 0 : (event.deltaX / inner()) * length;
    showTime(a.from + length * at * (1 - factor) + shift, length * factor);
}

/** Show `length` units from `from` on in the lanes. */
function showTime(from, length) {
    const [first, last] = app.spans[app.pane];
    const size = Math.max(SHORTEST_WINDOW, Math.round(length));
    const start = Math.round(Math.max(first, Math.min(from, last + 1 - size)));
    const isAll = start <= first && size >= last + 1 - first;
    app.change({ window: isAll ? null : [start, Math.min(last + 1, start + size)] }, true);
}

/** Zoom into the lanes, or out, around the cell under the keys, or the middle. */
export function zoomTop(factor) {
    const a = picture.answer;
    if (!a || isHeat()) return;
    const length = a.columns * a.column_units;
    const at = picture.cursor >= 0 ? (picture.cursor + 0.5) / a.columns : 0.5;
    showTime(a.from + length * at * (1 - factor), length * factor);
}

/** Make the lanes of the selected wait visible when it is selected. */
function scrollToWait() {
    const piece = selectedPiece();
    const key = piece ? `${piece.thread} ${piece.begin}` : '';
    if (key === picture.scrolled || isHeat() || !picture.answer) return;
    picture.scrolled = key;
    if (!piece) return;
    const scroller = $('top-scroll');
    const lanes = [piece.waker, piece.thread].map((thread) => picture.answer.key.indexOf(thread)).filter((lane) => lane >= 0);
    for (const lane of lanes) {
        const y = laneY(picture.answer, lane, lanesTop());
        if (y < scroller.scrollTop) scroller.scrollTop = y - 4;
        else if (y + LANE > scroller.scrollTop + scroller.clientHeight - 8) scroller.scrollTop = y + LANE + 8 - scroller.clientHeight;
    }
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
    moveLane({ up: -1, down: 1 }[direction]);
    if (extend) app.change({ time: rangeOf(picture.anchor, to) }, true);
    note();
    picture.draw();
}

/** Move to the next lane: the first one is the critical path, if there is one. */
function moveLane(step) {
    const a = picture.answer;
    if (!step || isHeat()) return;
    const first = a.path ? -1 : 0;
    const next = picture.lane === null ? first : picture.lane + step;
    picture.lane = Math.max(first, Math.min(a.key.length - 1, next));
    $('top-scroll').scrollTop = Math.max(0, laneY(a, picture.lane, lanesTop()) - $('top-scroll').clientHeight / 2);
}

/** Select the cell under the keys, or with `inLane` what the lane under the keys has there. */
export async function selectTop(inLane) {
    const { cursor, lane } = picture;
    if (cursor < 0 || (inLane && (await selectAt(lane, cursor)))) return;
    app.change({ time: rangeOf(cursor, cursor) });
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
        explain(`${amount(step, 'ns')} per column`);
    }
}

/** Explain the picture and, if it has ticks, those. */
function explain(scale) {
    const losses = lossText(-1);
    const zoom = isHeat() ? '' : ' Ctrl and the wheel zoom.';
    $('top-note').replaceChildren(`${scale}. `, hint(`Drag to select a range of time.${zoom}`), losses && ` Tick marks: ${losses}.`);
}

function paintTop() {
    const a = picture.answer;
    if (!a || $('top-scroll').hidden) return;
    const height = isHeat() ? a.rows * rowHeight() + 1 : lanesHeight(a, lanesTop()) + 18;
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

function paintLanes(c, a) {
    const width = inner();
    const size = width / a.columns;
    const top = lanesTop();
    for (let column = 0; column < a.columns; column++)
        paintTicks(c, column, LANE_GUTTER + (column + 0.5) * size, top - 2);
    const lanes = new LanePicture(c, {
        app, a, by: picture.by, width, top, picked: picture.by === 'cpu' ? app.state.cpus : app.state.threads,
    });
    lanes.paint();
    paintRange(c, a, width);
    paintWait(lanes, a);
    paintAxis(c, LANE_GUTTER, width, lanesHeight(a, top), a.from, a.columns * a.column_units);
}

/** Draw the selected wait, the wakeups of its thread, and the lane under the keys. */
function paintWait(lanes, a) {
    const piece = selectedPiece();
    if (picture.lane !== null && picture.cursor >= 0)
        lanes.paintFrame(picture.lane, timeOf(picture.cursor), timeOf(picture.cursor + 1), palette.text);
    if (!piece || picture.by !== 'thread') return;
    const wakeups = selectedWakeups();
    wakeups?.time.forEach((time, i) => {
        if (time !== piece.woken) lanes.paintArrow(wakeups.waker[i], piece.thread, time / app.units, false);
    });
    const lane = a.key.indexOf(piece.thread);
    if (lane >= 0)
        lanes.paintFrame(lane, piece.begin / app.units, (piece.begin + piece.ns) / app.units, palette.accent);
    if (piece.waker >= 0) lanes.paintArrow(piece.waker, piece.thread, piece.woken / app.units, true);
}

function paintRange(c, a, width) {
    const range = rangeShown();
    const x = (time) => xOf(a, time, width);
    const height = lanesHeight(a, lanesTop());
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
