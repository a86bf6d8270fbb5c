/** @file Names, numbers and times as text for people. No DOM. */

/**
 * Characters that could reorder, hide or break text: controls, formats (bidirectional, zero width), lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
/** Longest text of a name in a list or a frame; the whole name is shown on demand. */
const LONGEST = 600;

/** Return `text` with each unsafe character replaced by its visible escape, such as \x1b or \u202e. */
export function escaped(text = '') {
    return text.replace(UNSAFE, (c) => {
        const code = c.codePointAt(0);
        return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    });
}

/** Return a name as lists and frames show it: escaped, and cut with an ellipsis if it is very long. */
export function shown(name = '') {
    return name.length > LONGEST ? `${escaped(name.slice(0, LONGEST))}…` : escaped(name);
}

/** Return whether the character at `i` is part of an operator, such as "operator<", "operator()" and "->". */
function isOperator(name, i) {
    const before = name.slice(Math.max(0, i - 11), i);
    if (name[i] === '(') return before.endsWith('operator');
    return /operator[-<>=]*$/.test(before) || (name[i] === '>' && before.endsWith('-'));
}

/** Replace what is between the outermost `open` and `close` by an ellipsis. A parenthesis that begins it remains. */
function collapsed(name, open, close) {
    let depth = 0;
    let out = '';
    for (let i = 0; i < name.length; i++) {
        const c = isOperator(name, i) ? '' : name[i];
        if (c === open && (i > 0 || open === '<')) depth++;
        else if (c === close && depth > 0) out += --depth === 0 ? `${open}…${close}` : '';
        else if (depth === 0) out += name[i];
    }
    return depth === 0 ? out : name;
}

/**
 * Return shorter and shorter forms of a function's name: whole, without parameters, without template arguments, without
 * namespaces.
 */
export function forms(name) {
    const list = [shown(name)];
    const last = () => list[list.length - 1];
    if (/\)( |$)/.test(last())) list.push(collapsed(last(), '(', ')'));
    if (last().includes('<')) list.push(collapsed(last(), '<', '>'));
    const own = /^[^<(]*(?:[<(]…[>)][^<(]*)*::(?=[^:{(])/.exec(last());
    if (own) list.push(`…${last().slice(own[0].length)}`);
    return list.filter((form, i) => i === 0 || form.length < list[i - 1].length);
}

/** Made once, because toLocaleString() looks its format up in each call. */
const NUMBERS = new Intl.NumberFormat('en-US');

/** Print a count of samples. */
export const counted = (n) => NUMBERS.format(n);

/** Print `value` with three significant digits. */
function digits(value) {
    const size = Math.abs(value);
    if (size >= 100 || value === 0) return counted(Math.round(value));
    if (Number.isInteger(value)) return String(value);
    return value.toFixed(size >= 10 ? 1 : 2);
}

const SCALES = {
    ns: [
        [1, 'ns'],
        [1e3, 'µs'],
        [1e6, 'ms'],
        [1e9, 's'],
        [600e9, 'min', 60e9],
        [7200e9, 'h', 3600e9],
    ],
    bytes: [
        [1, 'B'],
        [1024, 'KiB'],
        [1048576, 'MiB'],
        [1073741824, 'GiB'],
    ],
    '': [
        [1, ''],
        [1e4, 'k', 1e3],
        [1e6, 'M'],
        [1e9, 'G'],
        [1e12, 'T'],
    ],
};

/** Print a weight in the unit of its event ("ns", "bytes" or a count). */
export function amount(value, unit) {
    const scale = SCALES[unit] || SCALES[''];
    const size = Math.abs(value);
    let row = scale[0];
    for (const candidate of scale) if (size >= candidate[0] * (candidate[2] ? 1 : 0.9995)) row = candidate;
    const text = digits(value / (row[2] || row[0]));
    const suffix = row[1] || (SCALES[unit] || unit === 'count' ? '' : unit);
    return suffix ? `${text} ${suffix}` : text;
}

/** Print a count of samples with the word. */
export const samplesText = (n) => `${counted(n)} ${n === 1 ? 'sample' : 'samples'}`;

/** Print `part` of `whole` as a percentage. */
export function shareOf(part, whole) {
    if (!(whole > 0)) return '0 %';
    const percent = (part / whole) * 100;
    if (percent === 0 || percent === 100) return `${percent} %`;
    if (percent > 99.9 && percent < 100) return '> 99.9 %';
    if (percent < 0.01) return '< 0.01 %';
    return `${percent.toFixed(percent < 1 ? 2 : 1)} %`;
}

/** Print a weight and what share it is of `whole`. */
export const amountOf = (value, whole, unit) => `${amount(value, unit)} (${shareOf(value, whole)})`;

/** Print what a process or thread is called: its name and number. */
/** Number of a process or thread as text. Tasks that exit have none. */
export const idOf = ({ tid, pid }) => ((tid ?? pid) < 0 ? '' : String(tid ?? pid));

export const named = (item) => `${shown(item.name)} ${idOf(item)}`.trim();

/** Print a change as a signed percentage of what there was before. */
export function changeText(before, after) {
    if (before === after) return '±0 %';
    if (before === 0) return 'new';
    if (after === 0) return 'gone';
    const percent = (after / before - 1) * 100;
    if (percent >= 900) return `× ${digits(after / before)}`;
    return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`;
}

/** Print a moment, in ns from the beginning, with as many decimals as `step` ns needs. */
export function moment(ns, step) {
    const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / 1e9) - 1e-9)));
    const seconds = ns / 1e9;
    if (seconds < 60) return `${seconds.toFixed(decimals)} s`;
    const whole = Math.floor(seconds);
    const rest = (seconds - Math.floor(whole / 60) * 60).toFixed(decimals);
    const two = (text) => (text.indexOf('.') === 1 || text.length === 1 ? `0${text}` : text);
    const minutes = Math.floor(whole / 60);
    if (minutes < 60) return `${minutes}:${two(rest)}`;
    return `${Math.floor(minutes / 60)}:${two(String(minutes % 60))}:${two(rest)}`;
}

/** The end of a path, for columns that show which binary it is. */
export const shortPath = (path) => shown(path.slice(path.lastIndexOf('/') + 1) || path);
