/**
 * @file Boxes of flame graphs: see the answer of `flame` in worker.js. How they are laid out is in callees.js, top down,
 * and callers.js, bottom up.
 */

/** Bits of boxes in addition to those of frames. */
const BOX_ANCESTOR = 16;
export const BOX_CUT = 32;

/** Names of the weights of boxes in answers. */
const COLUMNS = ['total', 'self', 'count'];

/**
 * The weights that a layout is made of.
 * @typedef {object} Measure
 * @property {CallTree} tree
 * @property {Array<{self: Float64Array, total: Float64Array, selfCount: Float64Array, count: Float64Array}>} sides By
 * node.
 * @property {number} factor What weights of side 1 are multiplied by.
 */

/** Width of each node: its weight, or those of both sides. */
export function layoutWidths(measure, member) {
    const [before, after] = measure.sides;

    if (!after)
        return before[member];
    const sums = before[member].slice();
    for (let i = 0; i < sums.length; i++)
        sums[i] += measure.factor * after[member][i];
    return sums;
}

/** An array of numbers that grows. */
class Numbers {
    constructor(Type) {
        this.values = new Type(256);
        this.n = 0;
    }

    push(value) {
        if (this.n === this.values.length) {
            const grown = new this.values.constructor(this.n * 2);

            grown.set(this.values);
            this.values = grown;
        }
        this.values[this.n++] = value;
    }

    finish() {
        return this.values.slice(0, this.n);
    }
}

/** Boxes that are being laid out. */
export class Boxes {
    constructor(nSides) {
        this.parent = new Numbers(Int32Array);
        this.fn = new Numbers(Uint32Array);
        this.depth = new Numbers(Uint16Array);
        this.x0 = new Numbers(Float64Array);
        this.x1 = new Numbers(Float64Array);
        this.flags = new Numbers(Uint8Array);
        this.sums = Array.from({ length: nSides }, () => COLUMNS.map(() => new Numbers(Float64Array)));
        /** Weight of each box; only used top down. */
        this.width = new Numbers(Float64Array);
        /** The box that is zoomed to, or -1, and the path to it. */
        this.zoom = -1;
        this.zoomed = [];
    }

    get n() {
        return this.parent.n;
    }

    /** Add a box and return its index. `sums`: for each side total, self and count. */
    add(parent, fn, flags, sums) {
        this.parent.push(parent);
        this.fn.push(fn);
        this.depth.push(parent < 0 ? 0 : this.depth.values[parent] + 1);
        this.flags.push(flags);
        this.x0.push(0);
        this.x1.push(1);
        sums.forEach((values, side) => values.forEach((value, i) => this.sums[side][i].push(value)));
        return this.n - 1;
    }

    /** Make `box` the one that is zoomed to; those above it are its ancestors. */
    zoomTo(box) {
        if (this.zoom >= 0)
            this.flags.values[this.zoom] |= BOX_ANCESTOR;
        this.zoom = box;
        this.zoomed.push(this.fn.values[box]);
    }

    /**
     * Make the answer.
     * @param {number} factor What weights of side 1 are multiplied by.
     * @param {number} sum Weight of the full width.
     */
    answer(factor, sum) {
        const depth = this.depth.finish();
        const answer = {
            n: this.n, depths: depth.reduce((most, value) => Math.max(most, value + 1), 0),
            parent: this.parent.finish(), function: this.fn.finish(), depth, x0: this.x0.finish(), x1: this.x1.finish(),
            flags: this.flags.finish(), factor, sum, zoom: this.zoom, zoomed: this.zoomed,
        };

        this.sums.forEach((values, side) => COLUMNS.forEach((name, i) => {
            answer[side ? name + side : name] = values[i].finish();
        }));
        return answer;
    }
}

/** Order of siblings: a function that compares (function A, width A, function B, width B). */
export function orderOf(sort, functions) {
    if (sort === 'name') {
        const ranks = functions.nameRanks();

        return (fnA, widthA, fnB) => ranks[fnA] - ranks[fnB];
    }
    return (fnA, widthA, fnB, widthB) => widthB - widthA || fnA - fnB;
}
