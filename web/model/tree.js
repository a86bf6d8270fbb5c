/**
 * @file Call trees: stacks merged by function, from the outermost callers on. Trees are arrays, one element per node.
 * Node 0 is the root, which is not a function. A node comes before its children, and the nodes below it follow it without
 * gaps: those of node I are I + 1 to end[I] - 1.
 */
import { FRAME_INLINED } from './profile.js';

/** A tree of calls. */
export class CallTree {
    /**
     * @param {Uint32Array} parent Parent of each node; that of the root is 0.
     * @param {Uint32Array} fn Function of each node.
     * @param {Uint8Array} flags Bits of profile.js: whether all frames of a node are inlined, and others of any frame.
     * @param {Uint32Array} end First node that is not below a node.
     */
    constructor(parent, fn, flags, end) {
        this.n = parent.length;
        this.parent = parent;
        this.fn = fn;
        this.flags = flags;
        this.end = end;
    }

    /** The child of `node` with the function `fn`; 0 if there is none. */
    child(node, fn) {
        for (let i = node + 1; i < this.end[node]; i = this.end[i]) {
            if (this.fn[i] === fn)
                return i;
        }
        return 0;
    }
}

/** Parent of nodes that are left out of a tree. */
export const NO_PARENT = 0xffffffff;

/** Children of each node: those of node I are list[starts[I]] to list[starts[I + 1] - 1]. */
function listChildren(parent) {
    const n = parent.length;
    const starts = new Uint32Array(n + 1);
    const list = new Uint32Array(n);

    for (let i = 1; i < n; i++) {
        if (parent[i] !== NO_PARENT)
            starts[parent[i] + 1]++;
    }
    for (let i = 0; i < n; i++)
        starts[i + 1] += starts[i];
    const next = starts.slice();
    for (let i = 1; i < n; i++) {
        if (parent[i] !== NO_PARENT)
            list[next[parent[i]]++] = i;
    }
    return { starts, list };
}

/** Reverse the elements `begin` to `end - 1`. */
function turnAround(array, begin, end) {
    for (end--; begin < end; begin++, end--)
        [array[begin], array[end]] = [array[end], array[begin]];
}

/**
 * Make a tree of nodes in any order, and merge siblings with the same function.
 * @param {Uint32Array} parent Parent of each node; node 0 is the root. Nodes whose parent is NO_PARENT are left out, and
 * none of the others may be below them.
 * @param {Uint32Array} fn Function of each node.
 * @param {Uint8Array} flags Bits of each node: see CallTree.
 * @param {number} nFunctions
 * @returns {{tree: CallTree, place: Uint32Array}} The tree, and the place in it of each node; 0: it was left out.
 */
export function mergeTree(parent, fn, flags, nFunctions) {
    const { starts, list } = listChildren(parent);
    const capacity = parent.length;
    const tree = {
        parent: new Uint32Array(capacity), fn: new Uint32Array(capacity), flags: new Uint8Array(capacity),
    };
    const place = new Uint32Array(capacity);
    /* Nodes that become one are a list, which begins with the first of them. */
    const next = new Uint32Array(capacity);
    /* First node with a function below the current node, if `owner` of the function is the current node + 1. */
    const first = new Uint32Array(nFunctions);
    const owner = new Uint32Array(nFunctions);
    /* First nodes of the lists that have no place yet. */
    const stack = new Uint32Array(capacity + 1);
    let depth = 1;
    let n = 0;

    while (depth) {
        const head = stack[--depth];
        const at = n++;
        const begun = depth;

        tree.parent[at] = place[parent[head]];
        tree.fn[at] = fn[head];
        tree.flags[at] = flags[head];
        for (let node = head; ; node = next[node]) {
            place[node] = at;
            tree.flags[at] = (tree.flags[at] | flags[node]) & ~FRAME_INLINED |
                tree.flags[at] & flags[node] & FRAME_INLINED;
            for (let i = starts[node]; i < starts[node + 1]; i++) {
                const child = list[i];
                const childFn = fn[child];

                if (owner[childFn] === at + 1) {
                    next[child] = next[first[childFn]];
                    next[first[childFn]] = child;
                } else {
                    owner[childFn] = at + 1;
                    first[childFn] = child;
                    stack[depth++] = child;
                }
            }
            if (!next[node])
                break;
        }
        turnAround(stack, begun, depth);
    }
    return { tree: finishTree(tree, n), place };
}

/** Make the tree of the first `n` elements of arrays. */
function finishTree({ parent, fn, flags }, n) {
    const end = new Uint32Array(n);

    for (let i = n - 1; i >= 0; i--) {
        end[i] = Math.max(end[i], i + 1);
        if (i)
            end[parent[i]] = Math.max(end[parent[i]], end[i]);
    }
    return new CallTree(parent.slice(0, n), fn.slice(0, n), flags.slice(0, n), end);
}

/**
 * Sum up the weights of the nodes below each node.
 * @param {CallTree} tree
 * @param {Float64Array} self Weight of each node.
 * @returns {Float64Array} Weight of each node with those below it.
 */
export function sumUp(tree, self) {
    const total = self.slice();

    for (let i = tree.n - 1; i > 0; i--)
        total[tree.parent[i]] += total[i];
    return total;
}
