/** @file Layout of call trees top down: see the answer of `flame` in worker.js. */
import { BOX_CUT, Boxes, layoutWidths, orderOf } from './boxes.js';

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
    let top = 0;

    for (const fn of root) {
        const next = tree.child(top, fn);

        if (!next || !weight[next])
            break;
        top = next;
        boxes.zoomTo(boxes.add(boxes.zoom, fn, tree.flags[top], sumsOfNode(measure, top)));
    }
    addBelow(boxes, measure, weight, { top, least: weight[top] / width / 2 });
    placeAll(boxes, orderOf(sort, functions), weight[top]);
    return boxes.answer(measure.factor, weight[top]);
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
