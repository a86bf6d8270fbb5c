/** @file Flame graph, icicle and inverted graph of the selection. */
import { announceBox, cardOf, openMenu, showCard } from './card.js';
import { functionOf } from './client.js';
import { fillSwitch, h, hint } from './dom.js';
import { Flame } from './flame.js';
import { VIEWS } from './state.js';
import { shown } from './text.js';

/** Return the functions from the first level to a box. */
export function pathTo(layout, box) {
    const path = [];
    for (let i = box; i >= 0; i = layout.parent[i]) path.unshift(layout.function[i]);
    return path;
}

/** Return the options that all flame graphs share; `zoom(box)` is the view's own. */
export function flameOptions(app, flame, zoom) {
    return {
        select: (box) => announceBox(app, flame().layout, box),
        hover: (box, x, y) => showCard(box >= 0 ? cardOf(app, flame().layout, box) : null, x, y),
        menu: (box, x, y) => openMenu(app, flame().layout.function[box], x, y, [['Enter', 'Zoom', () => zoom(box)]]),
        matches: () => app.matches,
        sum: () => flame().layout.sum,
        zoom,
    };
}

/** The function of the selected box; -1 if there is none. */
export function selectedFunction({ layout, selected }) {
    return layout && selected >= 0 ? layout.function[selected] : -1;
}

/** Do what a key asks for in a flame graph. Return whether there was anything to do. */
export function actInFlame(app, flame, action, zoom) {
    const up = flame.options.up;
    const moves = { left: 'left', right: 'right', up: up ? 'callee' : 'caller', down: up ? 'caller' : 'callee' };
    if (moves[action]) flame.move(moves[action]);
    else if (action === 'enter' && flame.selected >= -1) zoom(flame.selected);
    else if (action === 'menu' && flame.selected >= 0)
        openMenu(app, flame.layout.function[flame.selected], ...flame.pointOf(flame.selected), [
            ['Enter', 'Zoom', () => zoom(flame.selected)],
        ]);
    else return false;
    return true;
}

export class FlameView {
    constructor(app, stage, tools, kind) {
        this.app = app;
        this.kind = kind;
        this.inverted = kind === 'inverted';
        this.tools = tools;
        const zoom = (box) => this.zoom(box);
        this.flame = new Flame({
            ...flameOptions(app, () => this.flame, zoom),
            up: kind === 'flame',
            base: () => `all · ${app.totalsText}`,
            label: `${VIEWS.find(([name]) => name === kind)[1]}: arrow keys move, Enter zooms, m opens a menu`,
        });
        this.crumbs = h('div', { class: 'crumbs' });
        this.order = h('span', { class: 'switch', role: 'group', 'aria-label': 'Order of callees' });
        this.once = h('span', { class: 'switch', role: 'group', 'aria-label': 'Recursion' });
        tools.replaceChildren(this.crumbs, this.once, this.order);
        stage.replaceChildren(this.flame.element);
    }

    async refresh() {
        const { app } = this;
        const { state } = app;
        const width = Math.max(400, Math.round(this.flame.width * (devicePixelRatio || 1)));
        fillSwitch(
            this.order,
            [
                ['weight', 'Heaviest first', 'Order callees by weight'],
                ['name', 'By name', 'Order callees by name, as flame graphs do'],
            ],
            state.order,
            (order) => app.change({ order }),
        );
        fillSwitch(
            this.once,
            [
                ['0', 'As called'],
                ['1', 'Recursion once', 'Show a recursive function once in each stack'],
            ],
            state.recursion ? '1' : '0',
            (value) => app.change({ recursion: value === '1', zoom: [] }),
        );
        const layout = await app.ask('flame', {
            inverted: this.inverted,
            root: state.zoom,
            width,
            sort: state.order,
            scale: state.scale,
        });
        if (!layout || this.closed) return;
        layout.inverted = this.inverted;
        this.flame.show(layout);
        this.fillCrumbs(layout.zoomed);
    }

    fillCrumbs(path) {
        const { app } = this;
        const crumb = (text, zoom) =>
            h('button', { type: 'button', class: 'crumb', title: text, onclick: () => app.change({ zoom }) }, text);
        const shownPath = path.length > 5 ? path.slice(-4) : path;
        const skipped = path.length - shownPath.length;
        const parts = path.length
            ? [
                  crumb('all', []),
                  skipped ? ' › …' : '',
                  ...shownPath.flatMap((id, i) => [
                      ' › ',
                      crumb(shown(functionOf(id).name), path.slice(0, skipped + i + 1)),
                  ]),
              ]
            : [h('span', { class: 'cut' }, ...this.explanation())];
        this.crumbs.replaceChildren(...parts);
    }

    /** What is shown, if it is not zoomed. */
    explanation() {
        if (!this.flame.layout.n) return ['The selection has no stacks.'];
        const [, , what] = VIEWS.find(([name]) => name === this.kind);
        return [`${what[0].toUpperCase()}${what.slice(1)}. `, hint('Click or press Enter to zoom.')];
    }

    zoom(box) {
        const { layout } = this.flame;
        const path = box < 0 ? [] : pathTo(layout, box);
        const same = path.length === layout.zoomed.length && path.every((id, i) => id === layout.zoomed[i]);
        this.app.change({ zoom: same && path.length ? path.slice(0, -1) : path });
    }

    /** The selected function, for keys; -1 if there is none. */
    get function() {
        return selectedFunction(this.flame);
    }

    act(action) {
        return actInFlame(this.app, this.flame, action, (box) => this.zoom(box));
    }

    redraw() {
        this.flame.draw();
    }

    focus() {
        this.flame.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
        this.flame.close();
    }
}
