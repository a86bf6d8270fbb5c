/** @file Source lines of a function with their weights. */
import { h } from './dom.js';
import { amount, amountOf, changeText, escaped, shareOf, shortPath, shown } from './text.js';

/** Share of the heaviest row from which on a row stands out. */
const HOT = 0.1;

/** Return a cell with a bar, whose length is `part` of the largest. */
export function meter(part, text, title) {
    const bar = h('i', { class: 'fill', style: { width: `calc((100% - 12px) * ${part || 0})` } });
    return h('td', { class: 'number meter', title }, bar, text);
}

export const heatClass = (part) => (part > HOT ? 'hot' : '');

/** A row over all columns. */
export const wideRow = (columns, kind, ...content) =>
    h('tr', { class: kind }, h('td', { colspan: String(columns) }, ...content));

export class LineList {
    /** `choose(row)` is called when a line is clicked. */
    constructor(app, choose) {
        this.app = app;
        this.choose = choose;
        this.body = h('tbody', {});
        this.head = h('tr', {});
        this.element = h(
            'div',
            { class: 'pane lines', tabindex: '0', 'aria-label': 'Source lines: arrow keys move' },
            h('table', {}, h('thead', {}, this.head), this.body),
        );
    }

    /** Show the answer to `lines`. `lacking(file)`: why a file has no text. */
    show(answer, lacking) {
        const { isDifference } = this.app;
        const titles = isDifference ? ['before', 'after', 'change', 'line'] : ['self', 'total', 'line'];
        this.answer = answer;
        this.largest = Math.max(...answer.self, ...(isDifference ? answer.self1 : []));
        this.columns = titles.length + 1;
        this.head.replaceChildren(...titles.map((title) => h('th', { class: 'number' }, title)), h('th', {}, this.heading()));
        this.rows = Array.from(answer.line, (_, i) => this.row(i));
        const rows = this.rows.flatMap((row, i) => [...this.before(i, lacking), row]);
        this.body.replaceChildren(...rows);
    }

    /** The name of the file, if there is one. */
    heading() {
        const { files } = this.answer;
        return files.length === 1 ? shortPath(files[0].path) : 'source';
    }

    /** Scroll to the hottest line. */
    scrollToHeat() {
        const { self, total } = this.answer;
        const hottest = total.reduce((most, weight, i) =>
            self[i] > self[most] || (self[i] === self[most] && weight > total[most]) ? i : most, 0);
        this.rows[hottest]?.scrollIntoView({ block: 'center' });
    }

    /** What precedes row `i`: the name of its file, why the file has no text, or a mark of lines that are left out. */
    before(i, lacking) {
        const { file, line, files, text } = this.answer;
        if (i > 0 && file[i] === file[i - 1]) {
            const isGap = line[i] > line[i - 1] + 1 && text[i] !== null && text[i - 1] !== null;
            return isGap ? [wideRow(this.columns, 'gap', '⋯')] : [];
        }
        const { path } = files[file[i]];
        const note = lacking(file[i]);
        return [
            ...(files.length > 1 && path ? [wideRow(this.columns, 'file', h('span', { title: shown(path) }, shortPath(path)))] : []),
            ...(note ? [wideRow(this.columns, 'why', note)] : []),
        ];
    }

    row(i) {
        const { answer, app } = this;
        const line = answer.line[i];
        const heat = Math.max(answer.self[i], app.isDifference ? answer.self1[i] : 0) / this.largest;
        const cells = app.isDifference ? this.changes(i, heat) : this.weights(i, heat);
        return h(
            'tr',
            { class: heatClass(heat), onclick: () => this.choose(i) },
            ...cells,
            h('td', { class: 'line' }, line ? String(line) : 'unknown'),
            h('td', { class: 'text' }, escaped(answer.text[i] ?? '')),
        );
    }

    weights(i, heat) {
        const { unit, totals } = this.app;
        const [{ weight }] = totals.sides;
        const [self, total] = [this.answer.self[i], this.answer.total[i]];
        const part = (value) => (value ? shareOf(value, weight) : '');
        const title = (value) => (value ? amount(value, unit) : null);
        return [
            meter(heat, part(self), title(self)),
            h('td', { class: 'number', title: title(total) }, part(total)),
        ];
    }

    changes(i, heat) {
        const { unit } = this.app;
        const { self, self1 } = this.answer;
        const cell = (text) => h('td', { class: 'number' }, text);
        const any = self[i] || self1[i];
        return [
            meter(heat, any ? amount(self[i], unit) : ''),
            cell(any ? amount(self1[i], unit) : ''),
            cell(any ? changeText(self[i], self1[i]) : ''),
        ];
    }

    /** The row of a line of the file with this path, or -1. */
    find(path, line) {
        const { answer } = this;
        return answer.line.findIndex((number, i) => number === line && answer.files[answer.file[i]].path === path);
    }

    /** Mark row `at`, or none if it is -1. */
    mark(at) {
        this.rows.forEach((row, i) => row.classList.toggle('marked', i === at));
        this.rows[at]?.scrollIntoView({ block: 'nearest' });
    }

    /** What the line at the bottom says of row `at`. */
    describe(at) {
        const { answer, app } = this;
        const { path } = answer.files[answer.file[at]];
        const [{ weight }] = app.totals.sides;
        const figures = app.isDifference
            ? [`before ${amount(answer.self[at], app.unit)}`, `after ${amount(answer.self1[at], app.unit)}`]
            : [
                  `self ${amountOf(answer.self[at], weight, app.unit)}`,
                  `total ${amountOf(answer.total[at], weight, app.unit)}`,
              ];
        return [h('b', {}, `${shortPath(path) || 'unknown'}:${answer.line[at]}`), ` · ${figures.join(' · ')} · `,
            shown((answer.text[at] ?? '').trim())];
    }
}
