/**
 * @file Call trees: stacks merged by function, from the outermost callers on. Trees are arrays, one element per node.
 * Node 0 is the root, which is no function. A node comes before its children, and the nodes below it follow it without
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

/** A copy of `array` with room for `n` elements. */
function grown(array, n) {
    const copy = new array.constructor(n);

    copy.set(array);
    return copy;
}

/** Makes a tree by adding children to nodes. */
export class TreeBuilder {
    /** @param {number} capacity Number of nodes to expect. */
    constructor(capacity) {
        const n = Math.max(16, capacity + 1);

        this.n = 1;
        this.parent = new Uint32Array(n);
        this.fn = new Uint32Array(n);
        this.flags = new Uint8Array(n);
        this.resize(n);
    }

    /** Make a hash table for `n` nodes: a node by its parent and function; 0: nothing. */
    resize(n) {
        const size = 2 ** Math.ceil(Math.log2(n * 2));

        this.slots = new Int32Array(size);
        this.mask = size - 1;
        for (let i = 1; i < this.n; i++)
            this.slots[this.find(this.parent[i], this.fn[i])] = i;
    }

    /** The slot of a child or the free slot where it belongs. */
    find(parent, fn) {
        let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(fn, 0x85ebca6b);

        hash ^= hash >>> 15;
        for (let slot = hash & this.mask; ; slot = slot + 1 & this.mask) {
            const node = this.slots[slot];

            if (node === 0 || this.parent[node] === parent && this.fn[node] === fn)
                return slot;
        }
    }

    /** Return the child of `parent` with the function `fn`, which is added if there is none. */
    child(parent, fn, flags) {
        if (this.n === this.parent.length)
            this.grow();
        const slot = this.find(parent, fn);
        const found = this.slots[slot];

        if (found) {
            const old = this.flags[found];

            this.flags[found] = (old | flags) & ~FRAME_INLINED | old & flags & FRAME_INLINED;
            return found;
        }
        const node = this.n++;
        this.slots[slot] = node;
        this.parent[node] = parent;
        this.fn[node] = fn;
        this.flags[node] = flags;
        return node;
    }

    grow() {
        const n = this.parent.length * 2;

        this.parent = grown(this.parent, n);
        this.fn = grown(this.fn, n);
        this.flags = grown(this.flags, n);
        this.resize(n);
    }

    /**
     * Put the nodes in order.
     * @returns {{tree: CallTree, place: Uint32Array}} The tree, and the place in it of each node that was returned by
     * child().
     */
    finish() {
        const { n, parent } = this;
        const size = new Uint32Array(n).fill(1);
        const place = new Uint32Array(n);
        /* Place of the next child of each node. */
        const next = new Uint32Array(n);

        for (let i = n - 1; i > 0; i--)
            size[parent[i]] += size[i];
        next[0] = 1;
        for (let i = 1; i < n; i++) {
            place[i] = next[parent[i]];
            next[parent[i]] += size[i];
            next[i] = place[i] + 1;
        }
        return { tree: this.arrange(place, size), place };
    }

    arrange(place, size) {
        const { n } = this;
        const parent = new Uint32Array(n);
        const fn = new Uint32Array(n);
        const flags = new Uint8Array(n);
        const end = new Uint32Array(n);

        for (let i = 0; i < n; i++) {
            const to = place[i];

            parent[to] = place[this.parent[i]];
            fn[to] = this.fn[i];
            flags[to] = this.flags[i];
            end[to] = to + size[i];
        }
        return new CallTree(parent, fn, flags, end);
    }
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
