/** @file Callers and callees of one function. */
import { functionOf } from './client.js';
import { h, hint } from './dom.js';
import { Flame } from './flame.js';
import { actInFlame, flameOptions } from './flame_view.js';
import { amount, amountOf, changeText, samplesText, shown } from './text.js';

export class SandwichView {
    constructor(app, stage, tools) {
        this.app = app;
        const part = (up, label) => {
            const flame = new Flame({
                ...flameOptions(
                    app,
                    () => flame,
                    (box) => this.choose(flame, box),
                ),
                up,
                base: null,
                label,
                select: (box) => {
                    this.current = flame;
                    flameOptions(app, () => flame).select(box);
                },
            });
            flame.element.classList.add('part');
            return flame;
        };
        this.callers = part(
            true,
            'Callers, growing upwards: arrow keys move, Enter shows the callers and callees of a frame',
        );
        this.callees = part(
            false,
            'Callees, growing downwards: arrow keys move, Enter shows the callers and callees of a frame',
        );
        this.current = this.callees;
        /** The function that is shown; -1 if there is none. */
        this.shownFunction = -1;
        this.middle = h('div', { class: 'middle' });
        this.stage = stage;
        this.tools = tools;
        this.element = h(
            'div',
            { class: 'sandwich' },
            h('div', {}, this.callers.element),
            this.middle,
            h('div', {}, this.callees.element),
        );
        this.note = h('span', { class: 'grow note' }, 'Callers above, callees below. ', hint('Click a frame to go there.'));
        tools.replaceChildren(this.note);
    }

    async refresh() {
        const { app } = this;
        const found = await app.findFunction({ side: app.pane });
        if (!found || this.closed) return;
        const { id } = found;
        this.shownFunction = id;
        if (id < 0) {
            this.stage.replaceChildren(
                h(
                    'div',
                    { class: 'empty-note' },
                    h('p', {}, 'No function has samples of its own in the selection.'),
                    h('p', {}, 'Select a frame or a row in another view and press ', h('kbd', {}, 'c'), '.'),
                ),
            );
            return;
        }
        const width = Math.max(400, Math.round((this.stage.clientWidth - 20) * (devicePixelRatio || 1)));
        const answer = await app.ask('sandwich', {
            function: id,
            width,
            sort: app.state.order,
            scale: app.state.scale,
        });
        if (!answer || this.closed) return;
        if (this.element.parentNode !== this.stage) this.stage.replaceChildren(this.element);
        answer.callers.inverted = true;
        this.callers.show(answer.callers);
        this.callees.show(answer.callees);
        const [side] = app.totals.sides;
        const { total, total1, self, count } = answer;
        const { factor } = answer.callees;
        const figures = app.isDifference
            ? [
                  `${amount(total, app.unit)} → ${amount(total1, app.unit)}`,
                  `${changeText(total, total1 * factor)}${factor === 1 ? '' : ' (normalized)'}`,
              ]
            : [
                  `total ${amountOf(total, side.weight, app.unit)}`,
                  `self ${amountOf(self, side.weight, app.unit)}`,
                  samplesText(count),
              ];
        this.middle.replaceChildren(
            ...(found.reason ? [h('span', {}, found.reason)] : []),
            h('b', {}, shown(functionOf(id).name)),
            h('span', {}, figures.join(' · ')),
        );
    }

    choose(flame, box) {
        if (box >= 0) this.app.change({ function: flame.layout.function[box] });
    }

    get function() {
        const { layout, selected } = this.current;
        return layout && selected >= 0 ? layout.function[selected] : this.shownFunction;
    }

    act(action) {
        const { activeElement } = document;
        if (activeElement === this.callers.element) this.current = this.callers;
        if (activeElement === this.callees.element) this.current = this.callees;
        return (
            this.current.layout && actInFlame(this.app, this.current, action, (box) => this.choose(this.current, box))
        );
    }

    redraw() {
        this.callers.draw();
        this.callees.draw();
    }

    focus() {
        this.current.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
        this.callers.close();
        this.callees.close();
    }
}
