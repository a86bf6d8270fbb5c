/**
 * @file What is known about a frame: the card next to the pointer, the line at the bottom, and the menu of what to do
 * with it.
 */
import { functionOf } from './client.js';
import { $, h } from './dom.js';
import { announce, FLAGS } from './flame.js';
import { amount, shortPath, changeText, counted, escaped, shareOf, shown } from './text.js';

/** Return where a function is: file, line and binary. */
function whereOf(f) {
    const file = f.file ? `${shown(f.file)}${f.line ? `:${f.line}` : ''}` : '';
    return [file, f.binary ? shown(f.binary) : ''].filter(Boolean).join(' — ');
}

/** Return what is special about a box, in words. */
function remarks(flags) {
    const words = [
        [FLAGS.inlined, 'inlined'],
        [FLAGS.guessed, 'found by guess in some stacks'],
        [FLAGS.chain, 'taken from a recorded call chain in some stacks'],
        [FLAGS.waiting, 'waiting'],
        [FLAGS.more, 'has callees that are too narrow to be drawn'],
    ];
    return words
        .filter(([flag]) => flags & flag)
        .map(([, word]) => word)
        .join(', ');
}

/** Return the figures of a box as [name, value] pairs; `parent` is the weight of the box before it. */
function figures(app, layout, box) {
    const total = layout.total[box];
    const parent = layout.parent && layout.parent[box] >= 0 ? layout.parent[box] : -1;
    const [side, other] = app.totals.sides;
    if (layout.total1) {
        const scaled = layout.total1[box] * layout.factor;
        return [
            ['before', `${amount(total, app.unit)} (${shareOf(total, side.weight)})`],
            ['after', `${amount(layout.total1[box], app.unit)} (${shareOf(layout.total1[box], other.weight)})`],
            ['change', `${changeText(total, scaled)}${layout.factor === 1 ? '' : ' (normalized)'}`],
            ...(layout.inverted
                ? []
                : [['self', `${amount(layout.self[box], app.unit)} → ${amount(layout.self1[box], app.unit)}`]]),
        ];
    }
    return [
        ['total', amount(total, app.unit)],
        ['of all', shareOf(total, side.weight)],
        ...(parent >= 0 ? [['of parent', shareOf(total, layout.total[parent])]] : []),
        ...(layout.inverted ? [] : [['self', amount(layout.self[box], app.unit)]]),
        ['samples', counted(layout.count[box])],
    ];
}

/** Show the card of a box at a point of the window, or hide it if `rows` is null. */
export function showCard(card, x, y) {
    const element = $('card');
    element.hidden = !card;
    if (!card) return;
    element.replaceChildren(
        h('h3', {}, card.title),
        card.where && h('p', { class: 'where' }, card.where),
        card.note && h('p', { class: 'where' }, card.note),
        h('dl', {}, ...card.rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    );
    const { width, height } = element.getBoundingClientRect();
    const left = x + 16 + width > innerWidth - 8 ? Math.max(8, x - width - 12) : x + 16;
    const top = y + 18 + height > innerHeight - 8 ? Math.max(8, y - height - 12) : y + 18;
    element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

/** Return the card of a box of a layout. */
export function cardOf(app, layout, box) {
    const f = functionOf(layout.function[box]);
    return {
        title: shown(f.name),
        where: whereOf(f),
        note: remarks(layout.flags[box]),
        rows: figures(app, layout, box),
    };
}

/** Say in the bottom line what a box is. */
export function announceBox(app, layout, box) {
    if (box < 0) {
        announce(box === -1 && app.totals ? `All: ${app.totalsText}` : '');
        return;
    }
    const card = cardOf(app, layout, box);
    const text = [...card.rows.map(([name, value]) => `${name} ${value}`), card.where, card.note]
        .filter(Boolean)
        .join(' · ');
    announce(h('b', {}, card.title), ` · ${text}`);
}

/** Actions for a function: [key, text, work(app, id)]. Keys work wherever a function is selected. */
export const ACTIONS = [
    ['f', 'Focus: only stacks with it', (app, id) => app.addFilter('focus', `=${functionOf(id).name}`)],
    ['x', 'Ignore: no stacks with it', (app, id) => app.addFilter('ignore', `=${functionOf(id).name}`)],
    ['d', 'Hide its frames', (app, id) => app.addFilter('hide', `=${functionOf(id).name}`)],
    ['r', 'Begin stacks at it', (app, id) => app.addFilter('root', functionOf(id).name)],
    ['b', 'Collapse its binary', (app, id) => functionOf(id).binary && app.addFilter('binary', functionOf(id).binary)],
    ['c', 'Callers and callees', (app, id) => app.change({ view: 'sandwich', function: id, zoom: [] })],
    ['s', 'Source', (app, id) => app.change({ view: 'source', function: id })],
    [
        'y',
        'Copy its name',
        (app, id) =>
            navigator.clipboard?.writeText(functionOf(id).name).then(
                () => announce('Copied the name.'),
                () => showFull(id),
            ),
    ],
    ['v', 'Show the whole name', (app, id) => showFull(id)],
];

/** Show the whole name of a function, however long it is. */
function showFull(id) {
    const f = functionOf(id);
    $('dialog-text').replaceChildren(
        h('h2', {}, 'Function'),
        h('p', { class: 'full', tabindex: '0' }, escaped(f.name)),
        h('p', { class: 'note' }, whereOf(f)),
        h('p', { class: 'note' }, `${counted(f.name.length)} characters`),
    );
    $('dialog').showModal();
}

/** Open the menu of a function at a point of the window. `more`: rows before the actions. */
export function openMenu(app, id, x, y, more = []) {
    const menu = $('menu');
    const from = document.activeElement;
    const close = () => {
        menu.hidden = true;
        document.removeEventListener('pointerdown', outside, true);
    };
    const outside = (event) => {
        if (!menu.contains(event.target)) close();
    };
    const item = ([key, text, work]) =>
        h(
            'button',
            {
                type: 'button',
                role: 'menuitem',
                onclick: () => {
                    close();
                    from?.focus?.();
                    work(app, id);
                },
            },
            text,
            h('kbd', {}, key),
        );
    menu.replaceChildren(
        h('p', { title: shortPath(functionOf(id).binary) }, shown(functionOf(id).name)),
        ...more.map(item),
        ...ACTIONS.map(item),
    );
    menu.hidden = false;
    const { width, height } = menu.getBoundingClientRect();
    const left = Math.round(Math.min(x, innerWidth - width - 8));
    const top = Math.round(Math.max(8, Math.min(y, innerHeight - height - 8)));
    menu.style.transform = `translate(${left}px, ${top}px)`;
    menu.onkeydown = (event) => {
        const items = [...menu.querySelectorAll('button')];
        const at = items.indexOf(document.activeElement);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        event.stopPropagation();
        if (event.key === 'Escape' || event.key === 'Tab') {
            event.preventDefault();
            close();
            from?.focus?.();
        } else if (step) {
            event.preventDefault();
            items[(at + step + items.length) % items.length].focus();
        } else {
            const action = [...more, ...ACTIONS].find(([key]) => key === event.key);
            if (action && event.key.length === 1) {
                event.preventDefault();
                close();
                from?.focus?.();
                action[2](app, id);
            }
        }
    };
    document.addEventListener('pointerdown', outside, true);
    menu.querySelector('button').focus({ preventScroll: true });
}
