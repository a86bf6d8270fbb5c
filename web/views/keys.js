/** @file Keys: one table, which the handler obeys and the help shows. */
import { ACTIONS } from './card.js';
import { $, h } from './dom.js';
import { VIEWS } from './state.js';
import { moveTop, selectTop, zoomTop } from './top.js';
import { followWaker, leaveWait, zoomToWait } from './wait_card.js';

const TIME = 'time';
const TABS = 'tabs';

/** Places whose keys differ, and how the help calls them. */
const PLACES = { [TIME]: 'in the timeline', [TABS]: 'in the row of views' };

/** Return work that begins when the view shows what was asked for before: keys may be faster than the worker. */
function inView(work) {
    return (app, key) => app.ready.finally(() => work(app, key));
}

/**
 * Rows: [keys, text, work(app, key), place, view]. A key is what KeyboardEvent.key says, after "Shift+" for keys that are not
 * characters. A row with a place works only if that has the focus; the others work everywhere. Rows of views end with the
 * name of the view: the help leaves out those that the recording has nothing for.
 */
const KEYS = [
    ...VIEWS.map(([name, title], i) => [[String(i + 1)], title, (app) => app.show(name), undefined, name]),
    [
        ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
        'Move in the view',
        inView((app, key) => app.view.act(key.slice(5).toLowerCase())),
    ],
    [['Enter'], 'Zoom in, or show callers and callees', inView((app) => app.view.act('enter'))],
    [['Escape'], 'Go back: zoom, search, time, filters', (app) => app.back()],
    [['m', 'ContextMenu'], 'Menu of the frame', inView((app) => app.view.act('menu'))],
    ...ACTIONS.map(([key, text, work]) => [
        [key],
        text,
        inView((app) => app.view.function >= 0 && work(app, app.view.function)),
    ]),
    [
        ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
        'Move in time',
        (app, key) => moveTop(key.slice(5).toLowerCase(), false),
        TIME,
    ],
    [['>'], 'From a wait to what its waker waited for', (app) => followWaker(app)],
    [['<'], 'Back to the wait before', (app) => leaveWait(app)],
    [['z'], 'Show the time of the selected wait', (app) => zoomToWait(app)],
    [
        ['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown'],
        'Select a range of time',
        (app, key) => moveTop(key.slice(11).toLowerCase(), true),
        TIME,
    ],
    [['Enter'], 'Select what the thread waits for, or this moment', () => selectTop(true), TIME],
    [[' '], 'Select this moment', () => selectTop(false), TIME],
    [['+', '='], 'Show less time', () => zoomTop(0.5), TIME],
    [['-'], 'Show more time', () => zoomTop(2), TIME],
    [['ArrowLeft', 'ArrowRight'], 'Next view', (app, key) => app.nextView(key === 'ArrowLeft' ? -1 : 1), TABS],
    [['t'], 'Go to the timeline', () => $('top-canvas').focus()],
    [['w'], 'Heat map, CPUs, threads or nothing', (app) => app.next('top', ['heat', 'cpu', 'thread', 'none'])],
    [['g'], 'Go to the view', (app) => app.view.focus()],
    [['p'], 'Show or hide the list of threads', (app) => app.change({ side: !app.state.side })],
    [['e'], 'Next event', (app) => app.nextEvent()],
    [['o'], 'Order by weight or by name', (app) => app.next('order', ['weight', 'name'])],
    [['n'], 'Normalized or absolute (comparison)', (app) => app.next('scale', ['normalized', 'absolute'])],
    [
        ['/'],
        'Search functions',
        () => {
            $('query').focus();
            $('query').select();
        },
    ],
    [['0'], 'Clear the whole selection', (app) => app.clear()],
    [['l'], 'Light, dark or as the system', (app) => app.nextTheme()],
    [['?'], 'Show these keys', (app) => showKeys(app)],
];

const CAPTIONS = {
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Escape: 'Esc',
    ' ': 'Space',
    ContextMenu: 'Menu',
};

/** Show the table of keys. */
export function showKeys(app) {
    const isOffered = (view) => !view || app.views.some(([name]) => name === view);
    const caption = (key) =>
        h(
            'kbd',
            {},
            key.replace(/^(Shift\+)?(.*)$/, (_, shift, rest) => `${shift ? '⇧ ' : ''}${CAPTIONS[rest] || rest}`),
        );
    $('dialog-text').replaceChildren(
        h('h2', {}, 'Keys'),
        h(
            'div',
            { class: 'keys' },
            ...KEYS.filter(([, , , , view]) => isOffered(view)).map(([keys, text, , place]) =>
                h(
                    'div',
                    {},
                    h('span', {}, PLACES[place] ? `${text} (${PLACES[place]})` : text),
                    h('span', {}, ...keys.map(caption)),
                ),
            ),
        ),
    );
    if (!$('dialog').open) $('dialog').showModal();
}

/** Listen to keys. Texts that are typed, and buttons that are pressed, are not keys of the page. */
export function startKeys(app) {
    document.addEventListener('keydown', (event) => {
        const { target, key } = event;
        if (event.ctrlKey || event.metaKey || event.altKey || $('dialog').open || app.isLoading) return;
        if (target.matches('input, select')) {
            if (key !== 'Escape') return;
            // Browsers clear a search field, some of them without telling the page.
            event.preventDefault();
            app.view.focus();
            return;
        }
        if (target.matches('button') && (key === 'Enter' || key === ' ')) return;
        const place = target.id === 'top-canvas' ? TIME : target.matches('[role=tab]') ? TABS : undefined;
        const name = event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
        const find = (where) => KEYS.find(([keys, , , at]) => at === where && keys.includes(name));
        const row = (place && find(place)) || find(undefined);
        if (!row || (place && !row[3] && name.startsWith('Arrow'))) return;
        event.preventDefault();
        row[2](app, name);
    });
}
