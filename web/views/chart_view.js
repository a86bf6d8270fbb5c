/** @file Flame chart: the stacks of one thread in order of time. */
import { openMenu, showCard } from './card.js';
import { functionOf } from './client.js';
import { h, hint, sized } from './dom.js';
import { announce, FLAGS, Flame } from './flame.js';
import { actInFlame, flameOptions, selectedFunction } from './flame_view.js';
import { amount, moment, named, shown } from './text.js';
import { paintAxis } from './top.js';

export class ChartView {
    constructor(app, stage, tools) {
        this.app = app;
        const zoom = (box) => this.zoom(box);
        this.flame = new Flame({
            ...flameOptions(app, () => this.flame, zoom),
            base: null,
            label: 'Flame chart: arrow keys move, Enter zooms into the time of a frame',
            select: (box) =>
                box >= 0 &&
                announce(
                    h('b', {}, this.card(box).title),
                    ` · ${this.card(box)
                        .rows.map((r) => r.join(' '))
                        .join(' · ')}`,
                ),
            hover: (box, x, y) => showCard(box >= 0 ? this.card(box) : null, x, y),
            menu: (box, x, y) =>
                openMenu(app, this.flame.layout.function[box], x, y, [['Enter', 'Zoom', () => this.zoom(box)]]),
        });
        this.flame.element.classList.add('part');
        this.axis = h('canvas', { 'aria-hidden': 'true' });
        this.element = h('div', { class: 'chart' }, this.axis, h('div', {}, this.flame.element));
        this.threads = h('select', {
            'aria-label': 'Thread',
            onchange: () => app.change({ thread: Number(this.threads.value), span: null }),
        });
        this.note = h('span', { class: 'grow note' });
        this.whole = h('button', { type: 'button', onclick: () => app.change({ span: null }) }, 'Whole range');
        tools.replaceChildren(h('label', {}, 'Thread ', this.threads), this.note, this.whole);
        stage.replaceChildren(this.element);
        this.flame.element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        this.fillThreads();
    }

    fillThreads() {
        const { threads, processes } = this.app.info;
        this.threads.replaceChildren(
            ...threads.map((thread, i) => {
                const process = processes[thread.process];
                return h(
                    'option',
                    { value: String(i) },
                    named(thread),
                    process.name === thread.name ? '' : ` of ${named(process)}`,
                );
            }),
        );
    }

    /** The thread that is shown: the chosen one, or the one with the most weight of those that are selected. */
    async thread() {
        const { state, info } = this.app;
        if (state.thread >= 0 && state.thread < info.threads.length) return state.thread;
        const parts = await this.app.ask('parts', {}, 'chart');
        if (!parts) return -1;
        const { threads, processes } = state;
        const isSelected = (t) =>
            threads.length + processes.length === 0 ||
            threads.includes(t) ||
            processes.includes(info.threads[t].process);
        let best = -1;
        for (const t of info.threads.keys())
            if (isSelected(t) && (best < 0 || parts.threads[t] > parts.threads[best])) best = t;
        return best;
    }

    async refresh() {
        const { app } = this;
        const thread = await this.thread();
        if (thread < 0 || this.closed) return;
        this.threads.value = String(thread);
        const [from, to] = app.state.span || app.state.time || [undefined, undefined];
        const layout = await app.ask('chart', {
            thread,
            columns: Math.max(400, Math.round(this.flame.width * (devicePixelRatio || 1))),
            from,
            to,
        });
        if (!layout || this.closed) return;
        layout.zoom = -1;
        layout.sum = 1;
        this.flame.show(layout);
        this.whole.hidden = !app.state.span;
        const length = (layout.to - layout.from) * app.units;
        const at = (time) => moment(time * app.units, length / 1000);
        const range = `${at(layout.from)} to ${at(layout.to)} (${amount(length, 'ns')})`;
        this.note.replaceChildren(`${range}. `, hint('Click, Enter or Ctrl and the wheel zoom.'));
        this.redraw();
    }

    card(box) {
        const { layout } = this.flame;
        const { app } = this;
        const f = functionOf(layout.function[box]);
        const length = (layout.end[box] - layout.start[box]) * app.units;
        return {
            title: shown(f.name),
            where: [f.file && `${shown(f.file)}:${f.line}`, shown(f.binary)].filter(Boolean).join(' — '),
            note: layout.flags[box] & FLAGS.waiting ? 'waiting' : '',
            rows: [
                ['from', moment(layout.start[box] * app.units, length / 100)],
                ['length', amount(length, 'ns')],
                ['weight', amount(layout.weight[box], app.unit)],
            ],
        };
    }

    /** Show the time of a box only, with a margin. */
    zoom(box) {
        const { layout } = this.flame;
        if (box < 0) return;
        const margin = (layout.end[box] - layout.start[box]) * 0.05;
        this.show(layout.start[box] - margin, layout.end[box] + margin);
    }

    show(from, to) {
        const [first, last] = this.app.span;
        const a = Math.max(first, Math.floor(from));
        const b = Math.min(last + 1, Math.ceil(to));
        if (b > a) this.app.change({ span: a <= first && b >= last ? null : [a, b] }, true);
    }

    wheel(event) {
        const { layout } = this.flame;
        if (!layout || (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY))) return;
        event.preventDefault();
        const length = layout.to - layout.from;
        const bounds = this.flame.element.getBoundingClientRect();
        const at = Math.max(0, Math.min(1, (event.clientX - bounds.left - 10) / this.flame.width));
        const factor = event.ctrlKey ? Math.exp(event.deltaY * 0.004) : 1;
        const shift = event.ctrlKey ? 0 : (event.deltaX / this.flame.width) * length;
        const from = layout.from + length * at * (1 - factor) + shift;
        this.show(from, from + Math.max(4, length * factor));
    }

    get function() {
        return selectedFunction(this.flame);
    }

    act(action) {
        return actInFlame(this.app, this.flame, action, (box) => this.zoom(box));
    }

    redraw() {
        const { layout } = this.flame;
        this.flame.paint();
        if (!layout) return;
        const width = this.element.clientWidth;
        const c = sized(this.axis, width, 18);
        c.font = `11px ${getComputedStyle(document.body).fontFamily}`;
        c.textBaseline = 'middle';
        paintAxis(c, 10, this.flame.width, 0, layout.from, layout.to - layout.from);
    }

    focus() {
        this.flame.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
        this.flame.close();
    }
}
