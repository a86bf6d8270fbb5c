/** @file Table of functions: self and total, or what changed. */
import { announceBox, openMenu } from './card.js';
import { functionOf } from './client.js';
import { kindClass } from './colors.js';
import { h } from './dom.js';
import { announce } from './flame.js';
import { amount, shortPath, changeText, counted, shareOf, shown } from './text.js';

/** Rows that are asked for at once. */
const PAGE = 200;

/** Columns: [sort key, title, class]. */
const TABLE_COLUMNS = [
    ['self', 'Self', 'number meter'],
    ['total', 'Total', 'number meter'],
    ['name', 'Function', ''],
    ['binary', 'Binary', ''],
];
const CHANGE_COLUMNS = [
    ['change', 'Change of self', 'number meter'],
    ['change_total', 'Change of total', 'number meter'],
    ['self', 'Self before', 'number'],
    ['total', 'Total before', 'number'],
    ['name', 'Function', ''],
    ['binary', 'Binary', ''],
];
const WIDTHS = { self: '172px', total: '172px', change: '190px', change_total: '190px', binary: '22%', name: 'auto' };

export class TableView {
    constructor(app, stage, tools) {
        this.app = app;
        this.columns = app.isDifference ? CHANGE_COLUMNS : TABLE_COLUMNS;
        this.rows = [];
        this.at = -1;
        this.note = h('span', { class: 'grow note' });
        this.head = h('tr', {});
        this.body = h('tbody', {});
        this.element = h(
            'div',
            {
                class: 'scroller',
                tabindex: '0',
                'aria-label': 'Functions: arrow keys move, Enter shows callers and callees, m opens a menu',
            },
            h(
                'table',
                {},
                h('colgroup', {}, ...this.columns.map(([key]) => h('col', { style: { width: WIDTHS[key] } }))),
                h('thead', {}, this.head),
                this.body,
            ),
        );
        this.element.addEventListener('scroll', () => this.more(), { passive: true });
        tools.replaceChildren(this.note);
        stage.replaceChildren(this.element);
    }

    get sort() {
        const { sort } = this.app.state;
        return this.columns.some(([key]) => key === sort) ? sort : this.columns[0][0];
    }

    async refresh() {
        this.fillHead();
        const answer = await this.ask(0);
        if (!answer || this.closed) return;
        this.rows = [];
        this.body.replaceChildren();
        this.element.scrollTop = 0;
        this.append(answer);
        this.n = answer.n;
        const { app } = this;
        const what = `${answer.n === 1 ? 'function' : 'functions'}${app.state.find ? ' that match the search' : ''}`;
        const whole = `${amount(app.totals.sides[0].weight, app.unit)}${app.isDifference ? ' before' : ''}`;
        this.note.textContent = `${counted(answer.n)} ${what}. Shares are of ${whole}.`;
    }

    ask(offset) {
        const { app } = this;
        const ascending = app.state.ascending !== ['name', 'binary'].includes(this.sort);
        return app.ask('table', {
            sort: this.sort,
            descending: !ascending,
            limit: PAGE,
            offset,
            search: app.searchPattern,
            scale: app.state.scale,
        });
    }

    fillHead() {
        const { state } = this.app;
        this.head.replaceChildren(
            ...this.columns.map(([key, title, kind]) => {
                const current = key === this.sort;
                const up = current && state.ascending !== ['name', 'binary'].includes(key);
                return h(
                    'th',
                    {
                        class: kind.includes('number') ? 'number' : '',
                        scope: 'col',
                        'aria-sort': current ? (up ? 'ascending' : 'descending') : 'none',
                    },
                    h(
                        'button',
                        {
                            type: 'button',
                            onclick: () =>
                                this.app.change({ sort: key, ascending: current ? !state.ascending : false }),
                        },
                        `${title}${current ? (up ? ' ↑' : ' ↓') : ''}`,
                    ),
                );
            }),
        );
    }

    async more() {
        const { element } = this;
        if (
            this.asking ||
            this.rows.length >= this.n ||
            element.scrollTop + element.clientHeight * 2 < element.scrollHeight
        )
            return;
        this.asking = true;
        const answer = await this.ask(this.rows.length);
        this.asking = false;
        if (answer && !this.closed) this.append(answer);
    }

    append(answer) {
        const fragment = document.createDocumentFragment();
        for (let i = 0; i < answer.function.length; i++) {
            const id = answer.function[i];
            const index = this.rows.length;
            const element = h(
                'tr',
                {
                    'aria-selected': 'false',
                    onclick: () => this.select(index),
                    ondblclick: () => this.open(index),
                    oncontextmenu: (event) => this.menu(event, index),
                },
                ...this.columns.map(([key, , kind]) =>
                    h('td', { class: kind, title: this.title(key, id) }, ...this.cell(key, id, answer, i)),
                ),
            );
            this.rows.push({ id, element });
            fragment.append(element);
        }
        this.body.append(fragment);
        this.asking = false;
    }

    title(key, id) {
        if (key === 'name') return shown(functionOf(id).name);
        return key === 'binary' ? shown(functionOf(id).binary) : null;
    }

    cell(key, id, answer, i) {
        const { app } = this;
        if (key === 'name') return [h('i', { class: `dot ${kindClass(id)}` }), shown(functionOf(id).name)];
        if (key === 'binary') return [functionOf(id).binary ? shortPath(functionOf(id).binary) : ''];
        const sum = app.totals.sides[0].weight;
        if (key.startsWith('change')) {
            const [before, after] =
                key === 'change' ? [answer.self[i], answer.self1[i]] : [answer.total[i], answer.total1[i]];
            return this.changeCell(before, after * answer.factor, sum);
        }
        const value = answer[key][i];
        const bar = app.isDifference
            ? null
            : h('i', { class: `fill ${key}`, style: { width: `calc((100% - 12px) * ${sum > 0 ? value / sum : 0})` } });
        return [bar, amount(value, app.unit), h('span', { class: 'part' }, shareOf(value, sum))];
    }

    changeCell(before, after, sum) {
        const delta = after - before;
        const part = sum > 0 ? Math.min(1, Math.abs(delta) / sum) : 0;
        const bar = h('i', {
            class: `fill ${delta > 0 ? 'grew' : 'shrank'}`,
            style: { width: `calc((100% - 12px) * ${part})` },
        });
        return [
            bar,
            `${delta > 0 ? '+' : delta < 0 ? '−' : ''}${amount(Math.abs(delta), this.app.unit)}`,
            h('span', { class: 'part' }, changeText(before, after)),
        ];
    }

    select(index) {
        if (this.rows[this.at]) this.rows[this.at].element.setAttribute('aria-selected', 'false');
        this.at = index;
        const row = this.rows[index];
        row.element.setAttribute('aria-selected', 'true');
        row.element.scrollIntoView({ block: 'nearest' });
        if (row.element.offsetTop - this.element.scrollTop < 40)
            this.element.scrollTop = Math.max(0, row.element.offsetTop - 40);
        const f = functionOf(row.id);
        const cells = [...row.element.children].slice(0, this.columns.length - 2).map(
            (cell, i) =>
                `${this.columns[i][1].toLowerCase()} ${[...cell.childNodes]
                    .map((node) => node.textContent)
                    .filter(Boolean)
                    .join(', ')}`,
        );
        announce(h('b', {}, shown(f.name)), ` · ${cells.join(' · ')} · ${shown(f.binary)}`);
    }

    open(index) {
        this.app.change({ view: 'sandwich', function: this.rows[index].id });
    }

    menu(event, index) {
        event.preventDefault();
        this.select(index);
        openMenu(this.app, this.rows[index].id, event.clientX, event.clientY);
    }

    get function() {
        return this.rows[this.at] ? this.rows[this.at].id : -1;
    }

    act(action) {
        const last = this.rows.length - 1;
        if (last < 0) return false;
        if (action === 'down') this.select(Math.min(last, this.at + 1));
        else if (action === 'up') this.select(Math.max(0, this.at - 1));
        else if (action === 'enter' && this.at >= 0) this.open(this.at);
        else if (action === 'menu' && this.at >= 0) {
            const { left, bottom } = this.rows[this.at].element.getBoundingClientRect();
            openMenu(this.app, this.rows[this.at].id, left + 280, bottom);
        } else return false;
        return true;
    }

    redraw() {}

    focus() {
        this.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
        announceBox(this.app, null, -2);
    }
}
