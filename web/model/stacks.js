/**
 * @file How a selection changes stacks: which ones it leaves out, and what is left of the others. The meanings are
 * those of --focus, --ignore, --hide and --root of pdconv (profile/filter.h).
 */
import { matchFunctions } from './pattern.js';
import { sumUp, TreeBuilder } from './tree.js';

/** Bits of stacks: what any of their frames matches. Lists of focus have the bits from FOCUS_BIT on. */
const STACK_IGNORED = 1;
const STACK_ROOTED = 2;
const FOCUS_BIT = 4;
const MAX_FOCUS = 28;

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
    const single = focus.filter(entry => !Array.isArray(entry));
    const lists = focus.filter(Array.isArray);

    return single.length ? [single, ...lists] : lists;
}

/**
 * The stacks of recordings as a selection shows them. Patterns are matched once for each function, and remembered.
 */
export class Stacks {
    /** @param {Recordings} recordings */
    constructor(recordings) {
        this.recordings = recordings;
        this.matched = new Map();
        this.shown = { key: null };
    }

    /** Functions that `pattern` matches: see matchFunctions(). */
    match(pattern) {
        const key = JSON.stringify([pattern.regex, pattern.text, pattern.exact]);
        let found = this.matched.get(key);

        if (!found) {
            found = matchFunctions(this.recordings.functions, pattern);
            /* People try many patterns. */
            if (this.matched.size > 50)
                this.matched.clear();
            this.matched.set(key, found);
        }
        return found;
    }

    /** Functions that any of `patterns` matches, by number. */
    matchAny(patterns) {
        const bits = new Uint8Array(this.recordings.functions.n);

        setBits(bits, 1, patterns, pattern => this.match(pattern));
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
        if (this.shown.key !== key) {
            const verdicts = this.judge(focusLists(focus), ignore, roots);
            const shown = changes ? this.change(verdicts, { hide, roots, recursion, binaries })
                : { tree: this.recordings.tree, place: this.judged(verdicts) };

            this.shown = { key, ...shown };
        }
        return this.shown;
    }

    /** Bits of the stacks that end in each node, and the bits that a stack has to have. */
    judge(focus, ignore, roots) {
        const { tree, functions } = this.recordings;
        const ofFunctions = new Uint32Array(functions.n);
        const ofNodes = new Uint32Array(tree.n);
        const match = pattern => this.match(pattern);
        let wanted = roots.length ? STACK_ROOTED : 0;

        if (focus.length > MAX_FOCUS)
            throw new Error(`too many patterns to focus on: ${focus.length}, ${MAX_FOCUS} at most`);
        setBits(ofFunctions, STACK_IGNORED, ignore, match);
        setBits(ofFunctions, STACK_ROOTED, roots.map(text => ({ text, exact: true })), match);
        focus.forEach((patterns, i) => {
            setBits(ofFunctions, FOCUS_BIT << i, patterns, match);
            wanted |= FOCUS_BIT << i;
        });
        /* It is no frame of the recording: folded stacks get it when they are written. */
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
        const hidden = this.matchAny(hide);
        const together = this.shownTogether(binaries);
        const unnamed = recursion ? this.unnamed() : null;
        const builder = new TreeBuilder(tree.n);
        const nodes = new Uint32Array(tree.n);
        const changesOutermost = hide.length > 0 || roots.length > 0;

        for (let i = 1; i < tree.n; i++) {
            const above = nodes[tree.parent[i]];
            const fn = tree.fn[i];

            nodes[i] = above;
            if (hidden[fn] || roots.length && !(verdicts.ofNodes[i] & STACK_ROOTED))
                continue;
            /* Whether callers were lost depends on the outermost function that is shown. */
            if (changesOutermost && fn === functions.callersLost)
                continue;
            const parent = changesOutermost && !above && functions.isGenerated(fn)
                ? builder.child(0, functions.callersLost, 0) : above;
            nodes[i] = this.descend(builder, parent, together[fn], tree.flags[i], unnamed);
        }
        const { tree: shown, place } = builder.finish();
        const places = new Int32Array(tree.n);
        for (let i = 0; i < tree.n; i++)
            places[i] = this.isShown(verdicts, i) ? place[nodes[i]] : LEFT_OUT;
        return { tree: shown, place: places };
    }

    /** Function that each function is shown as: itself or one that stands for its binary. */
    shownTogether(binaries) {
        const { functions } = this.recordings;
        const wanted = new Set(binaries);
        const together = Uint32Array.from({ length: functions.n }, (_, fn) => fn);

        for (let fn = 0; fn < functions.nRecorded; fn++) {
            if (wanted.size && wanted.has(functions.binaryName(fn)))
                together[fn] = functions.ofBinary(functions.binaryOf(fn) - 1);
        }
        return together;
    }

    unnamed() {
        const { functions } = this.recordings;

        return Uint8Array.from({ length: functions.n }, (_, fn) => functions.isUnnamed(fn) ? 1 : 0);
    }

    /**
     * Go from `parent` to the node where `fn` continues. With `unnamed`, recursion is shown once, as pdconv --tree
     * does: a function that is on the path goes on where it is; one that `unnamed` has only if it calls itself.
     */
    descend(builder, parent, fn, flags, unnamed) {
        const calledByItself = parent && builder.fn[parent] === fn;

        if (calledByItself && (unnamed || this.recordings.functions.isBinary(fn)))
            return parent;
        if (unnamed && !unnamed[fn]) {
            for (let node = parent; node; node = builder.parent[node]) {
                if (builder.fn[node] === fn)
                    return node;
            }
        }
        return builder.child(parent, fn, flags);
    }
}

/**
 * Merge the stacks from the outermost call of a function on, in which it becomes the first level.
 * @param {CallTree} tree
 * @param {Float64Array[]} selfs Weights of nodes, any number of them.
 * @param {number} fn
 * @returns {{tree: CallTree, selfs: Float64Array[], totals: Float64Array[]}}
 */
export function calleesOf(tree, selfs, fn) {
    const builder = new TreeBuilder(1024);
    const nodes = new Uint32Array(tree.n);

    for (let i = 1; i < tree.n; i++) {
        if (tree.fn[i] !== fn)
            continue;
        nodes[i] = builder.child(0, fn, tree.flags[i]);
        for (let k = i + 1; k < tree.end[i]; k++)
            nodes[k] = builder.child(nodes[tree.parent[k]], tree.fn[k], tree.flags[k]);
        i = tree.end[i] - 1;
    }
    const { tree: merged, place } = builder.finish();
    const mergedSelfs = selfs.map(self => {
        const sums = new Float64Array(merged.n);

        for (let i = 1; i < tree.n; i++) {
            if (nodes[i])
                sums[place[nodes[i]]] += self[i];
        }
        return sums;
    });
    return { tree: merged, selfs: mergedSelfs, totals: mergedSelfs.map(sums => sumUp(merged, sums)) };
}
