/**
 * @file Flame graphs and sandwiches of a selection.
 */
import { layOutCallees } from './callees.js';
import { layOutCallers } from './callers.js';
import { calleesOf } from './stacks.js';

/** @returns {Measure} The weights of a selection. */
function measureOf(selection, scale) {
    return {
        tree: selection.tree,
        factor: selection.factor(scale),
        sides: selection.weights.map((weights) => ({
            self: weights.self, selfCount: weights.count, total: weights.total, count: weights.totalCount,
        })),
    };
}

/** Answer the question `flame`: see worker.js. */
export function answerFlame(selection, { inverted = false, scale = 'normalized', ...options } = {}) {
    const layOut = inverted ? layOutCallers : layOutCallees;

    return layOut(measureOf(selection, scale), selection.recordings.functions, options);
}

/** Call `visit(node)` for the outermost calls of a function. */
function visitOutermost(tree, fn, visit) {
    for (let i = 1; i < tree.n;) {
        if (tree.fn[i] === fn) {
            visit(i);
            i = tree.end[i];
        } else {
            i++;
        }
    }
}

/** The weights of the calls of `fn`, for the layout of its callers. */
function measureOfCalls(measure, fn) {
    const sides = measure.sides.map(() =>
        ({ self: new Float64Array(measure.tree.n), selfCount: new Float64Array(measure.tree.n) }));

    visitOutermost(measure.tree, fn, (node) => {
        sides.forEach((side, i) => {
            side.self[node] = measure.sides[i].total[node];
            side.selfCount[node] = measure.sides[i].count[node];
        });
    });
    return { ...measure, sides };
}

/** The weights of what `fn` calls. */
function measureOfCallees(measure, fn, nFunctions) {
    const columns = measure.sides.flatMap((side) => [side.self, side.selfCount]);
    const { tree, selfs, totals } = calleesOf(measure.tree, columns, fn, nFunctions);

    return {
        ...measure, tree,
        sides: measure.sides.map((_, i) => ({
            self: selfs[2 * i], selfCount: selfs[2 * i + 1], total: totals[2 * i], count: totals[2 * i + 1],
        })),
    };
}

/** Answer the question `sandwich`: see worker.js. */
export function answerSandwich(selection, { function: fn, scale = 'normalized', ...options }) {
    const { functions } = selection.recordings;
    const measure = measureOf(selection, scale);
    const below = measureOfCallees(measure, fn, functions.n);
    const answer = {
        callers: layOutCallers(measureOfCalls(measure, fn), functions, options),
        callees: layOutCallees(below, functions, options),
    };

    below.sides.forEach((side, i) => {
        const digit = i || '';
        const self = selection.weights[i].self.reduce((sum, weight, node) =>
            node && measure.tree.fn[node] === fn ? sum + weight : sum, 0);

        answer[`total${digit}`] = side.total[0];
        answer[`self${digit}`] = self;
        answer[`count${digit}`] = side.count[0];
    });
    return answer;
}
