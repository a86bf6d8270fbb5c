/**
 * @file The current selection: which samples of the recordings are shown, and what their stacks weigh. The members of a
 * selection are described in worker.js.
 */
import { Recent } from './recent.js';
import { LEFT_OUT } from './stacks.js';
import { sumUp } from './tree.js';

/** A sum of weights up to here is exact. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** Numbers of results that are kept: a list may have all samples, sums only have the leaves. */
const MOST_LISTS = 4;
const MOST_SUMS = 8;

/** The key of selections of all threads, processes and CPUs. */
const EVERYTHING = keyOf({});

function keyOf({ threads = null, processes = null, cpus = null }) {
    return JSON.stringify([threads, processes, cpus]);
}

/** First element of `list`, sample numbers in order of time, whose time is not before `time`. */
function firstAt(list, times, time) {
    let low = 0;
    let high = list.length;

    while (low < high) {
        const middle = low + high >>> 1;

        if (times[list[middle]] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** Array with 1 at each of `chosen`, which are numbers from `first` on; null: everything is chosen. */
function maskOf(chosen, first, n) {
    if (!chosen)
        return null;
    const mask = new Uint8Array(n);

    for (const number of chosen) {
        if (number >= first && number < first + n)
            mask[number - first] = 1;
    }
    return mask;
}

/** Threads of a side that are chosen by themselves or with their process; null: all. */
function threadMask(side, { threads = null, processes = null }) {
    const { json } = side.profile;
    const mask = maskOf(threads ?? (processes ? [] : null), side.firstThread, json.threads.length);

    if (!processes)
        return mask;
    const ofProcesses = maskOf(processes, side.firstProcess, json.processes.length);
    return mask.map((chosen, thread) => chosen | ofProcesses[json.threads[thread].process]);
}

/** CPUs that are chosen, by sample.cpu; null: all. */
function cpuMask(cpus) {
    if (!cpus)
        return null;
    const mask = new Uint8Array(cpus.reduce((n, cpu) => Math.max(n, cpu + 2), 1));

    for (const cpu of cpus)
        mask[cpu + 1] = 1;
    return mask;
}

function sumOf(values) {
    let sum = 0;

    for (let i = 0; i < values.length; i++)
        sum += values[i];
    return sum;
}

/** Weights and numbers of samples by node of the tree that is shown. */
class Weights {
    constructor(tree, self, count) {
        this.tree = tree;
        this.self = self;
        this.count = count;
        this.sums = null;
    }

    get totals() {
        this.sums ??= { total: sumUp(this.tree, this.self), count: sumUp(this.tree, this.count) };
        return this.sums;
    }

    /** Weight of each node with those below it. */
    get total() {
        return this.totals.total;
    }

    /** Number of samples of each node with those below it. */
    get totalCount() {
        return this.totals.count;
    }
}

/** The selected samples, and the weights of their stacks. A selection does not change. */
export class Selection {
    /**
     * @param {Stacks} stacks
     * @param {object} wanted Members of a selection; absent ones mean no restriction.
     * @param {Selection|null} before Another selection of the same stacks, whose work is used again.
     * @throws {Error} A pattern is invalid, or the event does not exist.
     */
    constructor(stacks, wanted, before = null) {
        const { recordings } = stacks;

        this.recordings = recordings;
        this.wanted = wanted;
        this.event = wanted.event ?? recordings.defaultEvent;
        if (this.event !== 0 && !recordings.events[this.event])
            throw new Error(`there is no event ${this.event}`);
        const { tree, place } = stacks.show(wanted);
        /** The tree that is shown. */
        this.tree = tree;
        /** Node of the tree by node of recordings.tree: see Stacks.show(). */
        this.place = place;
        /** What lists of samples depend on, except for event, time and stacks. */
        this.key = keyOf(wanted);
        this.kept = before?.kept ?? { lists: new Recent(MOST_LISTS), sums: new Recent(MOST_SUMS) };
        /** Lists of the samples whose stacks are shown. */
        this.lists = before?.key === this.key && before.place === place ? before.lists : new Map();
        this.sums = null;
        this.found = null;
    }

    get time() {
        return this.wanted.time ?? null;
    }

    /** Whether it is about single samples: by their stacks or CPUs, not only by threads. */
    get choosesSamples() {
        const { focus, ignore, roots, cpus } = this.wanted;

        return [focus, ignore, roots, cpus].some((list) => list?.length);
    }

    /** Rows of the threads of a side that are chosen; null: all. */
    threadMask(side) {
        return threadMask(this.recordings.sides[side], this.wanted);
    }

    /** Node of the tree that is shown for each sample of `side`; LEFT_OUT if its stack is left out. */
    nodeOf(side, sample) {
        const { leaves, samples } = this.recordings.sides[side];
        const node = leaves[samples.leaf[sample]];

        return this.place ? this.place[node] : node;
    }

    /**
     * The samples of a side that are selected, in order of time.
     * @param {number} side
     * @param {{event?: number, anyTime?: boolean, anyPart?: boolean}} options Another event; without regard to the
     * selected time; without regard to the selected threads, processes and CPUs.
     * @returns {Uint32Array} Numbers of samples. It belongs to the selection.
     */
    samples(side, { event = this.event, anyTime = false, anyPart = false } = {}) {
        const key = `${side} ${event} ${anyPart}`;

        if (!this.lists.has(key))
            this.lists.set(key, this.listSamples(side, event, anyPart));
        const list = this.lists.get(key);
        return anyTime ? list : this.inTime(side, list);
    }

    listSamples(side, event, anyPart) {
        const { leaves, samples } = this.recordings.sides[side];
        const list = this.chosenSamples(side, event, anyPart);
        const shown = this.place && leaves.map((node) => this.place[node] === LEFT_OUT ? 0 : 1);

        return !shown || shown.every(Boolean) ? list : list.filter((sample) => shown[samples.leaf[sample]]);
    }

    /** Like samples() at any time, whether stacks are left out or not. */
    chosenSamples(side, event, anyPart) {
        return this.kept.lists.get(`${side} ${event} ${anyPart ? EVERYTHING : this.key}`, () => {
            const { samples, ...of } = this.recordings.sides[side];
            const row = of.events.indexOf(event);
            const threads = anyPart ? null : threadMask(this.recordings.sides[side], this.wanted);
            const cpus = anyPart ? null : cpuMask(this.wanted.cpus ?? null);
            const list = new Uint32Array(samples.n);
            let n = 0;

            for (let i = 0; i < samples.n; i++) {
                if (samples.event[i] === row && (!threads || threads[samples.thread[i]]) && (!cpus || cpus[samples.cpu[i]]))
                    list[n++] = i;
            }
            return list.slice(0, n);
        });
    }

    /** Those of `list`, which is in order of time, that are in the selected time. */
    inTime(side, list) {
        if (!this.time)
            return list;
        const times = this.recordings.sides[side].samples.time;
        const first = firstAt(list, times, this.time[0]);

        return list.subarray(first, Math.max(first, firstAt(list, times, this.time[1])));
    }

    /**
     * Weights and numbers of the samples that are chosen by event, time, thread and CPU: two elements for each leaf, next to
     * each other, because leaves are visited in no order.
     */
    chosenSums(side) {
        return this.kept.sums.get(`${side} ${this.event} ${this.time} ${this.key}`, () => {
            const { leaves, samples: { leaf, weight, count } } = this.recordings.sides[side];
            const list = this.inTime(side, this.chosenSamples(side, this.event, false));
            const sums = new Float64Array(2 * leaves.length);

            for (let i = 0; i < list.length; i++) {
                const sample = list[i];
                const at = 2 * leaf[sample];

                sums[at] += weight[sample];
                sums[at + 1] += count[sample];
            }
            return sums;
        });
    }

    /** Weights of each side by node. */
    get weights() {
        this.found ??= this.recordings.sides.map((_, side) => this.weigh(side));
        return this.found;
    }

    weigh(side) {
        const { leaves } = this.recordings.sides[side];
        const sums = this.chosenSums(side);
        const self = new Float64Array(this.tree.n);
        const counts = new Float64Array(this.tree.n);

        for (let i = 0; i < leaves.length; i++) {
            const node = this.place ? this.place[leaves[i]] : leaves[i];

            if (node === LEFT_OUT)
                continue;
            self[node] += sums[2 * i];
            counts[node] += sums[2 * i + 1];
        }
        return new Weights(this.tree, self, counts);
    }

    /** The part of a weight in which CPUs did nothing. Only clocks have samples then. */
    idleWeight(index) {
        const { isIdle, samples: { thread, weight } } = this.recordings.sides[index];
        const { unit, waits } = this.recordings.events[this.event] ?? {};

        if (unit !== 'ns' || waits || !isIdle.includes(true))
            return 0;
        return this.samples(index).reduce((sum, i) => sum + (isIdle[thread[i]] ? weight[i] : 0), 0);
    }

    /** Samples and weight of each side, selected and in all; idle: the part in which CPUs did nothing. */
    get totals() {
        this.sums ??= this.recordings.sides.map((side, index) => {
            const of = this.recordings.events[this.event]?.sides[index] ?? { samples: 0, weight: 0 };
            /* By node, because that is needed anyway and far shorter than the list of samples. */
            const { self, count } = this.weights[index];

            return {
                samples: sumOf(count), weight: sumOf(self), idle: this.idleWeight(index),
                of_samples: of.samples, of_weight: of.weight, exact: of.weight <= MAX_EXACT,
            };
        });
        return this.sums;
    }

    /**
     * What weights of side 1 are multiplied by, to be compared with those of side 0.
     * @param {"normalized"|"absolute"} scale Normalized: both sides have the same sum in the end, unless one has none.
     */
    factor(scale) {
        const [before, after] = this.totals;

        if (!after || scale === 'absolute' || !before.weight || !after.weight)
            return 1;
        return before.weight / after.weight;
    }
}
