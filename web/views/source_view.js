/** @file Source lines and instructions of one function, with what the selection weighs in each. */
import { functionOf } from './client.js';
import { CodeList } from './code_list.js';
import { fillSwitch, h } from './dom.js';
import { announce } from './flame.js';
import { LineList } from './line_list.js';
import { counted, shareOf, shown } from './text.js';

const NOT_EMBEDDED =
    'The page was made without source text and instructions. pdconv view --embed-source puts those of hot functions into it.';

export class SourceView {
    constructor(app, stage, tools) {
        this.app = app;
        this.stage = stage;
        this.lines = new LineList(app, (row) => this.chooseLine(row));
        this.code = new CodeList(app, (row) => this.chooseInstruction(row));
        this.why = h('div', { class: 'pane empty-note' });
        this.lack = h('p', { class: 'lack' });
        this.element = h('div', { class: 'source' });
        this.note = h('span', { class: 'grow note' });
        /** Which function's code is shown, if the function is part of several. */
        this.codes = h('select', { 'aria-label': 'Code that contains the function', hidden: true });
        this.codes.addEventListener('change', () => this.refresh(Number(this.codes.value)));
        this.sides = h('span', { class: 'switch', role: 'group', 'aria-label': 'Recording', hidden: !app.isDifference });
        tools.replaceChildren(this.note, this.codes, this.sides);
        this.current = this.lines;
        this.at = -1;
        /** The function that is shown, for keys; -1 if there is none. */
        this.function = -1;
    }

    /** Show the function of the state, or the hottest one if there is none; `code`: in the code of which function. */
    async refresh(code = this.shownCode) {
        const { app } = this;
        const side = app.pane;
        const found = await app.findFunction({ side, with_code: true });
        if (!found || this.closed) return;
        const { id } = found;
        this.function = id;
        if (id < 0) {
            this.note.textContent = '';
            this.codes.hidden = true;
            return this.empty('No function has samples of its own in the selection.');
        }
        const [lines, instructions] = await Promise.all([
            app.ask('lines', { function: id, side }),
            app.ask('instructions', { function: id, side, code }),
        ]);
        if (!lines || !instructions || this.closed) return;
        this.shownCode = instructions.code;
        this.fillTools(found, instructions);
        if (!lines.line.length) return this.empty('This function has no samples in the selection.');
        this.at = -1;
        this.lines.show(lines, (file) => this.lacking(lines, instructions, file));
        this.element.classList.toggle('textless', lines.text.every((text) => text === null));
        this.showCode(instructions, app.totals.sides[side].weight);
        this.showLack(lines, instructions);
        this.stage.replaceChildren(this.element);
        this.scrollToHeat(JSON.stringify([id, side, instructions.code]));
    }

    /** Show what is hottest, unless the same code was shown before for another selection. */
    scrollToHeat(key) {
        if (key === this.scrolled) return;
        this.scrolled = key;
        this.lines.scrollToHeat();
        if (this.hasCode) this.code.scrollToHeat();
    }

    fillTools({ id, reason }, { codes, code }) {
        const { app } = this;
        const f = functionOf(id);
        this.note.replaceChildren(
            reason,
            h('b', {}, shown(f.name)),
            f.file ? ` — ${shown(f.file)}:${f.line}` : '',
            f.binary ? ` — ${shown(f.binary)}` : '',
        );
        this.codes.hidden = codes.length < 2;
        const sum = codes.reduce((total, each) => total + each.weight, 0);
        this.codes.replaceChildren(
            ...codes.map((each) =>
                h(
                    'option',
                    { value: String(each.code), selected: each.code === code },
                    `in ${shown(functionOf(each.function).name)} (${shareOf(each.weight, sum)})`,
                ),
            ),
        );
        const sides = [
            [0, 'Before', 'Source and instructions of the first recording'],
            [1, 'After', 'Source and instructions of the second recording'],
        ];
        fillSwitch(this.sides, sides, app.pane, (pane) => app.change({ pane }));
    }

    showCode(answer, whole) {
        const { embedded, codes } = answer;
        if (codes.length) {
            this.code.show(answer, whole);
            this.element.replaceChildren(this.lines.element, this.code.element);
        } else if (embedded) {
            this.why.replaceChildren(h('p', {}, 'No instructions of this function are in the page.'), this.missing(embedded));
            this.element.replaceChildren(this.lines.element, this.why);
        } else {
            this.element.replaceChildren(this.lines.element);
        }
    }

    /** Say so if the page has only weights of the function. */
    showLack({ text: lines }, { embedded, text: instructions = [] }) {
        const { app } = this;
        if (!embedded || lines.some((text) => text !== null) || instructions.some(Boolean)) return;
        const showOther = () => app.change({ function: -1 });
        this.lack.replaceChildren(
            'The page has neither source text nor instructions of ',
            h('b', {}, shown(functionOf(this.function).name)),
            '. ',
            ...(app.state.function >= 0
                ? [h('button', { type: 'button', onclick: showOther }, 'Show the hottest function with code')]
                : []),
        );
        this.element.prepend(this.lack);
    }

    /** Say which functions have instructions in the page. */
    missing({ percent, left_out: n }) {
        const others = n ? ` ${counted(n)} of them are left out because the page would become too large.` : '';
        return h('p', {}, `It has those of functions whose code has ${percent} % of an event or more.${others}`);
    }

    /** Why the lines of a file have no text; "" if they have. */
    lacking({ files, file, text, line }, { embedded }, number) {
        if (!embedded) return number === file[0] ? NOT_EMBEDDED : '';
        const { path, note } = files[number];
        if (!path) return 'The debug information does not say which source lines these are, or there is none.';
        if (note) return `No text of ${shown(path)}: ${shown(note)}.`;
        const isMissing = text.some((each, i) => each === null && file[i] === number && line[i]);
        return isMissing ? `The page has lines near code with ${embedded.percent} % of an event or more only.` : '';
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

    /** Mark a source line and its instructions. */
    chooseLine(row) {
        const { answer } = this.lines;
        this.current = this.lines;
        this.at = row;
        this.lines.mark(row);
        if (this.hasCode) this.code.mark(answer.files[answer.file[row]].path, answer.line[row], -1);
        announce(...this.lines.describe(row));
    }

    /** Mark an instruction, its source line, and the other instructions of the line. */
    chooseInstruction(row) {
        const { answer } = this.code;
        const path = answer.files[answer.own_file[row]];
        const line = answer.own_line[row];
        this.current = this.code;
        this.at = row;
        this.code.mark(path, line, row);
        this.lines.mark(line ? this.lines.find(path, line) : -1);
        announce(...this.code.describe(row));
    }

    get hasCode() {
        return this.code.element.isConnected;
    }

    act(action) {
        const step = { down: 1, up: -1 }[action];
        if (!step || !this.element.isConnected) return false;
        const focused = [this.lines, this.code].find((list) => list.element === document.activeElement) ?? this.current;
        const at = focused === this.current ? this.at + step : 0;
        const row = Math.max(0, Math.min(focused.rows.length - 1, at));
        if (focused === this.lines) this.chooseLine(row);
        else this.chooseInstruction(row);
        return true;
    }

    redraw() {}

    focus() {
        this.current.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
    }
}
