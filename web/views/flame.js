/**
 * @file Boxes in levels on a canvas: flame graph, icicle, inverted graph, flame chart, callers and callees. It draws a
 * layout of the worker,
 * and lets people move in it with pointer and keys.
 */
import { functionOf } from './client.js';
import { changeColor, changeOf, frameColor, kindOf, palette } from './colors.js';
import { $, eachFrame, h, isPaper, pixelRatio, sized } from './dom.js';
import { forms, shareOf } from './text.js';

const ROW = 19;
const LEVELS_ON_PAPER = 52;
const FONT = '11.5px';
/** Boxes at least this wide, in pixels, have text. */
const TEXT_WIDTH = 22;

/** Flags of boxes, as in web/model/worker.js. */
export const FLAGS = { inlined: 1, guessed: 2, chain: 4, mark: 8, ancestor: 16, more: 32, waiting: 64 };

/** Widths of the forms of names in the current font: Map of function to [[text, width]]. */
const measured = new Map();

function measure(context, id) {
    let list = measured.get(id);
    if (!list) {
        list = forms(functionOf(id).name).map((form) => [form, context.measureText(form).width]);
        measured.set(id, list);
    }
    return list;
}

/**
 * Return the text of a function's name that fits in `width` pixels: a form without arguments, or one cut at its end; ""
 * if none fits.
 */
function fitted(context, id, width) {
    const list = measure(context, id);
    for (const [form, size] of list) if (size <= width) return form;
    const [last, size] = list[list.length - 1];
    const form = last.replace(/^…/, '');
    for (let length = Math.ceil((form.length * width) / size); length > 1; length--) {
        const text = `${form.slice(0, length).replace(/…$/, '')}…`;
        if (context.measureText(text).width <= width) return text;
    }
    return '';
}

/** Sort boxes into levels, from left to right: { order, first }, where level d has order[first[d] .. first[d + 1]). */
function levels(layout) {
    const { n, depths, depth, x0 } = layout;
    const first = new Uint32Array(depths + 2);
    for (let i = 0; i < n; i++) first[depth[i] + 1]++;
    for (let d = 0; d <= depths; d++) first[d + 1] += first[d];
    const order = new Uint32Array(n);
    const next = first.slice();
    for (let i = 0; i < n; i++) order[next[depth[i]]++] = i;
    for (let d = 0; d < depths; d++) {
        const level = order.subarray(first[d], first[d + 1]);
        for (let k = 1; k < level.length; k++)
            if (x0[level[k]] < x0[level[k - 1]]) {
                level.sort((a, b) => x0[a] - x0[b]);
                break;
            }
    }
    return { order, first };
}

/** Flame graphs that are shown. */
const openFlames = new Set();

export class Flame {
    /**
     * `options`: label (for screen readers), up (levels grow upwards), base() (text of the level that stands for
     * everything; null: there is none), select(box), zoom(box), menu(box, x, y), hover(box, x, y), matches() (a Set of
     * functions, or null), sum() (the whole weight). Boxes are indices of the layout; -1 is the level that stands for
     * everything, -2 is none.
     */
    constructor(options) {
        this.options = options;
        this.layout = null;
        this.selected = -2;
        this.hovered = -2;
        /** Height of the element when it was fitted, how far it can be scrolled, and how far it is from the end of that. */
        this.height = 0;
        this.room = 0;
        this.fromEnd = 0;
        this.canvas = h('canvas', {});
        this.spacer = h('div', { class: 'spacer' });
        this.element = h(
            'div',
            {
                class: 'scroller',
                tabindex: '0',
                role: 'application',
                'aria-label': options.label,
                'aria-describedby': 'frame',
            },
            this.canvas,
            this.spacer,
        );
        this.draw = eachFrame(() => this.paint());
        this.element.addEventListener('scroll', () => this.scrolled(), { passive: true });
        this.element.addEventListener('pointermove', (e) => this.hover(e));
        this.element.addEventListener('pointerleave', () => this.hover(null));
        this.element.addEventListener('click', (e) => this.click(e));
        this.element.addEventListener('contextmenu', (e) => this.context(e));
        this.observer = new ResizeObserver(() => this.resized());
        this.observer.observe(this.element);
        openFlames.add(this);
    }

    close() {
        this.observer.disconnect();
        openFlames.delete(this);
    }

    /** Rows in front of the first level: the one that stands for everything. */
    get before() {
        return this.options.base ? 1 : 0;
    }

    get contentHeight() {
        return (this.layout ? this.layout.depths + this.before : 0) * ROW + 8;
    }

    /** Show another layout. `keep`: the function that stays selected if it is there. */
    show(layout) {
        const fresh = !this.layout;
        const was = this.layout && this.selected >= 0 ? this.layout.function[this.selected] : -1;
        this.layout = layout;
        this.levels = levels(layout);
        this.hovered = -2;
        this.selected = layout.zoom >= 0 ? layout.zoom : was >= 0 ? layout.function.indexOf(was) : -2;
        if (this.selected === -1 && was >= 0) this.selected = -2;
        this.fit(fresh);
        if (layout.zoom >= 0) this.reveal(layout.zoom);
        this.draw();
    }

    resized() {
        this.fit(false);
        this.paint();
    }

    /** Give the element the height of the layout. `fresh`: show the end where everything begins. */
    fit(fresh) {
        this.height = this.element.clientHeight;
        this.room = Math.max(0, this.contentHeight - this.height);
        if (fresh) this.fromEnd = 0;
        this.canvas.style.height = `${this.height}px`;
        this.spacer.style.height = `${this.room}px`;
        if (this.options.up) this.element.scrollTop = this.room - this.fromEnd;
    }

    /** Lay out all graphs for paper, with as many levels as a page has room for, or for the screen again. */
    static fitAll() {
        for (const flame of openFlames) {
            const height = Math.min(flame.contentHeight, LEVELS_ON_PAPER * ROW);
            flame.element.style.height = isPaper() ? `${height}px` : '';
            flame.resized();
        }
    }

    /** Remember the distance from the end. An element that grows scrolls by itself before it is fitted again. */
    scrolled() {
        if (this.element.clientHeight === this.height) this.fromEnd = this.room - this.element.scrollTop;
        this.draw();
    }

    get width() {
        return this.element.clientWidth - 20;
    }

    /** How far the content is scrolled. Paper shows the end where everything begins. */
    get scroll() {
        if (!isPaper()) return this.element.scrollTop;
        return this.options.up ? this.room : 0;
    }

    /** Top of a level in pixels of the canvas. */
    top(level) {
        const row = level + this.before;
        if (!this.options.up) return row * ROW + 4 - this.scroll;
        const height = Math.max(this.contentHeight, this.element.clientHeight);
        return height - (row + 1) * ROW - 4 - this.scroll;
    }

    levelAt(y) {
        const { up } = this.options;
        const height = Math.max(this.contentHeight, this.element.clientHeight);
        const row = Math.floor((up ? height - 4 - this.scroll - y : y + this.scroll - 4) / ROW);
        return row - this.before;
    }

    /** Return the box at a point, -1 for the base, -2 for none. */
    boxAt(x, y) {
        const level = this.levelAt(y);
        if (!this.layout || level < -1 || level >= this.layout.depths) return -2;
        if (level < 0) return this.before && x >= 0 ? -1 : -2;
        return this.boxNear(level, (x - 10) / this.width, 1 / this.width);
    }

    /** Return the box of a level at a fraction of the width, or within `slack` of it; -2 if there is none. */
    boxNear(level, x, slack) {
        const { order, first } = this.levels;
        const { x0, x1 } = this.layout;
        let low = first[level];
        let high = first[level + 1];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (x0[order[middle]] <= x) low = middle + 1;
            else high = middle;
        }
        const box = low > first[level] ? order[low - 1] : -2;
        if (box >= 0 && x1[box] > x) return box;
        if (box >= 0 && x - x1[box] < slack) return box;
        return low < first[level + 1] && x0[order[low]] - x < slack ? order[low] : -2;
    }

    hover(event) {
        const box = event && event.buttons === 0 ? this.at(event) : -2;
        if (box !== this.hovered) {
            this.hovered = box;
            this.element.style.cursor = box >= -1 ? 'pointer' : '';
            this.draw();
        }
        this.options.hover(box, event ? event.clientX : 0, event ? event.clientY : 0);
    }

    at(event) {
        const bounds = this.element.getBoundingClientRect();
        return this.boxAt(event.clientX - bounds.left, event.clientY - bounds.top);
    }

    click(event) {
        const box = this.at(event);
        if (box < -1) return;
        this.select(box);
        this.options.zoom(box);
    }

    context(event) {
        const box = this.at(event);
        if (box < 0) return;
        event.preventDefault();
        this.select(box);
        this.options.hover(-2);
        this.options.menu(box, event.clientX, event.clientY);
    }

    select(box) {
        this.selected = box;
        this.reveal(box);
        this.draw();
        this.options.select(box);
    }

    /** Scroll so that a box is visible. */
    reveal(box) {
        if (box < 0) return;
        const top = this.top(this.layout.depth[box]);
        const height = this.element.clientHeight;
        if (top < ROW) this.element.scrollTop += top - 3 * ROW;
        else if (top > height - 2 * ROW) this.element.scrollTop += top - height + 4 * ROW;
    }

    /** Point in the page next to a box, for its menu. */
    pointOf(box) {
        const bounds = this.element.getBoundingClientRect();
        const { x0, x1, depth } = this.layout;
        return [
            bounds.left +
                10 +
                Math.max(0, Math.min(0.9, (x0[box] + Math.min(x1[box], x0[box] + 0.2)) / 2)) * this.width,
            bounds.top + this.top(depth[box]) + ROW,
        ];
    }

    /** Move the selection: "caller", "callee", "left", "right" or "hottest". */
    move(direction) {
        const { layout } = this;
        if (!layout || !layout.n) return;
        if (this.selected < -1) return this.select(this.before ? -1 : this.levels.order[0]);
        const box = this.selected;
        const level = box < 0 ? -1 : layout.depth[box];
        if (direction === 'caller') {
            if (level > 0)
                this.select(
                    layout.parent
                        ? layout.parent[box]
                        : Math.max(-1, this.boxNear(level - 1, (layout.x0[box] + layout.x1[box]) / 2, 1)),
                );
            else if (this.before) this.select(-1);
        } else if (direction === 'callee') {
            this.select(this.widest(level + 1, box));
        } else if (box >= 0) {
            const { order, first } = this.levels;
            const place = order.subarray(first[level], first[level + 1]).indexOf(box) + (direction === 'left' ? -1 : 1);
            if (place >= 0 && place < first[level + 1] - first[level]) this.select(order[first[level] + place]);
        }
    }

    /** Return the widest box of a level within `box`, or `box` itself if there is none. */
    widest(level, box) {
        const {
            layout,
            levels: { order, first },
        } = this;
        if (level >= layout.depths) return box;
        let best = box;
        let size = 0;
        for (let k = first[level]; k < first[level + 1]; k++) {
            const i = order[k];
            if (box >= 0 && (layout.x0[i] < layout.x0[box] - 1e-12 || layout.x1[i] > layout.x1[box] + 1e-12)) continue;
            if (layout.x1[i] - layout.x0[i] > size) {
                best = i;
                size = layout.x1[i] - layout.x0[i];
            }
        }
        return best;
    }

    /** Forget the widths of texts, after fonts or the resolution changed. */
    static forget() {
        measured.clear();
    }

    color(i) {
        const { layout } = this;
        if (layout.total1)
            return changeColor(changeOf(layout.total[i], layout.total1[i] * layout.factor, this.options.sum()));
        if (layout.flags[i] & FLAGS.waiting) return palette.waiting;
        return frameColor(layout.function[i], layout.flags[i] & FLAGS.inlined);
    }

    paint() {
        const width = this.element.clientWidth;
        const height = this.element.clientHeight;
        if (!width || !height) return;
        const c = sized(this.canvas, width, height);
        if (!this.layout) return;
        c.font = `${FONT} ${getComputedStyle(document.body).fontFamily}`;
        c.textBaseline = 'middle';
        this.ratio = pixelRatio();
        const matches = this.options.matches();
        if (this.before) this.paintBase(c, width);
        if (this.before) this.paintRest(c);
        const from = Math.max(0, Math.min(this.levelAt(0), this.levelAt(height)));
        const to = Math.min(this.layout.depths - 1, Math.max(this.levelAt(0), this.levelAt(height)));
        for (let level = from; level <= to; level++) this.paintLevel(c, level, matches);
        c.globalAlpha = 1;
        if (isPaper() && this.room > 0) this.paintCut(c, width, height);
        if (this.hovered >= 0 && this.hovered !== this.selected) this.outline(c, this.hovered, palette.text, 1);
        if (this.selected >= -1) this.outline(c, this.selected, palette.accent, 2);
    }

    paintBase(c, width) {
        const y = this.top(-1);
        c.fillStyle = palette.sunk;
        this.box(c, 10, y, width - 20);
        c.fillStyle = palette.muted;
        c.fillText(this.options.base(), 16, y + ROW / 2);
    }

    /** Say how much of the first level is in boxes that are too narrow to be drawn, if it is to be seen. */
    paintRest(c) {
        const { order, first } = this.levels;
        const end = first[1] > 0 ? this.layout.x1[order[first[1] - 1]] : 1;
        const size = (1 - end) * this.width;
        if (size < 4) return;
        const x = 10 + end * this.width;
        const y = this.top(0);
        const share = shareOf(1 - end, 1);
        c.fillStyle = palette.sunk;
        this.box(c, x, y, size);
        c.fillStyle = palette.muted;
        const text = [`${share} in frames too narrow to draw`, `${share} too narrow`, share].find(
            (form) => c.measureText(form).width < size - 10,
        );
        if (text) c.fillText(text, x + 5, y + ROW / 2);
    }

    /** Say how many levels are outside of what is printed. */
    paintCut(c, width, height) {
        const n = Math.ceil(this.room / ROW);
        c.fillStyle = palette.muted;
        c.textAlign = 'right';
        c.fillText(`${n} more ${n === 1 ? 'level' : 'levels'}`, width - 10, this.options.up ? ROW / 2 : height - ROW / 2);
        c.textAlign = 'left';
    }

    /** Fill a box whose edges are on pixels of the screen, with a gap to the next one. */
    box(c, x, y, width) {
        const { ratio } = this;
        const left = Math.round(x * ratio) / ratio;
        const right = Math.round((x + width) * ratio) / ratio;
        const size = right - left;
        if (size > 6) {
            c.beginPath();
            c.roundRect(left, y, size - 1, ROW - 1, 2);
            c.fill();
        } else {
            c.fillRect(left, y, Math.max(1 / ratio, size > 2 ? size - 1 / ratio : size), ROW - 1);
        }
    }

    paintLevel(c, level, matches) {
        const {
            layout,
            levels: { order, first },
        } = this;
        const { x0, x1, flags } = layout;
        const y = this.top(level);
        const width = this.width;
        const hovered = this.hovered >= 0 ? layout.function[this.hovered] : -1;
        for (let k = first[level]; k < first[level + 1]; k++) {
            const i = order[k];
            const x = 10 + x0[i] * width;
            const size = (x1[i] - x0[i]) * width;
            const id = layout.function[i];
            const match = matches && matches.has(id);
            c.globalAlpha = flags[i] & FLAGS.ancestor ? 0.55 : matches && !match ? 0.32 : 1;
            c.fillStyle = this.color(i);
            this.box(c, x, y, size);
            if (match) {
                c.fillStyle = palette.match;
                c.fillRect(x, y + ROW - 4, Math.max(1, size - 1), 3);
            } else if (id === hovered && i !== this.hovered && size > 3) {
                c.fillStyle = palette.text;
                c.fillRect(x, y + ROW - 2.5, size - 1, 1.5);
            }
            if (flags[i] & FLAGS.guessed && size > 8) this.hatch(c, x, y, size);
            if (size >= TEXT_WIDTH) {
                c.globalAlpha = flags[i] & FLAGS.ancestor ? 0.8 : matches && !match ? 0.6 : 1;
                const text = fitted(c, id, size - 10);
                if (text) {
                    c.fillStyle = palette['frame-text'];
                    c.fillText(text, x + 5, y + ROW / 2);
                }
            }
        }
    }

    /** Mark a box that was found by guess: a dotted line at its top edge. */
    hatch(c, x, y, size) {
        c.fillStyle = palette.muted;
        for (let at = 2; at < size - 3; at += 5) c.fillRect(x + at, y + 1, 2, 1);
    }

    outline(c, box, color, width) {
        const { x0, x1, depth } = this.layout;
        const base = box < 0;
        if (base && !this.before) return;
        const x = base ? 10 : 10 + x0[box] * this.width;
        const size = base ? this.width : (x1[box] - x0[box]) * this.width;
        c.strokeStyle = color;
        c.lineWidth = width;
        c.beginPath();
        c.roundRect(
            x + width / 2 - 0.5,
            this.top(base ? -1 : depth[box]) + width / 2 - 0.5,
            Math.max(2, size - width),
            ROW - width,
            2,
        );
        c.stroke();
    }

    kind(box) {
        return kindOf(this.layout.function[box]);
    }
}

/** Say what is selected or pointed at: in the line at the bottom, which screen readers announce. */
export function announce(...parts) {
    $('frame').replaceChildren(...parts);
}
