/** @file Layout of call trees bottom up: see the answer of `flame` in worker.js. */
import { BOX_CUT, Boxes, layoutWidths, orderOf } from './boxes.js';
import { FRAME_INLINED } from './profile.js';

/** No levels are added to a layout with this many boxes. It takes deep recursion to get so many. */
const MAX_BOXES = 400000;

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
                const weight = sides[side].self[from];

                sums[0] += weight;
                sums[1] += tree.parent[node] ? 0 : weight;
                sums[2] += sides[side].selfCount[from];
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

/** A layout that grows level by level. */
class CallerLayout {
    constructor(measure, functions, { root = [], width = 2000, sort = 'weight' }) {
        const { tree } = measure;

        this.measure = measure;
        this.weight = layoutWidths(measure, 'self');
        this.order = orderOf(sort, functions);
        this.root = root;
        this.width = width;
        this.grouping = new Grouping(measure, functions.n);
        this.boxes = new Boxes(measure.sides.length);
        /** Paths of this level and of the next. */
        this.paths = new Paths(tree.n);
        this.next = new Paths(tree.n);
        /** Weight of the full width. */
        this.whole = this.weight[0];
        for (let i = 1; i < tree.n; i++) {
            if (this.weight[i] > 0) {
                this.paths.push(i, i);
                this.whole += this.weight[i];
            }
        }
    }

    layOut() {
        let level = [{ box: -1, begin: 0, end: this.paths.n }];

        while (level.length && this.boxes.n < MAX_BOXES) {
            this.next.n = 0;
            level = level.flatMap((above) => this.addCallers(above));
            [this.paths, this.next] = [this.next, this.paths];
        }
        for (const { box, begin, end } of level) {
            if (begin < end)
                this.boxes.flags.values[box] |= BOX_CUT;
        }
        return this.boxes.answer(this.measure.factor, this.whole);
    }

    /** Add the callers of a box, and return them with their paths: { box, begin, end }. */
    addCallers({ box, begin, end }) {
        const { boxes, grouping, order } = this;
        const all = grouping.group(this.paths, begin, end, this.weight);
        const wanted = this.findWanted(box, all);
        const groups = wanted ? [wanted] : this.wideEnough(all);

        if (wanted)
            this.whole = wanted.width;
        else if (box >= 0 && groups.length < all.length)
            boxes.flags.values[box] |= BOX_CUT;
        groups.sort((a, b) => order(a.fn, a.width, b.fn, b.width));
        grouping.advance(this.paths, begin, end, groups, this.next);
        let x = box < 0 ? 0 : boxes.x0.values[box];
        return groups.map((group) => {
            const made = boxes.add(box, group.fn, group.flags, group.sums);

            boxes.x0.values[made] = x;
            x += group.width / this.whole;
            boxes.x1.values[made] = x;
            if (wanted)
                boxes.zoomTo(made);
            return { box: made, begin: group.begin, end: group.end };
        });
    }

    /** The group in which the path to zoom to goes on from `box`; undefined if it does not. */
    findWanted(box, groups) {
        const { zoom, zoomed } = this.boxes;

        return box === zoom && zoomed.length < this.root.length
            ? groups.find(({ fn }) => fn === this.root[zoomed.length]) : undefined;
    }

    wideEnough(groups) {
        const least = this.whole / this.width / 2;

        return groups.filter(({ width }) => width > 0 && width >= least);
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
export function layOutCallers(measure, functions, options = {}) {
    return new CallerLayout(measure, functions, options).layOut();
}
