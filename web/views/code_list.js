/** @file Instructions of a function with their weights, jumps and source lines. */
import { functionOf } from './client.js';
import { h } from './dom.js';
import { drawJumps, drawPassing, placeJumps } from './jumps.js';
import { heatClass, meter, wideRow } from './line_list.js';
import { amount, amountOf, counted, escaped, shareOf, shown } from './text.js';

const CODE_COLUMNS = 5;

export class CodeList {
    /** `choose(row)` is called when an instruction is clicked. */
    constructor(app, choose) {
        this.app = app;
        this.choose = choose;
        this.body = h('tbody', {});
        this.element = h(
            'div',
            { class: 'pane code', tabindex: '0', 'aria-label': 'Instructions: arrow keys move' },
            h(
                'table',
                {},
                h(
                    'thead',
                    {},
                    h(
                        'tr',
                        {},
                        h('th', { class: 'number' }, 'self'),
                        h('th', { class: 'number' }, 'address'),
                        h('th', {}),
                        h('th', {}, 'instruction'),
                        h('th', { class: 'number' }, 'line'),
                    ),
                ),
                this.body,
            ),
        );
    }

    /** Show the answer to `instructions`. `whole`: weight of which shares are. */
    show(answer, whole) {
        this.answer = answer;
        this.whole = whole;
        this.jumps = placeJumps(answer.jump);
        this.largest = Math.max(...answer.self);
        this.rows = answer.text.map((_, i) => this.row(i));
        const shownRows = this.rows.flatMap((row, i) => [...this.before(i), row]);
        const left = answer.length - answer.gap.reduce((sum, n) => sum + n, 0) - answer.text.length;
        this.body.replaceChildren(
            ...(answer.note ? [wideRow(CODE_COLUMNS, 'why', escaped(answer.note))] : []),
            ...shownRows,
            ...this.gap(answer.text.length, left),
        );
    }

    /** A row before row `i` that is no instruction. */
    between(i, kind, text) {
        return h(
            'tr',
            { class: kind },
            h('td', { colspan: '2' }),
            h('td', { class: 'jumps' }, drawPassing(this.jumps, i)),
            h('td', { colspan: '2' }, text),
        );
    }

    /** The row that stands for `n` instructions before row `i`, if there are any. */
    gap(i, n) {
        const what = n === 1 ? 'instruction' : 'instructions';
        return n > 0 ? [this.between(i, 'gap', `⋯ ${counted(n)} ${what} without samples`)] : [];
    }

    /** What precedes row `i`: instructions that are left out, and the function that was inlined here. */
    before(i) {
        const { answer } = this;
        const here = answer.function[i];
        const own = answer.codes.find(({ code }) => code === answer.code).function;
        const above = i > 0 ? answer.function[i - 1] : own;
        const name = shown(functionOf(here).name);
        const heading = here === own ? name : `${name}, inlined`;
        return [
            ...this.gap(i, answer.gap[i]),
            ...(here === above ? [] : [this.between(i, 'inlined', heading)]),
        ];
    }

    /** Scroll to the hottest instruction of the function itself, or of all if no lines are known. */
    scrollToHeat() {
        const { self, own_line: own } = this.answer;
        const isOwn = own.some(Boolean) ? (i) => own[i] > 0 : () => true;
        const hottest = self.reduce((most, weight, i) => (isOwn(i) && (most < 0 || weight > self[most]) ? i : most), -1);
        this.rows[hottest]?.scrollIntoView({ block: 'center' });
    }

    row(i) {
        const { answer } = this;
        const heat = answer.self[i] / this.largest;
        return h(
            'tr',
            { class: heatClass(heat), onclick: () => this.choose(i) },
            meter(heat, answer.self[i] ? shareOf(answer.self[i], this.whole) : '', this.title(i)),
            h('td', { class: 'number address' }, answer.address[i]),
            h('td', { class: 'jumps' }, drawJumps(this.jumps, i, -1)),
            h('td', { class: 'text' }, escaped(answer.text[i])),
            this.lineCell(i),
        );
    }

    title(i) {
        const { answer, app } = this;
        return answer.self[i] ? `${amount(answer.self[i], app.unit)}, ${counted(answer.count[i])} samples` : null;
    }

    /** The source line of a row, if it is another one than that of the row before. The path is in the title. */
    lineCell(i) {
        const { line, file, files } = this.answer;
        const isKnown = line[i] && !(i > 0 && line[i] === line[i - 1] && file[i] === file[i - 1]);
        if (!isKnown) return h('td', { class: 'line' });
        const path = shown(files[file[i]]);
        return h('td', { class: 'line', title: `${path}:${line[i]}` }, `${path.split('/').pop()}:${line[i]}`);
    }

    /** Mark the rows that belong to a line of the function itself. Row `at` is the one that was chosen, or -1. */
    mark(path, line, at) {
        const { answer } = this;
        const isMarked = (i) => line && answer.own_line[i] === line && answer.files[answer.own_file[i]] === path;
        let hottest = at;
        this.rows.forEach((row, i) => {
            row.classList.toggle('marked', isMarked(i));
            row.classList.toggle('chosen', i === at);
            if (at < 0 && isMarked(i) && (hottest < 0 || answer.self[i] > answer.self[hottest])) hottest = i;
            if (this.jumps.lanes) row.cells[2].replaceChildren(drawJumps(this.jumps, i, at));
        });
        this.rows[hottest]?.scrollIntoView({ block: 'nearest' });
    }

    /** What the line at the bottom says of row `at`. */
    describe(at) {
        const { answer, app } = this;
        return [
            h('b', {}, answer.address[at]),
            ` · self ${amountOf(answer.self[at], this.whole, app.unit)} · `,
            shown(answer.text[at].replace(/ +/g, ' ')),
        ];
    }
}
