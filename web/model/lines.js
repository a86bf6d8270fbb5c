/**
 * @file Weights of the source lines of a function, and the text of the lines if the page has it.
 */
import { linesOf, sourceFiles } from './code.js';

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

/** Whether a node above `node` has the function `fn` at the same line, which then contains its total. */
function isRepeated({ profile: { nodes, frames, functions } }, numbers, node, fn) {
    const own = nodes.frame[node];

    for (let above = nodes.parent[node]; above; above = nodes.parent[above - 1]) {
        const frame = nodes.frame[above - 1];

        if (numbers[frames.function[frame]] === fn && frames.line[frame] === frames.line[own] &&
            functions.file[frames.function[frame]] === functions.file[frames.function[own]])
            return true;
    }
    return false;
}

/** Sums of one side: Map of paths to Map of lines to [self, total, count]. */
function sumLines(selection, index, fn) {
    const side = selection.recordings.sides[index];
    const { profile, profile: { nodes, frames, functions } } = side;
    const numbers = selection.recordings.functions.ofRows[index];
    const { self, total, count } = weighNodes(selection, index);
    const paths = new Map();

    for (let i = 0; i < nodes.frame.length; i++) {
        const frame = nodes.frame[i];
        const row = frames.function[frame];
        if (!total[i] || numbers[row] !== fn)
            continue;
        const path = profile.text(functions.file[row]);
        const lines = paths.get(path) ?? new Map();
        const sums = lines.get(frames.line[frame]) ?? [0, 0, 0];

        paths.set(path, lines);
        lines.set(frames.line[frame], sums);
        sums[0] += self[i];
        if (isRepeated(side, numbers, i, fn))
            continue;
        sums[1] += total[i];
        sums[2] += count[i];
    }
    return paths;
}

/** Lines of a file that are shown: those with weights, and those of the function whose text is in the page. */
function listLines(sides, path, span, source) {
    const weighed = sides.flatMap((side) => [...side.get(path)?.keys() ?? []]);
    const others = span && source ? source.between(...span) : [];

    return [...new Set([...weighed, ...others])].sort((a, b) => a - b);
}

/** Answer the question `lines`: see worker.js. */
export function answerLines(selection, { function: fn, side: index = 0 }) {
    const { sides: recorded, functions } = selection.recordings;
    const sides = recorded.map((_, side) => sumLines(selection, side, fn));
    const spans = linesOf(recorded[index], functions.ofRows[index], fn);
    const sources = sourceFiles(recorded[index].profile);
    const own = functions.file(fn);
    const paths = [...new Set([...sides.flatMap((side) => [...side.keys()]), ...spans.keys()])]
        .sort((a, b) => (b === own) - (a === own) || (a < b ? -1 : 1));
    const rows = paths.flatMap((path, file) =>
        listLines(sides, path, spans.get(path), sources.get(path)).map((line) => ({ path, file, line })));
    const answer = {
        files: paths.map((path) => ({ path, note: sources.get(path)?.note ?? '' })),
        file: Uint32Array.from(rows, (row) => row.file), line: Uint32Array.from(rows, (row) => row.line),
        text: rows.map(({ path, line }) => sources.get(path)?.textOf(line) ?? null),
    };

    sides.forEach((side, i) => {
        ['self', 'total', 'count'].forEach((name, column) => {
            answer[name + (i || '')] = Float64Array.from(rows, ({ path, line }) =>
                side.get(path)?.get(line)?.[column] ?? 0);
        });
    });
    return answer;
}
