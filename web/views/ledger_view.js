/** @file Where the time of threads and CPUs went: what the report shows with --ledger. */
import { longestRow, readIntervals, readLedger } from '../model/ledger.js';
import { h } from './dom.js';
import { ScrolledView } from './scrolled_view.js';
import { amount, amountOf, counted, named, shareOf, shown } from './text.js';

/** Classes of the states of threads and the uses of CPUs, by name. */
const STATE_CLASSES = {
    running: 'c-running',
    runnable: 'c-bad',
    blocked: 'c-waiting',
    busy: 'c-running',
    idle: 'c-waiting',
    unknown: 'c-unknown',
};
const MEANINGS = {
    running: 'had a CPU',
    runnable: 'could have run, but others had the CPUs',
    blocked: 'waited for something, or slept',
    busy: 'a thread ran',
    idle: 'nothing ran',
    unknown: 'not recorded',
};

/** Print a time without rounding, and its share of `whole`. */
const exactly = (ns, whole) => `${counted(ns)} ns${whole > 0 ? ` (${shareOf(ns, whole)})` : ''}`;

/** Return a bar whose parts are the times of a row. The row with `longest` ns is as wide as the column. */
function barOf({ ns, whole }, names, longest) {
    const parts = ns.map((value, i) => [names[i], value]).filter(([, value]) => value > 0);
    const texts = parts.map(([name, value]) => `${name} ${amountOf(value, whole, 'ns')}`);
    return h(
        'div',
        {
            class: 'bar',
            role: 'img',
            'aria-label': texts.join(', ') || 'no time',
            style: { width: `${longest > 0 ? (whole / longest) * 100 : 0}%` },
        },
        ...parts.map(([name, value], i) =>
            h('i', { class: STATE_CLASSES[name], style: { 'flex-grow': String(value) }, title: texts[i] }),
        ),
    );
}

const number = (text, title) => h('td', { class: 'number', title }, text);

const timeCell = (ns, whole, text = amount(ns, 'ns')) => number(ns > 0 ? text : '', exactly(ns, whole));

/** Return the row of a table with a bar: a name, the bar, the times and counts. */
function rowOf(row, names, { name, title, longest, counts, kind }) {
    return h(
        'tr',
        { class: kind },
        h('td', { title }, name),
        h('td', {}, longest > 0 ? barOf(row, names, longest) : null),
        ...row.ns.map((ns) => timeCell(ns, row.whole)),
        timeCell(row.whole, 0),
        ...counts.map((count) => number(counted(row[count]), `${counted(row[count])} ${count}`)),
    );
}

/** Return a table: `columns` are [title, class, width]. */
function tableOf(name, columns, rows) {
    return h(
        'table',
        { class: name, 'aria-label': name },
        h('colgroup', {}, ...columns.map(([, , width]) => h('col', { style: { width } }))),
        h('thead', {}, h('tr', {}, ...columns.map(([title, kind]) => h('th', { class: kind, scope: 'col' }, title)))),
        h('tbody', {}, ...rows),
    );
}

const timeColumns = (names) => names.map((name) => [name, 'number', '9.5%']);

function legendOf(names) {
    return h(
        'ul',
        { class: 'legend' },
        ...names.map((name) => h('li', {}, h('i', { class: STATE_CLASSES[name] }), `${name}: ${MEANINGS[name]}`)),
    );
}

/** Return the rows below those of a list: the sum of the rest, and of all. `what` is threads, CPUs or pairs. */
function sumsOf({ rows, more, all }, what, draw) {
    return [
        more && draw(more, `${counted(more.n)} more ${what}`, 'sum'),
        all && rows.length > 1 && draw(all, `all ${counted(all.n)} ${what}`, 'sum'),
    ].filter(Boolean);
}

function threadsOf({ threads, states }) {
    const longest = longestRow(threads);
    const counts = ['runs', 'waits'];
    const columns = [['Thread', '', 'auto'], ['', '', '18%'], ...timeColumns([...states, 'life'])];
    const rows = threads.rows.map((row) =>
        rowOf(row, states, { name: named(row), title: `${named(row)}, ${shown(row.span)}`, longest, counts }),
    );
    // The sums are longer than any thread: their bar shows shares alone.
    const sums = sumsOf(threads, 'threads', (row, name, kind) =>
        rowOf(row, states, { name, title: name, longest: row.whole, counts, kind }),
    );
    return [
        legendOf(states),
        tableOf('threads', [...columns, ...counts.map((count) => [count, 'number', '7%'])], [...rows, ...sums]),
    ];
}

function cpusOf({ cpus, uses }) {
    if (!cpus.rows.length) return [];
    const longest = longestRow(cpus);
    const counts = ['switches'];
    const columns = [['CPU', '', 'auto'], ['', '', '18%'], ...timeColumns([...uses, 'wall']), ['switches', 'number', '9%']];
    const rows = cpus.rows.map((row) => {
        const name = `CPU ${row.cpu}`;
        return rowOf(row, uses, { name, title: name, longest, counts });
    });
    const sums = sumsOf(cpus, 'CPUs', (row, name, kind) =>
        rowOf(row, uses, { name, title: name, longest: row.whole, counts, kind }),
    );
    return [h('h2', {}, 'CPUs'), legendOf(uses), tableOf('cpus', columns, [...rows, ...sums])];
}

/** Return one of the notes as a sentence. */
const noteOf = ({ name, text }) => h('li', {}, h('b', {}, shown(name)), ` ${shown(text)}`);

/** An interrupt has no number. */
const wakerName = (waker) => (waker.tid === undefined ? shown(waker.name) : named(waker));

/** Return who ended the waits of whom. */
function wakersOf({ wakers }) {
    if (!wakers.rows.length) return [];
    const columns = [
        ['Waiter', '', 'auto'],
        ['Woken by', '', 'auto'],
        ['waits', 'number', '12%'],
        ['blocked', 'number', '12%'],
        ['share', 'number', '12%'],
    ];
    const draw = (row, name, waker, kind) =>
        h(
            'tr',
            { class: kind },
            h('td', { title: name }, name),
            h('td', { title: waker }, waker),
            number(counted(row.waits), `${counted(row.waits)} waits`),
            timeCell(row.whole, wakers.all.whole),
            number(shareOf(row.whole, wakers.all.whole)),
        );
    const rows = wakers.rows.map((row) => draw(row, named(row), wakerName(row.waker)));
    const sums = sumsOf(wakers, 'pairs', (row, name, kind) => draw(row, name, '', kind));
    return [h('h2', {}, 'Woken by'), tableOf('wakers', columns, [...rows, ...sums])];
}

/** Return what is missing of the intervals of a kind, in words. */
function missingText({ unended, unbegun, restarted }) {
    const words = [
        unended > 0 && `${counted(unended)} without an end`,
        unbegun > 0 && `${counted(unbegun)} without a beginning`,
        restarted > 0 && `${counted(restarted)} began again: the time is that from the last beginning`,
    ];
    return words.filter(Boolean).join(', ');
}

/** Return how long it took from one event to another: tables by name and by thread for each kind. */
function intervalsOf(kinds) {
    const table = ({ by, rows, more }) => {
        const times = ['total', 'p50', 'p99', 'max'];
        const columns = [
            [by === 'names' ? 'Name' : 'Thread', '', 'auto'],
            ['times', 'number', '11%'],
            ['errors', 'number', '11%'],
            ...times.map((name) => [name, 'number', '12%']),
        ];
        const draw = (row) => {
            const name = by === 'names' ? shown(row.name) : named(row);
            return h(
                'tr',
                {},
                h('td', { title: name }, name),
                number(counted(row.times), `${counted(row.times)} times`),
                number(row.errors > 0 ? counted(row.errors) : '', `${counted(row.errors)} errors`),
                ...times.map((time) => number(amount(row[time], 'ns'), `${counted(row[time])} ns`)),
            );
        };
        const last = h('tr', { class: 'sum' }, h('td', { colspan: '7' }, `${counted(more)} more`));
        return tableOf(`intervals ${by}`, columns, [...rows.map(draw), ...(more > 0 ? [last] : [])]);
    };
    return kinds.flatMap((kind) => [
        h('h2', {}, `Intervals: ${shown(kind.kind)}`),
        missingText(kind) && h('p', { class: 'note' }, missingText(kind)),
        ...kind.lists.map(table),
    ]);
}

export class LedgerView extends ScrolledView {
    constructor(app, stage, tools) {
        super(app, stage, tools, {
            kind: 'ledger',
            title: 'Time',
            note: 'Where the time of each thread and CPU went, in the whole recording. Each moment is counted once.',
        });
    }

    /** The selection has no part in it, so that it is filled once. */
    async refresh() {
        if (this.text.children.length) return;
        this.text.replaceChildren(...this.app.info.recordings.flatMap((recording, side) => this.side(recording, side)));
    }

    side(recording, side) {
        const title = h('h2', {}, `Where time went${this.nameOf(side)}`);
        const intervals = intervalsOf(readIntervals(recording.intervals)).filter(Boolean);
        if (!recording.ledger)
            return [title, h('p', { class: 'note' }, 'This recording has neither switches nor waits.'), ...intervals];
        const ledger = readLedger(recording.ledger);
        return [
            title,
            h('ul', { class: 'notes' }, ...ledger.notes.map(noteOf)),
            ...threadsOf(ledger),
            ...cpusOf(ledger),
            ...wakersOf(ledger),
            ...intervals,
        ];
    }
}
