/**
 * @file The recordings of a page: one, or two to compare. Their functions, events, processes and threads are numbered
 * together, and their stacks are in one tree.
 */
import { FunctionTable } from './functions.js';
import { FRAME_MARK, MAX_CPUS } from './profile.js';
import { mergeTree } from './tree.js';

/**
 * Make the tree of the stacks of all sides.
 * @returns {{tree: CallTree, places: Uint32Array[]}} The tree, and by side the place in it of each node of the profile;
 * the first element is that of the root.
 */
function mergeStacks(profiles, functions) {
    const n = profiles.reduce((sum, profile) => sum + profile.nodes.frame.length, 1);
    const parents = new Uint32Array(n);
    const fns = new Uint32Array(n);
    const bits = new Uint8Array(n);
    const firsts = [];
    let at = 1;

    profiles.forEach(({ nodes, frames }, side) => {
        const { parent, frame } = nodes;
        const { flags } = frames;
        const numbers = frames.function.map((fn) => functions.ofRows[side][fn]);
        const shift = at - 1;

        firsts.push(at);
        for (let i = 0; i < frame.length; i++, at++) {
            parents[at] = parent[i] && parent[i] + shift;
            fns[at] = numbers[frame[i]];
            bits[at] = flags[frame[i]];
        }
        numbers.forEach((number, row) => {
            if (flags[row] & FRAME_MARK)
                functions.isMark[number] = 1;
        });
    });
    const { tree, place } = mergeTree(parents, fns, bits, functions.n);
    return { tree, places: firsts.map((first, side) => place.subarray(first, firsts[side + 1])) };
}

/**
 * Number the nodes in which stacks of samples end. They are far fewer than all nodes, so that weights by leaf are
 * summed up faster than by node.
 * @returns {{leaves: Uint32Array, leaf: Uint32Array}} Nodes by number, ascending; the root, which stands for no stack, is
 * the first. The number of each sample's node.
 */
function numberLeaves(profile, place, nNodes) {
    const { node, n } = profile.samples;
    const numbers = new Uint32Array(nNodes);
    const leaf = new Uint32Array(n);
    let nLeaves = 1;

    for (let i = 0; i < n; i++) {
        leaf[i] = node[i] && place[node[i] - 1];
        numbers[leaf[i]] = 1;
    }
    for (let i = 1; i < nNodes; i++) {
        if (numbers[i])
            numbers[i] = nLeaves++;
    }
    numbers[0] = 0;
    const leaves = new Uint32Array(nLeaves);
    for (let i = 1; i < nNodes; i++) {
        if (numbers[i])
            leaves[numbers[i]] = i;
    }
    for (let i = 0; i < n; i++)
        leaf[i] = numbers[leaf[i]];
    return { leaves, leaf };
}

/** The kernel gives the number -1 to all tasks that have left their process. */
const nameOf = (number, name) => (number < 0 ? 'exiting tasks' : name);

/** One recording of the page. */
class Side {
    /**
     * @param {Profile} profile
     * @param {{leaves: Uint32Array, leaf: Uint32Array}} leaves See numberLeaves().
     * @param {{events: number[], firstThread: number, firstProcess: number}} numbers Number of each event; numbers of
     * the first thread and process.
     */
    constructor(profile, { leaves, leaf }, numbers) {
        this.profile = profile;
        /** Nodes of recordings.tree in which stacks end. */
        this.leaves = leaves;
        /** Columns of the profile, and the element of `leaves` of each sample. */
        this.samples = { ...profile.samples, leaf };
        /** Number of each event of the profile. */
        this.events = numbers.events;
        this.firstThread = numbers.firstThread;
        this.firstProcess = numbers.firstProcess;
        const { threads, processes } = profile.json;
        /** Rows of the kernel's idle threads, which have a clock's samples while a CPU does nothing. */
        this.isIdle = threads.map(({ process, name }) => processes[process].pid === 0 && name === 'swapper');
    }
}

/** Events of the sides; those of the same name are one. */
function mergeEvents(profiles) {
    const events = [];
    const rows = profiles.map((profile, side) => profile.json.events.map((event) => {
        let number = events.findIndex((other) => other.name === event.name && !other.sides[side]);

        if (number < 0) {
            number = events.length;
            events.push({ name: event.name, unit: event.unit, waits: !!event.waits, sides: [] });
        }
        events[number].sides[side] = { samples: event.samples, period: event.period };
        return number;
    }));

    for (const event of events)
        event.sides = profiles.map((_, side) => event.sides[side] ?? { samples: 0, period: '0' });
    return { events, rows };
}

/** Count samples and weights of each event of a side, in the elements of `events`. */
function countEvents(events, side, index) {
    const { n, event, count, weight } = side.samples;
    const samples = new Float64Array(side.events.length);
    const weights = new Float64Array(side.events.length);

    for (let i = 0; i < n; i++) {
        samples[event[i]] += count[i];
        weights[event[i]] += weight[i];
    }
    side.events.forEach((number, row) =>
        Object.assign(events[number].sides[index], { samples: samples[row], weight: weights[row] }));
}

/** The recordings of a page. They do not change. */
export class Recordings {
    /** @param {Profile[]} profiles One, or two: before and after. */
    constructor(profiles) {
        const { events, rows } = mergeEvents(profiles);
        let firstThread = 0;
        let firstProcess = 0;

        this.functions = new FunctionTable(profiles);
        const { tree, places } = mergeStacks(profiles, this.functions);
        /** All stacks. */
        this.tree = tree;
        this.sides = profiles.map((profile, side) => {
            const made = new Side(profile, numberLeaves(profile, places[side], tree.n),
                { events: rows[side], firstThread, firstProcess });

            firstThread += profile.json.threads.length;
            firstProcess += profile.json.processes.length;
            return made;
        });
        this.events = events;
        for (const event of events)
            event.sides.forEach((side) => Object.assign(side, { samples: 0, weight: 0 }));
        this.sides.forEach((side, index) => countEvents(events, side, index));
        this.processes = this.listProcesses();
        this.threads = this.listThreads();
        this.cpus = this.listCpus();
    }

    listProcesses() {
        return this.sides.flatMap(({ profile }, side) =>
            profile.json.processes.map(({ pid, name }) => ({ side, pid, name: nameOf(pid, name) })));
    }

    listThreads() {
        return this.sides.flatMap(({ profile, firstProcess }, side) => profile.json.threads.map((thread) =>
            ({ ...thread, name: nameOf(thread.tid, thread.name), side, process: thread.process + firstProcess })));
    }

    /** Numbers of the CPUs with samples, ascending; -1 for samples without a CPU. */
    listCpus() {
        const seen = new Uint8Array(MAX_CPUS);

        for (const { samples: { cpu, n } } of this.sides) {
            for (let i = 0; i < n; i++)
                seen[cpu[i]] = 1;
        }
        return [...seen.keys()].filter((cpu) => seen[cpu]).map((cpu) => cpu - 1);
    }

    /** Number of samples of an event on all sides. */
    samplesOf(event) {
        return event.sides.reduce((n, side) => n + side.samples, 0);
    }

    /** The event to show by default: the first one with samples, and if possible one that does not wait. */
    get defaultEvent() {
        const runs = this.events.findIndex((event) => !event.waits && this.samplesOf(event));

        return runs >= 0 ? runs : Math.max(0, this.events.findIndex((event) => this.samplesOf(event)));
    }

    /** The first event that waits and has samples; -1 if there is none. */
    get waitEvent() {
        return this.events.findIndex((event) => event.waits && this.samplesOf(event));
    }
}
