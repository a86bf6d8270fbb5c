/**
 * @file Layouts of call trees for flame graphs, top down and bottom up: see the answer of `flame` in worker.js.
 */
import { FRAME_INLINED } from './profile.js';

/** Bits of boxes in addition to those of frames. */
export const BOX_ANCESTOR = 16;
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
function layoutWidths(measure, member) {
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
class Boxes {
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
        this.zoom = -1;
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

    answer(factor, sum, zoomed) {
        const depth = this.depth.finish();
        const answer = {
            n: this.n, depths: depth.reduce((most, value) => Math.max(most, value + 1), 0),
            parent: this.parent.finish(), function: this.fn.finish(), depth, x0: this.x0.finish(), x1: this.x1.finish(),
            flags: this.flags.finish(), factor, sum, zoom: this.zoom, zoomed,
        };

        this.sums.forEach((values, side) => COLUMNS.forEach((name, i) => {
            answer[side ? name + side : name] = values[i].finish();
        }));
        return answer;
    }
}

/** Order of siblings: `compare(a, b)` of function numbers and widths. */
function orderOf(sort, functions) {
    if (sort === 'name') {
        const ranks = functions.nameRanks();

        return (fnA, widthA, fnB) => ranks[fnA] - ranks[fnB];
    }
    return (fnA, widthA, fnB, widthB) => widthB - widthA || fnA - fnB;
}

/** Place siblings, boxes by index, from `x` on. */
function placeSiblings(boxes, siblings, x, scale) {
    for (const box of siblings) {
        boxes.x0.values[box] = x;
        x += boxes.width.values[box] * scale;
        boxes.x1.values[box] = x;
    }
}

/** Sums of one node on each side. */
function sumsOfNode(measure, node) {
    return measure.sides.map(({ total, self, count }) => [total[node], self[node], count[node]]);
}

/**
 * Lay out a tree top down.
 * @param {Measure} measure
 * @param {FunctionTable} functions
 * @param {{root?: number[], width?: number, sort?: string}} options As in the question `flame`.
 * @returns {object} Answer of `flame`.
 */
export function layOutCallees(measure, functions, { root = [], width = 2000, sort = 'weight' } = {}) {
    const { tree } = measure;
    const weight = layoutWidths(measure, 'total');
    const boxes = new Boxes(measure.sides.length);
    const zoomed = [];
    let top = 0;

    for (const fn of root) {
        const next = tree.child(top, fn);

        if (!next || !weight[next])
            break;
        top = next;
        zoomed.push(fn);
        boxes.zoom = boxes.add(boxes.zoom, fn, tree.flags[top] | BOX_ANCESTOR, sumsOfNode(measure, top));
    }
    if (boxes.zoom >= 0)
        boxes.flags.values[boxes.zoom] &= ~BOX_ANCESTOR;
    addBelow(boxes, measure, weight, { top, least: weight[top] / width / 2 });
    placeAll(boxes, orderOf(sort, functions), weight[top]);
    return boxes.answer(measure.factor, weight[top], zoomed);
}

/** Add the boxes of the nodes below `top` whose weight is at least `least`. Siblings are in the order of the tree. */
function addBelow(boxes, measure, weight, { top, least }) {
    const { tree } = measure;
    const boxOf = new Map([[top, boxes.zoom]]);

    for (let i = 0; i < boxes.n; i++)
        boxes.width.push(0);
    for (let i = top + 1; i < tree.end[top];) {
        const parent = boxOf.get(tree.parent[i]);

        if (!(weight[i] > 0 && weight[i] >= least)) {
            if (weight[i] > 0 && parent >= 0)
                boxes.flags.values[parent] |= BOX_CUT;
            i = tree.end[i];
            continue;
        }
        boxOf.set(i, boxes.add(parent, tree.fn[i], tree.flags[i], sumsOfNode(measure, i)));
        boxes.width.push(weight[i]);
        i++;
    }
}

/** Place all boxes below the zoomed one, whose width is `whole`. */
function placeAll(boxes, order, whole) {
    const first = boxes.zoom + 1;
    const children = new Map();

    for (let box = first; box < boxes.n; box++) {
        const parent = boxes.parent.values[box];
        const list = children.get(parent);

        if (list)
            list.push(box);
        else
            children.set(parent, [box]);
    }
    const fn = boxes.fn.values;
    const width = boxes.width.values;
    /* A box precedes its children, so that it is placed before them. */
    for (const [parent, list] of [...children].sort((a, b) => a[0] - b[0])) {
        list.sort((a, b) => order(fn[a], width[a], fn[b], width[b]));
        placeSiblings(boxes, list, parent < 0 ? 0 : boxes.x0.values[parent], 1 / whole);
    }
}

/** Paths to callers that are still followed: node that was reached, and node where the path begins. */
class Paths {
    constructor(n) {
        this.at = new Uint32Array(n);
        this.from = new Uint32Array(n);
        this.n = 0;
    }

    push(at, from) {
        this.at[this.n] = at;
        this.from[this.n++] = from;
    }
}

/** Groups paths by the function of the node that they reached. */
class Grouping {
    constructor(measure, nFunctions) {
        this.measure = measure;
        this.nSides = measure.sides.length;
        /** Index of the group of each function + 1; 0: it has none. */
        this.slots = new Uint32Array(nFunctions);
    }

    /**
     * Group the paths `begin` to `end - 1`. The members of a group: function, width, number of paths, flags, and sums
     * (total, self, count) of each side.
     */
    group(paths, begin, end, width) {
        const { tree, sides } = this.measure;
        const groups = [];

        for (let i = begin; i < end; i++) {
            const node = paths.at[i];
            const from = paths.from[i];
            const fn = tree.fn[node];

            if (!this.slots[fn]) {
                groups.push({
                    fn, width: 0, n: 0, flags: FRAME_INLINED, at: 0,
                    sums: Array.from({ length: this.nSides }, () => [0, 0, 0]),
                });
                this.slots[fn] = groups.length;
            }
            const group = groups[this.slots[fn] - 1];
            const flags = tree.flags[node];
            group.flags = (group.flags | flags) & ~FRAME_INLINED | group.flags & flags & FRAME_INLINED;
            group.width += width[from];
            group.n++;
            for (let side = 0; side < this.nSides; side++) {
                const sums = group.sums[side];

                sums[0] += sides[side].self[from];
                sums[2] += sides[side].selfCount[from];
                if (!tree.parent[node])
                    sums[1] += sides[side].self[from];
            }
        }
        for (const group of groups)
            this.slots[group.fn] = 0;
        return groups;
    }

    /** Append the paths of `begin` to `end - 1` to `next`, group by group, one step nearer to the root. */
    advance(paths, begin, end, groups, next) {
        const { tree } = this.measure;
        let at = next.n;

        groups.forEach((group, i) => {
            this.slots[group.fn] = i + 1;
            group.at = at;
            at += group.n;
        });
        for (let i = begin; i < end; i++) {
            const slot = this.slots[tree.fn[paths.at[i]]];
            const above = tree.parent[paths.at[i]];

            if (!slot || !above)
                continue;
            const group = groups[slot - 1];
            next.at[group.at] = above;
            next.from[group.at++] = paths.from[i];
        }
        let from = next.n;
        for (const group of groups) {
            this.slots[group.fn] = 0;
            group.begin = from;
            group.end = group.at;
            from += group.n;
        }
        next.n = from;
    }
}

/**
 * Lay out a tree bottom up: the first level are the functions in which stacks end, and callers follow.
 * @param {Measure} measure Only `self` and `selfCount` of its sides are used, which may be the totals of some nodes:
 * paths begin where they are not 0.
 * @param {FunctionTable} functions
 * @param {{root?: number[], width?: number, sort?: string}} options As in the question `flame`.
 * @returns {object} Answer of `flame`.
 */
export function layOutCallers(measure, functions, { root = [], width = 2000, sort = 'weight' } = {}) {
    const { tree } = measure;
    const weight = layoutWidths(measure, 'self');
    const order = orderOf(sort, functions);
    const grouping = new Grouping(measure, functions.n);
    const boxes = new Boxes(measure.sides.length);
    const zoomed = [];
    let paths = new Paths(tree.n);
    let whole = weight[0];

    for (let i = 1; i < tree.n; i++) {
        if (weight[i] > 0) {
            paths.push(i, i);
            whole += weight[i];
        }
    }
    let level = [{ box: -1, begin: 0, end: paths.n, x: 0 }];
    while (level.length) {
        const next = new Paths(paths.n);
        const nextLevel = [];

        for (const { box, begin, end, x } of level) {
            const all = grouping.group(paths, begin, end, weight);
            const wanted = zoomed.length < root.length && box === boxes.zoom
                ? all.find(group => group.fn === root[zoomed.length]) : undefined;
            const least = wanted ? 0 : whole / width / 2;
            const groups = wanted ? [wanted] : all.filter(group => group.width > 0 && group.width >= least);

            if (wanted)
                whole = wanted.width;
            else if (box >= 0 && groups.length < all.length)
                boxes.flags.values[box] |= BOX_CUT;
            groups.sort((a, b) => order(a.fn, a.width, b.fn, b.width));
            grouping.advance(paths, begin, end, groups, next);
            let left = x;
            for (const group of groups) {
                const made = boxes.add(box, group.fn, group.flags | (wanted ? BOX_ANCESTOR : 0), group.sums);

                boxes.x0.values[made] = left;
                left += group.width / whole;
                boxes.x1.values[made] = left;
                nextLevel.push({ box: made, begin: group.begin, end: group.end, x: boxes.x0.values[made] });
                if (wanted) {
                    boxes.zoom = made;
                    zoomed.push(group.fn);
                }
            }
        }
        paths = next;
        level = nextLevel;
    }
    if (boxes.zoom >= 0)
        boxes.flags.values[boxes.zoom] &= ~BOX_ANCESTOR;
    return boxes.answer(measure.factor, whole, zoomed);
}
