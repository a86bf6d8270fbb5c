/** @file Self and total of one function by source line, with the text of the lines if the page has it. */
import { functionOf } from './client.js';
import { palette } from './colors.js';
import { h } from './dom.js';
import { amount, escaped, shareOf, shown } from './text.js';

export class SourceView {
    constructor(app, stage, tools) {
        this.app = app;
        this.body = h('tbody', {});
        this.element = h(
            'div',
            { class: 'source', tabindex: '0', 'aria-label': 'Source lines' },
            h('table', {}, this.body),
        );
        this.note = h('span', { class: 'grow note' });
        this.stage = stage;
        tools.replaceChildren(this.note);
    }

    async refresh() {
        const { app } = this;
        const id = app.state.function;
        if (id < 0) return this.empty('No function is chosen yet.');
        await app.learnFunction(id);
        const answer = await app.ask('lines', { function: id });
        if (!answer || this.closed) return;
        const f = functionOf(id);
        this.note.replaceChildren(
            h('b', {}, shown(f.name)),
            f.file ? ` — ${shown(f.file)}:${f.line}` : '',
            f.binary ? ` — ${shown(f.binary)}` : '',
        );
        if (!answer.line.length) return this.empty('This function has no samples in the selection.');
        this.fill(answer);
        this.stage.replaceChildren(this.element);
    }

    empty(text) {
        this.stage.replaceChildren(
            h(
                'div',
                { class: 'empty-note' },
                h('p', {}, text),
                h('p', {}, 'Select a frame or a row in another view and press ', h('kbd', {}, 's'), '.'),
            ),
        );
    }

    /** One row for each line. Lines whose text the page does not have are shown by number. */
    fill(answer) {
        const { app } = this;
        const sum = app.totals.sides[0].weight;
        const most = Math.max(...answer.self, 1e-9);
        const rows = [];
        for (let i = 0; i < answer.line.length; i++) {
            const heat = Math.sqrt(answer.self[i] / most);
            const text = answer.text ? answer.text[i] : '';
            rows.push(
                h(
                    'tr',
                    { class: heat > 0.3 ? 'hot' : '' },
                    h(
                        'td',
                        {
                            class: 'number',
                            style:
                                heat > 0
                                    ? { 'box-shadow': `inset 4px 0 ${palette.heat[8 + Math.round(55 * heat)]}` }
                                    : {},
                        },
                        answer.self[i] > 0 ? amount(answer.self[i], app.unit) : '',
                    ),
                    h('td', { class: 'number' }, answer.self[i] > 0 ? shareOf(answer.self[i], sum) : ''),
                    h('td', { class: 'number' }, amount(answer.total[i], app.unit)),
                    h('td', { class: 'line' }, answer.line[i] ? String(answer.line[i]) : 'unknown line'),
                    h('td', {}, escaped(text || '')),
                ),
            );
        }
        this.body.replaceChildren(
            h(
                'tr',
                {},
                ...['self', 'share', 'total', 'line', ''].map((title) => h('td', { class: 'number muted' }, title)),
            ),
            ...rows,
        );
    }

    get function() {
        return this.app.state.function;
    }

    act(action) {
        const steps = { down: 54, up: -54 };
        if (!steps[action]) return false;
        this.element.scrollTop += steps[action];
        return true;
    }

    redraw() {}

    focus() {
        this.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
    }
}
