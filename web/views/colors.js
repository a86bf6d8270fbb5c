/** @file Colors of frames, read from the style sheet, so that both themes and prints are right. */
import { functionOf } from './client.js';

const KINDS = ['program', 'library', 'kernel', 'generated', 'unknown'];
/** Shades of one category: neighbors differ, and the category stays recognizable. */
const SHADES = 6;

let probe = null;

/** Return the components of a color of the style sheet: [red, green, blue] from 0 to 255. */
function sheetColor(name) {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe)
        .color.match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number);
}

/** Return the color between `a` and `b` at `t` from 0 to 1. */
function mixed(a, b, t) {
    return a.map((v, i) => v + (b[i] - v) * t);
}

const css = (c) => `rgb(${c.map(Math.round).join(' ')})`;

/** The colors that are in use. Members are CSS texts except where said. */
export const palette = {};

/** Read the style sheet again, after the theme changed. */
export function readColors() {
    if (!probe) {
        probe = document.createElement('i');
        probe.hidden = true;
        document.body.append(probe);
    }
    for (const name of [
        'text',
        'muted',
        'panel',
        'page',
        'sunk',
        'line',
        'line-strong',
        'accent',
        'accent-soft',
        'frame-text',
        'match',
        'running',
        'waiting',
        'bad',
        'mark',
        'lost',
        'throttled',
        'running-soft',
        'wait-lock',
        'wait-sync',
        'wait-idle',
        'wait-socket',
        'wait-io',
    ])
        palette[name] = css(sheetColor(name));
    const panel = sheetColor('panel');
    /** By category, by shade, whole and inlined. */
    palette.frames = KINDS.map((kind) => {
        const base = sheetColor(kind);
        return Array.from({ length: SHADES }, (_, i) => {
            const shade = mixed(base, panel, (i / (SHADES - 1)) * 0.24);
            return [css(shade), css(mixed(shade, panel, 0.42))];
        });
    });
    const same = sheetColor('same');
    const [grew, shrank] = [sheetColor('grew'), sheetColor('shrank')];
    palette.grew = Array.from({ length: 33 }, (_, i) => css(mixed(same, grew, i / 32)));
    palette.shrank = Array.from({ length: 33 }, (_, i) => css(mixed(same, shrank, i / 32)));
    const stops = [0, 1, 2, 3].map((i) => sheetColor(`heat-${i}`));
    palette.heat = Array.from({ length: 64 }, (_, i) => {
        const t = (i / 63) * 3;
        const at = Math.min(2, Math.floor(t));
        return css(mixed(stops[at], stops[at + 1], t - at));
    });
}

/** Number that depends on the text of a name only: the same function has the same shade in all views and pages. */
function hash(text) {
    let value = 2166136261;
    for (let i = 0; i < text.length && i < 200; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
    return (value >>> 8) & 0xffff;
}

const shades = [];

/** Return the category of a function, as an index of `palette.frames`. */
export function kindOf(id) {
    const f = functionOf(id);
    return f.mark ? 4 : Math.min(f.kind, 4);
}

/** Return the name of the class that shows a function's category. */
export const kindClass = (id) => `c-${KINDS[kindOf(id)]}`;

/** Return the color of a frame of a function. */
export function frameColor(id, inlined) {
    let shade = shades[id];
    if (shade === undefined) shade = shades[id] = hash(functionOf(id).name) % SHADES;
    return palette.frames[kindOf(id)][shade][inlined ? 1 : 0];
}

/**
 * How much a weight changed, from -1 (vanished) to 1 (new): the change relative to the larger of both, and weaker if
 * the change is
 * a small part of everything, because a new function with one sample is not news.
 */
export function changeOf(before, after, sum) {
    const larger = Math.max(before, after);
    if (!(larger > 0) || before === after) return 0;
    const relative = (after - before) / larger;
    return relative * Math.min(1, Math.sqrt((Math.abs(after - before) / sum) * 25));
}

/** Return the color of a change from -1 to 1. */
export function changeColor(value) {
    const step = Math.min(32, Math.round(Math.abs(value) * 32));
    return value < 0 ? palette.shrank[step] : palette.grew[step];
}
