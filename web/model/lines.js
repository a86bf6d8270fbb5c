/**
 * @file Weights of the source lines of a function.
 */

/** Weights and numbers of samples by node of the profile of a side. */
function weighNodes(selection, side) {
    const { samples, profile } = selection.recordings.sides[side];
    const { parent } = profile.nodes;
    const self = new Float64Array(parent.length);
    const count = new Float64Array(parent.length);

    for (const sample of selection.samples(side)) {
        const node = samples.node[sample];

        if (!node)
            continue;
        self[node - 1] += samples.weight[sample];
        count[node - 1] += samples.count[sample];
    }
    const total = self.slice();
    for (let i = parent.length - 1; i >= 0; i--) {
        if (!parent[i])
            continue;
        total[parent[i] - 1] += total[i];
        count[parent[i] - 1] += count[i];
    }
    return { self, total, count };
}

/** Whether a node above `node` has the same function and line, which then contains its total. */
function isRepeated(side, numbers, node, fn, line) {
    const { nodes, frames } = side.profile;

    for (let above = nodes.parent[node]; above; above = nodes.parent[above - 1]) {
        const frame = nodes.frame[above - 1];

        if (numbers[frames.function[frame]] === fn && frames.line[frame] === line)
            return true;
    }
    return false;
}

/** Sums of one side by line: Map of line → [self, total, count]. */
function sumLines(selection, side, fn) {
    const { nodes, frames } = selection.recordings.sides[side].profile;
    const numbers = selection.recordings.functions.ofRows[side];
    const { self, total, count } = weighNodes(selection, side);
    const lines = new Map();

    for (let i = 0; i < nodes.frame.length; i++) {
        const frame = nodes.frame[i];
        if (!total[i] || numbers[frames.function[frame]] !== fn)
            continue;
        const line = frames.line[frame];
        const sums = lines.get(line) ?? [0, 0, 0];

        lines.set(line, sums);
        sums[0] += self[i];
        if (isRepeated(selection.recordings.sides[side], numbers, i, fn, line))
            continue;
        sums[1] += total[i];
        sums[2] += count[i];
    }
    return lines;
}

/** Answer the question `lines`: see worker.js. */
export function answerLines(selection, { function: fn }) {
    const sides = selection.recordings.sides.map((_, side) => sumLines(selection, side, fn));
    const line = Uint32Array.from(new Set(sides.flatMap(side => [...side.keys()]))).sort();
    const answer = { line };

    sides.forEach((side, i) => {
        ['self', 'total', 'count'].forEach((name, column) => {
            answer[name + (i || '')] = Float64Array.from(line, number => side.get(number)?.[column] ?? 0);
        });
    });
    return answer;
}
