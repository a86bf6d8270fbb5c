/**
 * @file The flame chart: stacks of one thread in the order of time.
 */

/** Bit of boxes of waiting samples. */
export const BOX_WAITING = 64;

/** Samples follow each other without a gap if it is shorter than this multiple of the usual distance. */
const USUAL_GAP = 1.5;

/** Samples of one thread among `list`. */
function ofThread(samples, list, row) {
    return list.filter((sample) => samples.thread[sample] === row);
}

/** Merge two lists of samples, each in order of time. */
function mergeByTime(times, a, b) {
    const merged = new Uint32Array(a.length + b.length);

    for (let i = 0, j = 0; i + j < merged.length;) {
        const takesA = j === b.length || i < a.length && times[a[i]] <= times[b[j]];

        merged[i + j] = takesA ? a[i] : b[j];
        if (takesA)
            i++;
        else
            j++;
    }
    return merged;
}

/** Median of the distances of samples that follow each other. */
function usualDistance(times, list) {
    const distances = new Float64Array(Math.max(0, list.length - 1));

    for (let i = 0; i < distances.length; i++)
        distances[i] = times[list[i + 1]] - times[list[i]];
    distances.sort();
    return distances[distances.length >> 1] ?? 0;
}

/** Draws boxes: closes what has ended and drops what is too narrow to be seen. */
class ChartBoxes {
    constructor(tree, from, to, columns) {
        this.tree = tree;
        this.from = from;
        this.to = to;
        this.columns = columns;
        /** Open boxes by depth: { node, start, end, weight, flags, depth }. */
        this.open = [];
        /** Last column in which a box was drawn, by depth. */
        this.drawn = [];
        this.boxes = [];
    }

    /** Function numbers of the path to `node`, as nodes from the first level on. */
    pathTo(node) {
        const path = [];

        for (; node; node = this.tree.parent[node])
            path.push(node);
        return path.reverse();
    }

    /** Add a stack from `start` to `end`. It continues open boxes if `follows`. */
    add(node, start, end, weight, flags, follows) {
        const path = this.pathTo(node);
        let common = 0;

        while (follows && common < path.length && this.open[common]?.node === path[common] &&
            this.open[common].flags === flags) {
            this.open[common].end = end;
            this.open[common].weight += weight;
            common++;
        }
        this.close(common);
        for (let depth = common; depth < path.length; depth++)
            this.open.push({ node: path[depth], start, end, weight, flags, depth });
    }

    /** Close the boxes from `depth` on. */
    close(depth) {
        for (let i = depth; i < this.open.length; i++)
            this.draw(this.open[i]);
        this.open.length = depth;
    }

    draw(box) {
        const { depth } = box;
        const scale = this.columns / (this.to - this.from);
        const first = Math.floor((box.start - this.from) * scale);
        const last = (box.end - this.from) * scale;

        if (last - first < 1 && this.drawn[depth] === first || box.end <= this.from || box.start >= this.to)
            return;
        this.drawn[depth] = Math.max(first, Math.ceil(last) - 1);
        this.boxes.push(box);
    }
}

/** Answer the question `chart`: see worker.js. */
export function answerChart(selection, { thread, columns = 2000, waits = true, ...span }) {
    const { recordings, tree } = selection;
    const side = recordings.threads[thread]?.side;
    if (side === undefined)
        throw new Error(`there is no thread ${thread}`);
    const { profile, samples, firstThread } = recordings.sides[side];
    const [first, last] = profile.span;
    const from = span.from ?? selection.time?.[0] ?? first;
    const to = Math.max(span.to ?? selection.time?.[1] ?? last + 1, from + 1);
    const listOf = (event) => ofThread(samples, selection.samples(side, { event, anyTime: true }), thread - firstThread);
    const shown = listOf(selection.event);
    const { waitEvent } = recordings;
    const list = waits && waitEvent >= 0 && waitEvent !== selection.event
        ? mergeByTime(samples.time, shown, listOf(waitEvent)) : shown;
    const boxes = new ChartBoxes(tree, from, to, columns);

    addStacks(boxes, selection, side, { list, distance: usualDistance(samples.time, shown) });
    return describeChart(boxes, from, to);
}

/** Add the stacks of samples in order. A sample stands for the time before it. */
function addStacks(boxes, selection, side, { list, distance }) {
    const { recordings } = selection;
    const { profile, samples, events } = recordings.sides[side];
    const unitNs = profile.json.time_unit_ns || 1;
    let before = -Infinity;

    for (const sample of list) {
        const time = samples.time[sample];
        const weight = samples.weight[sample];
        const event = recordings.events[events[samples.event[sample]]];
        const length = event.unit === 'ns' ? weight / unitNs : distance;
        /* The sampling clock is not exact, so short gaps are none. */
        const gap = time - length - before;
        const follows = !event.waits && gap <= (USUAL_GAP - 1) * Math.max(length, distance);
        const start = follows ? before : Math.max(before, time - length);

        before = Math.max(before, time);
        if (time < boxes.from || start > boxes.to)
            continue;
        boxes.add(selection.nodeOf(side, sample), start, Math.max(time, start), weight, event.waits ? BOX_WAITING : 0,
            follows);
    }
    boxes.close(0);
}

function describeChart({ tree, boxes }, from, to) {
    const n = boxes.length;
    const chart = {
        n, depths: 0, from, to, function: new Uint32Array(n), depth: new Uint16Array(n), x0: new Float64Array(n),
        x1: new Float64Array(n), flags: new Uint8Array(n), start: new Float64Array(n), end: new Float64Array(n),
        weight: new Float64Array(n),
    };

    for (let i = 0; i < n; i++) {
        const { depth, node, start, end, weight, flags } = boxes[i];

        chart.depths = Math.max(chart.depths, depth + 1);
        chart.function[i] = tree.fn[node];
        chart.depth[i] = depth;
        chart.x0[i] = (Math.max(start, from) - from) / (to - from);
        chart.x1[i] = (Math.min(end, to) - from) / (to - from);
        chart.flags[i] = tree.flags[node] | flags;
        chart.start[i] = start;
        chart.end[i] = end;
        chart.weight[i] = weight;
    }
    return chart;
}
