/**
 * @file Sums by function: self, and total with callees. Recursive functions count once in each stack.
 */
import { functionsWithCode } from './code.js';
import { KIND_KERNEL } from './profile.js';

/** Sums of one side, by function number. */
function sumFunctions(tree, weights, n) {
    const sums = {
        self: new Float64Array(n), total: new Float64Array(n),
        count: new Float64Array(n), count_self: new Float64Array(n),
    };
    /* Where the last outermost call of each function ends: nodes before that are below it. */
    const ends = new Uint32Array(n);
    const { total, totalCount } = weights;

    for (let i = 1; i < tree.n; i++) {
        const fn = tree.fn[i];

        sums.self[fn] += weights.self[i];
        sums.count_self[fn] += weights.count[i];
        if (i < ends[fn])
            continue;
        ends[fn] = tree.end[i];
        sums.total[fn] += total[i];
        sums.count[fn] += totalCount[i];
    }
    return sums;
}

const SCHEDULER = /^(__|io_|preempt_)?schedule/;

/**
 * Node of the function that waits in the stack that ends at `node`: the innermost one of the program, as in the report,
 * else the innermost one that is not the scheduler.
 */
function waitingNode(tree, functions, node) {
    const find = (isWanted) => {
        let i = node;

        while (i && !isWanted(tree.fn[i]))
            i = tree.parent[i];
        return i;
    };

    return find((fn) => !functions.isOutside(fn) && functions.kind(fn) !== KIND_KERNEL && !functions.isMark[fn]) ||
        find((fn) => !SCHEDULER.test(functions.name(fn))) || node;
}

/** Weights in which those of waits are at the function that waits instead of in the scheduler. */
function atWaiting(selection, weights) {
    const { tree, recordings: { functions, events } } = selection;

    if (!events[selection.event]?.waits)
        return weights;
    const self = new Float64Array(tree.n);
    const count = new Float64Array(tree.n);

    for (let i = 1; i < tree.n; i++) {
        if (!weights.count[i])
            continue;
        const at = waitingNode(tree, functions, i);

        self[at] += weights.self[i];
        count[at] += weights.count[i];
    }
    return { self, count, total: weights.total, totalCount: weights.totalCount };
}

/** Keys of the rows, larger ones first unless the order is ascending. */
function sortKeys(sort, selection, sides, factor) {
    const { functions } = selection.recordings;
    const [before, after] = sides;
    const keys = new Float64Array(functions.n);
    const ranks = sort === 'name' || sort === 'binary' ? functions.nameRanks() : null;

    for (let fn = 0; fn < keys.length; fn++) {
        if (ranks)
            keys[fn] = -ranks[fn];
        else if (sort === 'change' || sort === 'change_total')
            keys[fn] = amountOfChange(before, after, factor, sort === 'change' ? 'self' : 'total', fn);
        else
            keys[fn] = before[sort][fn] + (after ? factor * after[sort][fn] : 0);
    }
    return keys;
}

function amountOfChange(before, after, factor, member, fn) {
    return after ? Math.abs(factor * after[member][fn] - before[member][fn]) : before[member][fn];
}

/** Order of functions by binary and then by what `order` says. */
function byBinary(functions, order) {
    const ranks = new Map([...new Set(functions.binaryNames)].sort().map((name, rank) => [name, rank + 1]));
    const rank = (fn) => ranks.get(functions.binaryName(fn)) ?? 0;

    return (a, b) => rank(a) - rank(b) || order(a, b);
}

/**
 * Answer the question `table`: see worker.js.
 * @param {Selection} selection
 * @param {object} options Arguments of the question.
 * @param {Uint8Array|null} matched Functions that `search` matches, by number; null: all.
 */
export function answerTable(selection, options = {}, matched = null) {
    const { sort = 'self', limit = 200, offset = 0, scale = 'normalized' } = options;
    const descending = options.descending ?? (sort !== 'name' && sort !== 'binary');
    const { functions } = selection.recordings;
    const factor = selection.factor(scale);
    const sides = selection.weights.map((weights) =>
        sumFunctions(selection.tree, atWaiting(selection, weights), functions.n));
    const keys = sortKeys(sort, selection, sides, factor);
    const byKey = (a, b) => keys[b] - keys[a] || a - b;
    const order = sort === 'binary' ? byBinary(functions, byKey) : byKey;
    /* Keys of names are larger the earlier a name is. */
    const isReversed = sort === 'name' || sort === 'binary' ? descending : !descending;
    const rows = [];

    for (let fn = 0; fn < functions.n; fn++) {
        if (sides.some((side) => side.total[fn] > 0) && (!matched || matched[fn]))
            rows.push(fn);
    }
    rows.sort(isReversed ? (a, b) => order(b, a) : order);
    const shown = rows.slice(offset, offset + limit);
    const answer = { n: rows.length, function: Uint32Array.from(shown), factor };
    sides.forEach((side, i) => {
        for (const [name, values] of Object.entries(side))
            answer[i ? name + i : name] = Float64Array.from(shown, (fn) => values[fn]);
    });
    return answer;
}

/** Answer the question `search`: see worker.js. `matched` has 1 for each function that matches. */
export function answerSearch(selection, matched) {
    const { tree, recordings } = selection;
    const answer = { boxes: 0 };
    const seen = new Uint8Array(recordings.functions.n);
    const sums = selection.weights.map(() => 0);

    for (let i = 1, end = 0; i < tree.n; i++) {
        if (!matched[tree.fn[i]] || !selection.weights.some((weights) => weights.total[i] > 0))
            continue;
        seen[tree.fn[i]] = 1;
        answer.boxes++;
        if (i < end)
            continue;
        end = tree.end[i];
        selection.weights.forEach((weights, side) => {
            sums[side] += weights.total[i];
        });
    }
    answer.functions = Uint32Array.from(matched.keys()).filter((fn) => seen[fn]);
    answer.n = answer.functions.length;
    sums.forEach((weight, side) => {
        answer[`weight${side || ''}`] = weight;
        answer[`share${side || ''}`] = weight / (selection.totals[side].weight || 1);
    });
    return answer;
}

/** Answer the question `hottest`: see worker.js. */
export function answerHottest(selection, { side = 0, with_code: wantsCode = false } = {}) {
    const { functions, sides } = selection.recordings;
    const { self } = sumFunctions(selection.tree, selection.weights[side], functions.n);
    const withCode = wantsCode ? functionsWithCode(sides[side], functions.ofRows[side]) : new Set();
    let [hottest, hottestWithCode] = [-1, -1];

    for (let fn = 0; fn < functions.n; fn++) {
        if (!(self[fn] > 0) || !functions.isRecorded(fn) || functions.isMark[fn])
            continue;
        if (hottest < 0 || self[fn] > self[hottest])
            hottest = fn;
        if (withCode.has(fn) && (hottestWithCode < 0 || self[fn] > self[hottestWithCode]))
            hottestWithCode = fn;
    }
    const chosen = hottestWithCode < 0 ? hottest : hottestWithCode;
    return { function: Uint32Array.from(chosen < 0 ? [] : [chosen]), is_first: chosen === hottest };
}
