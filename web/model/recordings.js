/**
 * @file The recordings of a page: one, or two to compare. Their functions, events, processes and threads are numbered
 * together, and their stacks are in one tree.
 */
import { FunctionTable } from './functions.js';
import { FRAME_MARK } from './profile.js';
import { TreeBuilder } from './tree.js';

/** Put the nodes of `profile` into the tree of `builder`, and return where each is there. */
function addNodes(builder, functions, side, profile) {
    const { parent, frame } = profile.nodes;
    const { flags } = profile.frames;
    const fn = profile.frames.function;
    const numbers = functions.ofRows[side];
    const nodes = new Uint32Array(parent.length);

    for (let i = 0; i < nodes.length; i++) {
        const above = parent[i] ? nodes[parent[i] - 1] : 0;

        nodes[i] = builder.child(above, numbers[fn[frame[i]]], flags[frame[i]]);
    }
    for (let i = 0; i < fn.length; i++) {
        if (flags[i] & FRAME_MARK)
            functions.isMark[numbers[fn[i]]] = 1;
    }
    return nodes;
}

/** Node of each sample in the tree; 0: it has no stack. */
function nodesOfSamples(profile, nodes) {
    const { node, n } = profile.samples;
    const found = new Uint32Array(n);

    for (let i = 0; i < n; i++)
        found[i] = node[i] ? nodes[node[i] - 1] : 0;
    return found;
}

/** One recording of the page. */
class Side {
    /**
     * @param {Profile} profile
     * @param {Uint32Array} nodes Place in the tree of each of its nodes.
     * @param {{events: number[], firstThread: number, firstProcess: number}} numbers Number of each event; numbers of
     * the first thread and process.
     */
    constructor(profile, nodes, numbers) {
        this.profile = profile;
        this.nodes = nodes;
        this.samples = { ...profile.samples, treeNode: nodesOfSamples(profile, nodes) };
        this.events = numbers.events;
        this.firstThread = numbers.firstThread;
        this.firstProcess = numbers.firstProcess;
    }

    /** Row of the event with this number; -1 if the recording does not have it. */
    eventRow(event) {
        return this.events.indexOf(event);
    }
}

/** Events of the sides; those of the same name are one. */
function mergeEvents(profiles) {
    const events = [];
    const rows = profiles.map((profile, side) => profile.json.events.map(event => {
        let number = events.findIndex(other => other.name === event.name && !other.sides[side]);

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
    const rows = side.events.map(() => ({ samples: 0, weight: 0 }));

    for (let i = 0; i < n; i++) {
        const row = rows[event[i]];

        row.samples += count[i];
        row.weight += weight[i];
    }
    rows.forEach((row, i) => Object.assign(events[side.events[i]].sides[index], row));
}

/** The recordings of a page. They do not change. */
export class Recordings {
    /** @param {Profile[]} profiles One, or two: before and after. */
    constructor(profiles) {
        const nNodes = profiles.reduce((n, profile) => n + profile.nodes.frame.length, 0);
        const builder = new TreeBuilder(nNodes);
        const { events, rows } = mergeEvents(profiles);
        let firstThread = 0;
        let firstProcess = 0;

        this.functions = new FunctionTable(profiles);
        const nodes = profiles.map((profile, side) => addNodes(builder, this.functions, side, profile));
        const { tree, place } = builder.finish();
        /** All stacks. */
        this.tree = tree;
        this.sides = profiles.map((profile, side) => {
            const made = new Side(profile, nodes[side].map(node => place[node]),
                { events: rows[side], firstThread, firstProcess });

            firstThread += profile.json.threads.length;
            firstProcess += profile.json.processes.length;
            return made;
        });
        this.events = events;
        for (const event of events)
            event.sides.forEach(side => Object.assign(side, { samples: 0, weight: 0 }));
        this.sides.forEach((side, index) => countEvents(events, side, index));
        this.processes = this.listProcesses();
        this.threads = this.listThreads();
        this.cpus = this.listCpus();
    }

    listProcesses() {
        return this.sides.flatMap(({ profile }, side) =>
            profile.json.processes.map(({ pid, name }) => ({ side, pid, name })));
    }

    listThreads() {
        return this.sides.flatMap(({ profile, firstProcess }, side) => profile.json.threads.map(thread =>
            ({ ...thread, side, process: thread.process + firstProcess })));
    }

    /** Numbers of the CPUs with samples, ascending; -1 for samples without a CPU. */
    listCpus() {
        const seen = [];

        for (const { samples } of this.sides) {
            for (let i = 0; i < samples.n; i++)
                seen[samples.cpu[i]] = true;
        }
        return Object.keys(seen).map(cpu => Number(cpu) - 1);
    }

    /** Number of samples of an event on all sides. */
    samplesOf(event) {
        return event.sides.reduce((n, side) => n + side.samples, 0);
    }

    /** The event to show by default: the first one with samples, and if possible one that does not wait. */
    get defaultEvent() {
        const runs = this.events.findIndex(event => !event.waits && this.samplesOf(event));

        return runs >= 0 ? runs : Math.max(0, this.events.findIndex(event => this.samplesOf(event)));
    }

    /** The first event that waits and has samples; -1 if there is none. */
    get waitEvent() {
        return this.events.findIndex(event => event.waits && this.samplesOf(event));
    }
}
