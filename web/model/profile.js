/**
 * @file A profile: the rows of one recording as typed arrays. It never changes once it is read.
 */
import { decodeContainer } from './container.js';
import { Lanes, NOT_COUNTED } from './lanes.js';
import { parentsOf, samplesInTime } from './samples.js';

/** Bits of frame.flags. */
export const FRAME_INLINED = 1;
export const FRAME_GUESSED = 2;
export const FRAME_JOINED = 4;
export const FRAME_MARK = 8;

/** Value of binary.kind without a binary. */
export const KIND_NONE = 4;
/** Value of binary.kind of the kernel and its modules. */
export const KIND_KERNEL = 2;

/** Number of CPUs and 1; Linux has 8192 at most. */
export const MAX_CPUS = 1 << 16;

/** Columns that refer to rows: [column, table of the rows, 1 if 0 stands for none]. */
const REFERENCES = [
    ['binary.name', 'string.length', 0],
    ['function.name', 'string.length', 0],
    ['function.file', 'string.length', 0],
    ['function.binary', 'binary.name', 1],
    ['frame.function', 'function.name', 0],
    ['node.frame', 'frame.function', 0],
    ['leaf.node', 'node.frame', 0],
    ['sample.leaf', 'leaf.node', 1],
    ['wait.interrupt', 'string.length', 0],
    ['wait.leaf', 'leaf.node', 1],
    ['wait.waker_leaf', 'leaf.node', 1],
    ['frame.instruction', 'instruction.text', 1],
    ['code.function', 'function.name', 0],
    ['code.start', 'string.length', 0],
    ['code.note', 'string.length', 0],
    ['instruction.text', 'string.length', 0],
    ['instruction.place', 'place.function', 1],
    ['place.function', 'function.name', 0],
    ['source.path', 'string.length', 0],
    ['source.note', 'string.length', 0],
    ['line.text', 'string.length', 0],
];

/** Columns of one table have the same number of values. */
const TABLES = [
    ['binary.name', 'binary.kind'],
    ['function.name', 'function.file', 'function.line', 'function.binary', 'function.outside'],
    ['frame.function', 'frame.line', 'frame.flags', 'frame.instruction'],
    ['node.up', 'node.frame'],
    ['leaf.node'],
    ['sample.time', 'sample.leaf', 'sample.thread', 'sample.cpu', 'sample.event', 'sample.weight', 'sample.count',
        'sample.end'],
    ['mark.time', 'mark.thread', 'mark.kind', 'mark.count'],
    ['lane.thread', 'lane.begin', 'lane.pieces'],
    ['piece.state', 'piece.ns'],
    ['mix.ns'],
    ['wait.reason', 'wait.waker', 'wait.interrupt', 'wait.leaf', 'wait.waker_leaf'],
    ['step.thread', 'step.instead'],
    ['code.function', 'code.start', 'code.note', 'code.length', 'code.rows'],
    ['instruction.offset', 'instruction.gap', 'instruction.text', 'instruction.jump', 'instruction.place'],
    ['place.caller', 'place.function', 'place.line'],
    ['source.path', 'source.note', 'source.rows'],
    ['line.number', 'line.text'],
];

/** Columns of rows, and the table that has these rows. */
const PARTS = [['code.rows', 'instruction.text'], ['source.rows', 'line.number']];

function damagedProfile(what) {
    return new Error(`the profile is damaged: ${what}`);
}

/** Throw an error unless all values of the column `name` are less than `limit`. */
function checkBelow(columns, name, limit) {
    const values = columns[name];
    let largest = 0;

    for (let i = 0; i < values.length; i++) {
        if (values[i] > largest)
            largest = values[i];
    }
    if (values.length && largest >= limit)
        throw damagedProfile(`${name} refers to row ${largest} of ${limit}`);
}

/** Check that columns exist, agree with each other and refer to rows that exist. */
function checkColumns(json, columns) {
    for (const name of ['string.length', 'string.text', ...TABLES.flat()]) {
        if (!columns[name])
            throw damagedProfile(`it has no column ${name}`);
    }
    for (const [first, ...others] of TABLES) {
        for (const name of others) {
            if (columns[name].length !== columns[first].length)
                throw damagedProfile(`${name} and ${first} differ in length`);
        }
    }
    for (const [name, table, nNone] of REFERENCES)
        checkBelow(columns, name, columns[table].length + nNone);
    checkBelow(columns, 'sample.thread', json.threads.length);
    checkBelow(columns, 'sample.event', json.events.length);
    checkBelow(columns, 'sample.cpu', MAX_CPUS);
    checkBelow(columns, 'sample.end', json.ends.length + 1);
    checkBelow(columns, 'mark.thread', json.threads.length + 1);
    checkBelow(columns, 'lane.thread', json.threads.length + 1);
    checkBelow(columns, 'piece.state', NOT_COUNTED + 1);
    checkBelow(columns, 'wait.reason', (json.ledger?.reasons.length ?? 0) + 1);
    checkBelow(columns, 'wait.waker', json.threads.length + 2);
    checkBelow(columns, 'step.thread', json.threads.length + 1);
    checkBelow(columns, 'step.instead', json.threads.length + 2);
    const callers = columns['place.caller'];
    for (let i = 0; i < callers.length; i++) {
        if (callers[i] > i)
            throw damagedProfile(`row ${i} of place.caller precedes its parent`);
    }
    for (const [name, table] of PARTS) {
        if (columns[name].reduce((sum, n) => sum + n, 0) !== columns[table].length)
            throw damagedProfile(`${name} is not the number of rows`);
    }
    for (const thread of json.threads) {
        if (!json.processes[thread.process])
            throw damagedProfile('a thread has no process');
    }
}

/** Sums of lengths: where each string begins, and where the last one ends. */
function stringStarts(lengths, size) {
    const starts = new Uint32Array(lengths.length + 1);
    let at = 0;

    for (let i = 0; i < lengths.length; i++) {
        starts[i] = at;
        at += lengths[i];
    }
    if (at > size)
        throw damagedProfile('strings are truncated');
    starts[lengths.length] = at;
    return starts;
}

/** One recording. */
export class Profile {
    /**
     * @param {object} json JSON of the container.
     * @param {object} columns Columns by name, some of which the profile keeps.
     * @throws {Error} Rows refer to rows that do not exist.
     */
    constructor(json, columns) {
        checkColumns(json, columns);
        this.json = json;
        this.bytes = columns['string.text'];
        this.binaries = { name: columns['binary.name'], kind: columns['binary.kind'] };
        /** `binary`: 0 for none, else its index + 1. */
        this.functions = {
            name: columns['function.name'], file: columns['function.file'], line: columns['function.line'],
            binary: columns['function.binary'], outside: columns['function.outside'],
        };
        this.frames = {
            function: columns['frame.function'], line: columns['frame.line'], flags: columns['frame.flags'],
            instruction: columns['frame.instruction'],
        };
        /** `parent`: 0 for none, else its index + 1. Parents precede their children. */
        this.nodes = { parent: parentsOf(columns['node.up']), frame: columns['node.frame'] };
        /** In order of time. `node`, `cpu` and `end`: 0 for none, else the index + 1. */
        this.samples = { n: columns['sample.time'].length, ...samplesInTime(columns, json.threads.length) };
        /** Functions whose instructions are in the page: `rows` of them each, of `length` in all. */
        this.codes = {
            function: columns['code.function'], start: columns['code.start'], note: columns['code.note'],
            length: columns['code.length'], rows: columns['code.rows'],
        };
        /**
         * `offset` is from the start of the code, `gap` the number of instructions left out before it, `jump` the row in
         * the code, and `place` the row of its source line; both 0 for none, else the index + 1.
         */
        this.instructions = {
            offset: columns['instruction.offset'], gap: columns['instruction.gap'], text: columns['instruction.text'],
            jump: columns['instruction.jump'], place: columns['instruction.place'],
        };
        /** Source lines in functions. `caller`: where the function was inlined, index + 1, or 0. */
        this.places = {
            caller: columns['place.caller'], function: columns['place.function'], line: columns['place.line'],
        };
        /** Source files with `rows` of `lines` each. */
        this.sources = { path: columns['source.path'], note: columns['source.note'], rows: columns['source.rows'] };
        this.lines = { number: columns['line.number'], text: columns['line.text'] };
        this.marks = {
            time: columns['mark.time'], thread: columns['mark.thread'], kind: columns['mark.kind'],
            count: columns['mark.count'],
        };
        this.lanes = new Lanes(columns, json.threads.length);
        /** Nodes in which stacks end, by leaf. */
        this.leafNodes = columns['leaf.node'];
        this.stringStarts = stringStarts(columns['string.length'], columns['string.text'].length);
        this.texts = new Array(columns['string.length'].length);
        this.decoder = new TextDecoder();
    }

    /** The string `id`. Bytes that are not UTF-8 become replacement characters. */
    text(id) {
        this.texts[id] ??= this.decoder.decode(
            this.bytes.subarray(this.stringStarts[id], this.stringStarts[id + 1]));
        return this.texts[id];
    }

    /**
     * First and last moment of the recording, if it has a ledger, else of its samples; [0, 0] if there are none.
     */
    get span() {
        const { time, n } = this.samples;
        const { ledger, base_ns: base, time_unit_ns: unit } = this.json;
        const [first, last] = n ? [time[0], time[n - 1]] : [0, 0];
        const moment = (ns) => Number(BigInt(ns) - BigInt(base)) / unit;

        if (!ledger || !unit)
            return [first, last];
        return [Math.max(0, Math.min(first, Math.floor(moment(ledger.begin_ns)))),
            Math.max(last, Math.floor(moment(ledger.end_ns)))];
    }
}

/**
 * Read a profile from the bytes of a container, which are kept.
 * @param {Uint8Array} bytes
 * @returns {Profile}
 * @throws {Error} The container is damaged or of another version.
 */
export function readProfile(bytes) {
    const { json, columns } = decodeContainer(bytes);

    return new Profile(json, columns);
}
