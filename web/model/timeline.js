/**
 * @file Weights over time: heat maps, and lanes of CPUs and threads.
 */

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

/** Rows of the threads, or values of sample.cpu, that have lanes, in order. */
function laneOrder(by, running, waiting) {
    const keys = [...running.keys()].filter((key) => running[key] || waiting[key]);

    return by === 'cpu' ? keys : keys.sort((a, b) => running[b] - running[a] || waiting[b] - waiting[a] || a - b);
}

/** Add the times for which threads were runnable to their lanes, in ns by column. Threads without a lane have -1. */
function spreadDelays({ time, thread, ns }, laneOf, bins, unitNs, values) {
    for (let i = 0; i < time.length; i++) {
        const lane = laneOf[thread[i]];

        if (lane >= 0)
            bins.spread(values, lane * bins.n, time[i], time[i] + ns[i] / unitNs, ns[i]);
    }
    return values;
}

/** Answer the question `lanes`: see worker.js. */
export function answerLanes(selection, options) {
    const { by, columns = 500, limit = 100, offset = 0, side = 0, all = false } = options;
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
    const order = laneOrder(by, running, waiting);
    const shown = order.slice(offset, offset + limit);
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
        runnable: by === 'cpu' ? null
            : spreadDelays(profile.delays, laneOf, bins, unitNs, new Float64Array(shown.length * columns)),
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
