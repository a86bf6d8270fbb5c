/** @file The list of processes, threads and CPUs with their shares, to pick from. */
import { $, afterFrame, h, setChildren } from './dom.js';
import { amount, amountOf, idOf, shareOf, shown } from './text.js';

/** Rows shown at most; a filter finds the others. */
const MOST = 400;

/** The last answer, the selection that it is for, and the answer that the rows show. */
const list = { parts: null, key: '', filled: null };

export function startSide(app) {
    $('side-filter').addEventListener('input', () => fillSide(app));
    $('threads').addEventListener('keydown', (event) => {
        const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
        const next = step && event.target.parentElement[step];
        if (!step || !next) return;
        event.preventDefault();
        event.stopPropagation();
        next.firstElementChild.focus();
    });
}

/** Show what the selection has in each thread. The view is drawn first, because that is what people wait for. */
export async function refreshSide(app, anew) {
    document.body.classList.toggle('no-side', !app.state.side);
    if (!app.state.side) return;
    const key = JSON.stringify(app.selection);
    if (key !== list.key || anew) {
        list.key = key;
        const parts = await app.ask('parts');
        if (!parts) return;
        list.parts = parts;
        await afterFrame();
        if (list.parts !== parts) return;
    }
    if (list.filled !== list.parts) fillSide(app);
}

function fillSide(app) {
    const { parts } = list;
    if (!parts) return;
    list.filled = parts;
    const { activeElement } = document;
    const { processes, threads } = app.info;
    const wanted = $('side-filter').value.toLowerCase();
    const matches = (item) => !wanted || `${item.name} ${item.tid ?? item.pid}`.toLowerCase().includes(wanted);
    const sum = parts.processes.reduce((a, b) => a + b, 0);
    const byWeight = (weights) => (a, b) => weights[b] - weights[a] || a - b;
    const members = processes.map(() => []);
    threads.forEach((thread, i) => members[thread.process].push(i));
    const rows = [];
    for (const p of [...processes.keys()].sort(byWeight(parts.processes))) {
        const own = members[p]
            .filter((t) => matches(threads[t]) || matches(processes[p]))
            .sort(byWeight(parts.threads));
        if (!own.length && !matches(processes[p])) continue;
        rows.push(row(app, 'processes', p).show(parts.processes[p], sum));
        if (isOnlyThread(app, members[p])) continue;
        for (const t of own) rows.push(row(app, 'threads', t).show(parts.threads[t], sum));
        if (rows.length > MOST) break;
    }
    if (rows.length > MOST) rows.splice(MOST, rows.length, h('li', { class: 'note' }, 'More: type into the filter.'));
    setChildren($('threads'), rows);
    fillCpus(app, parts);
    if (activeElement?.dataset.pick) document.querySelector(`[data-pick="${activeElement.dataset.pick}"]`)?.focus();
}

/** Whether a process is shown as one row, because its only thread has its name and number, and is not picked. */
function isOnlyThread({ info, state }, [thread, ...others]) {
    if (thread === undefined || others.length || state.threads.includes(thread)) return false;
    const { process, tid, name } = info.threads[thread];
    return tid === info.processes[process].pid && name === info.processes[process].name;
}

/** The row of a process or thread. It remains when weights change, because making hundreds of rows takes long. */
class Row {
    /** `member`: "processes" or "threads". */
    constructor(app, member, index) {
        const { name, side } = app.info[member][index];
        const isProcess = member === 'processes';
        const own = idOf(app.info[member][index]);
        const number = isProcess && app.isDifference ? `${own} ${['before', 'after'][side]}` : own;

        this.app = app;
        this.what = `${shown(name)}, ${isProcess ? 'process' : 'thread'} ${own}`;
        this.isPicked = () => app.state[member].includes(index);
        this.bar = h('i', { class: 'fill' });
        this.share = h('span', {});
        this.button = h(
            'button',
            {
                type: 'button',
                class: `pick ${isProcess ? 'process' : 'thread'}`,
                'data-pick': `${member}-${index}`,
                onclick: () => app.toggle(member, index),
            },
            this.bar,
            h('b', { class: 'cut' }, shown(name), ' ', h('small', {}, number)),
            this.share,
        );
        this.element = h('li', {}, this.button);
    }

    /** Show a weight and which part of `sum` it is. Return the element. */
    show(weight, sum) {
        this.button.setAttribute('aria-pressed', String(this.isPicked()));
        const title = `${this.what}: ${amount(weight, this.app.unit)}`;
        if (this.button.title !== title) this.button.title = title;
        if (weight === this.weight && sum === this.sum) return this.element;
        this.weight = weight;
        this.sum = sum;
        this.button.classList.toggle('none', !(weight > 0));
        this.bar.style.width = `${sum > 0 ? (weight / sum) * 100 : 0}%`;
        this.share.textContent = shareOf(weight, sum);
        return this.element;
    }
}

/** Rows that were made, by member and index. */
const rowsMade = new Map();

function row(app, member, index) {
    const key = `${member} ${index}`;
    if (!rowsMade.has(key)) rowsMade.set(key, new Row(app, member, index));
    return rowsMade.get(key);
}

function fillCpus(app, parts) {
    const { cpus } = app.info;
    const sum = parts.cpus.reduce((a, b) => a + b, 0);
    $('cpus').hidden = cpus.length < 2;
    $('cpus').replaceChildren(
        h('span', { class: 'note' }, 'CPUs'),
        ...cpus.map((cpu, i) =>
            h(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(app.state.cpus.includes(cpu)),
                    'data-pick': `cpus-${cpu}`,
                    title: `${cpu < 0 ? 'Without a CPU' : `CPU ${cpu}`}: ${amountOf(parts.cpus[i], sum, app.unit)}`,
                    onclick: () => app.toggle('cpus', cpu),
                },
                cpu < 0 ? 'none' : String(cpu),
            ),
        ),
    );
}
