/**
 * @file The page: one state, one selection, and the parts that show it. Also the start of the worker, which is this
 * program too.
 */
import { serveQuestions } from '../model/worker.js';
import { ChartView } from './chart_view.js';
import { Client, isKnown, SlowPattern } from './client.js';
import { readColors } from './colors.js';
import { $, drawNow, fillSwitch, h } from './dom.js';
import { Flame } from './flame.js';
import { FlameView } from './flame_view.js';
import { showKeys, startKeys } from './keys.js';
import { showCard } from './card.js';
import { LedgerView } from './ledger_view.js';
import { QualityView } from './quality_view.js';
import { SandwichView } from './sandwich_view.js';
import { refreshSide, startSide } from './side.js';
import { SourceView } from './source_view.js';
import { FILTERS, forbidPattern, patternError, patternOf, readState, selectionOf, VIEWS, writeState } from './state.js';
import { TableView } from './table_view.js';
import { amount, changeText, counted, moment, named, samplesText, shareOf, shortPath, shown } from './text.js';
import { refreshTop, startTop } from './top.js';
import { refreshWait } from './wait_card.js';

const CLASSES = {
    flame: FlameView,
    icicle: FlameView,
    inverted: FlameView,
    chart: ChartView,
    sandwich: SandwichView,
    table: TableView,
    source: SourceView,
    quality: QualityView,
    ledger: LedgerView,
};
const THEMES = [
    ['', '◐', 'Theme of the system'],
    ['light', '☀', 'Light theme'],
    ['dark', '☾', 'Dark theme'],
];

class Page {
    constructor() {
        this.isLoading = true;
        this.matches = null;
    }

    async start() {
        readColors();
        const profiles = [...document.querySelectorAll('script.profile')].map((element) => ({
            name: element.dataset.name || '',
            base64: element.textContent,
        }));
        this.client = new Client(profiles);
        this.info = await this.client.start();
        this.info.recordings = this.info.recordings.map(({ json, ...rest }) => ({ ...json, ...rest }));
        this.learn();
        this.readAddress();
        this.listen();
        this.isLoading = false;
        document.body.classList.remove('loading');
        $('loading').hidden = true;
        this.refresh();
    }

    /** Take what does not change from the answer to `open`. */
    learn() {
        const { info } = this;
        this.totals = info.totals;
        this.isDifference = info.recordings.length > 1;
        this.units = info.recordings[0].units;
        this.hasTime = this.units > 0;
        this.hasCpus = info.cpus.some((cpu) => cpu >= 0);
        this.spans = info.recordings.map((r) => r.span);
        this.span = this.spans[0];
        document.body.classList.toggle('difference', this.isDifference);
        const { recording } = info.recordings[0];
        const ran = / -- (.+)$/.exec(recording.command);
        const names = info.recordings.map((r) => shown(r.name || r.input));
        const title = this.isDifference ? `${names[0]} → ${names[1]}` : ran ? shown(ran[1]) : names[0];
        $('title').textContent = title;
        $('title').title = shown(recording.command);
        document.title = `${title} – pdconv`;
        const length = this.hasTime ? `${amount((this.span[1] - this.span[0]) * this.units, 'ns')} long` : '';
        const facts = [
            this.isDifference || !ran ? '' : names[0],
            shown(recording.host),
            recording.cpus ? `${recording.cpus} CPUs` : '',
            shown(recording.arch || ''),
            recording.kernel && `Linux ${shown(recording.kernel)}`,
            length,
        ];
        $('facts').textContent = facts.filter(Boolean).join('  ·  ');
        $('facts').title = $('facts').textContent;
        $('event').replaceChildren(
            ...info.events.map((event, i) =>
                h('option', { value: String(i) }, `${shown(event.name)}${event.waits ? ' (waiting)' : ''}`),
            ),
        );
        $('event-label').hidden = info.events.length < 2;
        this.fillLegend();
    }

    /** Views that have something to show: rows of VIEWS. */
    get views() {
        const hasLedger = this.info.recordings.some(({ ledger, intervals }) => ledger || intervals);
        return VIEWS.filter(([name]) => name !== 'ledger' || hasLedger);
    }

    /** Show a view, unless the recording has nothing for it. */
    show(view) {
        if (this.views.some(([name]) => name === view)) this.change({ view });
    }

    /** Take the state from the address, which may be that of another recording. */
    readAddress() {
        this.state = readState(location.hash);
        if (!this.views.some(([name]) => name === this.state.view)) this.state.view = this.views[0][0];
        this.written = location.hash.slice(1);
    }

    listen() {
        startKeys(this);
        startTop(this);
        startSide(this);
        $('event').addEventListener('change', () => this.change({ event: Number($('event').value) }));
        $('help').addEventListener('click', () => showKeys(this));
        $('theme').addEventListener('click', () => this.nextTheme());
        this.showTheme();
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolor());
        addEventListener('beforeprint', () => {
            this.layOut(true);
            drawNow();
        });
        // Firefox may have no layout for the screen when it says that it has printed.
        addEventListener('afterprint', () => requestAnimationFrame(() => this.layOut(false)));
        $('search').addEventListener('submit', (event) => {
            event.preventDefault();
            this.view.focus();
        });
        $('query').addEventListener('input', () => this.change({ find: $('query').value }, true));
        for (const button of $('search').querySelectorAll('[data-filter]'))
            button.addEventListener('click', () =>
                this.addFilter(button.dataset.filter, this.state.find, { find: '' }),
            );
        $('views').replaceChildren(
            ...this.views.map(([name, title, text], i) =>
                h(
                    'button',
                    {
                        type: 'button',
                        role: 'tab',
                        'aria-controls': 'stage',
                        'data-view': name,
                        title: `${title}: ${text}  (${i + 1})`,
                        onclick: () => this.change({ view: name }),
                    },
                    title,
                ),
            ),
        );
        $('dialog').addEventListener('click', (event) => {
            if (event.target === $('dialog')) $('dialog').close();
        });
        addEventListener('hashchange', () => {
            if (location.hash.slice(1) !== this.written) {
                this.readAddress();
                this.refresh();
            }
        });
        let timer = 0;
        addEventListener('resize', () => {
            showCard(null);
            clearTimeout(timer);
            timer = setTimeout(() => this.refresh(true), 120);
        });
        document.fonts?.ready.then(() => {
            Flame.forget();
            this.view.redraw();
        });
    }

    /** Ask the worker; errors are shown, and the answer is null then. */
    async ask(question, args, slot) {
        try {
            return await this.client.ask(question, args, slot);
        } catch (error) {
            if (error instanceof SlowPattern) this.leaveOut(error.regex);
            $('frame').textContent = shown(error.message);
            return null;
        }
    }

    /** Go on without a pattern that took too long: ask the worker, which was started again, for everything. */
    leaveOut(regex) {
        forbidPattern(regex);
        this.selected = this.searched = this.viewKey = '';
        this.change({ filters: this.state.filters.filter((f) => patternOf(f.text).regex !== regex) }, true, true);
    }

    /**
     * Change the state, the address and what is shown. `replace`: without a new entry in the history of the browser;
     * `anew`: ask for everything.
     */
    change(patch, replace = false, anew = false) {
        if ('view' in patch && patch.view !== this.state.view && !('zoom' in patch)) patch.zoom = [];
        const before = this.written;
        this.state = { ...this.state, ...patch };
        this.written = writeState(this.state);
        if (this.written !== before) {
            if (replace) location.replace(`#${this.written}`);
            else location.hash = this.written;
        }
        this.refresh(anew);
    }

    /**
     * Make sure that the page knows what a function is called: no answer may have named one that comes from the
     * address.
     */
    async learnFunction(id) {
        if (id < this.info.counts.functions && !isKnown(id)) await this.ask('names', { functions: [id] }, String(id));
    }

    /**
     * Find the function of the state, or the hottest one if there is none: `options` are those of the question `hottest`.
     * Return { id, reason: why it is shown if nobody chose it }; id is -1 if there is no function. Null: no answer.
     */
    async findFunction(options) {
        const { function: id } = this.state;
        if (id >= 0) {
            await this.learnFunction(id);
            return { id, reason: '' };
        }
        const answer = await this.ask('hottest', options);
        return (
            answer && {
                id: answer.function[0] ?? -1,
                reason: answer.is_first ? 'Hottest function: ' : 'Hottest function with code in the page: ',
            }
        );
    }

    toggle(member, value) {
        const list = this.state[member];
        this.change({ [member]: list.includes(value) ? list.filter((v) => v !== value) : [...list, value], zoom: [] });
    }

    addFilter(kind, text, patch = {}) {
        if (!text || patternError(text)) return;
        const filters = this.state.filters.filter((f) => f.kind !== kind || f.text !== text);
        this.change({ ...patch, filters: [...filters, { kind, text }], zoom: [] });
    }

    next(member, values) {
        this.change({ [member]: values[(values.indexOf(this.state[member]) + 1) % values.length] });
    }

    /** Go `step` views on, from a focused tab. */
    nextView(step) {
        const { views } = this;
        const at = views.findIndex(([name]) => name === this.state.view);
        const [view] = views[(at + step + views.length) % views.length];
        this.change({ view });
        document.querySelector(`[data-view="${view}"]`).focus();
    }

    nextEvent() {
        const { events } = this.info;
        if (events.length > 1) this.change({ event: (this.event + 1) % events.length });
    }

    clear() {
        this.change({
            time: null,
            window: null,
            waits: [],
            threads: [],
            processes: [],
            cpus: [],
            filters: [],
            recursion: false,
            zoom: [],
            find: '',
            span: null,
        });
    }

    /** Undo the narrowest restriction. */
    back() {
        const { state } = this;
        if (state.zoom.length) this.change({ zoom: [] });
        else if (state.span) this.change({ span: null });
        else if (state.find) this.change({ find: '' });
        else if (state.waits.length) this.change({ waits: [] });
        else if (state.window) this.change({ window: null });
        else if (state.time) this.change({ time: null });
        else if (state.filters.length) this.change({ filters: state.filters.slice(0, -1) });
        else if (state.threads.length || state.processes.length || state.cpus.length)
            this.change({ threads: [], processes: [], cpus: [] });
    }

    /** The recording of which parts are shown that cannot show both: 0, or 1 in a comparison. */
    get pane() {
        return this.isDifference && this.state.pane === 1 ? 1 : 0;
    }

    get event() {
        return this.state.event >= 0 && this.state.event < this.info.events.length ? this.state.event : this.info.event;
    }

    /** The event that is shown: a row of the worker's answer; one without a name if the recording has no events. */
    get eventShown() {
        return this.info.events[this.event] || { name: '', unit: '' };
    }

    get unit() {
        return this.eventShown.unit;
    }

    /** What the weight of the event is, in words. */
    get what() {
        const event = this.eventShown;
        if (event.waits) return 'waiting';
        if (event.unit === 'ns') return 'CPU time';
        return event.unit === 'bytes' ? `bytes of ${shown(event.name)}` : shown(event.name);
    }

    get searchPattern() {
        return this.state.find && !patternError(this.state.find) ? patternOf(this.state.find) : undefined;
    }

    /**
     * Show the state: send the selection to the worker if it changed, then refresh all parts. `anew`: as if all of them had
     * changed, because the window or the worker did.
     */
    refresh(anew = false) {
        this.selection = { ...selectionOf(this.state), event: this.event };
        const key = JSON.stringify(this.selection);
        if (key !== this.selected) {
            this.selected = key;
            this.ask('select', { selection: this.selection }).then((totals) => {
                if (!totals || key !== this.selected) return;
                this.totals = totals;
                this.showTotals();
                this.view.redraw();
            });
        }
        showCard(null);
        $('event').value = String(this.event);
        $('event-label').dataset.event = shown(this.eventShown.name);
        this.showView();
        this.search();
        this.showTotals();
        this.showChips();
        this.refreshView(anew);
        refreshWait(this).then(() => refreshTop(anew));
        refreshSide(this, anew);
    }

    /** Ask for what the view shows again if that may have changed; else only draw it. */
    refreshView(anew) {
        const { top, pane, side, find, window, waits, ...rest } = this.state;
        const own = { table: find, source: this.pane, sandwich: this.pane }[rest.view] ?? '';
        const key = JSON.stringify([this.selected, rest, own]);
        if (key === this.viewKey && !anew) {
            this.view.redraw();
            return;
        }
        this.viewKey = key;
        this.ready = this.view.refresh();
    }

    showView() {
        const { view } = this.state;
        for (const button of $('views').children) {
            button.setAttribute('aria-selected', String(button.dataset.view === view));
            button.tabIndex = button.dataset.view === view ? 0 : -1;
        }
        $('scale').hidden = !this.isDifference;
        if (this.isDifference)
            fillSwitch(
                $('scale'),
                [
                    ['normalized', 'Normalized', 'After is scaled to the weight of before'],
                    ['absolute', 'Absolute', 'Weights as recorded'],
                ],
                this.state.scale,
                (scale) => this.change({ scale }),
            );
        if (this.shownView === view) return;
        const inside = $('stage').contains(document.activeElement);
        this.view?.close();
        this.shownView = view;
        this.view = new CLASSES[view](this, $('stage'), $('tools'), view);
        if (inside) this.view.focus();
    }

    async search() {
        const { find } = this.state;
        if ($('query').value !== find) $('query').value = find;
        const error = patternError(find);
        $('search').classList.toggle('empty', !find);
        $('search').classList.toggle('error', Boolean(error));
        const key = JSON.stringify([find, this.selected]);
        if (key === this.searched) return;
        this.searched = key;
        if (!this.searchPattern) {
            this.matches = null;
            $('matches').textContent = error;
            this.view.redraw();
            return;
        }
        const answer = await this.ask('search', { pattern: this.searchPattern });
        if (!answer || key !== this.searched) return;
        this.matches = new Set(answer.functions);
        $('matches').textContent =
            `${counted(answer.n)} ${answer.n === 1 ? 'function' : 'functions'}, ${shareOf(answer.share, 1)}`;
        this.view.redraw();
    }

    get totalsText() {
        const [a, b] = this.totals.sides;
        if (b) return `${amount(a.weight, this.unit)} → ${amount(b.weight, this.unit)} ${this.what}`;
        return `${amount(a.weight, this.unit)} ${this.what}`;
    }

    showTotals() {
        const [a, b] = this.totals.sides;
        const output = $('totals');
        Object.assign(output.dataset, {
            samples: a.samples,
            weight: a.weight,
            ofSamples: a.of_samples,
            ofWeight: a.of_weight,
        });
        const part = (side) =>
            side.weight === side.of_weight && side.samples === side.of_samples
                ? samplesText(side.samples)
                : `of ${amount(side.of_weight, this.unit)} (${shareOf(side.weight, side.of_weight)}), ` +
                  `${counted(side.samples)} of ${samplesText(side.of_samples)}`;
        const used = (side) => side.weight - side.idle;
        if (!b) {
            output.replaceChildren(
                h('b', {}, amount(used(a), this.unit)),
                ` ${this.what}${a.idle ? ` and ${amount(a.idle, this.unit)} idle` : ''} `,
                h('span', { class: 'muted' }, part(a)),
            );
            return;
        }
        Object.assign(output.dataset, {
            samples1: b.samples,
            weight1: b.weight,
            ofSamples1: b.of_samples,
            ofWeight1: b.of_weight,
        });
        output.replaceChildren(
            h('b', {}, `${amount(used(a), this.unit)} → ${amount(used(b), this.unit)}`),
            ` ${this.what} (${changeText(used(a), used(b))}) `,
            h('span', { class: 'muted' }, `${counted(a.samples)} → ${samplesText(b.samples)}`),
        );
    }

    /** Show what restricts the selection, each with a button that removes it. */
    showChips() {
        const { state, info } = this;
        const chips = [];
        const add = (what, text, patch) =>
            chips.push(
                h(
                    'li',
                    { class: 'chip', title: `${what} ${text}` },
                    h('span', {}, what),
                    h('b', {}, text),
                    h(
                        'button',
                        {
                            type: 'button',
                            'aria-label': `Remove: ${what} ${text}`,
                            onclick: () => this.change({ zoom: [], ...patch }),
                        },
                        '×',
                    ),
                ),
            );
        if (state.time) {
            const step = ((state.time[1] - state.time[0]) * this.units) / 20;
            add('time', `${moment(state.time[0] * this.units, step)} – ${moment(state.time[1] * this.units, step)}`, {
                time: null,
            });
        }
        const drop = (member, value) => ({ [member]: state[member].filter((v) => v !== value) });
        for (const p of state.processes)
            add(
                'process',
                info.processes[p] ? named(info.processes[p]) : String(p),
                drop('processes', p),
            );
        for (const t of state.threads)
            add(
                'thread',
                info.threads[t] ? named(info.threads[t]) : String(t),
                drop('threads', t),
            );
        for (const cpu of state.cpus) add('CPU', cpu < 0 ? 'none' : String(cpu), drop('cpus', cpu));
        if (state.recursion) add('recursion', 'once', { recursion: false });
        for (const f of state.filters)
            add(FILTERS[f.kind][0], f.kind === 'binary' ? shortPath(f.text) : shown(f.text), {
                filters: state.filters.filter((other) => other !== f),
            });
        $('chips').replaceChildren(...chips);
    }

    fillLegend() {
        const names = this.isDifference
            ? ['grew', 'same', 'shrank']
            : ['program', 'library', 'kernel', 'generated', 'unknown'];
        if (!this.isDifference && this.info.events.some((event) => event.waits)) names.push('waiting');
        const items = names.map((name) => h('li', {}, h('i', { class: `c-${name}` }), name));
        $('legend').replaceChildren(...items, this.isDifference ? '' : h('li', {}, 'fainter: inlined'));
    }

    get theme() {
        return document.documentElement.dataset.theme || '';
    }

    nextTheme() {
        const at = THEMES.findIndex(([name]) => name === this.theme);
        const [name] = THEMES[(at + 1) % THEMES.length];
        if (name) document.documentElement.dataset.theme = name;
        else delete document.documentElement.dataset.theme;
        this.showTheme();
        this.recolor();
    }

    showTheme() {
        const [, sign, title] = THEMES.find(([name]) => name === this.theme);
        $('theme').textContent = sign;
        $('theme').title = `${title}  (l)`;
        $('theme').setAttribute('aria-label', title);
    }

    /** Lay out the page for paper or for the screen. */
    layOut(isPaper) {
        showCard(null);
        document.documentElement.classList.toggle('paper', isPaper);
        Flame.fitAll();
        this.recolor();
    }

    recolor() {
        readColors();
        refreshTop();
        this.view.redraw();
    }
}

function startPage() {
    new Page().start().catch((error) => {
        $('loading').textContent = `This page cannot be shown: ${shown(error.message)}`;
    });
}

if (typeof document === 'undefined') serveQuestions(self);
else startPage();
