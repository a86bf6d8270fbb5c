/**
 * @file Folded stacks: lines "thread;root;...;leaf WEIGHT", as `pdconv --folded` writes them.
 */

/** Characters that a string can have in all browsers. */
const MAX_TEXT = 2 ** 29 - 25;

/** Names of threads in folded stacks: without what has a meaning there. */
function foldedThread({ name, tid, process }, processes, withNumbers) {
    const clean = name.replace(/["']/g, '').replace(/;/g, ':').replace(/[\x00- \x7f]/g, '_') || '[unknown]';

    return withNumbers ? `${clean}-${processes[process].pid}/${tid}` : clean;
}

/** Texts of the nodes of `tree`: names from the root to each, each preceded by ';'. Made when needed. */
class NodeTexts {
    constructor(tree, functions) {
        this.tree = tree;
        this.functions = functions;
        this.texts = [''];
    }

    text(node) {
        const missing = [];

        for (; this.texts[node] === undefined; node = this.tree.parent[node])
            missing.push(node);
        return missing.reduceRight((above, at) => {
            this.texts[at] = `${above};${this.functions.name(this.tree.fn[at])}`;
            return this.texts[at];
        }, this.texts[node]);
    }
}

/** Order of strings by their code points, which is that of their UTF-8. */
function byCodePoints(a, b) {
    const n = Math.min(a.length, b.length);
    let i = 0;

    while (i < n && a.charCodeAt(i) === b.charCodeAt(i))
        i++;
    if (i === n)
        return a.length - b.length;
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    /* Surrogates stand for code points above all others. */
    return (x >= 0xd800 && x < 0xe000 ? x + 0x10000 : x) - (y >= 0xd800 && y < 0xe000 ? y + 0x10000 : y);
}

/** Answer the question `folded`: see worker.js. */
export function answerFolded(selection, { threads = false, side = 0 } = {}) {
    const { recordings, tree } = selection;
    const { samples, firstThread } = recordings.sides[side];
    const nodes = new NodeTexts(tree, recordings.functions);
    const names = recordings.threads.map((thread) => foldedThread(thread, recordings.processes, threads));
    const sums = new Map();

    for (const sample of selection.samples(side)) {
        const name = names[firstThread + samples.thread[sample]];
        const ofThread = sums.get(name) ?? new Map();
        const node = selection.nodeOf(side, sample);

        sums.set(name, ofThread);
        ofThread.set(node, (ofThread.get(node) ?? 0) + samples.weight[sample]);
    }
    /* Functions of the same name in different binaries look the same. */
    const stacks = new Map();
    for (const [name, ofThread] of sums) {
        for (const [node, weight] of ofThread) {
            const stack = name + nodes.text(node);

            stacks.set(stack, (stacks.get(stack) ?? 0) + weight);
        }
    }
    const sorted = [...stacks].sort((a, b) => byCodePoints(a[0], b[0]));
    const size = sorted.reduce((sum, [stack]) => sum + stack.length + 18, 0);
    if (size > MAX_TEXT)
        throw new Error(`the folded stacks are too large for a browser: ${Math.ceil(size / 1e6)} MB`);
    return { text: sorted.map(([stack, weight]) => `${stack} ${weight}\n`).join('') };
}
