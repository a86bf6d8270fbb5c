/**
 * @file Order of nodes and samples. A container has them in orders in which neighbours are alike, because they are smaller
 * then: nodes from callers to callees, times and threads by CPU, stacks by thread. The page needs parents of nodes, and
 * samples in order of time.
 */

/** Columns of samples that are in order of CPUs. `sample.leaf` and `sample.end` are in order of threads. */
const BY_CPU = ['sample.time', 'sample.thread', 'sample.cpu', 'sample.event', 'sample.weight', 'sample.count'];

/**
 * Find the parents of nodes.
 * @param {Uint32Array} up How many callers up from the node before it the caller of each node is.
 * @returns {Uint32Array} Index of the caller + 1; 0 at a root.
 * @throws {Error} There are not as many callers.
 */
export function parentsOf(up) {
    const parents = new Uint32Array(up.length);

    for (let i = 0; i < up.length; i++) {
        let above = i;

        for (let k = up[i]; k > 0; k--) {
            if (!above)
                throw new Error('the profile is damaged: a node has no parent');
            above = parents[above - 1];
        }
        parents[i] = above;
    }
    return parents;
}

/** Where ascending runs of times begin, and the number of times. */
function runsOf(times) {
    const runs = [0];

    for (let i = 1; i < times.length; i++) {
        if (times[i] < times[i - 1])
            runs.push(i);
    }
    runs.push(times.length);
    return runs;
}

/** Merge the rows `begin` to `middle - 1` and `middle` to `end - 1` of `from` into `to`, each of which is in order of time. */
function merge(times, from, to, begin, middle, end) {
    let first = begin;
    let second = middle;

    for (let at = begin; at < end; at++) {
        const isFirst = second >= end || first < middle && times[from[first]] <= times[from[second]];

        to[at] = isFirst ? from[first++] : from[second++];
    }
}

/** Rows by ascending time; those of one time remain in their order. Null: they are in this order. */
function orderOfTimes(times) {
    let runs = runsOf(times);

    if (runs.length <= 2)
        return null;
    let order = new Uint32Array(times.length);
    let merged = new Uint32Array(times.length);
    for (let i = 0; i < order.length; i++)
        order[i] = i;
    while (runs.length > 2) {
        const ends = [0];

        for (let k = 0; k + 1 < runs.length; k += 2) {
            const end = runs[Math.min(k + 2, runs.length - 1)];

            merge(times, order, merged, runs[k], runs[k + 1], end);
            ends.push(end);
        }
        [order, merged] = [merged, order];
        runs = ends;
    }
    return order;
}

/** Row in a column that is in order of threads of each row of a column that is in order of CPUs. */
function rowsByThread(threads, nThreads) {
    const next = new Uint32Array(nThreads + 1);
    const rows = new Uint32Array(threads.length);

    for (let i = 0; i < threads.length; i++)
        next[threads[i] + 1]++;
    for (let thread = 0; thread < nThreads; thread++)
        next[thread + 1] += next[thread];
    for (let i = 0; i < threads.length; i++)
        rows[i] = next[threads[i]]++;
    return rows;
}

function isConstant(values) {
    const [first] = values;

    for (let i = 1; i < values.length; i++) {
        if (values[i] !== first)
            return false;
    }
    return true;
}

/** The rows `order` of a column; all of them in their order if it is null. */
function pick(values, order) {
    if (!order || isConstant(values))
        return values;
    const picked = new values.constructor(order.length);

    for (let i = 0; i < order.length; i++)
        picked[i] = values[order[i]];
    return picked;
}

/** Nodes + 1 of the rows `rows` of a column of leaves + 1; 0 remains 0. */
function nodesOf(leaves, leafNode, rows) {
    const nodes = new Uint32Array(rows.length);

    for (let i = 0; i < rows.length; i++) {
        const leaf = leaves[rows[i]];

        nodes[i] = leaf && leafNode[leaf - 1] + 1;
    }
    return nodes;
}

/**
 * Put the columns of samples in order of time. References in them must have been checked.
 * @param {Object<string, Uint32Array|Float64Array>} columns
 * @param {number} nThreads
 * @returns {Object<string, Uint32Array|Float64Array>} The columns by name, without "sample.". `node` has the node of each
 * stack + 1 instead of its leaf.
 */
export function samplesInTime(columns, nThreads) {
    const order = orderOfTimes(columns['sample.time']);
    const ofThreads = pick(rowsByThread(columns['sample.thread'], nThreads), order);
    const samples = {};

    for (const name of BY_CPU)
        samples[name.slice(7)] = pick(columns[name], order);
    samples.end = pick(columns['sample.end'], ofThreads);
    samples.node = nodesOf(columns['sample.leaf'], columns['leaf.node'], ofThreads);
    return samples;
}
