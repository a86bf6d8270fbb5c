/** @file The list of processes, threads and CPUs with their shares, to pick from. */
import { $, h } from './dom.js';
import { amount, amountOf, shareOf, shown } from './text.js';

/** Rows shown at most; a filter finds the others. */
const MOST = 400;

const list = { parts: null, key: '' };

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

/** Show what the selection has in each thread. */
export async function refreshSide(app) {
    document.body.classList.toggle('no-side', !app.state.side);
    if (!app.state.side) return;
    const key = JSON.stringify(app.selection);
    if (key !== list.key) {
        list.key = key;
        const parts = await app.ask('parts');
        if (!parts) return;
        list.parts = parts;
    }
    fillSide(app);
}

function fillSide(app) {
    const { parts } = list;
    if (!parts) return;
    const focused =
        document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.pick : null;
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
        const side = app.isDifference ? ['before', 'after'][processes[p].side] : '';
        rows.push(row(app, 'processes', p, processes[p].name, processes[p].pid, parts.processes[p], sum, side));
        for (const t of own)
            rows.push(row(app, 'threads', t, threads[t].name, threads[t].tid, parts.threads[t], sum, ''));
        if (rows.length > MOST) break;
    }
    if (rows.length > MOST) rows.splice(MOST, rows.length, h('li', { class: 'note' }, 'More: type into the filter.'));
    $('threads').replaceChildren(...rows);
    fillCpus(app, parts);
    if (focused) document.querySelector(`[data-pick="${focused}"]`)?.focus();
}

function row(app, member, index, name, number, weight, sum, side) {
    const pressed = app.state[member].includes(index);
    const isProcess = member === 'processes';
    return h(
        'li',
        {},
        h(
            'button',
            {
                type: 'button',
                class: `pick ${isProcess ? 'process' : 'thread'}${weight > 0 ? '' : ' none'}`,
                'aria-pressed': String(pressed),
                'data-pick': `${member}-${index}`,
                title: `${shown(name)}, ${isProcess ? 'process' : 'thread'} ${number}: ${amount(weight, app.unit)}`,
                onclick: () => app.toggle(member, index),
            },
            h('i', { class: 'fill', style: { width: `${sum > 0 ? (weight / sum) * 100 : 0}%` } }),
            h('b', { class: 'cut' }, shown(name), ' ', h('small', {}, side ? `${number} ${side}` : String(number))),
            h('span', {}, shareOf(weight, sum)),
        ),
    );
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
