/** @file Self and total of one function by source line, with the text of the lines if the page has it. */
import { functionOf } from './client.js';
import { h } from './dom.js';
import { amount, changeText, escaped, shareOf, shown } from './text.js';

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

    /** Show one row for each line. Lines whose text the page does not have are shown by number. */
    fill(answer) {
        const { isDifference } = this.app;
        const titles = isDifference
            ? ['before', 'after', 'change', 'line', '']
            : ['self', 'share', 'total', 'line', ''];
        const largest = Math.max(...answer.self, ...(isDifference ? answer.self1 : []));
        const rows = Array.from(answer.line, (line, i) => {
            const heat = Math.max(answer.self[i], isDifference ? answer.self1[i] : 0) / largest;
            const bar = h('i', { class: 'fill', style: { width: `calc((100% - 12px) * ${heat || 0})` } });
            const [first, ...others] = isDifference ? this.changes(answer, i) : this.weights(answer, i);
            return h(
                'tr',
                { class: heat > 0.1 ? 'hot' : '' },
                h('td', { class: 'number meter' }, bar, first),
                ...others.map((text) => h('td', { class: 'number' }, text)),
                h('td', { class: 'line' }, line ? String(line) : 'unknown line'),
                h('td', {}, answer.text ? escaped(answer.text[i]) : ''),
            );
        });
        this.body.replaceChildren(
            h('tr', {}, ...titles.map((title) => h('td', { class: 'number muted' }, title))),
            ...rows,
        );
    }

    weights({ self, total }, i) {
        const { unit, totals } = this.app;
        const [{ weight }] = totals.sides;
        return [self[i] ? amount(self[i], unit) : '', self[i] ? shareOf(self[i], weight) : '', amount(total[i], unit)];
    }

    changes({ self, self1, factor = 1 }, i) {
        const { unit } = this.app;
        return [amount(self[i], unit), amount(self1[i], unit), changeText(self[i], self1[i] * factor)];
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
