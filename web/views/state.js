/** @file What the page shows, as one object, and its text in the address. */

/** Views in the order of their keys 1 to 9: [name, title, shorter description]. */
export const VIEWS = [
    ['flame', 'Flame graph', 'callers below, callees above'],
    ['icicle', 'Icicle', 'callers above, callees below'],
    ['inverted', 'Inverted', 'functions with self weight, and their callers below'],
    ['chart', 'Flame chart', 'stacks of one thread in order of time'],
    ['sandwich', 'Callers & callees', 'of one function'],
    ['table', 'Functions', 'self and total of each function'],
    ['source', 'Source', 'lines and instructions of a function'],
    ['quality', 'Quality', 'how complete the stacks are'],
    ['ledger', 'Time', 'running, runnable, blocked: where time went'],
];

/** Kinds of filters: what the chip says, and what it does. */
export const FILTERS = {
    focus: ['with', 'only stacks with a match'],
    ignore: ['without', 'no stacks with a match'],
    hide: ['hidden', 'frames with a match are removed'],
    root: ['from', 'stacks begin at this function'],
    binary: ['collapsed', 'frames of this binary are shown as one'],
};

/** How a member is read from the address and written to it. `read` returns undefined for an invalid text. */
const CODECS = {
    text: { read: (s) => s, write: (v) => v },
    number: { read: (s) => (/^-?\d+$/.test(s) ? Number(s) : undefined), write: String },
    numbers: {
        read: (s) => (/^-?\d+(\.-?\d+)*$/.test(s) ? s.split('.').map(Number) : undefined),
        write: (v) => v.join('.'),
    },
    range: {
        read: (s) => {
            const m = /^(\d+)-(\d+)$/.exec(s);
            return m && Number(m[1]) < Number(m[2]) ? [Number(m[1]), Number(m[2])] : undefined;
        },
        write: (v) => (v ? v.join('-') : ''),
    },
    flag: { read: (s) => s === '1', write: (v) => (v ? '1' : '0') },
};
const oneOf = (...values) => ({ read: (s) => (values.includes(s) ? s : undefined), write: (v) => v });

/** Members of the state: [name, codec, default]. Lists of filters are written separately, one parameter each. */
const MEMBERS = [
    ['view', oneOf(...VIEWS.map((v) => v[0])), 'flame'],
    ['top', oneOf('heat', 'cpu', 'thread', 'none'), 'heat'],
    ['event', CODECS.number, -1],
    ['time', CODECS.range, null],
    ['window', CODECS.range, null],
    ['waits', CODECS.numbers, []],
    ['threads', CODECS.numbers, []],
    ['processes', CODECS.numbers, []],
    ['cpus', CODECS.numbers, []],
    ['recursion', CODECS.flag, false],
    ['zoom', CODECS.numbers, []],
    ['function', CODECS.number, -1],
    ['thread', CODECS.number, -1],
    ['span', CODECS.range, null],
    ['find', CODECS.text, ''],
    ['sort', oneOf('self', 'total', 'name', 'binary', 'change', 'change_total'), ''],
    ['ascending', CODECS.flag, false],
    ['pane', CODECS.number, 0],
    ['order', oneOf('weight', 'name'), 'weight'],
    ['scale', oneOf('normalized', 'absolute'), 'normalized'],
    ['side', CODECS.flag, true],
];

/** Read a state from the text after # of an address. Unknown and invalid members get their defaults. */
export function readState(fragment) {
    const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
    const state = { filters: [] };
    for (const [name, codec, standard] of MEMBERS) {
        const value = parameters.has(name) ? codec.read(parameters.get(name)) : undefined;
        state[name] = value === undefined ? standard : value;
    }
    for (const [kind, value] of parameters) if (FILTERS[kind] && value) state.filters.push({ kind, text: value });
    return state;
}

/** Write a state as the text after # of an address; defaults are left out. */
export function writeState(state) {
    const parameters = new URLSearchParams();
    for (const [name, codec, standard] of MEMBERS) {
        const value = codec.write(state[name]);
        if (value !== codec.write(standard)) parameters.append(name, value);
    }
    for (const { kind, text } of state.filters) parameters.append(kind, text);
    return parameters.toString();
}

/**
 * Read a pattern that a person typed, as the worker's selection describes it: /regex/, =whole name, or a part of a
 * name.
 */
export function patternOf(typed) {
    if (typed.length > 2 && typed.startsWith('/') && typed.endsWith('/')) return { regex: typed.slice(1, -1) };
    if (typed.length > 1 && typed.startsWith('=')) return { text: typed.slice(1), exact: true };
    return { text: typed };
}

/** Regular expressions that took too long, which are not used again. */
const slowPatterns = new Set();

export const forbidPattern = (regex) => slowPatterns.add(regex);

/** Return what is wrong with a pattern, or "" if nothing is. */
export function patternError(typed) {
    const { regex } = patternOf(typed);
    if (regex === undefined) return '';
    if (slowPatterns.has(regex)) return 'takes too long';
    try {
        new RegExp(regex);
        return '';
    } catch (error) {
        return error.message.replace(/^Invalid regular expression: /, '');
    }
}

/** Return the selection of a state, as web/model/worker.js describes it. */
export function selectionOf(state) {
    const of = (kind) => state.filters.filter((f) => f.kind === kind).map((f) => f.text);
    const patterns = (kind) =>
        of(kind)
            .filter((typed) => !patternError(typed))
            .map(patternOf);
    const list = (values) => (values.length ? values : null);
    return {
        ...(state.event >= 0 ? { event: state.event } : {}),
        time: state.time,
        threads: list(state.threads),
        processes: list(state.processes),
        cpus: list(state.cpus),
        focus: patterns('focus').map((p) => [p]),
        ignore: patterns('ignore'),
        hide: patterns('hide'),
        roots: of('root'),
        binaries: of('binary'),
        recursion: state.recursion,
    };
}
