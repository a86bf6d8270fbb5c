/**
 * @file A second model, slow and obvious: samples are objects, and stacks are lists of names. Tests compare it
 * with web/model/.
 */

/** "name\0file name of the binary", which identifies a function. */
export function keyOf(frame) {
    const [, name, binary = ''] = /^([^@]*?)(?:@([^: ]*)(?::\d+)?)?(?: [igsm]+)?$/.exec(frame);

    return `${name}\0${binary.slice(binary.lastIndexOf('/') + 1)}`;
}

/** Samples of `parts` (see encodeProfile()) that satisfy `wanted`, with stacks of keys. */
export function naiveSamples(parts, wanted = () => true) {
    return parts.samples.filter(wanted).map((sample) => ({ ...sample, stack: sample.stack.map(keyOf) }));
}

/** Sum of what `weigh` says of samples. */
export function sum(samples, weigh = (sample) => sample.weight) {
    return samples.reduce((total, sample) => total + weigh(sample), 0);
}

/** Map of functions to { self, total, count }. */
export function naiveTable(samples) {
    const rows = new Map();

    for (const { stack, weight, count } of samples) {
        for (const key of new Set(stack)) {
            const row = rows.get(key) ?? { self: 0, total: 0, count: 0 };

            rows.set(key, row);
            row.total += weight;
            row.count += count;
            if (stack.at(-1) === key)
                row.self += weight;
        }
    }
    return rows;
}

/** Map of paths, keys joined by newlines, to { total, self, count }. */
export function naiveTree(stacks) {
    const nodes = new Map();

    for (const { stack, weight, count } of stacks) {
        stack.forEach((_, i) => {
            const path = stack.slice(0, i + 1).join('\n');
            const node = nodes.get(path) ?? { total: 0, self: 0, count: 0 };

            nodes.set(path, node);
            node.total += weight;
            node.count += count;
            if (i === stack.length - 1)
                node.self += weight;
        });
    }
    return nodes;
}

/** The map of naiveTree(), made of a layout (answer of `flame`). */
export function treeOfLayout(layout, functions, digit = '') {
    const nodes = new Map();
    const paths = [];

    for (let i = 0; i < layout.n; i++) {
        const { name, binary } = functions.describe(layout.function[i]);
        const key = `${name}\0${binary.slice(binary.lastIndexOf('/') + 1)}`;

        paths[i] = layout.parent[i] < 0 ? key : `${paths[layout.parent[i]]}\n${key}`;
        nodes.set(paths[i], {
            total: layout[`total${digit}`][i], self: layout[`self${digit}`][i], count: layout[`count${digit}`][i],
        });
    }
    return nodes;
}

/** Entries of a map in order, for comparisons. */
export function sorted(map) {
    return [...map].sort(([a], [b]) => a < b ? -1 : 1);
}

/**
 * Recursion as pdconv --tree shows it: a function on the path goes on where it is; an unnamed one if it calls itself.
 */
export function withoutRecursion(stack) {
    const path = [];

    for (const key of stack) {
        const [name] = key.split('\0');
        const isUnnamed = /^\[.*\]$/.test(name) || name === 'operator()';
        const at = isUnnamed ? (path.at(-1) === key ? path.length - 1 : -1) : path.indexOf(key);

        if (at >= 0)
            path.length = at + 1;
        else
            path.push(key);
    }
    return path;
}
