/**
 * @file Weights over time: heat maps, and lanes of CPUs and threads.
 */
import { BLOCKED, N_STATES } from './lanes.js';


/** Round numbers of ns: rows of heat maps. */
const ROUND_NS = [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 3e10, 6e10, 1.2e11, 3e11,
    6e11, 1.2e12, 1.8e12, 3.6e12, 7.2e12, 1.44e13, 2.16e13, 4.32e13, 8.64e13];

/** Equal spans of time from `from` on. */
class Bins {
    /**
     * @param {number} from
     * @param {number} units Length of a bin.
     * @param {number} n
     */
    constructor(from, units, n) {
        this.from = from;
        this.units = units;
        this.n = n;
    }

    /** The bin of `time`; the last one contains its end. */
    at(time) {
        return Math.min(this.n - 1, Math.floor((time - this.from) / this.units));
    }

    /** Whether `time` is in one of the bins. */
    has(time) {
        return time >= this.from && time <= this.from + this.n * this.units;
    }

    /**
     * Add `weight` to the elements of `values` from `first` on, spread over the time from `start` to `end`. What is
     * outside of the bins is dropped.
     */
    spread(values, first, start, end, weight) {
        if (!(end > start)) {
            if (this.has(end))
                values[first + this.at(end)] += weight;
            return;
        }
        const low = Math.max(start, this.from);
        const high = Math.min(end, this.from + this.n * this.units);
        if (high <= low)
            return;
        const density = weight / (end - start);
        const last = this.at(high);
        for (let bin = this.at(low); bin <= last; bin++) {
            const begins = Math.max(low, this.from + bin * this.units);
            const ends = Math.min(high, this.from + (bin + 1) * this.units);

            if (ends > begins)
                values[first + bin] += (ends - begins) * density;
        }
    }
}

/** Length of a row in units: a round time, so that `span` takes `rows` rows at most. */
function rowUnits(span, rows, unitNs) {
    const least = Math.max(1, span * unitNs / rows);
    const round = ROUND_NS.find((ns) => ns >= least && ns >= unitNs) ?? Math.ceil(least / 8.64e13) * 8.64e13;

    return Math.max(1, Math.ceil(round / unitNs));
}

/** Kinds of marks, and the members of answers with their sums. */
const MARK_KINDS = ['lost', 'throttled'];

/** Sums of the marks of a recording by bin: { lost, throttled }. Marks after the last sample are at its time. */
function sumMarks({ span: [, last], marks: { time, kind, count } }, bins) {
    const sums = Object.fromEntries(MARK_KINDS.map((name) => [name, new Float64Array(bins.n)]));

    for (let i = 0; i < time.length; i++) {
        const at = Math.min(time[i], last);

        if (bins.has(at) && kind[i] < MARK_KINDS.length)
            sums[MARK_KINDS[kind[i]]][bins.at(at)] += count[i];
    }
    return sums;
}

/** Answer the question `heat`: see worker.js. */
export function answerHeat(selection, { rows = 60, columns = 100, side = 0 } = {}) {
    const { profile, samples } = selection.recordings.sides[side];
    const unitNs = profile.json.time_unit_ns || 1;
    const [first, last] = profile.span;
    /* One row less may be needed than asked for, because the first begins at a multiple. */
    const units = rowUnits(last - first + 1, Math.max(1, rows - 1), unitNs);
    const from = Math.floor(first / units) * units;
    const nRows = Math.floor((last - from) / units) + 1;
    const nColumns = Math.max(1, Math.min(columns, units));
    const columnUnits = units / nColumns;
    const bins = new Bins(from, columnUnits, nRows * nColumns);
    const value = new Float64Array(nRows * nColumns);
    const list = selection.samples(side, { anyTime: true });
    const { waits, unit } = selection.recordings.events[selection.event] ?? {};
    /*
     * A sample of CPU time stands for the time before it. Drawn at its own time, a CPU that is always busy would have
     * cells with more and with fewer samples.
     */
    const shade = unit === 'ns' && !waits ? new Float64Array(value.length) : value;
    let sum = 0;

    for (let i = 0; i < list.length; i++) {
        const time = samples.time[list[i]];
        const weight = samples.weight[list[i]];

        sum += weight;
        if (waits)
            bins.spread(value, 0, time - weight / unitNs, time, weight);
        else
            value[bins.at(time)] += weight;
        if (shade !== value)
            bins.spread(shade, 0, time - weight / unitNs, time, weight);
    }
    return {
        rows: nRows, columns: nColumns, from, row_units: units, column_units: columnUnits, value, shade,
        max: shade.reduce((most, weight) => Math.max(most, weight), 0), sum, ...sumMarks(profile, bins),
    };
}

/** Sum of weights by thread row or sample.cpu, of the samples in `list`. */
function sumByKey(samples, keys, list, n) {
    const sums = new Float64Array(n);

    for (let i = 0; i < list.length; i++)
        sums[keys[list[i]]] += samples.weight[list[i]];
    return sums;
}

/**
 * Rows of the threads, or values of sample.cpu, that have lanes, in order. `active` is how long threads ran or could have run
 * according to the ledger, plus 1; 0: nothing is known of the thread, or it is not selected.
 */
function laneOrder(by, running, waiting, active) {
    const keys = [...running.keys()].filter((key) => running[key] || waiting[key] || active[key]);

    return by === 'cpu' ? keys : keys.sort((a, b) =>
        running[b] - running[a] || waiting[b] - waiting[a] || active[b] - active[a] || a - b);
}

/** How long the selected threads of a side ran or could have run: see laneOrder(). */
function activeTimes(selection, side, { by, all }) {
    const { profile: { lanes, json } } = selection.recordings.sides[side];
    const active = new Float64Array(json.threads.length);

    if (by !== 'thread' || !all && selection.choosesSamples)
        return by === 'thread' ? active : [];
    const mask = all ? null : selection.threadMask(side);
    for (let thread = 0; thread < active.length; thread++) {
        if (lanes.has(thread) && (!mask || mask[thread])) {
            const [running, runnable] = lanes.totals(thread);
            active[thread] = running + runnable + 1;
        }
    }
    return active;
}

/** Spreads the pieces of lanes over columns. */
class Spreader {
    /** @param {Lanes} lanes @param {Bins} bins @param {number} unitNs */
    constructor(lanes, bins, unitNs) {
        this.lanes = lanes;
        this.bins = bins;
        this.unitNs = unitNs;
        this.range = [bins.from * unitNs, (bins.from + bins.n * bins.units) * unitNs];
    }

    /** Add the times by state of lanes to `states`, in which the columns of each state follow each other from `first` on. */
    add(numbers, states, first, note = () => {}) {
        const { lanes, bins, unitNs } = this;

        lanes.visit(numbers, ...this.range, (piece, lane) => {
            const start = lanes.time[piece] / unitNs;
            const end = start + lanes.ns[piece] / unitNs;

            lanes.sums(piece).forEach((ns, state) => {
                if (ns > 0)
                    bins.spread(states, first + state * bins.n, start, end, ns);
            });
            note(piece, start, end, lane);
        });
    }

    /** The reason of most of the blocked time in each column, as an index + 1; 0: it is not known. */
    reasons(numbers, states, first, nReasons) {
        const { lanes, bins } = this;
        const times = new Float64Array(nReasons * bins.n);
        const most = new Uint8Array(bins.n);

        this.add(numbers, states, first, (piece, start, end) => {
            if (lanes.state[piece] === BLOCKED)
                bins.spread(times, lanes.waits.reason[lanes.row[piece]] * bins.n, start, end, lanes.ns[piece]);
        });
        for (let reason = 1; reason < nReasons; reason++) {
            for (let column = 0; column < bins.n; column++) {
                if (times[reason * bins.n + column] > times[most[column] * bins.n + column])
                    most[column] = reason;
            }
        }
        return most;
    }

    /** The critical path: times by state, and the threads of its parts that are long enough for a name. */
    path(firstThread, least) {
        const { lanes, bins } = this;
        const states = new Float64Array(N_STATES * bins.n);
        const labels = [];

        if (!lanes.paths.length)
            return null;
        this.add(lanes.paths, states, 0, (piece, start, end, lane) => {
            const { thread } = lanes.step(piece, lane);
            const last = labels[labels.length - 1];

            if (last && last.thread === thread && last.to === start)
                last.to = end;
            else
                labels.push({ thread, from: start, to: end });
        });
        const [from, to] = [bins.from, bins.from + bins.n * bins.units];
        const long = labels.filter((label) => label.thread >= 0 &&
            Math.min(label.to, to) - Math.max(label.from, from) >= least);
        return {
            states, thread: Int32Array.from(long, ({ thread }) => thread + firstThread),
            label_from: Float64Array.from(long, (label) => Math.max(label.from, from)),
            label_to: Float64Array.from(long, (label) => Math.min(label.to, to)),
        };
    }
}

/** Parts of a column into which states are divided, because waits are short; and columns that a name takes. */
const PARTS_OF_COLUMN = 3;
const NAME_COLUMNS = 12;

/** States of the threads `shown`, by part of a column, and the critical path. */
function answerStates({ profile, firstThread }, shown, bins, unitNs) {
    const { lanes, json } = profile;
    const parts = bins.n * PARTS_OF_COLUMN;
    const spreader = new Spreader(lanes, new Bins(bins.from, bins.units / PARTS_OF_COLUMN, parts), unitNs);
    const states = new Float64Array(shown.length * N_STATES * parts);
    const reasons = new Uint8Array(shown.length * parts);

    shown.forEach((thread, i) =>
        reasons.set(spreader.reasons(lanes.ofThread[thread], states, i * N_STATES * parts,
            (json.ledger?.reasons.length ?? 0) + 1), i * parts));
    return {
        parts, states, reasons, known: Uint8Array.from(shown, (thread) => lanes.has(thread) ? 1 : 0),
        path: spreader.path(firstThread, NAME_COLUMNS * bins.units),
    };
}

/** Rows of the lanes to show: those from `offset` on, and in any case the threads `also`. */
function shownLanes(order, { offset, limit, also, firstThread, nKeys }) {
    const shown = order.slice(offset, offset + limit);
    const more = also.map((thread) => thread - firstThread).filter((row) => row >= 0 && row < nKeys && !shown.includes(row));

    return [...shown, ...new Set(more)];
}

/** Answer the question `lanes`: see worker.js. */
export function answerLanes(selection, options) {
    const { by, columns = 500, limit = 100, offset = 0, side = 0, all = false, also = [] } = options;
    const { recordings } = selection;
    const { profile, samples, firstThread } = recordings.sides[side];
    const unitNs = profile.json.time_unit_ns || 1;
    const [first, last] = profile.span;
    const { from = first, to = last + 1 } = options;
    const bins = new Bins(from, (to - from) / columns, columns);
    const runs = recordings.events[selection.event]?.waits ? recordings.defaultEvent : selection.event;
    const listOf = (event) => event < 0 || !recordings.events[event] ? []
        : selection.samples(side, { event, anyTime: true, anyPart: all });
    const lists = [recordings.events[runs]?.waits ? [] : listOf(runs), listOf(recordings.waitEvent)];
    const isTime = recordings.events[runs]?.unit === 'ns';
    const keys = by === 'cpu' ? samples.cpu : samples.thread;
    const nKeys = by === 'cpu' ? Math.max(0, ...recordings.cpus.map((cpu) => cpu + 2)) : profile.json.threads.length;
    const [running, waiting] = lists.map((list) => sumByKey(samples, keys, list, nKeys));
    const order = laneOrder(by, running, waiting, activeTimes(selection, side, { by, all }));
    const shown = shownLanes(order, { offset, limit, also: by === 'cpu' ? [] : also, firstThread, nKeys });
    const laneOf = new Int32Array(nKeys).fill(-1);
    const values = lists.map(() => new Float64Array(shown.length * columns));

    shown.forEach((key, lane) => {
        laneOf[key] = lane;
    });
    lists.forEach((list, isWaiting) => {
        for (let i = 0; i < list.length; i++) {
            const sample = list[i];
            const lane = laneOf[keys[sample]];
            const weight = samples.weight[sample];
            const time = samples.time[sample];

            if (lane < 0)
                continue;
            const since = time - weight / unitNs;
            const begin = isWaiting ? since : isTime ? Math.max(first, since) : time;

            bins.spread(values[isWaiting], lane * columns, begin, time, weight);
        }
    });
    return {
        n: order.length, columns, from, column_units: bins.units, column_ns: bins.units * unitNs,
        key: Int32Array.from(shown, (key) => by === 'cpu' ? key - 1 : key + firstThread),
        running: values[0], waiting: values[1],
        ...(by === 'cpu' ? {} : answerStates(recordings.sides[side], shown, bins, unitNs)),
        weight: Float64Array.from(shown, (key) => running[key]), waited: Float64Array.from(shown, (key) => waiting[key]),
        max: values[0].reduce((most, weight) => Math.max(most, weight), 0), ...sumMarks(profile, bins),
    };
}

/** Answer the question `parts`: see worker.js. */
export function answerParts(selection) {
    const { recordings } = selection;
    const sums = (event) => {
        const threads = new Float64Array(recordings.threads.length);
        const processes = new Float64Array(recordings.processes.length);
        const cpus = new Float64Array(Math.max(0, ...recordings.cpus.map((cpu) => cpu + 2)));

        recordings.sides.forEach(({ samples, firstThread }, side) => {
            const list = selection.samples(side, { event, anyPart: true });

            for (let i = 0; i < list.length; i++) {
                const weight = samples.weight[list[i]];

                threads[firstThread + samples.thread[list[i]]] += weight;
                cpus[samples.cpu[list[i]]] += weight;
            }
        });
        threads.forEach((weight, thread) => {
            processes[recordings.threads[thread].process] += weight;
        });
        return { threads, processes, cpus: Float64Array.from(recordings.cpus, (cpu) => cpus[cpu + 1]) };
    };
    const { waitEvent } = recordings;

    return { ...sums(selection.event), waits: waitEvent < 0 ? null : sums(waitEvent) };
}
