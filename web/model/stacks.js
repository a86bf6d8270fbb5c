/**
 * @file How a selection changes stacks: which ones it leaves out, and what is left of the others. The meanings are
 * those of --focus, --ignore, --hide and --root of pdconv (profile/sample_filter.h).
 */
import { matchFunctions } from './pattern.js';
import { Recent } from './recent.js';
import { mergeTree, NO_PARENT, sumUp } from './tree.js';

/** Bits of stacks: what any of their frames matches. Lists of focus have the bits from FOCUS_BIT on. */
const STACK_IGNORED = 1;
const STACK_ROOTED = 2;
const FOCUS_BIT = 4;
const MAX_FOCUS = 28;

/** Number of trees that are kept, for those who try a filter and remove it again. */
const MOST_TREES = 3;

/** Place of stacks that are left out. */
export const LEFT_OUT = -1;

/** Set `bit` of each function that one of `patterns` matches. */
function setBits(bits, bit, patterns, match) {
    for (const pattern of patterns) {
        const found = match(pattern);

        for (let i = 0; i < bits.length; i++) {
            if (found[i])
                bits[i] |= bit;
        }
    }
}

/** Lists of patterns, of each of which a stack has to match one. */
function focusLists(focus) {
    const single = focus.filter((entry) => !Array.isArray(entry));
    const lists = focus.filter(Array.isArray);

    return single.length ? [single, ...lists] : lists;
}

/**
 * The stacks of recordings as a selection shows them. Patterns are matched once for each function, and remembered.
 */
export class Stacks {
    /**
     * @param {Recordings} recordings
     * @param {function(string|null)} [watch] Called with each regular expression before it is matched, and with null
     * after that. Some take longer than anybody waits.
     */
    constructor(recordings, watch = () => {}) {
        this.recordings = recordings;
        this.watch = watch;
        this.matched = new Map();
        this.shown = new Recent(MOST_TREES);
    }

    /** Functions that `pattern` matches: see matchFunctions(). */
    match(pattern) {
        const key = JSON.stringify([pattern.regex, pattern.text, pattern.exact]);
        let found = this.matched.get(key);

        if (!found) {
            found = this.matchAll(pattern);
            /* People try many patterns. */
            if (this.matched.size > 50)
                this.matched.clear();
            this.matched.set(key, found);
        }
        return found;
    }

    matchAll(pattern) {
        this.watch(pattern?.regex ?? null);
        try {
            return matchFunctions(this.recordings.functions, pattern);
        } finally {
            this.watch(null);
        }
    }

    /** Functions that any of `patterns` matches, by number. */
    matchAny(patterns) {
        const bits = new Uint8Array(this.recordings.functions.n);

        setBits(bits, 1, patterns, (pattern) => this.match(pattern));
        return bits;
    }

    /**
     * Show stacks as `selection` (see worker.js) says.
     * @returns {{tree: CallTree, place: Int32Array|null}} The tree that is shown, and the node there of each node of
     * recordings.tree; LEFT_OUT if stacks that end in the node are left out. Null: the trees are the same.
     * @throws {Error} A pattern is invalid.
     */
    show(selection) {
        const { focus = [], ignore = [], hide = [], roots = [], recursion = false, binaries = [] } = selection;
        const changes = hide.length || roots.length || recursion || binaries.length;

        if (!changes && !focus.length && !ignore.length)
            return { tree: this.recordings.tree, place: null };
        const key = JSON.stringify([focus, ignore, hide, roots, recursion, binaries]);
        return this.shown.get(key, () => {
            const verdicts = this.judge(focusLists(focus), ignore, roots);

            return changes ? this.change(verdicts, { hide, roots, recursion, binaries })
                : { tree: this.recordings.tree, place: this.judged(verdicts) };
        });
    }

    /** Bits of the stacks that end in each node, and the bits that a stack has to have. */
    judge(focus, ignore, roots) {
        const { tree, functions } = this.recordings;
        const ofFunctions = new Uint32Array(functions.n);
        const ofNodes = new Uint32Array(tree.n);
        const match = (pattern) => this.match(pattern);
        let wanted = roots.length ? STACK_ROOTED : 0;

        if (focus.length > MAX_FOCUS)
            throw new Error(`too many patterns to focus on: ${focus.length}, ${MAX_FOCUS} at most`);
        setBits(ofFunctions, STACK_IGNORED, ignore, match);
        setBits(ofFunctions, STACK_ROOTED, roots.map((text) => ({ text, exact: true })), match);
        focus.forEach((patterns, i) => {
            setBits(ofFunctions, FOCUS_BIT << i, patterns, match);
            wanted |= FOCUS_BIT << i;
        });
        /* Patterns are for frames of the recording; this one is added when folded stacks are written. */
        if (functions.callersLost >= 0)
            ofFunctions[functions.callersLost] = 0;
        for (let i = 1; i < tree.n; i++)
            ofNodes[i] = ofNodes[tree.parent[i]] | ofFunctions[tree.fn[i]];
        return { ofNodes, wanted: wanted >>> 0 };
    }

    isShown(verdicts, node) {
        const bits = verdicts.ofNodes[node];

        return (bits & STACK_IGNORED) === 0 && (bits & verdicts.wanted) >>> 0 === verdicts.wanted;
    }

    judged(verdicts) {
        const place = new Int32Array(verdicts.ofNodes.length);

        for (let i = 0; i < place.length; i++)
            place[i] = this.isShown(verdicts, i) ? i : LEFT_OUT;
        return place;
    }

    /** Make the tree of the stacks without the frames that are hidden or shown together with others. */
    change(verdicts, { hide, roots, recursion, binaries }) {
        const { tree, functions } = this.recordings;
        const { n } = tree;
        const hidden = this.matchAny(hide);
        const unnamed = recursion ? this.unnamed() : null;
        /* Stacks that are shown in part may well begin in generated code, so pdconv says nothing about lost callers. */
        const leavesOutLost = hide.length > 0 || roots.length > 0;
        const parent = new Uint32Array(n).fill(NO_PARENT);
        const fn = this.showTogether(binaries);
        /* Nodes as which others are shown: themselves, or one above them. */
        const shownAs = new Uint32Array(n);

        parent[0] = 0;
        for (let i = 1; i < n; i++) {
            const above = shownAs[tree.parent[i]];
            const isLost = leavesOutLost && tree.fn[i] === functions.callersLost;
            const hasRoot = !roots.length || verdicts.ofNodes[i] & STACK_ROOTED;

            shownAs[i] = above;
            if (hidden[tree.fn[i]] || !hasRoot || isLost)
                continue;
            shownAs[i] = this.continues(parent, fn, above, fn[i], unnamed) || i;
            if (shownAs[i] === i)
                parent[i] = above;
        }
        const { tree: shown, place } = mergeTree(parent, fn, tree.flags, functions.n);
        const places = new Int32Array(n);
        for (let i = 0; i < n; i++)
            places[i] = this.isShown(verdicts, i) ? place[shownAs[i]] : LEFT_OUT;
        return { tree: shown, place: places };
    }

    /** Functions of all nodes; those of `binaries` are replaced by the ones that stand for their binaries. */
    showTogether(binaries) {
        const { tree, functions } = this.recordings;
        const wanted = new Set(binaries);

        if (!wanted.size)
            return tree.fn;
        const together = Uint32Array.from({ length: functions.n }, (_, number) =>
            functions.isRecorded(number) && wanted.has(functions.binaryName(number))
                ? functions.ofBinary(functions.binaryOf(number) - 1) : number);
        return tree.fn.map((number) => together[number]);
    }

    unnamed() {
        const { functions } = this.recordings;

        return Uint8Array.from({ length: functions.n }, (_, number) => functions.isUnnamed(number) ? 1 : 0);
    }

    /**
     * Return the node from `above` up in which a call of `called` goes on; 0: in none. A binary continues in itself. With
     * `unnamed`, recursion is shown once, as pdconv --tree does: a function goes on where it is on the path, but one that
     * `unnamed` has only if it calls itself.
     */
    continues(parent, fn, above, called, unnamed) {
        if (above && fn[above] === called && (unnamed || this.recordings.functions.isBinary(called)))
            return above;
        if (unnamed && !unnamed[called]) {
            for (let node = above; node; node = parent[node]) {
                if (fn[node] === called)
                    return node;
            }
        }
        return 0;
    }
}

/**
 * Merge the stacks from the outermost call of a function on, in which it becomes the first level.
 * @param {CallTree} tree
 * @param {Float64Array[]} selfs Weights of nodes, any number of them.
 * @param {number} fn
 * @param {number} nFunctions
 * @returns {{tree: CallTree, selfs: Float64Array[], totals: Float64Array[]}}
 */
export function calleesOf(tree, selfs, fn, nFunctions) {
    const parent = new Uint32Array(tree.n).fill(NO_PARENT);

    parent[0] = 0;
    for (let i = 1; i < tree.n;) {
        if (tree.fn[i] !== fn) {
            i++;
            continue;
        }
        parent[i] = 0;
        for (let k = i + 1; k < tree.end[i]; k++)
            parent[k] = tree.parent[k];
        i = tree.end[i];
    }
    const { tree: merged, place } = mergeTree(parent, tree.fn, tree.flags, nFunctions);
    const mergedSelfs = selfs.map((self) => {
        const sums = new Float64Array(merged.n);

        for (let i = 1; i < tree.n; i++) {
            if (place[i])
                sums[place[i]] += self[i];
        }
        return sums;
    });
    return { tree: merged, selfs: mergedSelfs, totals: mergedSelfs.map((sums) => sumUp(merged, sums)) };
}
