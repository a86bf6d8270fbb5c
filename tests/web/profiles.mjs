/**
 * @file Profiles made for tests: from stacks written as text, and at random.
 */
import { encodeContainer, stackColumns } from './encode.mjs';

/** Return the number of `key` in `numbers`, a Map; a new key gets the next one. */
function numberOf(numbers, key) {
    if (!numbers.has(key))
        numbers.set(key, numbers.size);
    return numbers.get(key);
}

/** Collects the rows of a container. */
class Rows {
    constructor() {
        this.strings = new Map([['', 0]]);
        this.binaries = new Map();
        this.functions = new Map();
        this.frames = new Map();
        this.nodes = new Map();
        this.ends = new Map();
    }

    /**
     * Add a frame. `text` is "name", "name@binary" or "name@binary:line", and after a space any of the letters i
     * (inlined), g (guessed), s (of a recorded call chain) and m (mark).
     */
    frame(text) {
        const [, name, binary = '', line = '0', flags = ''] =
            /^([^@]*?)(?:@([^: ]*)(?::(\d+))?)?(?: ([igsm]+))?$/.exec(text);
        const bits = [...flags].reduce((sum, letter) => sum | 1 << 'igsm'.indexOf(letter), 0);
        const inBinary = binary ? numberOf(this.binaries, binary) + 1 : 0;
        const fn = numberOf(this.functions, `${name}\0${inBinary}`);

        return numberOf(this.frames, `${fn} ${line} ${bits}`);
    }

    /** Add a stack, root first, and return its leaf's node + 1; 0 if it is empty. */
    stack(frames) {
        return frames.reduce((parent, frame) => numberOf(this.nodes, `${parent} ${this.frame(frame)}`) + 1, 0);
    }
}

const KINDS = { kernel: 2, jit: 3 };

function kindOf(binary) {
    return KINDS[binary] ?? (/\.so/.test(binary) ? 1 : 0);
}

/** Columns that are empty unless a page has code. */
export const NO_ROWS = ['code.function', 'code.start', 'code.note', 'code.length', 'code.rows', 'instruction.offset',
    'instruction.gap', 'instruction.text', 'instruction.jump', 'instruction.place', 'place.caller', 'place.function',
    'place.line', 'source.path', 'source.note', 'source.rows', 'line.number', 'line.text'];

/** Columns of lanes. */
function laneColumns(lanes) {
    const pieces = lanes.flatMap((lane) => lane.pieces.map((piece) => ({ ...piece, isPath: lane.thread < 0 })));
    const waits = pieces.filter(({ state, isPath }) => !isPath && (state === 1 || state === 2));
    const steps = pieces.filter(({ isPath }) => isPath);

    return [
        ['lane.thread', 'varint', lanes.map(({ thread }) => thread + 1)],
        ['lane.begin', 'delta', lanes.map(({ begin }) => begin)],
        ['lane.pieces', 'varint', lanes.map((lane) => lane.pieces.length)],
        ['piece.state', 'varint', pieces.map(({ state }) => state)],
        ['piece.ns', 'varint', pieces.map(({ ns }) => ns)],
        ['mix.ns', 'varint', pieces.flatMap(({ sums = [] }) => sums)],
        ...['reason', 'waker', 'interrupt', 'leaf', 'waker_leaf'].map((name) =>
            [`wait.${name}`, 'varint', waits.map((piece) => piece[name] ?? 0)]),
        ...['thread', 'instead'].map((name, i) => [`step.${name}`, 'varint', steps.map(({ step = [] }) => step[i] ?? 0)]),
    ];
}

/**
 * Encode a profile.
 * @param {object} parts
 * @param {Array<{name: string, unit?: string, waits?: boolean}>} [parts.events] Default: cpu-clock, in ns.
 * @param {Array<{pid: number, name: string}>} [parts.processes]
 * @param {Array<{process: number, tid: number, name: string}>} [parts.threads]
 * @param {Array<object>} parts.samples { stack: frames, root first, weight, time, thread, cpu: number or -1, event,
 *   count, end: [text, kind] }; all but the stack have a default. See Rows.frame() for frames.
 * @param {Array<{time: number, kind: number, count: number}>} [parts.marks]
 * @param {Array<{thread: number, begin: number, pieces: object[]}>} [parts.lanes] Thread -1: a critical path. Times are in ns.
 *   Pieces: { state, ns, sums: of a mix, reason, waker, leaf, waker_leaf: as in the container, step: [thread, instead] }.
 * @returns {Uint8Array} A container.
 */
export function encodeProfile({
    samples, events = [{ name: 'cpu-clock', unit: 'ns' }], processes, threads, marks = [], lanes = [], ...json
}) {
    const rows = new Rows();
    const sorted = samples.map((sample, i) => ({
        time: i, thread: 0, cpu: 0, event: 0, count: 1, weight: 1, end: ['reached the root', 'rooted'], ...sample,
    })).sort((a, b) => a.time - b.time);
    const nodes = sorted.map(({ stack }) => rows.stack(stack));
    const ends = sorted.map(({ end }) => end ? numberOf(rows.ends, JSON.stringify(end)) + 1 : 0);
    const functions = [...rows.functions.keys()].map((key) => key.split('\0'));
    const frames = [...rows.frames.keys()].map((key) => key.split(' ').map(Number));
    const nodeRows = [...rows.nodes.keys()].map((key) => key.split(' ').map(Number));
    const names = functions.map(([name]) => numberOf(rows.strings, name));
    const files = functions.map(([name]) => numberOf(rows.strings, /^\[/.test(name) ? '' : `/src/${name}.c`));
    const binaries = [...rows.binaries.keys()];
    const binaryNames = binaries.map((name) => numberOf(rows.strings, name));
    const strings = [...rows.strings.keys()].map((text) => Buffer.from(text));
    const column = (member) => sorted.map((sample) => sample[member]);

    return encodeContainer({
        version: 5, generator: 'test', input: 'perf.data', time_unit_ns: 1000, base_ns: '5000000', recording: {},
        events: events.map(({ name, unit = '', waits = false }, i) => ({
            name, unit, waits, samples: sorted.filter(({ event }) => event === i).length,
            period: String(sorted.reduce((sum, { event, weight }) => event === i ? sum + BigInt(weight) : sum, 0n)),
        })),
        processes: processes ?? [{ pid: 1, name: 'test' }], threads: threads ?? [{ process: 0, tid: 1, name: 'test' }],
        ends: [...rows.ends.keys()].map((key) => JSON.parse(key)).map(([text, kind]) => ({ text, kind })),
        lost: { records: 0, samples: 0 }, left_out: [], quality: [], advice: [], ...json,
    }, [
        ['string.length', 'varint', strings.map((bytes) => bytes.length)],
        ['string.text', 'bytes', Buffer.concat(strings)],
        ['binary.name', 'varint', binaryNames],
        ['binary.kind', 'varint', binaries.map(kindOf)],
        ['function.name', 'varint', names],
        ['function.file', 'varint', files],
        ['function.line', 'varint', functions.map((_, i) => i + 1)],
        ['function.binary', 'varint', functions.map(([, binary]) => Number(binary))],
        ['function.outside', 'varint', functions.map(() => 0)],
        ['frame.function', 'varint', frames.map(([fn]) => fn)],
        ['frame.line', 'varint', frames.map(([, line]) => line)],
        ['frame.flags', 'varint', frames.map(([, , flags]) => flags)],
        ['frame.instruction', 'varint', frames.map(() => 0)],
        ...stackColumns(nodeRows.map(([parent]) => parent), nodeRows.map(([, frame]) => frame), {
            ...Object.fromEntries(['time', 'thread', 'event', 'weight', 'count'].map((name) => [name, column(name)])),
            node: nodes, cpu: column('cpu').map((cpu) => cpu + 1), end: ends,
        }),
        ['mark.time', 'delta', marks.map(({ time }) => time)],
        ['mark.thread', 'varint', marks.map(() => 0)],
        ['mark.kind', 'varint', marks.map(({ kind }) => kind)],
        ['mark.count', 'varint', marks.map(({ count }) => count)],
        ...laneColumns(lanes),
        ...NO_ROWS.map((name) => [name, 'varint', []]),
    ]);
}

/** Numbers that look random and are the same in each run: n() is from 0 to n - 1. */
export function randomNumbers(seed) {
    let state = seed >>> 0 || 1;

    return (n) => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) % n;
    };
}

const FRAMES = ['main@/bin/app', 'a@/bin/app:3', 'a@/bin/app:4', 'b@/bin/app', 'b@/bin/app i', 'c@/bin/app g',
    'memcpy@/lib/libc.so.6', 'malloc@/lib/libc.so.6', 'a@/lib/libc.so.6', '[libc.so.6]@/lib/libc.so.6', 'read@kernel',
    'lambda@jit', 'Java@jit', '[truncated] m', 'operator()@/bin/app', 'std::sort<int, x;y>@/bin/app s'];

/**
 * Samples at random, with recursion, inlined functions, marks, samples without a stack, two events, and threads of two
 * processes.
 * @returns {object} Parts for encodeProfile().
 */
export function randomParts(seed, nSamples = 300) {
    const random = randomNumbers(seed);
    const stack = () => {
        const frames = Array.from({ length: random(12) }, () => FRAMES[random(random(2) ? 4 : FRAMES.length)]);
        const isGenerated = /@jit/.test(frames[0]);

        return isGenerated ? ['[callers lost] m', ...frames] : frames;
    };
    const ends = [['reached the root', 'rooted'], ['captured stack too short', 'cut'], null];

    return {
        events: [{ name: 'cpu-clock', unit: 'ns' }, { name: 'offcpu-time', unit: 'ns', waits: true }],
        processes: [{ pid: 10, name: 'app' }, { pid: 20, name: 'other' }],
        threads: [{ process: 0, tid: 10, name: 'app' }, { process: 0, tid: 11, name: 'worker' },
            { process: 1, tid: 20, name: 'a "b";c d' }],
        samples: Array.from({ length: nSamples }, () => ({
            stack: stack(), time: random(100000), thread: random(3), cpu: random(4) - 1, event: random(4) ? 0 : 1,
            weight: random(2000000), count: 1 + random(3), end: ends[random(3)],
        })),
    };
}
